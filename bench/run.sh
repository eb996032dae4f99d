#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the tables that planning is measured on, and measures it:
#   bench/run.sh BUILD [THREADS [REPEATS]]
# The tables (about 700 MB) stay in $CALVE_BENCH_DIR, default ~/.cache/calve/bench, and are made
# again when the generator has changed.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
build=$1
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
grep -m1 'model name' /proc/cpuinfo || true
for name in t2 t3; do
  echo
  echo "== $name: $threads threads, best of $repeats"
  "$build/bench/bench_plan" "$folder/$name" "$threads" "$repeats"
done
