# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (k STRING, x INT);
  INSERT INTO db.t VALUES ('a', 1), ('b', 2), ('a', 3); CREATE TABLE db.wide (a BIGINT, b BIGINT)"
try() { echo "> $1"; calve -w w sql "$1"; echo "-> $?"; }
try "PIVOT db.t ON k USING sum(x)"
try "WITH p AS (PIVOT db.t ON k USING sum(x)) SELECT a + b AS c FROM p"
try "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b"
try "INSERT INTO db.wide PIVOT db.t ON k USING sum(x)"
try "INSERT INTO db.wide FROM (PIVOT db.t ON k USING sum(x))"
try "CREATE TABLE db.c AS PIVOT db.t ON k USING sum(x)"
try "INSERT INTO db.wide FROM (PIVOT db.t ON k IN ('a', 'b') USING sum(x))"
try "CREATE TEMP TABLE p AS PIVOT db.t ON k USING sum(x); INSERT INTO db.wide FROM p; FROM db.wide"
