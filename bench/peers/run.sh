#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Plans one table with calve and with its peers, compares counts and sums, prints times:
#   bench/peers/run.sh BUILD TABLE_FOLDER [REPEATS [PEER…]]
# Peers: java, pyiceberg (the default: both). Their libraries are those of the interop tests, which
# tools/java-env and tools/python-env fetch into ~/.cache/calve. PyIceberg needs some 8 GB and a
# minute a plan for a million files.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
folder=$2
repeats=${3:-3}
[ $# -gt 3 ] && peers=("${@:4}") || peers=(java pyiceberg)
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

# calve's table in the peers' form: the name is 24 columns wide.
"$build/bench/bench_plan" "$folder" 2 "$repeats" | awk '
  NR > 1 && !/^peak/ {
    name = substr($0, 1, 24); sub(/ +$/, "", name); $0 = substr($0, 25)
    printf "%s\t%s\t%s\t%s\t%s\n", name, $1, $7, $8, $9
  }' >"$work/calve"
cat "$work/calve"
passed=0 failed=0
for peer in "${peers[@]}"; do
  echo "== $peer"
  "run_$peer" | tee "$work/$peer"
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
