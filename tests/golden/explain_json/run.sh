# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT, k INT) PARTITIONED BY (k);
  INSERT INTO db.t VALUES (1, 1), (2, 2)"
try() {
  echo "\$ calve $*"
  calve "$@" 2>&1 | sed '/"bytes-kept"/d; /"snapshot-id"/d'
  echo "-> ${PIPESTATUS[0]}"
}
try -w w --format json sql "EXPLAIN SELECT id FROM db.t WHERE k = 1"
try -w w --format json sql "EXPLAIN SELECT count(*) FROM db.t" | grep -v "files-\|rows-\|manifests-"
try -w w --format json sql "EXPLAIN FROM db.t.files"
try -w w --format json sql "EXPLAIN SELECT 1"
calve -w w --format json sql "EXPLAIN SELECT count(*) FROM db.t a, db.t b" | grep -c '"table": "db.t"'
try -w w --format json sql "SELECT '{\"a\": [1, \"x\"]}'::JSON AS j, '{' AS s"
try -w w --format csv sql "SELECT '{\"a\": [1, \"x\"]}'::JSON AS j"
