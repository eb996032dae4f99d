#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""50,000 partitions in one insert: all are there, the memory stays below 1 GiB, and a warning names
the remedy."""
import os
import resource
import subprocess
import sys
import tempfile

CALVE = os.environ.get("CALVE", os.path.join(os.path.dirname(__file__), "../../build/calve"))
PARTITIONS = 50_000
MEMORY_KIB_MAX = 1024 * 1024


def sql(folder, *arguments):
    done = subprocess.run([CALVE, "-w", folder, "sql", *arguments], capture_output=True, text=True,
                          check=True)
    return done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        sql(folder, "CREATE NAMESPACE db; "
                    "CREATE TABLE db.t (id BIGINT, s STRING) PARTITIONED BY (id)")
        said = sql(folder, f"INSERT INTO db.t SELECT i % {PARTITIONS}, 's' || i "
                           f"FROM range({2 * PARTITIONS}) AS r(i)")
        memory_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        counted = sql(folder, "SELECT count(*) AS n FROM db.t.files", "--format", "csv")
        found = sql(folder, "SELECT s FROM db.t WHERE id = 77 ORDER BY s", "--format", "csv")
    checks = {
        f"the insert says what it wrote: {said}": f"inserted in {PARTITIONS} files" in said,
        "a warning names the remedy": "warning" in said and "bucket(" in said,
        f"memory stays within 1 GiB: {memory_kib} KiB": memory_kib < MEMORY_KIB_MAX,
        f"each partition has its file: {counted}": counted == f"n\n{PARTITIONS}\n",
        f"its rows are found: {found}": found == f"s\ns{PARTITIONS + 77}\ns77\n",
    }
    for what, holds in checks.items():
        if not holds:
            print(f"FAILED: {what}")
    print(f"{sum(checks.values())} passed, {len(checks) - sum(checks.values())} failed")
    return not all(checks.values())


sys.exit(main())
