# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql 'CREATE NAMESPACE db;
  CREATE TABLE db.t (id INT NOT NULL, d DECIMAL(5,2), f FLOAT, day DATE, at STRUCT<x: INT NOT NULL>, l ARRAY<INT NOT NULL>, s STRING);
  INSERT INTO db.t (id, d) VALUES (1, 1.25)'
try() { calve -w w sql "INSERT INTO db.t $1"; echo "-> $?"; }
try "(id, d) VALUES (NULL, 1)"
try "(d) VALUES (1)"
try "(id) SELECT CASE WHEN i < 900 THEN i END FROM range(1000) AS r(i)"
try "(id) VALUES (3000000000)"
try "(id, d) VALUES (2, 12345.67)"
try "(id, d) VALUES (2, 'abc')"
try "(id, day) VALUES (2, '2026-02-30')"
try "(id, at) VALUES (2, {'x': NULL})"
try "(id, l) VALUES (2, [1, NULL])"
try "(id, at) VALUES (2, {'x': 3000000000})"
try "(id, l) VALUES (2, [1, -3000000000])"
try "VALUES (1, 2)"
try "(id, id) VALUES (1, 2)"
try "(id, s) SELECT 5, {'a': 1}"
printf 'id,d\n7,1.5\n8,oops\n' >bad.csv
try "(id, d) SELECT * FROM read_csv('bad.csv', types = {'d': 'DECIMAL(5,2)'})"
printf 'id,d\n7,1.5\n8\n' >short.csv
try "(id, d) SELECT * FROM read_csv('short.csv', header = true, auto_detect = false, columns = {'id': 'INT', 'd': 'DECIMAL(5,2)'})"
printf 'id,s\n7,"one\ntwo"\nx,"three\nfour"\n' >lines.csv
try "(id, s) SELECT * FROM read_csv('lines.csv', header = true, auto_detect = false, columns = {'id': 'INT', 's': 'VARCHAR'})"
calve -w w sql 'SELECT id, d FROM db.t; SELECT count(*) AS snapshots FROM db.t.snapshots'
find w/db/t/data -type f | wc -l
