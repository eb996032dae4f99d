# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT, k INT) PARTITIONED BY (k);
  INSERT INTO db.t VALUES (1, 1), (2, 2); INSERT INTO db.t VALUES (3, 1), (4, 3);
  INSERT OVERWRITE db.t PARTITION (k = 1) VALUES (9); INSERT INTO db.t VALUES (5, 1), (6, 4)"
id=($(calve -w w -q --format csv sql 'SELECT snapshot_id FROM db.t.snapshots ORDER BY committed_at' | tail -n +2))
try() {
  local shown="$*"
  for i in 0 1 2 3; do shown=${shown//${id[i]}/ID$i}; done
  echo "\$ calve $shown"
  calve "$@" 2>&1 | sed "s|$PWD/||; s|file://.*/data/\(k=.\)/.*|\1|; s|${id[3]}|ID3|g"
  echo "-> ${PIPESTATUS[0]}"
}
try -w w plan db.t --from-snapshot "${id[0]}" --count
try -w w plan db.t --from-snapshot "${id[0]}" --explain
try -w w plan db.t --from-snapshot "${id[0]}" --to-snapshot "${id[1]}" --count
try -w w plan db.t --from-snapshot "${id[1]}" --to-snapshot "${id[2]}" --count
try -w w plan db.t --to-snapshot main --count
try -w w plan db.t --from-snapshot "${id[3]}" --count
try -w w plan db.t --from-snapshot "${id[0]}" --where "k = 4 AND id < 5" --count
try -w w plan db.t --from-snapshot "${id[3]}" --to-snapshot "${id[0]}"
try -w w plan db.t --from-snapshot nope
try -w w plan db.t --snapshot main --from-snapshot "${id[0]}"
try -w w plan db.t --limit 3 --explain
try -w w plan db.t --limit 3 --where "id > 2" --count
try -w w plan db.t --limit nope
try -w w -q sql "SELECT count(*) FROM db.t VERSION AS OF ${id[1]}; SELECT count(*) FROM db.t VERSION AS OF 'main'; SELECT count(*) FROM db.t TIMESTAMP AS OF now()"
