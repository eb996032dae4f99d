#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs in examples/c that commit and evolve, run one after the other on one warehouse; the
# rows are read back by the command, when it was built.
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

check "a first file" "2 rows" "$("$bin/commit_file" "$folder/wh" DE 1 5 | cut -d' ' -f1,2)"
check "a second file" "1 rows" "$("$bin/commit_file" "$folder/wh" FR 9 | cut -d' ' -f1,2)"
spec=$("$bin/evolve_spec" "$folder/wh" db.visits add "bucket(16, id)")
check "a new spec" 1 "$(grep -c '"spec-id":1.*country.*id_bucket_16' <<<"$spec")"
check "a file under it" "3 rows" "$("$bin/commit_file" "$folder/wh" DE 7 7 7 | cut -d' ' -f1,2)"
spec=$("$bin/evolve_spec" "$folder/wh" db.visits drop country)
check "a field less" 0 "$(grep -c '"name":"country"' <<<"$spec" || true)"
refusal=$("$bin/evolve_spec" "$folder/wh" db.visits drop land 2>&1 || true)
check "a wrong field is refused" 1 "$(grep -c 'there is no partition field' <<<"$refusal")"
check "so is a wrong use" 2 "$("$bin/commit_file" 2>/dev/null || echo $?)"

if [ -x "$CALVE" ]; then
  rows=$("$CALVE" -w "$folder/wh" --format csv sql \
    'SELECT country, count(*), sum(id) FROM db.visits GROUP BY country ORDER BY country' |
    tail -n +2 | tr '\n' ' ')
  check "rows" "DE,5,27 FR,1,9 " "$rows"
  stream=$("$bin/read_rows" "$folder/wh" 'SELECT id, country FROM db.visits' | tail -n 1)
  check "rows as an Arrow stream" "6 rows in" "$(cut -d' ' -f1-3 <<<"$stream")"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
