#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Plans one table with calve and with its peers, compares counts and sums, prints times:
#   bench/peers/run.sh BUILD TABLE_FOLDER [REPEATS [PEER…]]
# Peers: java, go, rust, pyiceberg (the default: all four). The libraries of Java and PyIceberg are
# those of the interop tests, which tools/java-env and tools/python-env fetch into ~/.cache/calve;
# install.sh builds the programs of the other two. A peer whose tools are missing is left out. For a
# million files Go and PyIceberg need some 10 GB, PyIceberg and Rust a minute or more a plan.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
folder=$2
repeats=${3:-3}
[ $# -gt 3 ] && peers=("${@:4}") || peers=(java go rust pyiceberg)
metadata=$folder/metadata/v1.metadata.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_java() {
  local libraries
  libraries=$("$root/tools/java-env")
  javac -nowarn -cp "$libraries" -d "$work" "$root/bench/peers/PlanPeer.java"
  java -Xmx4g -Diceberg.worker.num-threads=2 -cp "$work:$libraries" PlanPeer \
    "file://$metadata" "$repeats"
}
run_pyiceberg() {
  "$root/tools/python-env" run "$root/bench/peers/plan_peer.py" "file://$metadata" "$repeats"
}

run_built() {
  local program
  program=$("$root/bench/peers/install.sh" "$1") || return 77
  grep -h iceberg "$root/bench/peers/$1/go.mod" "$root/bench/peers/$1/Cargo.toml" 2>/dev/null |
    grep -E '[0-9]\.[0-9]' >&2
  "$program" "file://$metadata" "$repeats"
}
run_go() { run_built go; }
run_rust() { run_built rust; }

# calve's table in the peers' form: the name is 24 columns wide.
"$build/bench/bench_plan" "$folder" 2 "$repeats" | awk '
  NR > 1 && !/^peak/ && !/^metadata/ {
    name = substr($0, 1, 24); sub(/ +$/, "", name); $0 = substr($0, 25)
    printf "%s\t%s\t%s\t%s\t%s\n", name, $1, $7, $8, $9
  }' >"$work/calve"
cat "$work/calve"
passed=0 failed=0
for peer in "${peers[@]}"; do
  echo "== $peer"
  if ! "run_$peer" >"$work/$peer"; then
    echo "left out: it can't be built or run here"
    continue
  fi
  cat "$work/$peer"
  while IFS= read -r line; do
    name=$(cut -f1 <<<"$line")
    want=$(awk -F '\t' -v name="$name" '$1 == name' "$work/calve" | cut -f1,3-)
    if [ "$(cut -f1,3- <<<"$line")" = "$want" ]
    then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "differs: $line"
    fi
  done <"$work/$peer"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
