#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Instructions of four fixed plans, counted by callgrind on a table that is not compressed, against
# those on record in instructions.txt: more than 5 % above is a regression. Times on a shared
# machine say nothing; instructions do.
#   test_instructions.sh            compares
#   test_instructions.sh --update   writes the record anew, after a change that is meant
# Needs $CALVE_BUILD. Skipped (77) without valgrind, unless $CALVE_PERF_REQUIRED is set, and with
# another compiler than the one on record.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
record=$here/instructions.txt
bench=${CALVE_BUILD:?the build folder}/bench

give_up() {
  echo "$1"
  [ -z "${CALVE_PERF_REQUIRED:-}" ] || exit 1
  exit 77
}
command -v valgrind >/dev/null || give_up "valgrind is missing: apt-get install valgrind"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$CALVE_BUILD/CMakeCache.txt")
type=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$CALVE_BUILD/CMakeCache.txt")
compiler="$("$compiler" --version | sed '1s/^[^ ]* //;q'), $(uname -m), $type"
if [ "${1:-}" != --update ] && ! grep -qxF "# $compiler" "$record"; then
  give_up "the record is of another compiler than $compiler"
fi

work=$(mktemp -d /tmp/calve-perf.XXXXXX) # paths of one length: they are part of the tables
trap 'rm -rf "$work"' EXIT
mkdir "$work/metadata"
"$bench/bench_gen" plain "$work"

# The instructions of one plan.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=plan_once \
    "$bench/bench_plan" "$work" 1 0 "$1" 2>&1 | awk '/Collected/ { print $NF }'
}

if [ "${1:-}" = --update ]; then
  {
    echo "# Instructions of a plan; made by test_instructions.sh --update with"
    echo "# $compiler"
    for plan in "all tasks" "all tasks, all metrics" "a day, day half" "a metric of column 6"; do
      echo "$(count "$plan") $plan"
    done
  } >"$record"
  cat "$record"
  exit
fi

passed=0 failed=0
while read -r before plan; do
  after=$(count "$plan")
  percent=$(awk -v a="$after" -v b="$before" 'BEGIN { printf "%+.1f", 100 * (a - b) / b }')
  echo "$plan: $after instructions, $percent % against the record"
  if [ -n "$after" ] && [ "$after" -gt 0 ] && [ $((after * 100)) -le $((before * 105)) ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done < <(grep -v '^#' "$record")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
