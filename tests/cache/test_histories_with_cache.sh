#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Random histories of evolution and writes, and what other tests ask of queries, hold in sessions
# that plan with a cache too.
set -uo pipefail
export CALVE_TEST_PLAN_CACHE=1
passed=0
failed=0
for test in test_exec_alter_histories test_relation_imported test_query_rewrite \
  test_query_answer; do
  [ -x "$CALVE_BUILD/tests/$test" ] || exit 77 # a build without the engine
  if out=$(cd "$CALVE_BUILD/tests" && "./$test" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s\n' "$out" | tail -20
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
