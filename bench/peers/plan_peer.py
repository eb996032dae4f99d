# SPDX-License-Identifier: Apache-2.0
"""Plans the benchmark's scenarios with PyIceberg: plan_peer.py METADATA_FILE REPEATS
One line a scenario: name, milliseconds (best), files, bytes, rows; separated by tabs."""
import sys
import time

import pyiceberg
from pyiceberg.table import StaticTable


def between(start, end):
    return f"order_ts >= '{start}T00:00:00+00:00' and order_ts < '{end}T00:00:00+00:00'"


# PyIceberg always decodes all metrics.
SCENARIOS = [
    ("all tasks", None),
    ("all tasks, all metrics", None),
    ("a day, day half", between("2017-05-05", "2017-05-06")),
    ("a day, month half", between("2012-05-05", "2012-05-06")),
    ("a month and a customer",
     between("2017-05-01", "2017-06-01") + " and customer_id = 8237"),
    ("a metric of column 6", "c6 > 16777215"),
    ("a metric of column 251", "c251 > 16777215"),
]


def plan(metadata, row_filter):
    table = StaticTable.from_metadata(metadata)
    scan = table.scan(row_filter=row_filter) if row_filter else table.scan()
    files = size = rows = 0
    for task in scan.plan_files():
        files += 1
        size += task.file.file_size_in_bytes
        rows += task.file.record_count
    return files, size, rows


def main():
    metadata, repeats = sys.argv[1], int(sys.argv[2])
    print("pyiceberg", pyiceberg.__version__, file=sys.stderr)
    columns = StaticTable.from_metadata(metadata).schema().column_names
    for name, row_filter in SCENARIOS:
        if name.endswith("251") and "c251" not in columns:
            continue
        best = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            sums = plan(metadata, row_filter)
            best = min(best, time.perf_counter() - start)
        print(name, f"{best * 1e3:.2f}", *sums, sep="\t", flush=True)


main()
