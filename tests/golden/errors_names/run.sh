# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql 'CREATE NAMESPACE db; CREATE TABLE db.orders (order_id BIGINT, amount DOUBLE, addr STRUCT<zip: STRING>)'
try() { calve -w w sql "$1"; echo "-> $?"; }
try 'SELECT * FROM db.nope'
try 'SELECT * FROM nope.orders'
try 'SELECT order_idd FROM db.orders'
try 'SELECT addr.zap FROM db.orders'
try 'INSERT INTO db.orders (order_id, amuont) VALUES (1, 2)'
try 'INSERT INTO db.orders VALUES (1)'
try 'ALTER TABLE db.orders RENAME COLUMN amuont TO total'
try 'ALTER TABLE db.orders DROP COLUMN addr.zap'
try 'ALTER TABLE db.orders ADD PARTITION FIELD bucket(4, order_idd)'
try 'ALTER TABLE db.orders DROP PARTITION FIELD day'
try 'CREATE TABLE db.t (a INT) PARTITIONED BY (days(b))'
try 'CREATE TABLE db.t (a INT) PARTITIONED BY (days(a))'
try 'CREATE TABLE db.t (a INT, A INT)'
try 'CREATE TABLE db.t (a INT, a INT)'
try 'CREATE TABLE db.orders (a INT)'
try 'CREATE TABLE nope.t (a INT)'
try 'CREATE NAMESPACE db'
try 'DROP NAMESPACE db'
try 'DROP NAMESPACE nope'
try 'DROP TABLE db.nope'
try 'DESCRIBE db.nope'
try 'SELECT * FROM db.orders.nope'
try 'SELECT * FROM db.orders FOR VERSION AS OF 7'
try "SELECT * FROM db.orders FOR VERSION AS OF 'nope'"
try "SELECT * FROM read_csv('nope.csv')"
try "SELECT * FROM dbb.orders"
try "SELECT * FROM orders"
try "USE db; SELECT * FROM ordrs"
try "ANALYZE db.orders"
try "CALL system.expire_snapshots('db.orders')"
try "CREATE VIEW v AS SELECT 1 AS one; DESCRIBE (FROM v)"
