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


def blurred(value):
    """Java reads a null struct as a struct of nulls when the file has none of the fields that are
    left of it, or when a field of it is a partition value; which of the two it was is lost there.
    """
    if isinstance(value, dict):
        inner = {key: blurred(item) for key, item in value.items()}
        return None if all(item is None for item in inner.values()) else inner
    return [blurred(item) for item in value] if isinstance(value, list) else value


def compare(totals, table, calve, java):
    metadata = calve.metadata(table)
    kind = agreement.current_schema(metadata)
    agreement.compare_metadata(java, table, agreement.shape(metadata))
    expected = blurred(forms.canonical_rows(kind, calve.rows(table)))
    got = blurred(forms.canonical_rows(kind, java.rows(table)))
    assert got == expected, agreement.differences(expected, got)
    totals.rows += len(got)
    for predicate in PREDICATES:
        expected, got = set(calve.plan(table, predicate)), set(java.plan(table, predicate))
        assert got == expected, f"{predicate}: {agreement.differences(list(expected), list(got))}"
        totals.plans += 1


def main():
    totals = agreement.Totals()
    program = os.environ.get("CALVE_BUILD", "build") + "/tests/test_exec_alter_histories"
    with agreement.Warehouse() as warehouse:
        environment = {"CALVE_HISTORIES": "40", **os.environ, "CALVE_WAREHOUSE": warehouse}
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
        calve, java = peers.Calve(warehouse), peers.Java(warehouse)
        for table in calve.list():
            totals.tables += 1
            totals.check(table, lambda name=table: compare(totals, name, calve, java))
        for peer in (calve, java):
            peer.close()
    return totals.done()


sys.exit(main())
