#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Columns that calve drops although partition fields of older specs were made of them: the peers
must read, plan, write and evolve the table all the same (docs/evolution.md, field report B015).
"""
import os
import shutil
import sys
import tempfile

import agreement
import peers

COLUMNS = "id INT, c INT, d DATE, s STRING, dist INT, n STRUCT<a: INT, b: INT>"
ROW = "1, 1, DATE '2026-01-01', 'x', 10, {'a': 1, 'b': 2}"
UPGRADE = "SET TBLPROPERTIES ('format-version' = '2')"

# name, format version, PARTITIONED BY, the statements behind ALTER TABLE
CASES = [
    ("bucket", 2, "bucket(8, c)",
     ["REPLACE PARTITION FIELD c_bucket WITH bucket(4, dist)", "DROP COLUMN c"]),
    ("identity", 2, "c", ["DROP PARTITION FIELD c", "DROP COLUMN c"]),
    ("days", 2, "days(d)", ["DROP PARTITION FIELD d_day", "DROP COLUMN d"]),
    ("truncate", 2, "truncate(2, s)", ["DROP PARTITION FIELD s_trunc", "DROP COLUMN s"]),
    ("nested", 2, "n.a, dist", ["DROP PARTITION FIELD n.a", "DROP COLUMN n"]),
    ("again", 2, "bucket(8, c)",
     ["DROP PARTITION FIELD c_bucket", "DROP COLUMN c", "ADD COLUMN c STRING"]),
    ("third", 3, "days(d), bucket(4, c)", ["DROP PARTITION FIELD d_day", "DROP COLUMN d"]),
    ("first", 1, "c, bucket(4, dist)",
     ["DROP PARTITION FIELD c", UPGRADE, "DROP PARTITION FIELD void(c)", "DROP COLUMN c"]),
]


def pairs(peer, table, predicate=None):
    rows = peer.rows(table, predicate)
    return sorted((row["id"], row["dist"]) for row in rows)


def check(totals, name, version, table, calve, peer):
    expected = pairs(calve, table)
    assert pairs(peer, table) == expected, f"rows: {pairs(peer, table)}, expected {expected}"
    totals.count("calve", peer.name, "tables", table)
    totals.count("calve", peer.name, "rows", len(expected))
    for value, kept in ((10, [(1, 10)]), (99, [])):
        predicate = {"type": "eq", "term": "dist", "value": value}
        assert set(peer.plan(table, predicate)) == set(calve.plan(table, predicate)), \
            f"plans for dist = {value} differ"
        totals.count("calve", peer.name, "plans")
        got = [pair for pair in pairs(calve, table, predicate)]
        assert got == kept, f"dist = {value}: {got}"
    if peer.name == "pyiceberg" and version == 3:
        return  # it does not write version 3 yet
    peer.append(table, [{"id": 3, "dist": 30}])
    peer.evolve(table, [{"kind": "schema", "ops": [
        {"op": "add", "name": "by_" + peer.name, "type": "int"}]}])
    expected = sorted(expected + [(3, 30)])
    totals.count(peer.name, "calve", "tables", table)
    totals.count(peer.name, "calve", "rows", len(expected))
    for reader in (calve, peer):
        got = pairs(reader, table)
        assert got == expected, f"{reader.name} after {peer.name} wrote to {name}: {got}"


def main():
    totals = agreement.Totals()
    folder = tempfile.mkdtemp(prefix="calve-interop-")
    calve, others = peers.Calve(folder), [peers.Java(folder), peers.PyIceberg(folder)]
    calve.sql("CREATE NAMESPACE db")
    for name, version, partitioning, changes in CASES:
        table = "db." + name
        calve.sql(f"CREATE TABLE {table} ({COLUMNS}) PARTITIONED BY ({partitioning}) "
                  f"TBLPROPERTIES ('format-version' = '{version}')")
        calve.sql(f"INSERT INTO {table} VALUES ({ROW})")
        for change in changes:
            calve.sql(f"ALTER TABLE {table} {change}")
        calve.sql(f"INSERT INTO {table} (id, dist) VALUES (2, 20)")
        for peer in others:
            totals.check(f"{name}, {peer.name}",
                         lambda n=name, v=version, t=table, p=peer: check(
                             totals, n, v, t, calve, p))
    for peer in (calve, *others):
        peer.close()
    shutil.rmtree(folder)
    return totals.done()


if __name__ == "__main__":
    os.environ.setdefault("CALVE", "build/calve")
    sys.exit(main())
