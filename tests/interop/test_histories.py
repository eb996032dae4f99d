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
import peers

PREDICATES = [{"type": "lt", "term": "rid", "value": 5}, {"type": "eq", "term": "rid", "value": 3},
              {"type": "gt", "term": "rid", "value": 1000}]


def compare(totals, table, calve, java):
    metadata = calve.metadata(table)
    kind = agreement.current_schema(metadata)
    agreement.compare_metadata(java, table, agreement.shape(metadata))
    got = forms.canonical_rows(kind, java.rows(table))
    agreement.compare_row_lists(java, forms.canonical_rows(kind, calve.rows(table)), got)
    for what, number in (("histories", table), ("tables", table), ("rows", len(got))):
        totals.count("calve", "java", what, number)
    for predicate in PREDICATES:
        expected, got = set(calve.plan(table, predicate)), set(java.plan(table, predicate))
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
