#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How planning grows (table T4): growth.py BUILD TABLE_FOLDER…
Plans each table with bench_plan and fits milliseconds = a + b * manifests listed + c * manifests
opened to all plans, by least squares of the relative error; processor time of all threads."""
import subprocess
import sys

NAME = 24
# Those that read no metrics: what metrics cost a manifest is another matter.
PLANS = ["all tasks", "a day, day half", "a day, month half"]


def measure(build, folder):
    for plan in PLANS:
        repeats = "1" if folder.endswith("0000000") else "3"
        text = subprocess.run([f"{build}/bench/bench_plan", folder, "2", repeats, plan], check=True,
                              capture_output=True, text=True).stdout
        cells = text.splitlines()[1][NAME:].split()
        yield plan, float(cells[3]), int(cells[10]), int(cells[9])


def solve(rows):
    """Weighted normal equations of three unknowns, by Cramer's rule."""
    m = [[0.0] * 3 for _ in range(3)]
    v = [0.0] * 3
    for _, ms, listed, opened in rows:
        x = [1 / ms, listed / ms, opened / ms]
        for i in range(3):
            v[i] += x[i]
            for j in range(3):
                m[i][j] += x[i] * x[j]

    def determinant(a):
        return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
                - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
                + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]))

    whole = determinant(m)
    for k in range(3):
        yield determinant([[v[i] if j == k else m[i][j] for j in range(3)]
                           for i in range(3)]) / whole


def main():
    rows = []
    for folder in sys.argv[2:]:
        print(folder)
        for row in measure(sys.argv[1], folder):
            rows.append(row)
            print(f"  {row[0]:24} {row[1]:10.2f} ms  {row[2]:6} listed {row[3]:6} opened",
                  flush=True)
    a, b, c = solve(rows)
    print(f"milliseconds = {a:.2f} + {b:.4f} * listed + {c:.2f} * opened")
    worst = max(abs(a + b * r[2] + c * r[3] - r[1]) / r[1] for r in rows)
    print(f"largest relative error {100 * worst:.0f} %")


main()
