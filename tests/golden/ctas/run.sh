# SPDX-License-Identifier: Apache-2.0
calve -w w sql "CREATE NAMESPACE db;
  CREATE TABLE db.a PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '3') AS SELECT i AS id, i % 3 AS k, {'x': i} AS s FROM range(10) AS r(i);
  SELECT count(*) AS n, sum(id) AS total FROM db.a;
  SELECT count(*) AS snapshots FROM db.a.snapshots;
  CREATE TABLE db.b AS SELECT k, count(*) AS n FROM db.a GROUP BY k;
  SELECT * FROM db.b ORDER BY k;
  DESCRIBE db.a"
calve -w w sql "CREATE TABLE db.c AS SELECT error('no') AS x"
echo "-> $?"
calve -w w sql "CREATE TABLE db.c AS SELECT 1::TINYINT AS tiny, 1::UBIGINT AS wide, INTERVAL 1 DAY AS span"
echo "-> $?"
calve -w w sql "CREATE OR REPLACE TABLE db.b AS SELECT 1 AS one"
echo "-> $?"
calve -w w sql "CREATE TABLE db.a AS SELECT 1 AS one"
echo "-> $?"
calve -w w --format csv ls db
