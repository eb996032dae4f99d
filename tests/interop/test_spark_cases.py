#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixed scripts: Spark writes tables alone, in turns with calve, and in turns with all peers; each
reads all, sees equal metadata, plans the same files, and gives the same rows."""
import sys

import agreement
import cases
import peers

# Spark has no types for times of day and UUIDs, and no DEFAULT for old rows.
CASES = [case for case in cases.ALL if case.schema is not cases.TYPES and case.name != "third"]


def main():
    totals = agreement.Totals()
    with agreement.Warehouse() as warehouse:
        calve, spark, java, pyiceberg = everybody = [
            peer(warehouse) for peer in (peers.Calve, peers.Spark, peers.Java, peers.PyIceberg)]
        for case in CASES:
            for writers in ([spark], [calve, spark], [spark, pyiceberg, calve, java]):
                agreement.run(totals, case, writers, everybody, java)
        totals.check("both list the same tables", lambda: agreement.compare_lists(calve, spark))
        for peer in everybody:
            peer.close()
    return totals.done()


sys.exit(main())
