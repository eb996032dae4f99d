#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calve and Iceberg's Java library write to one catalog, each alone and in turns; both
read all of it, plan the same files, and give the same rows."""
import sys

import agreement
import cases
import peers


def main():
    totals = agreement.Totals()
    with agreement.Warehouse() as warehouse:
        calve, java = peers.Calve(warehouse), peers.Java(warehouse)
        for case in cases.ALL:
            for writers in ([calve], [java], [calve, java], [java, calve]):
                agreement.run(totals, case, writers, [java, calve], java)
        totals.check("both list the same tables", lambda: agreement.compare_lists(calve, java))
        for peer in (calve, java):
            peer.close()
    return totals.done()


sys.exit(main())
