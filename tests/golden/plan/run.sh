# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id INT, ts TIMESTAMP, s STRING) PARTITIONED BY (months(ts));
  INSERT INTO db.t SELECT i, TIMESTAMPTZ '2026-03-01 00:00:00+00' + to_hours(i), 's' || i FROM range(1, 1400) AS r(i);
  ALTER TABLE db.t REPLACE PARTITION FIELD months(ts) WITH days(ts);
  INSERT INTO db.t SELECT i, TIMESTAMPTZ '2026-05-01 00:00:00+00' + to_hours(i), 's' || i FROM range(0, 72) AS r(i)"
first=$(calve -w w -q --format csv sql 'SELECT snapshot_id FROM db.t.snapshots ORDER BY committed_at LIMIT 1' | tail -1)
metadata=$(ls w/db/t/metadata/*.metadata.json | tail -1)
march=$(ls w/db/t/data/ts_month=2026-03/*.parquet)
try() { echo "\$ calve $*" | sed "s|$metadata|METADATA|; s|w/db/t/data/[^ ]*|FILE|"; calve "$@" 2>&1 | sed "s|$PWD/||; s|[0-9-]*-<*[^/]*parquet|FILE.parquet|g"; echo "-> ${PIPESTATUS[0]}"; }
try -w w plan db.t
try -w w plan db.t --where "ts >= '2026-04-28' AND ts < '2026-05-02'"
try -w w plan db.t --where "ts >= '2026-04-28' AND ts < '2026-05-02'" --count
try -w w plan db.t --where "ts >= '2026-04-28' AND ts < '2026-05-02'" --explain
try -w w plan db.t --where "ts = '2026-05-02'" --json
try -w w plan db.t --where "ts = '2026-05-02 01:00:00'" --format csv
try -w w plan db.t --snapshot "$first" --count
try -w w plan db.t --snapshot main --count
try -w w plan db.t --snapshot nope --count
try plan "$metadata" --where "id = 5" --count
try plan w/db/t --where "id = 5" --count
try plan "$metadata" --where "ts > '2026-04-15'" --why "$march"
try plan "$metadata" --where "id > 5000" --why "$march"
try plan "$metadata" --where "id > 5" --why "$march"
try plan "$metadata" --why nope.parquet
try plan "$metadata" --where "idd = 5"
try plan "$metadata" --where "id = = 5"
try plan "$metadata" --where "ts = 'abc'"
try plan "$metadata" --where "id IN (1, 2) AND s LIKE 's1%' AND ts IS NOT NULL" --count
try -w w plan db.nope
try plan nope.metadata.json
try -w w plan
