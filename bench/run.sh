#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the tables that planning is measured on, and measures it:
#   bench/run.sh BUILD [THREADS [REPEATS]]
# The tables (about 1.7 GB) stay in $CALVE_BENCH_DIR, default ~/.cache/calve/bench, and are made
# again when the generator has changed.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
threads=${2:-2}
repeats=${3:-5}
folder=${CALVE_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/calve/bench}
stamp=$(sha256sum <"$source/bench_gen.c" | cut -c1-16)

# table NAME KIND [FILES]: makes the table unless this generator already did.
table() {
  local to=$folder/$1
  [ "$(cat "$to/complete" 2>/dev/null)" != "$stamp" ] || return 0
  echo "making $to" >&2
  rm -rf "$to"
  mkdir -p "$to/metadata"
  "$build/bench/bench_gen" "$2" "$to" ${3:+"$3"}
  echo "$stamp" >"$to/complete"
}

table t2 t2
table t3 t3
for size in 10000 100000 1000000; do
  table "t4c-$size" t4c "$size"
  table "t4s-$size" t4s "$size"
done
grep -m1 'model name' /proc/cpuinfo || true
for name in t2 t3; do
  echo
  echo "== $name: $threads threads, best of $repeats"
  "$build/bench/bench_plan" "$folder/$name" "$threads" "$repeats"
  for plan in "all tasks" "all tasks, all metrics"; do
    "$build/bench/bench_plan" "$folder/$name" "$threads" 0 "$plan" |
      sed -n "s/^peak memory/$plan: peak memory/p"
  done
done

echo
echo "== t4: growth"
"$source/growth.py" "$build" "$folder"/t4[cs]-*

echo
echo "== t5: metadata with 10,000 snapshots, 200 schemas, 50 specs"
"$build/bench/bench_metadata" write "$folder/t5.json"
"$build/bench/bench_metadata" load "$folder/t5.json"
if g++ -O2 "$source/simdjson_dom.cc" -lsimdjson -o "$folder/simdjson_dom" 2>/dev/null; then
  "$folder/simdjson_dom" "$folder/t5.json"
else
  echo "no yardstick: apt-get install libsimdjson-dev"
fi

echo
echo "== t6: delete files"
"$build/bench/bench_deletes"

echo
echo "== instructions"
CALVE_PERF_REQUIRED=1 CALVE_BUILD=$build "$source/../tests/perf/test_instructions.sh"
