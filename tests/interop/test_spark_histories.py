#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spark, Java, PyIceberg and calve evolve and fill the same random tables in turns.

After each turn all four list equal schemas, specs, orders and ids, read the rows that the model
says, and plan the same files for random predicates. Every change is also made by another peer on a
shadow table without rows: the metadata of both must come out equal, or both must refuse.
CALVE_HISTORIES says how many (default 12), CALVE_SEED the first seed.
"""
import os
import sys

import agreement
import histories
import peers

TURNS = 8
PREDICATES = 2

# What decides about columns and ids; times, files, snapshots and properties are the table's own.
SHADOWED = ("format-version", "last-column-id", "current-schema-id", "default-spec-id",
            "last-partition-id", "schemas", "specs", "orders")


class History:
    def __init__(self, totals, everybody, seed):
        self.totals, self.everybody, self.seed = totals, everybody, seed
        self.make = histories.Generator(seed)
        self.model = agreement.Model()
        self.log = []
        version = self.make.random.choice((1, 2, 2, 3))
        self.case = self.make.case(f"h{seed}", version)
        self.table, self.shadow = f"turns.h{seed}", f"shadow.h{seed}"
        self.writers = list(everybody.values())
        self.make.random.shuffle(self.writers)
        if version == 3:
            self.writers.remove(everybody["pyiceberg"])  # see its can_write

    def metadata(self, table=None):
        return self.everybody["calve"].metadata(table or self.table)

    def run(self):
        self.writers[0].create(self.table, self.case)
        self.writers[1].create(self.shadow, self.case)
        self.compare_shadow(f"{self.writers[0].name} and {self.writers[1].name} create")
        for turn in range(TURNS):
            writer = self.writers[turn % len(self.writers)]
            others = [each for each in self.writers if each is not writer]
            for _ in range(self.make.random.randint(1, 3)):
                self.evolve(writer, self.make.random.choice(others))
            if not writer.can_write(self.metadata()):
                writer = self.everybody["calve"]
            rows = self.make.rows(agreement.current_schema(self.metadata()),
                                  writer.name != "pyiceberg")
            self.log.append(f"{writer.name} appends {rows}")
            writer.append(self.table, rows)
            self.model.append(self.metadata(), rows)
            self.compare(writer)

    def evolve(self, writer, other):
        commit = self.make.change(self.metadata())
        if not commit:
            return
        self.log.append(f"{writer.name} {commit}")
        refusals = []
        for who, table in ((writer, self.table), (other, self.shadow)):
            try:
                who.evolve(table, [commit])
            except (peers.PeerError, ValueError) as error:
                refusals.append(f"{who.name}: {error}")
        assert len(refusals) != 1, f"one of {writer.name}, {other.name} refused, {refusals[0]}"
        self.compare_shadow(f"after {writer.name} and {other.name}: {commit}")

    def compare_shadow(self, what):
        one, two = (agreement.shape(self.metadata(table)) for table in (self.table, self.shadow))
        differing = {key: (one[key], two[key]) for key in SHADOWED if one[key] != two[key]}
        assert not differing, f"{what}: {differing}"

    def compare(self, writer):
        metadata = self.metadata()
        shape, kind = agreement.shape(metadata), agreement.current_schema(metadata)
        predicates = [self.make.predicate(kind) for _ in range(PREDICATES)]
        java = self.everybody["java"]
        agreement.compare_description(self.everybody["calve"], self.table, metadata)
        for reader in self.everybody.values():
            self.log.append(f"{reader.name} reads, filter {predicates}")
            agreement.compare_metadata(reader, self.table, shape)
            agreement.compare_current_rows(
                self.totals, writer, reader, self.table, metadata, self.model)
            for predicate in predicates:
                if reader is not java and reader.can_filter(kind, predicate) \
                        and java.can_filter(kind, predicate):
                    agreement.compare_plans(
                        self.totals, writer, predicate, java, reader, self.table, metadata)
                if reader.name == "calve":
                    agreement.compare_filtered(self.totals, writer, predicate, self.model, reader,
                                               self.table, metadata)
            self.totals.count(writer.name, reader.name, "histories", self.seed)
            self.log.pop()


def run(totals, everybody, seed):
    history = History(totals, everybody, seed)
    try:
        history.run()
    except Exception as error:
        steps = "\n  ".join(history.log)
        raise AssertionError(
            f"{error}\nthe history, of version {history.case.version}:\n  {steps}") from error


def main():
    totals = agreement.Totals()
    count = int(os.environ.get("CALVE_HISTORIES", "12"))
    first = int(os.environ.get("CALVE_SEED", "1"))
    with agreement.Warehouse() as warehouse:
        everybody = {peer.name: peer(warehouse)
                     for peer in (peers.Calve, peers.Spark, peers.Java, peers.PyIceberg)}
        for seed in range(first, first + count):
            totals.check(f"seed {seed}", lambda: run(totals, everybody, seed))
        for peer in everybody.values():
            peer.close()
    return totals.done()


if __name__ == "__main__":
    sys.exit(main())
