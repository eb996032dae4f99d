# SPDX-License-Identifier: Apache-2.0
"""Runs cases: one peer writes a table step by step, the others read it after each step.

What a reader says is compared with a model (rows by field id, projected by the current schema), and
its plans with the writer's and with one another's: kept files, their spec ids and partition values.
"""
import json
import os
import re
import shutil
import sys
import tempfile
import traceback

import datafiles
import forms
import manifests
import peers


class Totals:
    """Counts cases, and what was compared by direction (who wrote, who read); says what failed.
    `done` prints the closing line and leaves the counts to report.py."""

    def __init__(self):
        self.passed = self.failed = 0
        self.directions = {}

    def count(self, writer, reader, what, number=1):
        """`what`: rows, plans; or a table's name or a history's seed, each counted once."""
        if writer == reader:
            return
        counts = self.directions.setdefault(f"{writer} {reader}", {
            "histories": set(), "tables": set(), "rows": 0, "plans": 0})
        if what in ("rows", "plans"):
            counts[what] += number
        else:
            counts[what].add(number)

    def check(self, what, run):
        try:
            run()
            self.passed += 1
        except Exception as error:  # pylint: disable=broad-except
            self.failed += 1
            text = str(error) if isinstance(error, (AssertionError, RuntimeError)) else \
                "".join(traceback.format_exception(error)[-3:])
            print(f"FAILED: {what}: {text[:4000]}")

    def done(self):
        program = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        counted = {direction: {what: len(number) if isinstance(number, set) else number
                               for what, number in counts.items()}
                   for direction, counts in sorted(self.directions.items())}
        for direction, counts in counted.items():
            print("%s -> %s: " % tuple(direction.split())
                  + ", ".join(f"{what} {number}" for what, number in counts.items()))
        folder = os.path.join(os.environ.get("CALVE_BUILD", "build"), "interop-counts")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, program + ".json"), "w", encoding="utf-8") as file:
            json.dump(counted, file, indent=1)
        print(f"{self.passed} passed, {self.failed} failed")
        return self.failed > 0


def current_schema(metadata):
    return next(s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"])


def schema_of_snapshot(metadata, snapshot):
    wanted = snapshot.get("schema-id", metadata["current-schema-id"])
    return next(s for s in metadata["schemas"] if s["schema-id"] == wanted)


def differences(expected, got):
    missing = [row for row in expected if row not in got]
    extra = [row for row in got if row not in expected]
    return f"{len(expected)} expected, {len(got)} got; missing {missing[:3]}, extra {extra[:3]}"


class Model:
    """The rows of a table by field id, with what each snapshot saw."""

    def __init__(self):
        self.stored = []
        self.at_snapshot = {}

    def append(self, metadata, rows):
        kind = current_schema(metadata)
        self.stored += [forms.by_id(kind, row) for row in rows]
        self.at_snapshot[metadata["current-snapshot-id"]] = len(self.stored)

    def rows(self, kind, count=None):
        return forms.canonical_rows(kind, [forms.by_name(kind, row) for row in self.stored[:count]])


def blurred(value):
    """Java and Spark read a null struct as a struct of nulls when the file has none of the fields
    that are left of it, or when a field of it is a partition value; which of the two it was is lost
    there. PyIceberg reads null maps as empty ones.
    """
    if isinstance(value, dict):
        inner = {key: blurred(item) for key, item in value.items()}
        return None if all(item is None for item in inner.values()) else inner
    return [blurred(item) for item in value] or None if isinstance(value, list) else value


def compare_row_lists(reader, expected, got, where=""):
    if reader.blurs_nulls:
        expected, got = (sorted((blurred(row) for row in rows), key=repr)
                         for rows in (expected, got))
    assert got == expected, where + differences(expected, got)


def compare_current_rows(totals, writer, reader, table, metadata, model):
    kind = current_schema(metadata)
    expected = model.rows(kind)
    got = forms.canonical_rows(kind, reader.rows(table))
    compare_row_lists(reader, expected, got)
    totals.count(writer.name, reader.name, "tables", table)
    totals.count(writer.name, reader.name, "rows", len(got))


def compare_rows(totals, writer, reader, table, metadata, model):
    compare_current_rows(totals, writer, reader, table, metadata, model)
    for snapshot in metadata.get("snapshots", []):
        then = schema_of_snapshot(metadata, snapshot)
        expected = model.rows(then, model.at_snapshot[snapshot["snapshot-id"]])
        got = forms.canonical_rows(then, reader.rows(table, snapshot=snapshot["snapshot-id"]))
        compare_row_lists(reader, expected, got, f"snapshot {snapshot['snapshot-id']}: ")


def shape(metadata):
    """What must not depend on who reads the metadata."""
    def clean(value):
        if isinstance(value, dict):
            return {key: clean(item) for key, item in value.items() if item is not None}
        if isinstance(value, list):
            return [clean(item) for item in value]
        return value.replace(" ", "") if isinstance(value, str) else value

    def by(key, values, *kept):
        return {each[key]: [clean(each.get(name)) for name in kept] for each in values}

    chosen = ("format-version", "table-uuid", "last-column-id", "current-schema-id",
              "default-spec-id", "last-partition-id", "default-sort-order-id")
    numbers = {key: metadata[key] for key in chosen}
    return {**numbers, "current-snapshot-id": metadata.get("current-snapshot-id") or -1,
            "sequence": metadata.get("last-sequence-number", 0),
            "schemas": by("schema-id", metadata["schemas"], "fields"),
            "specs": by("spec-id", metadata["partition-specs"], "fields"),
            "orders": by("order-id", metadata["sort-orders"], "fields"),
            "snapshots": by("snapshot-id", metadata.get("snapshots", []), "timestamp-ms",
                            "parent-snapshot-id", "schema-id")}


def compare_metadata(reader, table, expected):
    got = shape(reader.metadata(table))
    differing = {key: (expected[key], got[key]) for key in expected if got[key] != expected[key]}
    assert not differing, f"metadata differs (expected, got): {differing}"


def compare_description(calve, table, metadata):
    """What calve makes of the current schema and spec, in the words of DDL."""
    kind = current_schema(metadata)
    spec = next(s for s in metadata["partition-specs"]
                if s["spec-id"] == metadata["default-spec-id"])
    columns = [(f["name"], (forms.ddl_type(f["type"])
                            + (" NOT NULL" if f["required"] else "")).replace("`", ""))
               for f in kind["fields"]]
    paths = {field["id"]: path for path, field in forms.struct_fields(kind)}
    fields = []
    for f in spec["fields"]:
        path = paths[f["source-id"]]
        term = f"void({path})" if f["transform"] == "void" else \
            forms.ddl_transform(f["transform"], path).replace("`", "")
        fields.append((term, f"{f['name']} (spec {spec['spec-id']}, field {f['field-id']})"))
    described, terms = calve.description(table)
    extras = r" (COMMENT|DEFAULT) ('[^']*'|[^ ,>]+)"
    got = ([(name, re.sub(extras, "", text)) for name, text in described], terms)
    assert got == (columns, fields), f"described as {got}, expected {(columns, fields)}"


def partition_types(metadata):
    """{(spec id, field name): type of the partition value}."""
    kinds = {}
    for each in metadata["schemas"]:
        collect(each, kinds)
    found = {}
    for spec in metadata["partition-specs"]:
        for field in spec["fields"]:
            transform = field["transform"]
            kind = kinds[field["source-id"]]
            if transform.startswith("bucket") or transform in ("year", "month", "hour"):
                kind = "int"
            found[spec["spec-id"], field["name"]] = "date" if transform == "day" else kind
    return found


def collect(kind, into):
    if isinstance(kind, str):
        return
    if kind["type"] == "struct":
        for field in kind["fields"]:
            into[field["id"]] = field["type"]
            collect(field["type"], into)
    elif kind["type"] == "list":
        into[kind["element-id"]] = kind["element"]
        collect(kind["element"], into)
    else:
        collect(kind["value"], into)


def canonical_plan(plan, kinds):
    return {path: (spec_id, {name: canonical_partition(kinds[spec_id, name], value)
                             for name, value in (partition or {}).items()})
            for path, (spec_id, partition) in plan.items()}


def canonical_partition(kind, value):
    if kind == "date" and isinstance(value, int):
        return str(forms.EPOCH_DAY + forms.datetime.timedelta(days=value))
    if kind in ("timestamp", "timestamptz") and isinstance(value, int):
        return forms.canonical_timestamp(forms.EPOCH + forms.datetime.timedelta(microseconds=value))
    return forms.canonical(kind, value)


def compare_plans(totals, writer, predicate, reference, reader, table, metadata):
    kinds = partition_types(metadata)
    expected = canonical_plan(reference.plan(table, predicate), kinds)
    got = canonical_plan(reader.plan(table, predicate), kinds)
    if not reader.plans_partitions:
        expected, got = ({path: file[0] for path, file in plan.items()} for plan in (expected, got))
    if reader.judges_files_whole and predicate["type"] == "or":
        expected = {path: file for path, file in expected.items() if path in got}
    assert got == expected, f"{predicate}: {differences(list(expected.items()), list(got.items()))}"
    # Of calve and another: a comparison of both sides' plans, whichever of them was the reference.
    totals.count(writer.name, reader.name, "plans")
    if reader.name == writer.name:
        totals.count(writer.name, reference.name, "plans")


def compare_filtered(totals, writer, predicate, model, reader, table, metadata):
    kind = current_schema(metadata)
    expected = [row for row in model.rows(kind) if forms.matches(kind, predicate, row)]
    got = forms.canonical_rows(kind, reader.rows(table, predicate))
    compare_row_lists(reader, expected, got, f"rows of {predicate}: ")
    totals.count(writer.name, reader.name, "rows", len(got))


def check_files(java, table, writers):
    """Of all live data files: layout and metrics. Java lists the metrics, as it decodes them."""
    metadata = java.metadata(table)
    for file in java.files(table):
        path = peers.plain_path(file["path"])
        if writers == {"calve"}:
            datafiles.check_layout(path, metadata["schemas"])
        datafiles.check_metrics(path, file["metrics"], metadata["schemas"])


def compare_lists(one, other):
    assert one.list() == other.list(), f"{one.list()} and {other.list()}"


def run(totals, case, writers, readers, reference):
    """The writers take turns, a step each; `reference` is the peer whose plans are expected."""
    if any(writer.name in case.not_written_by for writer in writers):
        return
    table = f"{'_'.join(writer.name for writer in writers)}.{case.name}"
    model = Model()
    failed_before = totals.failed
    totals.check(f"{writers[0].name} creates {table}", lambda: writers[0].create(table, case))
    for number, (kind, argument) in enumerate(case.steps):
        writer = writers[number % len(writers)]
        what = f"{table} step {number} ({kind})"
        step = writer.append if kind == "append" else writer.evolve
        totals.check(f"{writer.name} writes {what}", lambda: step(table, argument))
        if totals.failed > failed_before:
            return
        metadata = reference.metadata(table)
        if kind == "append":
            model.append(metadata, argument)
        for reader in readers:
            totals.check(f"{reader.name} loads {what}",
                         lambda: compare_metadata(reader, table, shape(metadata)))
            totals.check(f"{reader.name} reads {what}",
                         lambda: compare_rows(
                             totals, writer, reader, table, metadata, model))
    totals.check(f"manifests of {table}", lambda: manifests.check(metadata))
    names = {writer.name for writer in writers}
    if reference.name == "java" and "pyiceberg" not in names:  # which counts no NaNs
        totals.check(f"files of {table}", lambda: check_files(reference, table, names))
    kind = current_schema(metadata)
    for reader in readers:
        for predicate in case.predicates:
            if not usable(kind, predicate) or not reader.can_filter(kind, predicate):
                continue
            if reader is not reference and reference.can_filter(kind, predicate):
                totals.check(f"{reader.name} plans {table}", lambda: compare_plans(
                    totals, writer, predicate, reference, reader, table, metadata))
            if reader.filters_rows:
                totals.check(f"{reader.name} filters {table}", lambda: compare_filtered(
                    totals, writer, predicate, model, reader, table, metadata))


def usable(kind, predicate):
    """Are its columns still there under their names?"""
    try:
        return all(forms.find(kind, column) for column in forms.columns_of(predicate))
    except StopIteration:
        return False


class Warehouse:
    """A folder for a run, removed at its end unless $CALVE_KEEP is set."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="calve-interop-")
        return self.path

    def __exit__(self, *_):
        if os.environ.get("CALVE_KEEP"):
            print(f"kept {self.path}")
        else:
            shutil.rmtree(self.path)
