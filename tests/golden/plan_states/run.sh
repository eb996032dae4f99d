# SPDX-License-Identifier: Apache-2.0
# Which state is planned, all conditions at once, groups, and sizes as people write them.
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT, k INT) PARTITIONED BY (k);
  INSERT INTO db.t VALUES (1, 1), (2, 2)"
sleep 0.01
then=$(date -u +"%Y-%m-%d %H:%M:%S.%N" | cut -c1-23)
there=$(TZ=XYZ-3 date -d "$then UTC" +"%Y-%m-%dT%H:%M:%S.%N+03:00" | sed 's/\(\.[0-9]\{3\}\)[0-9]*/\1/')
sleep 0.01
calve -q -w w sql "INSERT INTO db.t VALUES (3, 1), (4, 3)"
try() {
  echo "\$ calve $*" | sed "s|$then|THEN|g; s|$there|THERE|g"
  calve "$@" 2>&1 | sed "s|$PWD/||g; s|file://[^\" ,]*/data/\(k=.\)/[^\" ,]*|\1|g; s|begins at .*|begins at TIME|"
  echo "-> ${PIPESTATUS[0]}"
}
try -w w plan db.t --count
try -w w plan db.t --at "$then" --count
try -w w plan db.t --at "$there" --count
try -w w plan db.t --at 2199-01-01 --count
try -w w plan db.t --at 2020-01-01 --count
try -w w plan db.t --at yesterday
try -w w plan db.t --ref main --count
try -w w plan db.t --ref 123
# A tag whose name is a number.
metadata=$(ls w/db/t/metadata/*.metadata.json | tail -1)
old=$(calve -w w -q --format csv sql 'SELECT snapshot_id FROM db.t.snapshots ORDER BY committed_at LIMIT 1' | tail -1)
sed "s/\"refs\": *{/&\"123\":{\"snapshot-id\":$old,\"type\":\"tag\"},/" "$metadata" >w/db/t/metadata/tagged.metadata.json
try plan w/db/t/metadata/tagged.metadata.json --ref 123 --count
try plan w/db/t/metadata/tagged.metadata.json --snapshot 123 --count
try -w w plan db.t --at "$then" --ref main
try -w w plan db.t --where "id > 1 -- more" --where "k < 3 OR id = 4" --explain
try -w w plan db.t --where "id > 1" --where "kk = 3"
try -w w plan db.t --groups
try -w w plan db.t --groups --format csv --where "k = 1"
try -w w plan db.t --groups --json --where "k = 3"
try -w w plan db.t --groups --json --where "k = 7"
try -w w plan db.t --groups --count
try -w w --cache c --cache-size 1M plan db.t --count
for size in 1048576 "1.5 MiB" 2000KB 3000kib 1T; do
  calve -w w --cache c --cache-size "$size" plan db.t --count
done
try -w w --cache c --cache-size 1KB plan db.t --count
try -w w --cache c --cache-size many plan db.t --count
try --cache none cache
try --cache none cache clear
ls -d none 2>/dev/null
calve --cache c cache | tail -1 | sed 's/([0-9]* bytes/(N bytes/'
