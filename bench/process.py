#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command as a whole process: process.py BUILD TABLE_FOLDER
Times `calve plan --count` from its start to its end, and what the library alone takes for the same
plan in a warm process (bench_plan); best of some runs, milliseconds of wall time."""
import subprocess
import sys
import time

RUNS = 15
NAME = 24
PLANS = {
    "a day, day half": ("2017-05-05", "2017-05-06", ""),
    "a day, month half": ("2012-05-05", "2012-05-06", ""),
    "a month and a customer": ("2017-05-01", "2017-06-01", " AND customer_id = 8237"),
}


def best_ms(command):
    """Milliseconds of the fastest run, and what it printed."""
    best, text = float("inf"), ""
    for _ in range(RUNS):
        start = time.perf_counter()
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        best = min(best, time.perf_counter() - start)
    return best * 1e3, text


def main():
    build, folder = sys.argv[1:]
    start_ms, _ = best_ms([f"{build}/calve", "--version"])
    print(f"{'calve --version':24} {start_ms:8.2f} ms")
    for name, (start, end, rest) in PLANS.items():
        where = (f"order_ts >= TIMESTAMPTZ '{start} 00:00:00+00' AND "
                 f"order_ts < TIMESTAMPTZ '{end} 00:00:00+00'{rest}")
        process_ms, count = best_ms([f"{build}/calve", "plan", "--count",
                                     f"{folder}/metadata/v1.metadata.json", "--where", where])
        text = subprocess.run([f"{build}/bench/bench_plan", folder, "2", str(RUNS), name],
                              check=True, capture_output=True, text=True).stdout
        cells = text.splitlines()[1][NAME:].split()
        if cells[6] != count.strip():
            sys.exit(f"{name}: the command counts {count.strip()} files, the library {cells[6]}")
        print(f"{name:24} {process_ms:8.2f} ms, the library {float(cells[0]):8.2f} ms: "
              f"{process_ms - float(cells[0]):.2f} ms more")


main()
