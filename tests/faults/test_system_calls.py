#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every system call of an INSERT that changes a file goes wrong once: the process is killed before
it or in the middle of a write, the call fails, the disk is full from there on, or a signal comes.
The table must be as it was or as it was to be, never between; the next INSERT works; what did not
happen leaves no file behind."""
import errno
import os
import signal

from faults import CATALOGS, Warehouse, compile_faults, ids_of, in_folder, side_by_side

OLD, NEW, NEXT = [1, 2], [1, 2, 3, 4], 5
INSERT = "INSERT INTO db.t VALUES (3, 'b'), (4, 'c')"
CREATE = ("CREATE TABLE db.made PARTITIONED BY (s) "
          "AS SELECT * FROM (VALUES (3, 'b'), (4, 'c')) v(id, s)")
KINDS = {"INSERT": INSERT, "CTAS": CREATE}


class Sweep:
    """One catalog and one statement, over all calls."""

    def __init__(self, folder, kind, verb, library, report):
        self.w = Warehouse(os.path.join(folder, f"{kind}-{verb}"), kind)
        self.w.must("CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT, s STRING) "
                    "PARTITIONED BY (s); INSERT INTO db.t VALUES (1, 'a'), (2, 'b')")
        self.w.keep()
        self.verb, self.library, self.report = verb, library, report
        self.table = "t" if verb == "INSERT" else "made"
        self.old, self.new = (OLD, NEW) if verb == "INSERT" else (None, [3, 4])
        self.before, self.pointer = self.w.files(), self.w.pointer(self.table)
        self.calls = self.count()

    def faulty(self, **fault):
        environment = {"LD_PRELOAD": self.library, "FAULT_BELOW": self.w.folder}
        environment.update({f"FAULT_{key.upper()}": str(value) for key, value in fault.items()})
        return self.w.run(KINDS[self.verb], environment=environment)

    def count(self):
        """The calls of a run where nothing goes wrong."""
        log = os.path.join(self.w.home, "calls")
        code, _, err = self.faulty(count=log)
        with open(log, encoding="utf-8") as file:
            calls = [line.split(" ")[1] for line in file]
        self.report.check(code == 0 and len(calls) > 25,
                          f"{self.w.kind}: {self.verb} changes files by counted calls",
                          f"exit code {code}, {len(calls)} calls: {err}")
        return calls

    def now(self):
        """The ids that are read, None without a table; the next INSERT has worked too."""
        if self.w.pointer(self.table) is None:
            self.w.must(f"{CREATE}; DROP TABLE db.made")
            return None
        out = self.w.must(f"SELECT id FROM db.{self.table} ORDER BY id; "
                          f"INSERT INTO db.{self.table} VALUES ({NEXT}, 'z'); "
                          f"SELECT -id AS id FROM db.{self.table} ORDER BY id DESC")
        ids = ids_of(out)
        seen = [i for i in ids if i > 0]
        if [-i for i in ids if i < 0] != seen + [NEXT]:
            return out
        return seen

    def still(self, at):
        """The rows after a failure: the current metadata and all files tell, and every fifth time
        they are read, too."""
        same = self.w.pointer(self.table) == self.pointer and self.before <= self.w.files()
        return self.old if same and at % 5 else self.now()

    def nothing_left(self):
        left = self.w.files() - self.before
        return not left and not self.w.spilled(), f"left behind: {left} {self.w.spilled()}"

    def run(self):
        for at, call in enumerate(self.calls, 1):
            often, seldom = self.verb == "INSERT", at % 4 == 0
            self.killed(at, call, "kill")
            if call == "write" and often:
                self.killed(at, call, "tear")
            if often or at % 2:
                self.failing(at, call, f"errno:{errno.EIO}")
            if often or seldom:
                self.failing(at, call, f"from:{errno.ENOSPC}")
                self.signalled(at, call, "term", signal.SIGTERM)
            if seldom:
                self.signalled(at, call, "int", signal.SIGINT)
                self.failing(at, call, f"errno:{errno.EACCES}")

    def place(self, at, call, what):
        return f"{self.w.kind}: {self.verb}, {what} at call {at} of {len(self.calls)} ({call})"

    def killed(self, at, call, mode):
        self.w.reset()
        code, _, err = self.faulty(at=at, mode=mode)
        seen = self.now()
        self.report.check(code == -signal.SIGKILL and seen in (self.old, self.new),
                          self.place(at, call, mode),
                          f"exit code {code}, rows {seen}: {err}")

    def failing(self, at, call, mode):
        self.w.reset()
        code, _, err = self.faulty(at=at, mode=mode)
        whole, left = self.nothing_left() if code not in (0, 4) else (True, "")
        if call == "unlink":
            whole = True  # what can't be removed stays
        seen = self.still(at) if code not in (0, 4) else self.now()
        reason = os.strerror(int(mode.split(":")[1]))
        if code == 0:
            holds = seen == self.new
        elif code == 4:
            holds = seen in (self.old, self.new) and "not known" in err
        else:
            holds = (code in (1, 5) and seen == self.old and whole
                     and (self.w.folder in err or "db." in err)
                     and any(text in err for text in (reason, "disk", "readonly")))
        self.report.check(holds, self.place(at, call, mode),
                          f"exit code {code}, rows {seen}, {left}: {err}")

    def signalled(self, at, call, mode, number):
        self.w.reset()
        code, _, err = self.faulty(at=at, mode=mode)
        whole, left = self.nothing_left() if code != 0 else (True, "")
        seen = self.still(at) if code != 0 else self.now()
        # Before the first statement the signal ends the command as the system does.
        holds = (code == 0 and seen == self.new) or (
            code in (128 + number, -number) and seen == self.old and whole)
        self.report.check(holds and not self.w.spilled(), self.place(at, call, mode),
                          f"exit code {code}, rows {seen}, {left}: {err}")


def main(folder):
    library = compile_faults(folder)
    for kind in CATALOGS:
        for verb in KINDS:
            os.makedirs(os.path.join(folder, f"{kind}-{verb}"))
    jobs = [lambda report, k=kind, v=verb: Sweep(folder, k, v, library, report).run()
            for verb in KINDS for kind in CATALOGS]
    return side_by_side(jobs)


in_folder(main).end()
