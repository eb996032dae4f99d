#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several commands at once on one table, in both catalogs; commands that are killed or asked to end
at a random moment of real work. What was said to be done is there, once; what was not is not."""
import os
import random
import signal
import time

from faults import CATALOGS, Warehouse, compile_faults, in_folder, side_by_side

SEED = int(os.environ.get("FAULT_SEED", "20261130"))
MANY = "TBLPROPERTIES ('commit.retry.num-retries' = '60', 'commit.retry.max-wait-ms' = '200')"
SLOW = "SELECT a.range * b.range AS id FROM range(200000) a, range(200000) b"
KILLS = 16


class Writers:
    def __init__(self, folder, kind, report):
        self.kind, self.report = kind, report
        self.w = Warehouse(folder, kind)
        self.random = random.Random(SEED)
        self.w.must(f"CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT) {MANY}")

    def check(self, holds, name, seen=""):
        self.report.check(holds, f"{self.kind}: {name}", seen)

    def together(self, statements):
        """Starts all at once; (exit code, standard output, standard error) of each."""
        started = [self.w.start(text) for text in statements]
        ended = [process.communicate(timeout=120) for process in started]
        return [(p.returncode, *texts) for p, texts in zip(started, ended)]

    # ---- at once ----

    def inserts(self, writers, each):
        done = self.together("; ".join(f"INSERT INTO db.t VALUES ({w * 100 + i})"
                                       for i in range(each)) for w in range(writers))
        want = sorted(w * 100 + i for w in range(writers) for i in range(each))
        self.check(all(code == 0 for code, _, _ in done), f"{writers} writers all say done",
                   "".join(err for _, _, err in done))
        self.check(self.w.ids() == want, f"{writers} writers: every row is there, once",
                   self.w.ids())

    def alters(self):
        """Columns and partition fields come while rows are written."""
        self.w.must(f"CREATE TABLE db.a (id BIGINT, s STRING) {MANY}")
        rows = "; ".join(f"INSERT INTO db.a (id) VALUES ({i})" for i in range(6))
        done = self.together([rows, "ALTER TABLE db.a ADD COLUMN extra INT; "
                                    "ALTER TABLE db.a ADD PARTITION FIELD bucket(4, id); "
                                    "ALTER TABLE db.a RENAME COLUMN s TO text"])
        self.check(all(code in (0, 3) for code, _, _ in done), "an ALTER beside INSERTs",
                   "".join(err for _, _, err in done))
        said = sorted(int(line.split(" ")[1]) - 1 + i for i, line in
                      enumerate(line for line in done[0][2].split("\n") if "inserted" in line))
        self.check(self.w.ids("a") == said, "an ALTER beside INSERTs: the rows that were said",
                   f"{self.w.ids('a')} instead of {said}")
        if done[1][0] == 0:
            head = self.w.must("SELECT * FROM db.a").split("\n")[0]
            self.check(head == "id,text,extra", "an ALTER beside INSERTs: the columns", head)

    def creates(self):
        """One name for several: one wins."""
        done = self.together([f"CREATE TABLE db.c AS SELECT {i}::BIGINT AS id" for i in range(3)])
        codes = sorted(code for code, _, _ in done)
        self.check(codes == [0, 1, 1] and all("db.c" in err or "db/c" in err for _, _, err in done),
                   "three tables of one name: one is made", [err for _, _, err in done])
        winner = [i for i, (code, _, _) in enumerate(done) if code == 0]
        self.check(self.w.ids("c") == winner, "three tables of one name: it has its maker's rows")

    def overtaken(self, library):
        """A writer sleeps at each moment of its commit while another one commits."""
        log = os.path.join(self.w.home, "calls")
        environment = {"LD_PRELOAD": library, "FAULT_BELOW": self.w.folder, "FAULT_MODE": "stop"}
        self.w.must(f"CREATE TABLE db.o (id BIGINT) {MANY}; INSERT INTO db.o VALUES (0)")
        self.w.run("INSERT INTO db.o VALUES (0)", environment={**environment, "FAULT_COUNT": log})
        with open(log, encoding="utf-8") as file:
            calls = [line.split(" ")[1] for line in file]
        moments = [at for at, call in enumerate(calls, 1) if call in ("link", "open", "mkdir")]
        want = [0, 0]
        for at in moments:
            sleeper = self.w.start(f"INSERT INTO db.o VALUES ({at})",
                                   environment={**environment, "FAULT_AT": str(at)})
            _, status = os.waitpid(sleeper.pid, os.WUNTRACED)
            stopped = os.WIFSTOPPED(status)
            # Inside of the catalog's own transaction the other one would wait for its lock.
            locked = self.kind == "sql" and at > len(calls) - 16
            if not locked:
                self.w.must(f"INSERT INTO db.o VALUES ({1000 + at})")
                want.append(1000 + at)
            sleeper.send_signal(signal.SIGCONT)
            _, err = sleeper.communicate(timeout=60)
            want.append(at)
            self.check(stopped and sleeper.returncode == 0,
                       f"overtaken at call {at} ({calls[at - 1]}), the writer tries again", err)
        self.check(self.w.ids("o") == sorted(want), "overtaken: all rows are there",
                   self.w.ids("o"))

    # ---- ended ----

    def kills(self):
        """SIGKILL at any time of an INSERT of many files; the next one works."""
        self.w.must(f"CREATE TABLE db.k (id BIGINT) PARTITIONED BY (bucket(4, id)) {MANY}")
        rows, begin = 0, time.monotonic()
        self.w.must("INSERT INTO db.k SELECT range FROM range(20000)")
        rows, took_s = 20000, time.monotonic() - begin
        for i in range(KILLS):
            process = self.w.start("INSERT INTO db.k SELECT range FROM range(20000)")
            time.sleep(self.random.uniform(0.3, 1.1) * took_s)
            process.kill()
            process.communicate()
            out = self.w.must("SELECT count(*) AS n FROM db.k; INSERT INTO db.k VALUES (1)")
            seen = int(out.split("\n")[1])
            self.check(seen in (rows, rows + 20000), f"kill {i} (seed {SEED})", f"{seen} of {rows}")
            rows = seen + 1
        self.w.forget_spilled()  # of processes that could not clean up any more

    def stopped(self):
        """Signals while the engine works: exit code 128 + N, nothing left, the table whole."""
        self.w.must(f"CREATE TABLE db.s (id BIGINT) {MANY}; INSERT INTO db.s VALUES (1)")
        before, pointer = self.w.files(), self.w.pointer("s")
        statements = {"INSERT": f"INSERT INTO db.s {SLOW}",
                      "SELECT": f"SELECT sum(id) FROM ({SLOW})",
                      "rows": "SELECT range FROM range(100000000000)",
                      "CTAS": f"CREATE TABLE db.n AS {SLOW}"}
        for what, text in statements.items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                process = self.w.start(text + "; SELECT 1 AS next",
                                       "--memory", "1GB") if what != "rows" else self.w.start(text)
                if what == "rows":
                    process.stdout.read(100)
                else:
                    self.w.wait_for_work()
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                left = self.w.files() - before
                self.check(process.returncode == 128 + number and "next" not in out
                           and not left and not self.w.spilled()
                           and ("cancelled" in err or "interrupted" in err)
                           and self.w.pointer("s") == pointer and self.w.pointer("n") is None,
                           f"{what} ended by {number.name}",
                           f"exit code {process.returncode}, left {left} {self.w.spilled()}: {err}")
        self.check(self.w.ids("s") == [1], "after signals the rows are there")

    def closed_pipe(self):
        process = self.w.start("SELECT range FROM range(100000000)")
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        code = process.wait(timeout=60)
        self.check(code == 141 and not err and not self.w.spilled(),
                   "a closed pipe ends the command in silence", f"exit code {code}: {err}")
        process.stderr.close()


def at_once(folder, kind, library):
    def run(report):
        w = Writers(folder, kind, report)
        w.inserts(4, 4)
        w.alters()
        w.creates()
        w.overtaken(library)
    return run


def ended(folder, kind):
    def run(report):
        w = Writers(folder, kind, report)
        w.kills()
        w.stopped()
        w.closed_pipe()
    return run


def main(folder):
    library = compile_faults(folder)
    jobs = []
    for kind in CATALOGS:
        for part in ("at-once", "ended"):
            own = os.path.join(folder, f"{kind}-{part}")
            os.makedirs(own)
            jobs.append(at_once(own, kind, library) if part == "at-once" else ended(own, kind))
    return side_by_side(jobs)


in_folder(main).end()
