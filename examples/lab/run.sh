#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The lab: what a partition spec is worth, and what happens when it changes. `make demo` runs it.
#   examples/lab/run.sh [FOLDER]    the tables are made in FOLDER (default: build/lab)
# The statements are in the .sql files beside this one, and each step shows which. A check that
# fails is marked, and makes the exit code 1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
calve=${CALVE:-$here/../../build/calve}
lab=$(realpath -m "${1:-$(dirname "$calve")/lab}")
passed=0 failed=0
export LC_ALL=C.UTF-8

# ---- small tools ------------------------------------------------------------------------------

say() { printf '%s\n' "$@"; }
step() { printf '\n%s\n%s\n\n' "$1" "${1//?/-}"; }
run() { # run FILE… : the statements of the files, in one session
  say "   calve sql -f ${*##*/}"
  cat "$@" | "$calve" -w "$lab" -q sql
}
value() { "$calve" -w "$lab" -q --format csv sql "$1" | tail -n +2; } # the rows, without a header
check() { # check WHAT GOT WANT
  if [ "$2" = "$3" ]; then
    say "   ok: $1"
    passed=$((passed + 1))
  else
    say "   FAILED: $1: $2, not $3"
    failed=$((failed + 1))
  fi
}
check_that() { check "$1" "$(($2))" 1; } # check_that WHAT EXPRESSION
thousands() { sed -E ':again; s/\b([0-9]+)([0-9]{3})\b/\1,\2/; t again'; }
indent() { sed 's/^/   /'; }

# A day as a condition; two, given as first day and the day behind the last.
day() { say "order_ts >= TIMESTAMP '$1' AND order_ts < TIMESTAMP '$2'"; }

# What the plan of a scan opens: "manifests of all, files of all, rows of all", without words.
opened() { # opened TABLE CONDITION
  "$calve" -w "$lab" plan "$1" --where "$2" --explain | awk '
    /manifests opened/ { manifests = $1 " " $3 }
    /files kept/ { files = $1 " " $3 }
    /rows to read/ { rows = $1 " " $3 }
    END { print manifests, files, rows } # the last ones are those of all specs together
  '
}
answer() { value "SELECT count(*), sum(amount) FROM $1 WHERE $2"; }
# The same from every data file in the folder, with no plan and no metadata.
full_scan() {
  value "SELECT count(*), sum(amount)
         FROM read_parquet('$lab/lab/${1#lab.}/data/**/*.parquet', hive_partitioning = false)
         WHERE $2"
}

# One question to both tables, side by side; leaves what was opened in sorted and shuffled.
ask() { # ask CONDITION
  local left right
  read -ra sorted <<<"$(opened lab.orders_sorted "$1")"
  read -ra shuffled <<<"$(opened lab.orders_shuffled "$1")"
  left=$(answer lab.orders_sorted "$1")
  right=$(answer lab.orders_shuffled "$1")
  matched=${left%%,*}
  say "   SELECT count(*), sum(amount) … WHERE $1" ""
  printf '   %-18s %23s %23s\n' "" "sorted by time" "shuffled"
  row "manifests opened" 0
  row "files opened" 2
  row "rows opened" 4
  printf '   %-18s %23s %23s\n' "rows that match" \
    "$(thousands <<<"$matched")" "$(thousands <<<"${right%%,*}")"
  printf '   %-18s %21d %% %21d %%\n' "opened in vain" \
    $((100 - 100 * matched / sorted[4])) $((100 - 100 * matched / shuffled[4]))
  say ""
  check "the answer from the sorted table is that of a full scan ($left)" \
    "$left" "$(full_scan lab.orders_sorted "$1")"
  check "and so is the one from the shuffled table" \
    "$right" "$(full_scan lab.orders_shuffled "$1")"
  check "both are the same" "$left" "$right"
}
row() { # row NAME INDEX
  printf '   %-18s %10s of %9s %10s of %9s\n' "$1" $(
    printf '%s\n' "${sorted[@]:$2:2}" "${shuffled[@]:$2:2}" | thousands
  )
}

# Every data file with its size and the time of its last change.
data_files() { find "$lab" -path '*/data/*' -type f -printf '%P %s %TT\n' | sort; }
totals() { # totals WHEN FILE: of such a list
  awk -v when="$1" '{ bytes += $2; if ($3 > last) last = $3 }
    END { printf "   %-8s%d data files, %d bytes, the last one touched at %s\n",
                 when, NR, bytes, substr(last, 1, 12) }' "$2" | thousands
}
metadata_files() { find "$lab/lab/orders_sorted/metadata" -type f -printf '%f\n' | sort; }

# ---- the lab ----------------------------------------------------------------------------------

[ -x "$calve" ] || { say "lab: $calve is not built: make"; exit 2; }
if [ -e "$lab/calve.db" ]; then rm -rf "$lab"; fi # an earlier run's
mkdir -p "$lab"
say "The lab: a table whose partitioning evolves." \
  "Its tables are in $lab; look around in them with  calve -w $lab sql"

step "1. March, in partitions of a month"
say "   Two tables get the same orders in the same four inserts. Only the order of the rows" \
  "   differs: the first has WRITE ORDERED BY order_ts, the second takes them as they come." ""
run "$here/1-create.sql"
run "$here/2-orders.sql" "$here/3-march.sql"
say ""
"$calve" -w "$lab" -q sql "
  SELECT 'sorted' AS orders, record_count, file_count, partition.order_ts_month AS month_since_1970
  FROM lab.orders_sorted.partitions
  UNION ALL SELECT 'shuffled', record_count, file_count, partition.order_ts_month
  FROM lab.orders_shuffled.partitions" | indent

step "2. A question about one day"
ask "$(day 2026-03-14 2026-03-15)"
check_that "column bounds spare the sorted table at least half of its files" \
  "2 * sorted[2] <= sorted[3]"
check_that "and spare the shuffled one nothing" "shuffled[2] == shuffled[3]"
say "" \
  "   The partition says March, so both tables know that much. Inside March only the lowest and" \
  "   highest order_ts of each file can help: they are close together where rows were sorted, and" \
  "   a month apart where they were not. What is opened in vain is the price of coarse partitions."

step "3. The spec evolves"
data_files >"$lab/before.txt"
metadata_files >"$lab/metadata-before.txt"
snapshot=$(value "SELECT snapshot_id FROM lab.orders_sorted.refs WHERE name = 'main'")
run "$here/4-evolve.sql"
data_files >"$lab/after.txt"
say ""
totals before "$lab/before.txt"
totals after "$lab/after.txt"
say ""
check "no data file was written, removed or touched" \
  "$(diff "$lab/before.txt" "$lab/after.txt" || true)" ""
check "no snapshot was made" \
  "$(value "SELECT snapshot_id FROM lab.orders_sorted.refs WHERE name = 'main'")" "$snapshot"
new=$(metadata_files | comm -13 "$lab/metadata-before.txt" -)
size=$(stat -c %s "$lab/lab/orders_sorted/metadata/$new")
check "one metadata file came for each table, of $(thousands <<<"$size") bytes" \
  "$(say "$new" | wc -l)" 1

step "4. April, in partitions of a day"
run "$here/2-orders.sql" "$here/5-april.sql"
say ""
"$calve" -w "$lab" -q sql "
  SELECT spec_id, count(*) AS files, sum(record_count) AS orders,
         count(DISTINCT partition.order_ts_month) AS months,
         count(DISTINCT partition.order_ts_day) AS days
  FROM lab.orders_shuffled.files GROUP BY spec_id ORDER BY spec_id" | indent
say ""
spec_of() { # spec_of TABLE MONTH: the spec ids of the files that lie in it
  value "SELECT DISTINCT spec_id FROM lab.$1.files WHERE file_path LIKE '%order_ts_$2%'" | xargs
}
for table in orders_sorted orders_shuffled; do
  check "$table: March stayed on spec 0" "$(spec_of $table month=2026-03)" 0
  check "$table: April is on spec 1" "$(spec_of $table day=2026-04)" 1
done

step "5. The same question, about a day of each generation"
say "   A day in March, from partitions of a month:" ""
ask "$(day 2026-03-14 2026-03-15)"
say "" "   A day in April, from partitions of a day:" ""
ask "$(day 2026-04-14 2026-04-15)"
check "the sorted table opens no row in vain" "${sorted[4]}" "$matched"
check "nor does the shuffled one" "${shuffled[4]}" "$matched"
say "" "   Two days, one of each generation, in one query:" ""
ask "$(day 2026-03-31 2026-04-02)"
say "" \
  "   Each manifest was judged by the spec that it was written with:" ""
say "   calve plan lab.orders_sorted --explain --where \"$(day 2026-03-31 2026-04-02)\"" ""
"$calve" -w "$lab" plan lab.orders_sorted --explain --where "$(day 2026-03-31 2026-04-02)" | indent

step "6. Customers, in buckets"
run "$here/6-customers.sql"
say "" "   The bucket of each row's file, and the one that the spec's hash gives (buckets.py):" ""
buckets() { # buckets TABLE COUNT: customer and the bucket of the file that has it
  "$calve" -w "$lab" -q --format csv sql "
    SELECT c.customer_id, struct_extract_at(f.partition, 1) AS bucket
    FROM read_parquet('$lab/lab/$1/data/**/*.parquet', filename = true,
                      hive_partitioning = false) AS c
    JOIN lab.$1.files AS f ON f.file_path = 'file://' || c.filename"
}
while read -r table count expected; do
  buckets "$table" "$count" >"$lab/$table.csv"
  said=$("$here/buckets.py" "$count" <"$lab/$table.csv") || true
  check "of $count: $said" "${said#*, }" "0 in a wrong bucket; 8237 belongs in $expected"
  check "calve put customer 8237 in bucket $expected of $count" \
    "$(grep '^8237,' "$lab/$table.csv")" "8237,$expected"
done <<<"customers 4 3
customers_16 16 11"

say "" "$passed passed, $failed failed"
[ "$failed" = 0 ]
