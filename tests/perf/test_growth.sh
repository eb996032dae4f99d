#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Delete files are assigned in near-linear time, whatever they are: for each kind of bench_deletes,
# eight times the files take at most ten times the instructions (a factor of log n is in that;
# comparing each with each would take 64).
#   test_growth.sh
# Needs $CALVE_BUILD. Skipped (77) without valgrind, unless $CALVE_PERF_REQUIRED is set.
set -euo pipefail
bench=${CALVE_BUILD:?the build folder}/bench
if ! command -v valgrind >/dev/null; then
  echo "valgrind is missing: apt-get install valgrind"
  [ -z "${CALVE_PERF_REQUIRED:-}" ] || exit 1
  exit 77
fi

# The instructions of one case; $1: data files, $2: kind.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=run_case \
    "$bench/bench_deletes" "$1" "$2" 2>&1 >/dev/null | awk '/Collected/ { print $NF }'
}

passed=0 failed=0
for kind in 0 1 2 3 4 5 6 7 8; do
  name=$("$bench/bench_deletes" 8 "$kind" | cut -c1-24)
  few=$(count 500 "$kind") many=$(count 4000 "$kind")
  if [ "${few:-0}" -gt 0 ] && [ "${many:-0}" -gt 0 ] && [ "$many" -le $((few * 10)) ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  awk -v name="$name" -v a="${few:-0}" -v b="${many:-0}" \
    'BEGIN { printf "%s 8 times the files: %.2f times the instructions\n", name, a ? b / a : 0 }'
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -eq 9 ]
