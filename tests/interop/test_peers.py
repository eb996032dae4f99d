#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peers agree with each other and with the model, without calve: what the other interop tests
compare with is sound."""
import sys

import agreement
import cases
import peers


def main():
    totals = agreement.Totals()
    with agreement.Warehouse() as warehouse:
        java, pyiceberg = peers.Java(warehouse), peers.PyIceberg(warehouse)
        for case in cases.ALL:
            for writers in ([java], [pyiceberg]):
                agreement.run(totals, case, writers, [java, pyiceberg], java)
        java.close()
    return totals.done()


sys.exit(main())
