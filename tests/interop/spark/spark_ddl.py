#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same statements, run by Spark and by calve on tables of their own and in turns on a third:
schemas, specs, orders, properties and all ids must come out equal, and both must read equal rows.
Run by `make interop`, as `tools/spark-env run tests/interop/spark/spark_ddl.py`.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from pyspark.sql import SparkSession

CALVE = os.path.abspath(os.environ.get("CALVE", "build/calve"))
MINIMUM = {"scripts": 6, "statements": 70, "tables": 18, "rows": 250}

ROWS = "INSERT INTO $ (id, ts) VALUES (%d, TIMESTAMP '2026-01-%02d 10:00:00')"
SCRIPTS = {
    "columns": [
        "CREATE TABLE $ (id BIGINT NOT NULL COMMENT 'the key', data STRING,"
        " addr STRUCT<city: STRING, zip: INT>, points ARRAY<STRUCT<x: INT, y: INT>>,"
        " props MAP<STRING, STRUCT<a: FLOAT>>,"
        " d DECIMAL(9, 2), ts TIMESTAMP, nt TIMESTAMP_NTZ) USING iceberg"
        " PARTITIONED BY (bucket(16, id), days(ts), truncate(4, data))",
        ROWS % (1, 1),
        "ALTER TABLE $ ADD COLUMN addr.street STRING COMMENT 'and number' AFTER city",
        "ALTER TABLE $ ADD COLUMNS (points.element.z BIGINT, props.value.b STRING, n INT)",
        "ALTER TABLE $ RENAME COLUMN data TO name",
        ROWS % (2, 2),
        "ALTER TABLE $ ALTER COLUMN points.element.x TYPE BIGINT",
        "ALTER TABLE $ ALTER COLUMN d TYPE DECIMAL(20, 2)",
        "ALTER TABLE $ ALTER COLUMN n FIRST",
        "ALTER TABLE $ ALTER COLUMN nt AFTER id",
        "ALTER TABLE $ ALTER COLUMN id DROP NOT NULL",
        "ALTER TABLE $ ALTER COLUMN n COMMENT 'how many'",
        "ALTER TABLE $ RENAME COLUMN points.element.y TO lat",
        "ALTER TABLE $ DROP COLUMN props",
        "ALTER TABLE $ DROP COLUMNS (addr.zip, n)",
        ROWS % (3, 3),
        "ALTER TABLE $ ADD COLUMN n STRING",
        "ALTER TABLE $ ADD COLUMN more STRUCT<p: INT, q: MAP<STRING, ARRAY<DOUBLE>>> FIRST",
        ROWS % (4, 4),
    ],
    "partitions": [
        "CREATE TABLE $ (id BIGINT, ts TIMESTAMP, c STRING) USING iceberg"
        " PARTITIONED BY (months(ts))",
        ROWS % (1, 1),
        "ALTER TABLE $ ADD PARTITION FIELD days(ts)",
        ROWS % (2, 2),
        "ALTER TABLE $ DROP PARTITION FIELD months(ts)",
        "ALTER TABLE $ ADD PARTITION FIELD bucket(8, id) AS shard",
        "ALTER TABLE $ ADD PARTITION FIELD truncate(2, c)",
        ROWS % (3, 3),
        "ALTER TABLE $ REPLACE PARTITION FIELD ts_day WITH hours(ts)",
        "ALTER TABLE $ ADD PARTITION FIELD months(ts)",
        "ALTER TABLE $ DROP PARTITION FIELD shard",
        "ALTER TABLE $ REPLACE PARTITION FIELD c_trunc_2 WITH c AS country",
        ROWS % (4, 4),
        "ALTER TABLE $ RENAME COLUMN c TO land",
        "ALTER TABLE $ ADD PARTITION FIELD bucket(id, 8) AS shard",
        ROWS % (5, 5),
    ],
    "first": [
        "CREATE TABLE $ (id BIGINT, ts TIMESTAMP, c STRING) USING iceberg"
        " PARTITIONED BY (c, bucket(4, id)) TBLPROPERTIES ('format-version' = '1')",
        ROWS % (1, 1),
        "ALTER TABLE $ DROP PARTITION FIELD c",
        ROWS % (2, 2),
        "ALTER TABLE $ ADD PARTITION FIELD days(ts)",
        "ALTER TABLE $ ADD PARTITION FIELD c",
        ROWS % (3, 3),
        "ALTER TABLE $ SET TBLPROPERTIES ('format-version' = '2')",
        "ALTER TABLE $ DROP PARTITION FIELD days(ts)",
        ROWS % (4, 4),
    ],
    "order": [
        "CREATE TABLE $ (id BIGINT NOT NULL, ts TIMESTAMP, s STRUCT<k: INT>) USING iceberg"
        " TBLPROPERTIES ('a.b' = 'c', 'format-version' = '2')",
        "ALTER TABLE $ WRITE ORDERED BY bucket(4, id) DESC, ts NULLS LAST",
        ROWS % (1, 1),
        "ALTER TABLE $ WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id",
        "ALTER TABLE $ WRITE LOCALLY ORDERED BY bucket(4, id) DESC, ts ASC NULLS LAST",
        "ALTER TABLE $ SET IDENTIFIER FIELDS id",
        "ALTER TABLE $ SET TBLPROPERTIES ('a.b' = 'd', 'x' = 'y')",
        "ALTER TABLE $ UNSET TBLPROPERTIES ('x')",
        "ALTER TABLE $ DROP IDENTIFIER FIELDS id",
        "ALTER TABLE $ WRITE UNORDERED",
        "ALTER TABLE $ WRITE DISTRIBUTED BY PARTITION",
        ROWS % (2, 2),
    ],
    "replace": [
        "CREATE TABLE $ (id BIGINT, ts TIMESTAMP, a STRUCT<x: INT, y: STRING>, gone STRING)"
        " USING iceberg PARTITIONED BY (bucket(16, id), gone) TBLPROPERTIES ('k' = 'v')",
        ROWS % (1, 1),
        "REPLACE TABLE $ (a STRUCT<z: INT, y: STRING>, id BIGINT, ts TIMESTAMP) USING iceberg"
        " PARTITIONED BY (truncate(10, id), bucket(16, id)) TBLPROPERTIES ('n' = 'w')",
        ROWS % (2, 2),
        "CREATE OR REPLACE TABLE $ (id BIGINT, ts TIMESTAMP, gone STRING) USING iceberg",
        ROWS % (3, 3),
    ],
    "third": [
        "CREATE TABLE $ (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))"
        " TBLPROPERTIES ('format-version' = '2')",
        ROWS % (1, 1),
        "ALTER TABLE $ SET TBLPROPERTIES ('format-version' = '3')",
        "ALTER TABLE $ ADD COLUMN c STRING",
        "ALTER TABLE $ DROP PARTITION FIELD ts_day",
        ROWS % (2, 2),
        "ALTER TABLE $ ADD PARTITION FIELD days(ts)",
        ROWS % (3, 3),
    ],
}


class Sides:
    def __init__(self, folder):
        self.folder = folder
        catalog = "spark.sql.catalog.calve"
        self.spark = (
            SparkSession.builder.master("local[1]").appName("interop")
            .config("spark.jars", os.environ["SPARK_JARS"].rstrip(","))
            .config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.shuffle.partitions", "1").config("spark.driver.memory", "1g")
            .config("spark.sql.extensions",
                    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
            .config(catalog, "org.apache.iceberg.spark.SparkCatalog")
            .config(catalog + ".type", "jdbc").config(catalog + ".jdbc.schema-version", "V1")
            .config(catalog + ".uri", f"jdbc:sqlite:{folder}/calve.db")
            .config(catalog + ".warehouse", f"file://{folder}")
            .config(catalog + ".cache-enabled", "false").getOrCreate())
        self.spark.sparkContext.setLogLevel("OFF")

    def run_spark(self, statement, table):
        self.spark.sql(statement.replace("$", "calve." + table))

    def calve(self, *arguments):
        done = subprocess.run([CALVE, "-w", self.folder, *arguments], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"calve: {done.stderr}")
        return done.stdout

    def run_calve(self, statement, table):
        self.calve("sql", statement.replace("$", table))

    def rows_of_spark(self, table):
        rows = self.spark.sql(f"SELECT id, CAST(ts AS STRING) AS ts FROM calve.{table}").collect()
        return sorted((row["id"], row["ts"][:10]) for row in rows)

    def rows_of_calve(self, table):
        text = self.calve("sql", "--json", f"SELECT id, CAST(ts AS VARCHAR) AS ts FROM {table}")
        return sorted((row["id"], row["ts"][:10]) for row in json.loads(text))

    def metadata(self, table):
        with contextlib.closing(sqlite3.connect(self.folder + "/calve.db")) as catalog:
            found = catalog.execute(
                "SELECT metadata_location FROM iceberg_tables"
                " WHERE table_namespace || '.' || table_name = ?", (table,)).fetchone()
        with open("/" + found[0].split(":", 1)[-1].lstrip("/"), encoding="utf-8") as file:
            return comparable(json.load(file))


def comparable(metadata):
    """What the statements decide; not names, times, files, and whose account it was."""
    kept = ("format-version", "schemas", "current-schema-id", "last-column-id", "partition-specs",
            "default-spec-id", "last-partition-id", "sort-orders", "default-sort-order-id")
    answer = {key: metadata.get(key) for key in kept}
    answer["properties"] = {key: value for key, value in metadata["properties"].items()
                            if key not in ("owner", "created-at")}
    return answer


def run_script(sides, name, statements, totals):
    tables = {who: f"db.{name}_by_{who}" for who in ("spark", "calve", "both")}
    for number, statement in enumerate(statements):
        sides.run_spark(statement, tables["spark"])
        sides.run_calve(statement, tables["calve"])
        # Who begins changes from script to script.
        turn = (number + totals["scripts"]) % 2
        (sides.run_calve, sides.run_spark)[turn](statement, tables["both"])
        totals["statements"] += 1
        metadata = {who: sides.metadata(table) for who, table in tables.items()}
        for who in ("calve", "both"):
            for key, value in metadata["spark"].items():
                got = metadata[who][key]
                assert got == value, \
                    f"{statement}\n  {key} of {tables[who]}: {got}\n  Spark: {value}"
        if statement.startswith("INSERT"):
            expected = sides.rows_of_spark(tables["spark"])
            for table in tables.values():
                for rows in (sides.rows_of_spark(table), sides.rows_of_calve(table)):
                    assert rows == expected, f"{table}: {rows}, expected {expected}"
                    totals["rows"] += len(rows)
    totals["scripts"] += 1
    totals["tables"] += len(tables)


def main():
    folder = tempfile.mkdtemp(prefix="calve-spark-")
    sides, failed = Sides(folder), 0
    totals = {"scripts": 0, "statements": 0, "tables": 0, "rows": 0}
    sides.calve("sql", "CREATE NAMESPACE db")
    for name, statements in SCRIPTS.items():
        try:
            run_script(sides, name, statements, totals)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED: {name}: {str(error)[:3000]}")
    sides.spark.stop()
    shutil.rmtree(folder)
    print("spark and calve: " + ", ".join(f"{key} {value}" for key, value in totals.items()))
    for key, least in MINIMUM.items():
        if totals[key] < least:
            failed += 1
            print(f"FAILED: {totals[key]} {key}, at least {least} are due")
    print(f"{totals['scripts']} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
