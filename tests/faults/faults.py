# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: a warehouse that is broken on purpose, and checks."""
import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CALVE = os.path.abspath(os.environ.get("CALVE", os.path.join(HERE, "../../build/calve")))
CATALOGS = ("sql", "filesystem")
PATIENCE_S = 120


class Report:
    """Counts checks; prints those that do not hold."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, name, seen=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {name}\n  {seen}")
        return holds

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0 or self.passed == 0)


def compile_faults(folder):
    """The library of fail_call.c."""
    library = os.path.join(folder, "fail_call.so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library,
                    os.path.join(HERE, "fail_call.c"), "-ldl"], check=True)
    return library


def _defaults():
    # Python ignores some signals, and so may who started it: the command shall not inherit that.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


class Warehouse:
    """A folder with a catalog of one kind, and the command on it."""

    def __init__(self, folder, kind="sql"):
        self.kind = kind
        self.folder = os.path.join(folder, f"w-{kind}")
        self.spill = os.path.join(folder, f"spill-{kind}")
        self.kept = os.path.join(folder, f"kept-{kind}")
        self.home = folder
        os.makedirs(self.spill, exist_ok=True)

    def environment(self, **more):
        return {"PATH": "/usr/bin:/bin", "HOME": self.home, "LC_ALL": "C.UTF-8",
                "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
                "PYICEBERG_CATALOG__TESTED__TYPE": self.kind,
                "PYICEBERG_CATALOG__TESTED__WAREHOUSE": self.folder, **more}

    def start(self, statements, *options, environment=None, **popen):
        command = [CALVE, "-c", "tested", "--temp-dir", self.spill, "--format", "csv", *options,
                   "sql", statements]
        return subprocess.Popen(command, env=self.environment(**(environment or {})), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=_defaults,
                                cwd=self.home, **popen)

    def run(self, statements, *options, environment=None, **popen):
        """(exit code, standard output, standard error); -N when signal N ended it."""
        process = self.start(statements, *options, environment=environment, **popen)
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def must(self, statements):
        code, out, err = self.run(statements)
        if code != 0:
            raise RuntimeError(f"{statements}: exit code {code}: {err}")
        return out

    def keep(self):
        """Remembers the folder as it is now; `reset` brings it back."""
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def reset(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.kept, self.folder, symlinks=True)
        self.forget_spilled()

    def forget_spilled(self):
        for name in os.listdir(self.spill):
            shutil.rmtree(os.path.join(self.spill, name))

    def files(self):
        """All files, but for what SQLite keeps beside its own."""
        found = set()
        for folder, _, names in os.walk(self.folder):
            found.update(os.path.join(folder, name) for name in names)
        return {path for path in found if not path.endswith(("-journal", "version-hint.text"))}

    def table_folder(self, table="t"):
        return os.path.join(self.folder, "db", table)

    def pointer(self, table="t"):
        """The current metadata file, as the catalog has it."""
        if self.kind == "sql":
            path = os.path.join(self.folder, "calve.db")
            with contextlib.closing(sqlite3.connect(path, timeout=30)) as db:
                row = db.execute("SELECT metadata_location FROM iceberg_tables "
                                 "WHERE table_name = ?", (table,)).fetchone()
            return row and row[0]
        folder = os.path.join(self.table_folder(table), "metadata")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        versions = [int(found[1]) for name in names
                    if (found := re.fullmatch(r"v(\d+)\.metadata\.json", name))]
        return f"v{max(versions)}.metadata.json" if versions else None

    def ids(self, table="t"):
        """All ids that are read back, in order."""
        return ids_of(self.must(f"SELECT id FROM db.{table} ORDER BY id"))

    def wait_for_work(self):
        """Until a statement runs: its place for rows that spill is there."""
        end = time.monotonic() + PATIENCE_S
        while not self.spilled() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.2)

    def spilled(self):
        return os.listdir(self.spill)


def ids_of(csv):
    return [int(line) for line in csv.split("\n") if line.lstrip("-").isdigit()]


def in_folder(body):
    """Runs body(folder) in a folder that goes away again."""
    memory = "/dev/shm"  # thousands of syncs take their time on a disk
    base = memory if os.access(memory, os.W_OK) else "/tmp"
    with tempfile.TemporaryDirectory(dir=base, prefix="calve-faults-") as folder:
        os.chmod(folder, 0o755)
        return body(os.path.realpath(folder))


def side_by_side(jobs):
    """Runs job(report) for each, two at a time; one report of all."""
    whole = Report()

    def one(job):
        report = Report()
        job(report)
        return report

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for report in pool.map(one, jobs):
            whole.add(report)
    return whole
