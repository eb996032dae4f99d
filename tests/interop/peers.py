# SPDX-License-Identifier: Apache-2.0
"""The peers, behind one face: create, append, evolve, rows, plan, metadata.

A warehouse is a folder with one SQLite catalog `calve.db`, catalog name `calve`, that all of them
open. Java is a process that answers a line of JSON with a line of JSON, PyIceberg runs in here,
calve is the command named by $CALVE. Nothing of calve is used but that command.
"""
import contextlib
import itertools
import json
import os
import sqlite3
import subprocess

import pyarrow
import pyarrow.parquet
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import AlwaysTrue, BooleanExpression
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from pyiceberg.typedef import IcebergBaseModel
from pyiceberg.types import IcebergType
from pydantic import TypeAdapter

import forms

SOURCE = os.environ.get("CALVE_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class PeerError(Exception):
    """A peer refused; the message is its own."""


def plain_path(path):
    """file:///p, file:/p and /p are the same path."""
    return "/" + path.split(":", 1)[-1].lstrip("/")


def kinds_of(kind, predicate):
    return {forms.find(kind, column)["type"] for column in forms.columns_of(predicate)}


class Java:
    name = "java"
    filters_rows = False  # its row evaluator sorts null below all values, so `c < 5` holds for null

    def __init__(self, warehouse):
        self.table = {"uri": f"jdbc:sqlite:{warehouse}/calve.db",
                      "warehouse": f"file://{warehouse}", "catalog": "calve"}
        self.process = subprocess.Popen(
            [os.path.join(SOURCE, "tools/java-env"), "run"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)

    def call(self, cmd, table=None, **arguments):
        where = {"metadata": table} if table and table.endswith(".json") else \
            {**self.table, "name": table}
        self.process.stdin.write(json.dumps({"cmd": cmd, "table": where, **arguments}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise PeerError("the Java peer has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(f"{answer['error']}: {answer['message']}")
        return answer["ok"]

    @staticmethod
    def can_filter(kind, predicate):
        """It orders UUIDs as signed numbers, and skips NaN for `c > 1`: both lose rows."""
        kinds = kinds_of(kind, predicate)
        above = predicate["type"] in ("gt", "gt-eq")
        return "uuid" not in kinds and not (above and kinds & {"float", "double"})

    def list(self):
        return sorted(self.call("list"))

    def create(self, table, case):
        self.call("create", table, schema=case.schema, spec=case.spec,
                  properties={"format-version": str(case.version)})

    def append(self, table, rows):
        self.call("append", table, rows=rows)

    def evolve(self, table, commits):
        self.call("evolve", table, commits=commits)

    def metadata(self, table):
        return self.call("metadata", table)

    def rows(self, table, predicate=None, snapshot=None):
        return self.call("rows", table, filter=predicate, snapshot=snapshot)

    def plan(self, table, predicate=None):
        return {plain_path(f["path"]): (f["spec_id"], f["partition"])
                for f in self.call("plan", table, filter=predicate)}


    def files(self, table):
        return self.call("files", table)


class PyIceberg:
    name = "pyiceberg"
    filters_rows = True

    def __init__(self, warehouse):
        self.catalog = SqlCatalog("calve", uri=f"sqlite:///{warehouse}/calve.db",
                                  warehouse=f"file://{warehouse}")

    def close(self):
        self.catalog.close()

    @staticmethod
    def can_filter(kind, predicate):
        """It can't compare UUIDs, takes NaN for neither above nor below a number, and fails on
        `c IS NULL OR c < 5` where a partition value is null."""
        kinds = kinds_of(kind, predicate)
        ordered = predicate["type"] in ("lt", "lt-eq", "gt", "gt-eq")
        null_or = predicate["type"] == "or" and predicate["left"]["type"] == "is-null"
        return "uuid" not in kinds and not (ordered and kinds & {"float", "double"}) and not null_or

    def list(self):
        return sorted(".".join(name) for namespace in self.catalog.list_namespaces()
                      for name in self.catalog.list_tables(namespace))

    def create(self, table, case):
        self.catalog.create_namespace_if_not_exists(table.split(".")[0])
        self.catalog.create_table(
            table, schema=Schema.model_validate(case.schema),
            partition_spec=PartitionSpec.model_validate(case.spec),
            properties={"format-version": str(case.version)})

    def append(self, table, rows):
        loaded = self.catalog.load_table(table)
        kind = json.loads(loaded.schema().model_dump_json())
        loaded.append(arrow_table(loaded.schema().as_arrow(), kind, rows))

    def evolve(self, table, commits):
        for commit in commits:
            loaded = self.catalog.load_table(table)
            if commit["kind"] == "schema":
                with loaded.update_schema(allow_incompatible_changes=True) as update:
                    for op in commit["ops"]:
                        self._update_schema(update, op)
            else:
                with loaded.update_spec() as update:
                    for op in commit["ops"]:
                        self._update_spec(update, op)

    @staticmethod
    def _update_schema(update, op):
        path = tuple(op["name"].split("."))
        kind = TypeAdapter(IcebergType).validate_python(op["type"]) if "type" in op else None
        if op["op"] == "add":
            parent = tuple(op["parent"].split(".")) if op.get("parent") else ()
            update.add_column(parent + path, kind, doc=op.get("doc"),
                              default_value=op.get("default"))
        elif op["op"] == "delete":
            update.delete_column(path)
        elif op["op"] == "rename":
            update.rename_column(path, op["new_name"])
        elif op["op"] == "update_type":
            update.update_column(path, field_type=kind)
        elif op["op"] == "make_optional":
            update.make_column_optional(path)
        elif op["op"] == "move_first":
            update.move_first(path)
        elif op["op"] == "move_after":
            update.move_after(path, tuple(op["ref"].split(".")))
        else:
            raise ValueError(f"no such schema op: {op}")

    @staticmethod
    def _update_spec(update, op):
        if op["op"] == "add":
            update.add_field(op["term"]["ref"], parse_transform(op["term"]["transform"]),
                             op.get("name"))
        elif op["op"] == "remove_name":
            update.remove_field(op["name"])
        elif op["op"] == "rename":
            update.rename_field(op["name"], op["new_name"])
        else:
            raise ValueError(f"no such spec op: {op}")

    def metadata(self, table):
        # Its own dump of version 3 refuses, as it can't write that version; the base class can.
        return json.loads(IcebergBaseModel.model_dump_json(self.catalog.load_table(table).metadata))

    def _scan(self, table, predicate, snapshot=None):
        condition = BooleanExpression.model_validate(predicate) if predicate else AlwaysTrue()
        return self.catalog.load_table(table).scan(row_filter=condition, snapshot_id=snapshot)

    def rows(self, table, predicate=None, snapshot=None):
        return self._scan(table, predicate, snapshot).to_arrow().to_pylist()

    def plan(self, table, predicate=None):
        specs = self.catalog.load_table(table).specs()
        kept = {}
        for task in self._scan(table, predicate).plan_files():
            fields = specs[task.file.spec_id].fields
            values = {f.name: task.file.partition[i] for i, f in enumerate(fields)}
            kept[plain_path(task.file.file_path)] = (task.file.spec_id, values)
        return kept


class Calve:
    name = "calve"
    filters_rows = True

    def __init__(self, warehouse):
        self.command = [os.environ["CALVE"], "-w", warehouse]
        self.catalog = warehouse + "/calve.db"
        self.staging = warehouse + ".staging.parquet"
        # Where the command runs must not change what it does: each call is somewhere else.
        self.time_zones = itertools.cycle(("UTC", "Asia/Seoul", "America/Los_Angeles"))

    def close(self):
        if os.path.exists(self.staging):
            os.unlink(self.staging)

    def run(self, *arguments):
        environment = {**os.environ, "TZ": next(self.time_zones)}
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True,
                              encoding="utf-8", stdin=subprocess.DEVNULL, check=False,
                              env=environment)
        if done.returncode:
            raise PeerError(done.stderr.strip() or f"exit status {done.returncode}")
        return done.stdout

    def sql(self, text):
        return self.run("sql", "--format", "json", text)

    @staticmethod
    def can_filter(_kind, _predicate):
        return True

    def list(self):
        names = self.run("ls", "--format", "csv", "-q").split()[1:]
        return sorted(line.replace(",", ".") for name in names
                      for line in self.run("ls", name, "--format", "csv", "-q").split()[1:])

    def create(self, table, case):
        columns = ", ".join(
            f"`{f['name']}` {forms.ddl_type(f['type'])}{' NOT NULL' if f['required'] else ''}"
            for f in case.schema["fields"])
        fields = ", ".join(forms.ddl_transform(transform, path)
                           for path, transform, _ in case.partition)
        self.sql(f"CREATE NAMESPACE IF NOT EXISTS {table.split('.')[0]}")
        self.sql(f"CREATE TABLE {table} ({columns}) USING iceberg"
                 + (f" PARTITIONED BY ({fields})" if fields else "")
                 + f" TBLPROPERTIES ('format-version'='{case.version}')")

    def append(self, table, rows):
        kind = self.schema(table)
        arrow = arrow_table(Schema.model_validate(kind).as_arrow(), kind, rows)
        pyarrow.parquet.write_table(arrow, self.staging)
        self.sql(f"INSERT INTO {table} SELECT * FROM read_parquet('{self.staging}')")

    def evolve(self, table, commits):
        for commit in commits:
            for op in commit["ops"]:
                self.sql(f"ALTER TABLE {table} {self._clause(op)}")

    @staticmethod
    def _clause(op):
        quoted = ".".join(f"`{part}`" for part in op.get("name", "").split("."))
        if op["op"] == "add" and "term" in op:
            alias = f" AS {quoted}" if "name" in op else ""
            return "ADD PARTITION FIELD " + forms.ddl_transform(
                op["term"]["transform"], op["term"]["ref"]) + alias
        if op["op"] == "add":
            parent = "".join(f"`{part}`." for part in (op.get("parent") or "").split(".") if part)
            return f"ADD COLUMN {parent}{quoted} {forms.ddl_type(op['type'])}"
        if op["op"] == "update_type":
            return f"ALTER COLUMN {quoted} TYPE {forms.ddl_type(op['type'])}"
        if op["op"] == "move_after":
            return f"ALTER COLUMN {quoted} AFTER `{op['ref'].split('.')[-1]}`"
        return {"delete": f"DROP COLUMN {quoted}",
                "rename": f"RENAME COLUMN {quoted} TO `{op.get('new_name')}`",
                "make_optional": f"ALTER COLUMN {quoted} DROP NOT NULL",
                "move_first": f"ALTER COLUMN {quoted} FIRST",
                "remove_name": f"DROP PARTITION FIELD {quoted}"}[op["op"]]

    def metadata(self, table):
        """The metadata file that the catalog names, as it is."""
        with contextlib.closing(sqlite3.connect(self.catalog)) as catalog:
            found = catalog.execute(
                "SELECT metadata_location FROM iceberg_tables"
                " WHERE table_namespace || '.' || table_name = ?", (table,)).fetchone()
        with open(plain_path(found[0]), encoding="utf-8") as file:
            return json.load(file)

    def schema(self, table):
        metadata = self.metadata(table)
        return next(schema for schema in metadata["schemas"]
                    if schema["schema-id"] == metadata["current-schema-id"])

    def rows(self, table, predicate=None, snapshot=None):
        text = f"SELECT * FROM {table}"
        if snapshot is not None:
            text += f" FOR VERSION AS OF {snapshot}"
        if predicate:
            text += f" WHERE {forms.sql(self.schema(table), predicate)}"
        # Decimals are exact numbers in the text: they must not become floats here.
        return json.loads(self.sql(text), parse_float=str)

    def plan(self, table, predicate=None):
        where = ["--where", forms.sql(self.schema(table), predicate)] if predicate else []
        tasks = json.loads(self.run("plan", table, "--json", *where), parse_float=str)
        return {plain_path(t["file_path"]): (t["spec_id"], t["partition"]) for t in tasks}


def arrow_table(arrow_schema, kind, rows):
    return pyarrow.Table.from_pylist([forms.python_value(kind, row) for row in rows],
                                     schema=arrow_schema)
