#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seeds of fuzz_value: rows of the value vectors, into folder $1. Types stand in the target's order.
set -euo pipefail
vectors=$(dirname "$0")/../../vectors/values.jsonl
python3 - "$vectors" "$1" <<'PYTHON'
import json, pathlib, sys
types = ["boolean", "int", "long", "float", "double", "date", "time", "timestamp",
         "timestamptz", "timestamp_ns", "string", "uuid", "timestamptz_ns", "fixed[4]",
         "binary", "unknown", "variant", "decimal(9, 2)", "decimal(38, 0)", "decimal(38, 38)"]
seeds = [b"(" + text.encode() for text in (
    '{"4":[{"keys":["a","b"],"values":[1.5,"NaN"]},null],"5":"x"}', '{"4":null,"9":[{}]}', "null")]
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    if row.get("type") not in types:
        continue
    pick = types.index(row["type"])
    if "json_text" in row:
        seeds.append(bytes([pick + len(types)]) + row["json_text"].encode())
    if "hex" in row:
        seeds.append(bytes([pick]) + bytes.fromhex(row["hex"]))
for number, seed in enumerate(seeds):
    pathlib.Path(sys.argv[2], str(number)).write_bytes(seed)
PYTHON
