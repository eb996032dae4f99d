#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calve and PyIceberg write to one catalog, each alone and in turns; both
read all of it, plan the same files, and give the same rows."""
import sys

import agreement
import cases
import peers


def main():
    totals = agreement.Totals()
    with agreement.Warehouse() as warehouse:
        calve, pyiceberg = peers.Calve(warehouse), peers.PyIceberg(warehouse)
        for case in cases.ALL:
            for writers in ([calve], [pyiceberg], [calve, pyiceberg], [pyiceberg, calve]):
                agreement.run(totals, case, writers, [pyiceberg, calve], pyiceberg)
        totals.check("both list the same tables", lambda: agreement.compare_lists(calve, pyiceberg))
        for peer in (calve, pyiceberg):
            peer.close()
    return totals.done()


sys.exit(main())
