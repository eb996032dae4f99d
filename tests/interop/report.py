#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the interop tests compared, by peer and direction: tests/interop/report.py BUILD

Sums up what the tests left in BUILD/interop-counts (agreement.Totals.done), prints a line for each
direction between calve and a peer, and fails where less was compared than minimum.json asks.
"""
import json
import os
import sys

PEERS = ("spark", "java", "pyiceberg")
WHAT = ("histories", "tables", "rows", "plans")
HERE = os.path.dirname(os.path.abspath(__file__))


def summed(folder):
    sums = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for direction, counts in json.load(file).items():
                total = sums.setdefault(direction, dict.fromkeys(WHAT, 0))
                for what in WHAT:
                    total[what] += counts[what]
    return sums


def main():
    sums = summed(os.path.join(sys.argv[1], "interop-counts"))
    with open(os.path.join(HERE, "minimum.json"), encoding="utf-8") as file:
        minimum = json.load(file)
    print(f"{'who wrote -> who read':24}" + "".join(f"{what:>12}" for what in WHAT)
          + "   (rows, plans: compared)")
    too_few = []
    for direction in [pair for peer in PEERS for pair in (f"calve {peer}", f"{peer} calve")]:
        counts = sums.get(direction, dict.fromkeys(WHAT, 0))
        print(f"{direction.replace(' ', ' -> '):24}"
              + "".join(f"{counts[what]:12}" for what in WHAT))
        too_few += [f"{direction.replace(' ', ' -> ')}: {counts[what]} {what}, at least "
                    f"{minimum[direction][what]} are due" for what in WHAT
                    if counts[what] < minimum[direction][what]]
    for line in too_few:
        print("FAILED: " + line)
    return bool(too_few)


sys.exit(main())
