# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.orders (a INT, s STRING); INSERT INTO db.orders VALUES (1, 'x')"
try() { timeout -s KILL 30 calve -w w sql "$1"; echo "-> $?"; }
try "INSERT INTO db.orders FOR VERSION AS OF 1 SELECT 1, 'y'"
try "INSERT INTO db.orders TIMESTAMP AS OF now() SELECT 1, 'y'"
try "DELETE FROM db.orders WHERE a = 1"
try "UPDATE db.orders SET a = 1"
try "MERGE INTO db.orders USING db.orders AS b ON true WHEN MATCHED THEN DELETE"
try "ALTER TABLE db.orders ALTER COLUMN s SET NOT NULL"
try "DROP TABLE IF EXISTS db.ordrs"
try "DROP TABLE IF EXISTS db.anything"
for unit in MICROSECOND MILLISECONDS SECOND MINUTES HOUR DAYS WEEK MONTHS QUARTER YEARS DECADE CENTURIES MILLENNIUM; do
  calve -w w sql "SELECT count(*) FROM db.orders FOR TIMESTAMP AS OF now() - INTERVAL 0 $unit" | tail -2 | head -1
done
try "SELECT a FROM db.orders FOR TIMESTAMP AS OF (SELECT max(committed_at) FROM db.orders.snapshots)"
try "SELECT a FROM db.orders FOR VERSION AS OF (SELECT snapshot_id FROM db.orders.snapshots)"
try "SELECT a FROM db.orders FOR TIMESTAMP AS OF (SELECT now())"
