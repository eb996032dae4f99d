#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seeds of fuzz_type: type and transform strings, one a file, into folder $1.
set -euo pipefail
number=0
while IFS= read -r text; do
  number=$((number + 1))
  printf '%s' "$text" >"$1/$number"
done <<'TEXTS'
boolean
INT
timestamp_ns
timestamptz_ns
decimal(9, 2)
decimal( 38 ,38 )
decimal(9, -1)
fixed[16]
fixed[2147483648]
geometry
geometry( srid:3857 )
geography(OGC:CRS84, KARNEY)
geography(a, bogus)
unknown
variant
identity
void
Year
month
day
hour
bucket[16]
bucket[0]
bucket[2147483648]
bucket[016]
truncate[10]
truncate[1.5]
zorder
TEXTS
