#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the tables that planning is measured on, and measures it:
#   bench/run.sh BUILD [THREADS [REPEATS]]
# The tables (12 GB) stay in $CALVE_BENCH_DIR, default ~/.cache/calve/bench, and are made again when
# the generator has changed. $CALVE_BENCH_SIZES: files of the T4 tables, default 10^4 to 10^7; the
# largest two take 9 GB and some ten minutes to make. $CALVE_BENCH_PEERS: which peers, default all;
# none: "".
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

sizes=${CALVE_BENCH_SIZES:-10000 100000 1000000 10000000}
peers=${CALVE_BENCH_PEERS-java go rust pyiceberg}

table t2 t2
table t3 t3
table t6 t6
table huge huge
t4=()
for size in $sizes; do
  table "t4c-$size" t4c "$size"
  table "t4s-$size" t4s "$size"
  t4+=("$folder/t4c-$size" "$folder/t4s-$size")
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
echo "== t2: one thread"
"$build/bench/bench_plan" "$folder/t2" 1 "$repeats"

echo
echo "== t2: with a planning cache in memory, then in a folder"
"$build/bench/bench_plan" "$folder/t2" "$threads" "$repeats" - memory
"$build/bench/bench_plan" "$folder/t2" "$threads" "$repeats" - "$folder/cache"

echo
echo "== t2: the command as a whole process"
"$source/process.py" "$build" "$folder/t2"

echo
echo "== t4: growth, and peak memory of all tasks"
"$source/growth.py" "$build" "${t4[@]}"
for table in "${t4[@]}"; do
  "$build/bench/bench_plan" "$table" "$threads" 0 "all tasks" |
    sed -n "s|^peak|${table##*/}: peak|p"
done

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
echo "== t6: delete files, and their assignment alone"
"$build/bench/bench_plan" "$folder/t6" "$threads" "$repeats" "all tasks"
"$build/bench/bench_deletes"

echo
echo "== cancelling: t2, a manifest of a million files, t6"
for table in t2 huge t6; do "$build/bench/bench_cancel" "$folder/$table" "$threads" 60; done

echo
echo "== instructions"
CALVE_PERF_REQUIRED=1 CALVE_BUILD=$build "$source/../tests/perf/test_instructions.sh"
CALVE_PERF_REQUIRED=1 CALVE_BUILD=$build "$source/../tests/perf/test_growth.sh"

if [ -n "$peers" ]; then
  for table in t2 t3; do
    echo
    echo "== peers: $table"
    # shellcheck disable=SC2086 # one argument a peer
    "$source/peers/run.sh" "$build" "$folder/$table" 1 $peers
  done
fi
