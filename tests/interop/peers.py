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

import ddl
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


class Peer:
    plans_partitions = True  # does `plan` tell the partition values of a file?
    # Does it see that a file has no rows for `a OR b` when its partition excludes `a` and its
    # metrics exclude `b`? The others ask partition and metrics one after the other, and keep such
    # files.
    judges_files_whole = False
    can_write = staticmethod(lambda metadata: True)  # a table in that state
    blurs_nulls = False  # of structs and maps: see agreement.blurred


class Process(Peer):
    """A peer that answers a line of JSON with a line of JSON."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, encoding="utf-8", env={**os.environ, "TZ": "UTC"})

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise PeerError(f"the peer {self.name} has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(f"{answer['error']}: {answer['message']}")
        return answer["ok"]


class Java(Process):
    name = "java"
    filters_rows = False  # its row evaluator sorts null below all values, so `c < 5` holds for null
    blurs_nulls = True

    def __init__(self, warehouse):
        super().__init__(os.path.join(SOURCE, "tools/java-env"), "run")
        self.table = {"uri": f"jdbc:sqlite:{warehouse}/calve.db",
                      "warehouse": f"file://{warehouse}", "catalog": "calve"}

    def call(self, cmd, table=None, **arguments):
        where = {"metadata": table} if table and table.endswith(".json") else \
            {**self.table, "name": table}
        return self.ask({"cmd": cmd, "table": where, **arguments})

    @staticmethod
    def can_filter(kind, predicate):
        """It orders UUIDs as signed numbers, and skips NaN for `c > 1`: both lose rows."""
        kinds = kinds_of(kind, predicate)
        above = forms.operators_of(predicate) & {"gt", "gt-eq"}
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


class Spark(Process):
    """One session for all that a test does."""
    name = "spark"
    filters_rows = True
    plans_partitions = False
    blurs_nulls = True

    def __init__(self, warehouse):
        super().__init__(os.path.join(SOURCE, "tools/spark-env"), "run",
                         os.path.join(SOURCE, "tests/interop/spark/serve.py"), warehouse)

    @staticmethod
    def can_filter(kind, predicate):
        """It has no type for UUIDs and times of day, and asks Iceberg for `c <> true` where
        `c = false` is meant, which is more when null is among the partition values."""
        return not kinds_of(kind, predicate) & {"uuid", "time", "boolean"}

    def list(self):
        return sorted(self.ask({"cmd": "list"}))

    def sql(self, text):
        self.ask({"cmd": "sql", "text": text})

    def create(self, table, case):
        self.sql(f"CREATE NAMESPACE IF NOT EXISTS $.{table.split('.')[0]}")
        self.sql(ddl.create("$." + table, case))

    def append(self, table, rows):
        self.ask({"cmd": "append", "table": table, "schema": self._schema(table), "rows": rows})

    def evolve(self, table, commits):
        for commit in commits:
            for statement in ddl.statements("$." + table, commit):
                self.sql(statement)

    def metadata(self, table):
        return self.ask({"cmd": "metadata", "table": table})

    def _schema(self, table):
        metadata = self.metadata(table)
        return next(schema for schema in metadata["schemas"]
                    if schema["schema-id"] == metadata["current-schema-id"])

    def _query(self, table, predicate, snapshot=None):
        version = "" if snapshot is None else f" VERSION AS OF {snapshot}"
        where = f" WHERE {forms.spark_sql(self._schema(table), predicate)}" if predicate else ""
        return f"SELECT * FROM $.{table}{version}{where}"

    def query(self, text):
        return self.ask({"cmd": "rows", "text": text})

    def rows(self, table, predicate=None, snapshot=None):
        return self.query(self._query(table, predicate, snapshot))

    def plan(self, table, predicate=None):
        files = self.ask({"cmd": "plan", "text": self._query(table, predicate)})
        return {plain_path(path): (spec_id, None) for path, spec_id in files.items()}


class PyIceberg(Peer):
    name = "pyiceberg"
    filters_rows = True
    blurs_nulls = True

    def __init__(self, warehouse):
        self.catalog = SqlCatalog("calve", uri=f"sqlite:///{warehouse}/calve.db",
                                  warehouse=f"file://{warehouse}")

    def close(self):
        self.catalog.close()

    @staticmethod
    def can_filter(kind, predicate):
        """It can't compare UUIDs, nor bytes from JSON, takes NaN for neither above nor below a
        number, and fails on comparisons below an OR where a partition value is null."""
        ordered = {"lt", "lt-eq", "gt", "gt-eq"} & forms.operators_of(predicate)
        kinds = kinds_of(kind, predicate)
        return not kinds & {"uuid", "binary"} and not (
            ordered and (kinds & {"float", "double"} or predicate["type"] == "or"))

    @staticmethod
    def can_write(metadata):
        """It can write no version 3, and not where two partition fields are made of one column, or
        a void is made of a required one."""
        fields = next(spec["fields"] for spec in metadata["partition-specs"]
                      if spec["spec-id"] == metadata["default-spec-id"])
        kind = next(schema for schema in metadata["schemas"]
                    if schema["schema-id"] == metadata["current-schema-id"])
        required = {field["id"] for field in kind["fields"] if field["required"]}
        void_of_required = any(f["transform"] == "void" and f["source-id"] in required
                               for f in fields)
        return metadata["format-version"] < 3 and not void_of_required \
            and len(fields) == len({field["source-id"] for field in fields})

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
            if commit["kind"] == "properties":
                with loaded.transaction() as update:
                    for op in commit["ops"]:
                        if op["name"] == "format-version":
                            update.upgrade_table_version(int(op["value"]))
                        else:
                            update.set_properties({op["name"]: op["value"]})
            elif commit["kind"] == "schema":
                with loaded.update_schema(allow_incompatible_changes=True) as update:
                    for op in commit["ops"]:
                        self._update_schema(update, op)
            else:
                with loaded.update_spec() as update:
                    for op in commit["ops"]:
                        self._update_spec(update, op)

    @staticmethod
    def _update_schema(update, op):
        if op["op"] == "set_identifier_fields":
            update.set_identifier_fields(*op["names"])
            return
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
        elif op["op"] == "update_doc":
            update.update_column(path, doc=op["doc"])
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


class Calve(Peer):
    name = "calve"
    filters_rows = True
    judges_files_whole = True

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

    def query(self, text):
        # Decimals are exact numbers in the text: they must not become floats here.
        return json.loads(self.sql(text), parse_float=str)

    @staticmethod
    def can_filter(_kind, _predicate):
        return True

    def list(self):
        names = self.run("ls", "--format", "csv", "-q").split()[1:]
        return sorted(line.replace(",", ".") for name in names
                      for line in self.run("ls", name, "--format", "csv", "-q").split()[1:])

    def create(self, table, case):
        self.sql(f"CREATE NAMESPACE IF NOT EXISTS {table.split('.')[0]}")
        self.sql(ddl.create(table, case))

    def append(self, table, rows):
        kind = self.schema(table)
        arrow = arrow_table(Schema.model_validate(kind).as_arrow(), kind, rows)
        pyarrow.parquet.write_table(arrow, self.staging)
        self.sql(f"INSERT INTO {table} SELECT * FROM read_parquet('{self.staging}')")

    def evolve(self, table, commits):
        for commit in commits:
            for statement in ddl.statements(table, commit):
                self.sql(statement)

    def metadata(self, table):
        """The metadata file that the catalog names, as it is."""
        with contextlib.closing(sqlite3.connect(self.catalog)) as catalog:
            found = catalog.execute(
                "SELECT metadata_location FROM iceberg_tables"
                " WHERE table_namespace || '.' || table_name = ?", (table,)).fetchone()
        with open(plain_path(found[0]), encoding="utf-8") as file:
            return json.load(file)

    def description(self, table):
        """(name, type) of the columns and (term, name with ids) of the partition fields, as it
        sees them; the metadata file above is not calve's word."""
        rows = self.query(f"DESCRIBE {table}")
        return ([(row["column_name"], row["data_type"]) for row in rows
                 if not row["column_name"].startswith("# ")],
                [(row["data_type"], row["comment"]) for row in rows
                 if row["column_name"] == "# partitioned by" and row["comment"]])

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
        return self.query(text)

    def plan(self, table, predicate=None):
        where = ["--where", forms.sql(self.schema(table), predicate, "X")] if predicate else []
        tasks = json.loads(self.run("plan", table, "--json", *where), parse_float=str)
        return {plain_path(t["file_path"]): (t["spec_id"], t["partition"]) for t in tasks}


def arrow_table(arrow_schema, kind, rows):
    return pyarrow.Table.from_pylist([forms.python_value(kind, row) for row in rows],
                                     schema=arrow_schema)
