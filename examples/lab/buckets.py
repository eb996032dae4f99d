#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the bucket of every row from the Iceberg spec alone, without calve's code.

    calve --format csv sql 'SELECT customer_id, bucket …' | buckets.py N

Each row has a number and the bucket (of N) in whose file it lies. The hash is 32-bit Murmur3 (x86
variant, seed 0) over the 8 bytes of the number, little-endian; the bucket is its lower 31 bits
modulo N.
"""
import csv
import sys

MASK = 0xFFFFFFFF


def rotate(value, bits):
    return (value << bits | value >> (32 - bits)) & MASK


def murmur3(data):
    """For data of whole 4-byte words, which is all that a long needs."""
    state = 0
    for at in range(0, len(data), 4):
        word = int.from_bytes(data[at : at + 4], "little")
        word = rotate(word * 0xCC9E2D51 & MASK, 15) * 0x1B873593 & MASK
        state = (rotate(state ^ word, 13) * 5 + 0xE6546B64) & MASK
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & MASK
    state = (state ^ state >> 13) * 0xC2B2AE35 & MASK
    return state ^ state >> 16


def bucket(number, count):
    return (murmur3(number.to_bytes(8, "little", signed=True)) & 0x7FFFFFFF) % count


def main():
    count = int(sys.argv[1])
    rows = list(csv.reader(sys.stdin))[1:]
    wrong = [row for row in rows if bucket(int(row[0]), count) != int(row[1])]
    for number, found in wrong[:5]:
        print(f"   {number} lies in bucket {found}, not {bucket(int(number), count)}")
    print(f"{len(rows)} rows, {len(wrong)} in a wrong bucket; "
          f"8237 belongs in {bucket(8237, count)}")
    return len(wrong) > 0 or not rows


sys.exit(main())
