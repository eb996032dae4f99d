#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tests of the command: what is typed, and what comes back, byte by byte.

    tests/golden/test_golden.py [--update] [CASE…]

Each folder beside this file is a case:
    about.txt    one line: the rule that it shows
    in.sql       statements, run by `calve -w WAREHOUSE sql -f in.sql`; or
    run.sh       a bash script that calls calve, with the warehouse as the current folder's `w`
    want.txt     output and errors as they come, then the exit code
The other files of the folder are copied to where the case runs, a new folder. What differs from
run to run is replaced: snapshot ids, UUIDs, times, sizes and the path of that folder. --update
writes want.txt anew; look at the difference before you commit it.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
CALVE = os.path.abspath(os.environ.get("CALVE", os.path.join(HERE, "../../build/calve")))
TODAY = "|".join(str(datetime.now(timezone.utc).date() + timedelta(days)) for days in (0, 1))
PLACEHOLDERS = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
    (r"(?<![-0-9])(?!9007199254740993\b)[0-9]{15,19}\b", "<snapshot>"),  # 2^53 + 1 is a value
    (r"\b[0-9.]+ (bytes|[KM]iB)\b", "<size>"),
    (f"(?:{TODAY})[ T][0-9:]{{8}}(?:\\.[0-9]+)?(?:\\+00(?::00)?)?", "<time>"),
]


def run(case, folder):
    """Output and errors in the order in which they were written."""
    source = os.path.join(HERE, case)
    for name in os.listdir(source):
        if name not in ("about.txt", "want.txt"):
            shutil.copy(os.path.join(source, name), folder)
    environment = {
        "PATH": os.path.dirname(CALVE) + ":/usr/bin:/bin",
        "HOME": folder,
        "LC_ALL": "C.UTF-8",
        "TZ": "Asia/Seoul",  # no time zone of the environment may show
    }
    if "CALVE_PLAN_CACHE" in os.environ:  # see tests/cache/test_same_with_cache.sh
        environment["CALVE_PLAN_CACHE"] = os.environ["CALVE_PLAN_CACHE"]
    if os.path.exists(os.path.join(source, "run.sh")):
        command = ["bash", "run.sh"]
    else:
        command = ["calve", "-w", "w", "sql", "-f", "in.sql"]
    done = subprocess.run(command, cwd=folder, env=environment, check=False, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "backslashreplace")
    text = text.replace(folder, "<folder>")
    for pattern, placeholder in PLACEHOLDERS:
        text = re.sub(pattern, placeholder, text)
    if re.search("<(snapshot|time|size)>", text):  # their lengths differ, and columns with them
        text = re.sub(r"(<(?:snapshot|time|size)>) +\|", r"\1 |", text)
        text = re.sub(r"(?m)^[-+]{4,}$", lambda line: re.sub("-+", "---", line.group()), text)
    return text + f"exit {done.returncode}\n"


def check(case, update):
    want_path = os.path.join(HERE, case, "want.txt")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        got = run(case, os.path.realpath(folder))
    if update:
        with open(want_path, "w", encoding="utf-8") as file:
            file.write(got)
        return True
    with open(want_path, encoding="utf-8") as file:
        want = file.read()
    if got == want:
        return True
    with open(os.path.join(HERE, case, "about.txt"), encoding="utf-8") as file:
        print(f"FAILED {case}: {file.read().strip()}")
    lines = difflib.unified_diff(want.split("\n"), got.split("\n"), "want", "got", n=2, lineterm="")
    print("\n".join(lines))
    return False


def check_page(page, case):
    """The plans that a page prints are those of a case, but for sizes."""
    with open(os.path.join(HERE, case, "want.txt"), encoding="utf-8") as file:
        known = {line.replace(", <size>", "") for line in file.read().split("\n")}
    with open(os.path.join(HERE, "../..", page), encoding="utf-8") as file:
        plans = re.findall(r"(?m)^ {2,4}(?:filter:|spec [0-9]|[0-9]+ of ).*$|^[-+] 1[0-9]{3}: .*$",
                           file.read())
    unknown = [line for line in plans if line not in known]
    for line in unknown:
        print(f"FAILED {page}: {case} prints no line {line!r}")
    return bool(plans) and not unknown


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    cases = [name for name in arguments if name != "--update"] or sorted(
        name for name in os.listdir(HERE) if os.path.exists(os.path.join(HERE, name, "about.txt"))
    )
    failed = [case for case in cases if not check(case, update)]
    if "evolution_doc" in cases and not check_page("docs/evolution.md", "evolution_doc"):
        failed.append("docs/evolution.md")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return len(failed) > 0 or not cases


sys.exit(main())
