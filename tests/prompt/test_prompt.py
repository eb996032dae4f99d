#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interactive prompt on a terminal of its own: lines, completion, history, Ctrl-C, the end."""
import os
import pty
import re
import select
import signal
import sys
import tempfile
import time

CALVE = os.environ.get("CALVE", os.path.join(os.path.dirname(__file__), "../../build/calve"))
PATIENCE_S = 20


class Terminal:
    """One session; `seen` is all that came back so far."""

    def __init__(self, folder):
        self.seen = ""
        self.child, self.side = pty.fork()
        if self.child == 0:
            os.environ.update(HOME=folder, TERM="xterm", LC_ALL="C.UTF-8")
            os.execv(CALVE, [CALVE, "-w", os.path.join(folder, "w"), "sql"])

    def wait_for(self, pattern, patience_s=PATIENCE_S):
        """True once the pattern is in what came since the last call."""
        text, end = "", time.monotonic() + patience_s
        while not re.search(pattern, text):
            ready, _, _ = select.select([self.side], [], [], max(0, end - time.monotonic()))
            try:
                piece = os.read(self.side, 65536) if ready else b""
            except OSError:  # the other side is gone
                piece = b""
            if not piece:
                return False
            text += piece.decode("utf-8", "replace")
            self.seen += piece.decode("utf-8", "replace")
        return True

    def type(self, text):
        os.write(self.side, text.encode())

    def exit_code(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


STEPS = [
    ("it greets", "", r"calve> "),
    ("a semicolon ends a statement", "CREATE NAMESPACE db;\r", r"(?s)db created.*calve> "),
    ("one may take several lines", "CREATE TABLE db.orders (\r", r"\.\.\.> "),
    ("and then runs whole", "id INT);\r", r"table db.orders created\s+.*calve> "),
    ("two on one line both run", "SELECT 11 AS a; SELECT 22 AS b;\r", r"(?s)11.*22.*calve> "),
    ("tables are completed", "SELECT count(*) AS n FROM db.or\t", r"ders"),
    ("and what was completed runs", ";\r", r"(?s)\n *0\r.*calve> "),
    ("an error ends the statement alone", "SELECT nope;\r", r"(?s)nope.*calve> "),
    ("a quote may stay open over lines", "SELECT 'it\r", r"\.\.\.> "),
    ("Ctrl-C gives up what was begun", "\x03", r"(?s)\^C.*calve> "),
    ("a long statement", "SELECT sum(a.range) FROM range(1000000000) a, range(1000000);\r", r"sum"),
    ("is cancelled by Ctrl-C", None, r"(?s)cancelled.*calve> "),
    ("the session goes on", "SELECT 33 AS c;\r", r"(?s)\n *33.*calve> "),
    ("the line before comes back", "\x1b[A", r"SELECT 33 AS c;"),
    ("and runs again", "\r", r"(?s)33.*calve> "),
]


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(folder)
        for what, text, pattern in STEPS:
            at_prompt = text == "\x03"
            if text is None:
                time.sleep(1)  # the statement must run before it can be cancelled
                text = "\x03"
            terminal.type(text)
            holds = terminal.wait_for(pattern, 3 if at_prompt else PATIENCE_S)
            if at_prompt and not holds:
                # A terminal sends SIGINT, and only then drops the output that waits in it: a prompt
                # that came back in between is not seen, and one presses Ctrl-C again.
                terminal.type(text)
                holds = terminal.wait_for(pattern)
            passed, failed = passed + holds, failed + (not holds)
            if not holds:
                print(f"FAILED: {what}: {text!r} gave no {pattern!r}")
                os.kill(terminal.child, signal.SIGKILL)
                break
        else:
            terminal.type("\\q\r")
        code = terminal.exit_code()
        kept = os.path.join(folder, ".calve_history")
        holds = code == 0 and os.path.exists(kept)
        holds = holds and os.stat(kept).st_mode & 0o777 == 0o600
        passed, failed = passed + holds, failed + (not holds)
        if not holds:
            print("FAILED: \\q ends the session with 0 and keeps the history for the user alone: "
                  f"exit code {code}")
    if failed:
        print(terminal.seen)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
