#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/c/plan_scan on a table that examples/c/commit_file made.
set -euo pipefail
bin=$CALVE_BUILD/examples
folder=$(mktemp -d "${TMPDIR:-/tmp}/calve-test-XXXXXX")
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

check() { # NAME EXPECTED GOT
  if [ "$2" == "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"
  fi
}

"$bin/commit_file" "$folder/wh" DE 1 5 >"$folder/log"
"$bin/commit_file" "$folder/wh" FR 9 >>"$folder/log"
table=$(dirname "$(find "$folder/wh" -name '*.metadata.json' | head -1)")
table=${table%/metadata}

plan() { "$bin/plan_scan" "$table" "$@" 2>&1 || true; }

check "all files" 2 "$(plan | grep -c '^  [0-9].* rows')"
check "one country" "  2 rows" "$(plan "country = 'DE'" | grep -o '^  [0-9]* rows')"
check "its partition" 1 "$(plan "country = 'DE'" | grep -c 'spec 0 (country=DE)')"
check "nothing left to check" 1 "$(plan "country = 'DE'" | grep -c 'left to check: TRUE')"
check "by statistics" 1 "$(plan 'id > 8' | grep -c 'skipped by column metrics')"
wrong_name=$(plan "contry = 'x'")
check "a wrong name gets a suggestion" 1 "$(grep -c 'plan_scan: .*country' <<<"$wrong_name")"
check "no table" 1 "$("$bin/plan_scan" "$folder/none" 2>&1 | grep -c 'plan_scan: ')"
check "a wrong use" 2 "$("$bin/plan_scan" 2>/dev/null || echo $?)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
