#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The system says no: full disks, limits, missing rights, a locked catalog; and names and rows that
do not fit. Each is an error with the reason and the place, and changes nothing.
A full disk is a small tmpfs in a mount namespace of its own where that is allowed, and a limit on
the size of files everywhere. Rights are tested as another user where this one is root."""
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time

from faults import CALVE, CATALOGS, Report, Warehouse, ids_of, in_folder

# Rows that don't shrink when they are compressed.
ROWS = ("SELECT range AS id, md5(range || 'a') || md5(range || 'b') || md5(range || 'c') || "
        "md5(range || 'd') AS s FROM range({})")
NOBODY = 65534


def made(folder, kind="sql", name="w"):
    own = os.path.join(folder, f"{name}-{kind}")
    os.makedirs(own)
    w = Warehouse(own, kind)
    w.must("CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT, s STRING) "
           "PARTITIONED BY (bucket(4, id)); INSERT INTO db.t VALUES (1, 'a'), (2, 'b')")
    return w


def refused(report, w, name, statement, codes, *words, **popen):
    """The statement fails, the words are in its error, and the table is as it was."""
    before, pointer = w.files(), w.pointer()
    code, out, err = w.run(statement, **popen)
    left = w.files() - before
    return report.check(
        code in codes and all(word in err for word in words) and not left
        and w.pointer() == pointer and w.ids() == [1, 2] and not w.spilled(),
        f"{w.kind}: {name}", f"exit code {code}, left {left} {w.spilled()}: {out[:200]}{err}")


# ---- no space ----

def file_limits(folder, report):
    """`ulimit -f`: a file gets too large in the middle of a write."""
    for kind in CATALOGS:
        w = made(folder, kind, "limit")
        before = w.files()
        for size in (1000, 4096, 100_000):
            limit = {"preexec_fn": lambda size=size: (
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL))}
            process = subprocess.run(
                [CALVE, "-c", "tested", "--temp-dir", w.spill, "sql",
                 "INSERT INTO db.t " + ROWS.format(20000)], env=w.environment(), cwd=w.home,
                capture_output=True, text=True, timeout=60, check=False, **limit)
            left = w.files() - before
            report.check(process.returncode in (1, 5) and w.folder in process.stderr
                         and "arge" in process.stderr and not left and w.ids() == [1, 2],
                         f"{kind}: files of {size} bytes at most",
                         f"exit code {process.returncode}, left {left}: {process.stderr}")
        w.must("INSERT INTO db.t VALUES (3, 'c')")
        report.check(w.ids() == [1, 2, 3], f"{kind}: without the limit it goes on")


def full_disk(folder, report):
    """Runs in a mount namespace of its own, on a tmpfs of a few megabytes."""
    for kind in CATALOGS:
        small = os.path.join(folder, f"small-{kind}")
        os.makedirs(small)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small], check=True)
        w = made(small, kind, "full")
        refused(report, w, "the disk is full while data is written",
                "INSERT INTO db.t " + ROWS.format(100000), (5,), w.folder, "pace")
        refused(report, w, "the disk is full while a new table is written",
                "CREATE TABLE db.big AS " + ROWS.format(100000), (5,), w.folder, "pace")
        with open(os.path.join(small, "filler"), "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        refused(report, w, "the disk is full from the start",
                "INSERT INTO db.t VALUES (3, 'c')", (1, 5), w.folder)
        refused(report, w, "the disk is full: ALTER", "ALTER TABLE db.t ADD COLUMN c INT", (1, 5),
                "pace")
        os.remove(os.path.join(small, "filler"))
        w.must("INSERT INTO db.t VALUES (3, 'c')")
        report.check(w.ids() == [1, 2, 3], f"{kind}: with space again it goes on")
        subprocess.run(["umount", "-l", small], check=True)


def mounted_partition(folder, report):
    """A partition's folder that lies on a file system of its own is written and synced, too."""
    w = made(folder, "sql", "mounted")
    w.must("CREATE TABLE db.m (id INT) PARTITIONED BY (id)")
    other = os.path.join(w.table_folder("m"), "data", "id=77")
    os.makedirs(other)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", other], check=True)
    w.must("INSERT INTO db.m SELECT range::INT FROM range(100)")
    report.check(w.ids("m") == list(range(100)) and len(os.listdir(other)) == 1,
                 "a partition on another file system")
    subprocess.run(["umount", "-l", other], check=True)


# ---- no right ----

def as_user(w, statement, *options):
    """As somebody without rights, if this is root."""
    switch = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    command = [CALVE, "-c", "tested", "--temp-dir", "/tmp", "--format", "csv", *options, "sql",
               statement]
    done = subprocess.run((switch if os.getuid() == 0 else []) + command, env=w.environment(),
                          capture_output=True, text=True, timeout=60, check=False, cwd="/")
    return done.returncode, done.stdout, done.stderr


def chmod_all(folder, folders, files):
    for path, _, names in os.walk(folder):
        os.chmod(path, folders)
        for name in names:
            os.chmod(os.path.join(path, name), files)


def rights(folder, report):
    for kind in CATALOGS:
        w = made(folder, kind, "rights")
        chmod_all(w.folder, 0o555, 0o444)
        before = w.files()
        code, out, err = as_user(w, "SELECT id FROM db.t ORDER BY id", "--read-only")
        report.check((code, ids_of(out)) == (0, [1, 2]), f"{kind}: reading a read-only warehouse",
                     f"exit code {code}: {err}")
        for name, statement in {
            "INSERT": "INSERT INTO db.t VALUES (3, 'c')",
            "ALTER": "ALTER TABLE db.t ADD COLUMN c INT",
            "CTAS": "CREATE TABLE db.n AS SELECT 1 AS id",
            "CREATE NAMESPACE": "CREATE NAMESPACE other",
            "DROP": "DROP TABLE db.t",
        }.items():
            code, _, err = as_user(w, statement)
            report.check(code == 5 and w.folder in err
                         and ("ermission denied" in err or "readonly" in err)
                         and w.files() == before and w.ids() == [1, 2],
                         f"{kind}: {name} in a read-only warehouse", f"exit code {code}: {err}")
        for what, path in {"metadata": w.pointer().removeprefix("file://"),
                           "data": "data", "folder": w.table_folder()}.items():
            if what == "metadata" and kind == "filesystem":
                path = os.path.join(w.table_folder(), "metadata", path)
            if what == "data":
                path = next(name for name in sorted(before) if name.endswith(".parquet"))
            os.chmod(path, 0)
            code, _, err = as_user(w, "SELECT id FROM db.t", "--read-only")
            report.check(code == 5 and "ermission denied" in err and path in err,
                         f"{kind}: unreadable {what}", f"exit code {code}: {err}")
            os.chmod(path, 0o755)
        chmod_all(w.folder, 0o755, 0o644)


def purged_in_part(folder, report):
    """What can go goes, and the message says that the table is gone and what is left."""
    for kind in CATALOGS:
        w = made(folder, kind, "purge")
        chmod_all(w.folder, 0o777, 0o666)
        data = os.path.join(w.table_folder(), "data")
        kept = sorted(path for path in w.files() if path.startswith(data))
        for path, _, _ in os.walk(data):
            os.chmod(path, 0o555)
        code, out, err = as_user(w, "DROP TABLE db.t PURGE")
        report.check(code == 5 and "table db.t was dropped" in err
                     and any(path in err for path in kept)
                     and f" {len(kept)} of its " in err and "ermission denied" in err
                     and sorted(path for path in w.files() if "/t/" in path) == kept,
                     f"{kind}: PURGE where data can't be removed", f"exit code {code}: {out}{err}")
        code, _, err = w.run("SELECT * FROM db.t")
        report.check(code == 1, f"{kind}: the table is gone", f"exit code {code}: {err}")


def odd_places(folder, report):
    file = os.path.join(folder, "a-file")
    with open(file, "w", encoding="utf-8") as out:
        out.write("text")
    for what, place in {"a file": file, "below a file": os.path.join(file, "w"),
                        "a name that is too long": os.path.join(folder, "x" * 300),
                        "a device": "/dev/null"}.items():
        done = subprocess.run([CALVE, "-w", place, "sql", "SHOW NAMESPACES"], capture_output=True,
                              text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        report.check(done.returncode in (1, 5) and place in done.stderr,
                     f"the warehouse is {what}", f"exit code {done.returncode}: {done.stderr}")
    with open(file, encoding="utf-8") as text:
        report.check(text.read() == "text", "a file that was named as a warehouse is as it was")


# ---- somebody has the catalog ----

def locked(folder, report):
    w = made(folder, "sql", "locked")
    path = os.path.join(w.folder, "calve.db")
    short = {"PYICEBERG_CATALOG__TESTED__URI": f"sqlite:///{path}?timeout=0.3"}
    other = sqlite3.connect(path, isolation_level=None)
    for how, read_code in (("IMMEDIATE", 0), ("EXCLUSIVE", 3)):
        other.execute(f"BEGIN {how}")
        code, _, err = w.run("SELECT id FROM db.t", environment=short)
        report.check(code == read_code and ("calve.db" in err) == (code != 0),
                     f"{how} lock of the catalog: reading", f"exit code {code}: {err}")
        code, _, err = w.run("INSERT INTO db.t VALUES (9, 'x')", environment=short)
        other.execute("ROLLBACK")
        report.check(code == 3 and "locked" in err and "calve.db" in err and w.ids() == [1, 2],
                     f"{how} lock of the catalog: writing", f"exit code {code}: {err}")
    # A lock that goes away in time is waited for, and Ctrl-C ends the wait.
    other.execute("BEGIN EXCLUSIVE")
    process = w.start("SELECT 1 AS one; INSERT INTO db.t VALUES (3, 'c')")
    time.sleep(0.7)
    other.execute("ROLLBACK")
    _, err = process.communicate(timeout=60)
    report.check(process.returncode == 0 and w.ids() == [1, 2, 3], "a short lock is waited for",
                 err)
    other.execute("BEGIN IMMEDIATE")  # others read, and so the INSERT gets as far as its commit
    process = w.start("INSERT INTO db.t VALUES (4, 'd')")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, err = process.communicate(timeout=60)
    took_s = time.monotonic() - begin
    other.execute("ROLLBACK")
    report.check(process.returncode == 130 and took_s < 5 and w.ids() == [1, 2, 3],
                 "Ctrl-C ends the wait for a lock",
                 f"exit code {process.returncode} after {took_s:.1f} s: {err}")


# ---- names and rows ----

def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def names(folder, report):
    """Names are only names: as a table, a column, and a partition's value."""
    for kind in CATALOGS:
        w = made(folder, kind, "names")
        for i, name in enumerate(["it's", 'say "hi"', "back`tick", "star*?[a-z]", "per%cent%2F",
                                  "\U0001F40B whale", "tab\tand\nnewline", "semi;colon -- no",
                                  "a/b", "..", "which?#no", "$(touch x)", "comma,=equals",
                                  "x" * 200]):
            table = name
            if kind == "filesystem" and (name in ("..", "a/b") or "\n" in name):
                code, _, err = w.run(f"CREATE TABLE db.{quoted(name)} (id BIGINT)")
                report.check(code == 1 and err.startswith("calve: ") and "folder" in err,
                             f"{kind}: table {name!r} can't be a folder",
                             f"exit code {code}: {err}")
                table = f"t{i}"
            text, column = name.replace("'", "''"), quoted(name)
            code, out, err = w.run(
                f"CREATE TABLE db.{quoted(table)} ({column} STRING, id BIGINT) "
                f"PARTITIONED BY ({column}); INSERT INTO db.{quoted(table)} VALUES ('{text}', 7); "
                f"SELECT id FROM db.{quoted(table)} WHERE {column} = '{text}'; "
                f"ALTER TABLE db.{quoted(table)} RENAME COLUMN {column} TO plain; "
                f"SELECT hex(encode(plain)) AS h FROM db.{quoted(table)}")
            report.check(code == 0 and "\n7\n" in out and name.encode().hex().upper() in out,
                         f"{kind}: the name {name[:20]!r}", f"exit code {code}: {out}{err}")
            # Readers that take a path for a URI end it at a "?" or "#".
            report.check(kind == "filesystem" or not re.search("[?#]", w.pointer(table)),
                         f"{kind}: the folder of {name[:20]!r}", w.pointer(table))
        report.check(w.ids() == [1, 2], f"{kind}: the other table is whole")
    code, _, err = w.run("CREATE TABLE db.n (a STRUCT<" + "x: STRUCT<" * 200 + "y: INT"
                         + ">" * 201 + ")")
    report.check(code == 1 and "deep" in err, "a column of depth 200", f"exit code {code}: {err}")


def rows_that_do_not_fit(folder, report):
    w = made(folder, "sql", "rows")
    csv = os.path.join(folder, "rows.csv")
    for what, text, words in (
            ("a word for a number", "id,s\n3,c\nfour,d\n", ("rows.csv", "four", "line 3")),
            ("a number that is too large", "id,s\n3,c\n92233720368547758080,d\n", ("rows.csv",)),
            ("a row that is too long", "id,s\n3,c\n4,d,e,f\n", ("rows.csv",)),
            ("bytes that are no UTF-8", b"id,s\n3,\xff\xfe\n", ("rows.csv", "utf-8")),
            ("an open quote", 'id,s\n3,"c\n4,d\n', ("rows.csv",))):
        with open(csv, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        refused(report, w, f"CSV: {what}", f"INSERT INTO db.t SELECT * FROM read_csv('{csv}', "
                "header = true, delim = ',', quote = '\"', "
                "columns = {'id': 'BIGINT', 's': 'VARCHAR'})",
                (1, 5), *words)
    refused(report, w, "a file that is not there",
            "INSERT INTO db.t SELECT * FROM read_csv('/nowhere/x.csv')", (1,), "/nowhere/x.csv")
    refused(report, w, "a value that does not fit", "INSERT INTO db.t VALUES (1e30, 'x')", (1,),
            "id")


def in_own_namespace(folder, report):
    """Mounts need a namespace of their own: this file runs itself there."""
    probe = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", folder],
                           capture_output=True, check=False)
    if probe.returncode != 0:
        print("no mounts here: the full disk is a limit on the size of files only")
        return
    done = subprocess.run(["unshare", "--mount", sys.executable, __file__, "mounts"], check=False,
                          capture_output=True, text=True, timeout=300)
    *lines, last = done.stdout.strip().split("\n")
    if " passed, " not in last:
        raise RuntimeError(done.stderr)
    print("\n".join(lines), end="\n" if lines else "")
    passed, _, failed = last.partition(" passed, ")
    report.passed += int(passed)
    report.failed += int(failed.split(" ")[0])


def main(folder):
    report = Report()
    if sys.argv[1:] == ["mounts"]:
        full_disk(folder, report)
        mounted_partition(folder, report)
        return report
    parts = (file_limits, rights, purged_in_part, odd_places, locked, names, rows_that_do_not_fit)
    for part in parts:
        part(folder, report)
    in_own_namespace(folder, report)
    return report


in_folder(main).end()
