#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Java loads the tables that random histories of calve's evolution left, has equal schemas, specs
and orders, reads equal rows and plans equal files. CALVE_HISTORIES says how many (default 40).
"""
import os
import subprocess
import sys

import agreement
import forms
import histories
import peers

PREDICATES = [{"type": "lt", "term": "rid", "value": 5}, {"type": "eq", "term": "rid", "value": 3},
              {"type": "gt", "term": "rid", "value": 1000}]
RANDOM_PREDICATES = 5


def compare(totals, table, calve, java):
    metadata = calve.metadata(table)
    kind = agreement.current_schema(metadata)
    agreement.compare_metadata(java, table, agreement.shape(metadata))
    agreement.compare_description(calve, table, metadata)
    got = forms.canonical_rows(kind, java.rows(table))
    agreement.compare_row_lists(java, forms.canonical_rows(kind, calve.rows(table)), got)
    for what, number in (("histories", table), ("tables", table), ("rows", len(got))):
        totals.count("calve", "java", what, number)
    make = histories.Generator(int(table.rpartition("h")[2]))
    for predicate in PREDICATES + [make.predicate(kind) for _ in range(RANDOM_PREDICATES)]:
        if not java.can_filter(kind, predicate):
            continue
        expected, got = set(java.plan(table, predicate)), set(calve.plan(table, predicate))
        if predicate["type"] == "or":  # see Calve.judges_files_whole
            expected &= got
        assert got == expected, f"{predicate}: {agreement.differences(list(expected), list(got))}"
        totals.count("calve", "java", "plans")


def main():
    totals = agreement.Totals()
    program = os.environ.get("CALVE_BUILD", "build") + "/tests/test_exec_alter_histories"
    with agreement.Warehouse() as warehouse:
        environment = {"CALVE_HISTORIES": "40", **os.environ, "CALVE_WAREHOUSE": warehouse}
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
        calve, java = peers.Calve(warehouse), peers.Java(warehouse)
        for table in calve.list():
            totals.check(table, lambda name=table: compare(totals, name, calve, java))
        for peer in (calve, java):
            peer.close()
    return totals.done()


sys.exit(main())
