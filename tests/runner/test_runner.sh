#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The vector runner itself: it must see a wrong row, a stale exception and a missing kind, because
# all that the vectors show rests on it.
set -euo pipefail
runner=${CALVE_BUILD:?}/tests/calve_vectors
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vectors" "$work/exceptions"
passed=0
failed=0

# run WANTED_EXIT WANTED_TEXT ARGUMENT…
run() {
  local want_exit=$1 want_text=$2 got_exit=0
  shift 2
  "$runner" --exceptions "$work/exceptions" "$@" >"$work/out" 2>&1 || got_exit=$?
  if [ "$got_exit" = "$want_exit" ] && grep -qF -- "$want_text" "$work/out"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $* gives $got_exit, expected $want_exit and \"$want_text\":"
    sed 's/^/  /' "$work/out"
  fi
}

right='{"kind":"bucket_hash","type":"int","input":0,"input_hex":"00000000","hash":1669671676}'
wrong='{"kind":"bucket_hash","type":"int","input":0,"input_hex":"00000000","hash":5}'
exception='{"why":"a test","ours":"hash: 1669671676","row":{"kind":"bucket_hash","hash":5}}'

run 1 "holds no vectors" "$work/vectors"
echo "$right" >"$work/vectors/transforms.jsonl"
run 0 "1 passed, 0 failed" "$work/vectors"
run 0 "1 passed, 0 failed" "$work/vectors" transforms
run 1 "values.jsonl: can't be read" "$work/vectors" values
run 1 "no such kind" "$work/vectors" transform
run 1 "values.jsonl: can't be read" --strict "$work/vectors"

echo "$wrong" >>"$work/vectors/transforms.jsonl"
run 1 "1 passed, 1 failed" "$work/vectors"
run 1 "expected hash: 5" "$work/vectors"
run 1 "got      hash: 1669671676" --failures "$work/failures" "$work/vectors"
# What --failures wrote is an exception that fits, once it has a reason.
sed 's/"why":""/"why":"a test"/' "$work/failures" >"$work/exceptions/transforms.jsonl"
run 0 "2 passed, 0 failed" "$work/vectors"

echo "$exception" >"$work/exceptions/transforms.jsonl"
run 0 "2 passed, 0 failed" "$work/vectors"
run 0 "1 rows differ from the reference on purpose" "$work/vectors"
sed 's/1669671676/7/' <<<"$exception" >"$work/exceptions/transforms.jsonl"
run 1 "neither as the reference nor as the exceptions say" "$work/vectors"
sed 's/"hash":5/"hash":1669671676/' <<<"$exception" >"$work/exceptions/transforms.jsonl"
run 1 "agrees with the reference, but stands in the exceptions" "$work/vectors"
sed 's/"hash":5/"hash":6/' <<<"$exception" >"$work/exceptions/transforms.jsonl"
run 1 "note transforms: no row fits the exception" "$work/vectors"
run 1 "FAIL transforms: no row fits the exception" --strict "$work/vectors" transforms
echo '{"row":{"hash":5}}' >"$work/exceptions/transforms.jsonl"
run 1 "an exception needs why, ours and row" "$work/vectors"

: >"$work/exceptions/transforms.jsonl"
echo '{"kind":"new"}' >"$work/vectors/transforms.jsonl"
run 1 "the kind 'new' is not known" "$work/vectors"
echo '{"kind":' >"$work/vectors/transforms.jsonl"
run 1 "0 passed, 1 failed" "$work/vectors"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
