# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id INT, name STRING)"
calve -w w sql "SELECT count(*) AS n FROM db.t" --format csv
calve -q -w w sql "INSERT INTO db.t VALUES (1, 'one')"
sleep 0.01
first=$(calve -w w -q --format csv sql "SELECT max(committed_at) FROM db.t.snapshots" | tail -1)
id=$(calve -w w -q --format csv sql "SELECT snapshot_id FROM db.t.snapshots" | tail -1)
sleep 0.01
calve -q -w w sql "ALTER TABLE db.t RENAME COLUMN name TO label; ALTER TABLE db.t ALTER COLUMN id TYPE BIGINT;
  ALTER TABLE db.t ADD COLUMN extra DOUBLE; INSERT INTO db.t VALUES (2, 'two', 2.5)"
try() { calve -w w sql "$1"; echo "-> $?"; }
try "SELECT * FROM db.t ORDER BY id"
try "SELECT * FROM db.t FOR VERSION AS OF $id"
try "SELECT * FROM db.t VERSION AS OF $id WHERE name = 'one'"
try "SELECT name FROM db.t FOR TIMESTAMP AS OF TIMESTAMPTZ '$first'"
try "SELECT name FROM db.t TIMESTAMP AS OF '$first'"
try "SELECT * FROM db.t AT (VERSION => $id)"
try "SELECT * FROM db.t FOR SYSTEM_VERSION AS OF $id"
try "SELECT n.label, o.name FROM db.t AS n LEFT JOIN db.t FOR VERSION AS OF $id AS o USING (id) ORDER BY id"
try "SELECT label FROM db.t FOR VERSION AS OF 'main' ORDER BY 1"
try "SELECT label FROM db.t FOR VERSION AS OF $id"
try "SELECT * FROM db.t FOR TIMESTAMP AS OF '2020-01-01 00:00:00'"
try "SELECT count(*) AS files FROM db.t.files FOR VERSION AS OF $id"
try "SELECT label FROM db.t FOR TIMESTAMP AS OF now() + INTERVAL 1 DAY ORDER BY id"
try "SELECT label FROM db.t FOR TIMESTAMP AS OF now() - INTERVAL 1 DAY"
try "SELECT label FROM db.t FOR VERSION AS OF $id ORDR BY 1"
