#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same statements, run by Spark and by calve on tables of their own, and the scripts of
scripts.py in turns on a third: schemas, specs, orders, properties and all ids must come out equal,
both must read equal rows, and both refuse the same. Then random scripts, without rows.
CALVE_HISTORIES says how many of these (default 24), CALVE_SEED the first seed.
"""
import os
import sys

import agreement
import ddl
import histories
import peers
import scripts

STATEMENTS = 12
KEPT = ("format-version", "schemas", "current-schema-id", "last-column-id", "partition-specs",
        "default-spec-id", "last-partition-id", "sort-orders", "default-sort-order-id")


def decided(calve, table):
    """What the statements decide; not names, times, files, and whose account it was."""
    metadata = calve.metadata(table)
    answer = {key: metadata.get(key) for key in KEPT}
    answer["properties"] = {key: value for key, value in metadata["properties"].items()
                            if key not in ("owner", "created-at")}
    return answer


def pairs(peer, table):
    prefix = "$." if peer.name == "spark" else ""
    rows = peer.query(f"SELECT id, CAST(ts AS STRING) AS ts FROM {prefix}{table}")
    return sorted((row["id"], row["ts"][:10]) for row in rows)


class Script:
    def __init__(self, totals, calve, spark, name):
        self.totals, self.calve, self.spark, self.name = totals, calve, spark, name
        self.tables = {who: f"ddl.{name}_by_{who}" for who in ("spark", "calve", "both")}

    def statement(self, peer, text, table):
        """The peer's refusal, or None."""
        name = "$." + table if peer.name == "spark" else table
        try:
            peer.sql(text.replace("$", name))
        except peers.PeerError as error:
            return f"{peer.name}: {error}"
        return None

    def run(self, statements, whose_turn):
        for number, text in enumerate(statements):
            refused, text = text.startswith("!"), text.lstrip("!")
            turn = (self.spark, self.calve)[(number + whose_turn) % 2]
            refusals = [self.statement(peer, text, self.tables[who]) for peer, who in (
                (self.spark, "spark"), (self.calve, "calve"), (turn, "both"))]
            assert all(refusals) if refused else not any(refusals), f"{text}: {refusals}"
            self.compare(text, ("calve", "both"))
            if text.startswith("INSERT"):
                self.compare_rows()

    def compare(self, text, whose):
        expected = decided(self.calve, self.tables["spark"])
        for who in whose:
            got = decided(self.calve, self.tables[who])
            for key, value in expected.items():
                assert got[key] == value, \
                    f"{text}\n  {key} of {self.tables[who]}: {got[key]}\n  Spark: {value}"

    def compare_rows(self):
        expected = pairs(self.spark, self.tables["spark"])
        for who, table in self.tables.items():
            for reader in (self.spark, self.calve):
                got = pairs(reader, table)
                assert got == expected, f"{table}: {got}, expected {expected}"
                for writer in ("spark", "calve") if who == "both" else (who,):
                    self.totals.count(writer, reader.name, "tables", table)
                    self.totals.count(writer, reader.name, "rows", len(got))

    def run_random(self, seed):
        """Statements that the metadata suggests; both may refuse, and must agree on it."""
        make, done = histories.Generator(seed), []
        case = make.case(f"h{seed}", make.random.choice((1, 2, 2, 3)))
        for peer in (self.spark, self.calve):
            peer.create(self.tables[peer.name], case)
        self.compare("CREATE TABLE", ("calve",))
        while len(done) < STATEMENTS:
            commit = make.change_or_order(self.calve.metadata(self.tables["calve"]))
            for text in ddl.statements("$", commit) if commit else []:
                refusals = [self.statement(peer, text, self.tables[peer.name])
                            for peer in (self.spark, self.calve)]
                done.append(text)
                so_far = ";\n".join(done)
                assert all(refusals) or not any(refusals), f"{refusals}\n{so_far}"
                self.compare(so_far, ("calve",))
        for writer, reader in (("spark", "calve"), ("calve", "spark")):
            self.totals.count(writer, reader, "histories", seed)


def main():
    totals = agreement.Totals()
    count = int(os.environ.get("CALVE_HISTORIES", "24"))
    first = int(os.environ.get("CALVE_SEED", "1"))
    with agreement.Warehouse() as warehouse:
        calve, spark = peers.Calve(warehouse), peers.Spark(warehouse)
        calve.sql("CREATE NAMESPACE ddl")
        for number, (name, statements) in enumerate(scripts.SCRIPTS.items()):
            script = Script(totals, calve, spark, name)
            totals.check(name, lambda: script.run(statements, number))
        for seed in range(first, first + count):
            script = Script(totals, calve, spark, f"h{seed}")
            totals.check(f"seed {seed}", lambda: script.run_random(seed))
        for peer in (calve, spark):
            peer.close()
    return totals.done()


if __name__ == "__main__":
    sys.exit(main())
