#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spark as a peer of the tests: one JSON request a line on standard input, one JSON answer a line
on standard output, as the Java peer does it (java/Peer.java). Run by tools/spark-env, with the
warehouse folder as its argument; one session lives as long as the input.

A request has `cmd`; all tables are named without the catalog:
  sql {text}                     runs a statement; `$.` before a table's name stands for the catalog
  append {table, schema, rows}   rows and schema as forms.py has them
  rows {text}                    the rows of a query
  plan {text}                    {path: spec id} of the files that Spark's own scan would read
  metadata {table}, list
"""
import datetime
import decimal
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import forms  # noqa: E402  pylint: disable=wrong-import-position

from pyspark.sql import SparkSession  # noqa: E402  pylint: disable=wrong-import-position

CATALOG = "spark.sql.catalog.calve"


def session(folder):
    made = (
        SparkSession.builder.master("local[1]").appName("interop")
        .config("spark.jars", os.environ["SPARK_JARS"].rstrip(","))
        .config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1").config("spark.driver.memory", "1g")
        # Many small statements: compiling them well takes longer than running them.
        .config("spark.driver.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
        .config("spark.sql.extensions",
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
        .config(CATALOG, "org.apache.iceberg.spark.SparkCatalog")
        .config(CATALOG + ".type", "jdbc").config(CATALOG + ".jdbc.schema-version", "V1")
        .config(CATALOG + ".uri", f"jdbc:sqlite:{folder}/calve.db")
        .config(CATALOG + ".warehouse", f"file://{folder}")
        .config(CATALOG + ".cache-enabled", "false").getOrCreate())
    made.sparkContext.setLogLevel("OFF")
    return made


def to_spark(kind, value):
    """As forms.python_value, but with dictionaries for maps."""
    if value is None:
        return None
    if isinstance(kind, str):
        return forms.python_value(kind, value)
    if kind["type"] == "struct":
        return {f["name"]: to_spark(f["type"], value.get(f["name"])) for f in kind["fields"]}
    if kind["type"] == "list":
        return [to_spark(kind["element"], element) for element in value]
    return {k: to_spark(kind["value"], v) for k, v in value}


def to_json(value):
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return str(value) if isinstance(value, decimal.Decimal) else value


class Server:
    def __init__(self, folder):
        self.spark = session(folder)

    def sql(self, text):
        self.spark.sql(text.replace("$.", "calve."))
        return None

    def append(self, table, schema, rows):
        name = "calve." + table
        values = [to_spark(schema, row) for row in rows]
        frame = self.spark.createDataFrame(values, self.spark.table(name).schema)
        frame.coalesce(1).writeTo(name).append()

    def rows(self, text):
        collected = self.spark.sql(text.replace("$.", "calve.")).collect()
        return [to_json(row.asDict(recursive=True)) for row in collected]

    def plan(self, text):
        frame = self.spark.sql(text.replace("$.", "calve."))
        plan = frame._jdf.queryExecution().executedPlan()  # pylint: disable=protected-access
        leaves, files = plan.collectLeaves(), {}
        for number in range(leaves.size()):
            leaf = leaves.apply(number)
            if leaf.getClass().getSimpleName() != "BatchScanExec":
                continue  # the optimizer saw that no row can match
            parts = leaf.inputPartitions()
            for part in range(parts.size()):
                for task in parts.apply(part).taskGroup().tasks().toArray():
                    files[task.file().location()] = task.file().specId()
        return files

    def metadata(self, table):
        jvm = self.spark._jvm  # pylint: disable=protected-access
        loaded = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(
            self.spark._jsparkSession, "calve." + table)  # pylint: disable=protected-access
        return json.loads(jvm.org.apache.iceberg.TableMetadataParser.toJson(
            loaded.operations().current()))

    def list(self):
        names = []
        for (namespace,) in self.spark.sql("SHOW NAMESPACES IN calve").collect():
            for row in self.spark.sql(f"SHOW TABLES IN calve.{namespace}").collect():
                names.append(f"{row['namespace']}.{row['tableName']}")
        return names


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing but answers on standard output
    server = Server(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": getattr(server, request.pop("cmd"))(**request)}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": type(error).__name__, "message": str(error).split("\n\n")[0][:1500]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    server.spark.stop()


if __name__ == "__main__":
    main()
