# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (k STRING, x DOUBLE) PARTITIONED BY (k);
  CREATE TABLE db.u (k STRING, x DOUBLE) PARTITIONED BY (k) TBLPROPERTIES ('write.data.path' = '$PWD/elsewhere')"
tree() { find w elsewhere | sed 's/w.calve.db.*/w\/calve.db/' | sort -u; }
mkdir elsewhere
rows="SELECT 'p' || (i % 3) AS k, random() AS x FROM range(10000) AS r(i)"
small() { (ulimit -f 20; calve -q -w w sql "$@") 2>&1 | sed 's/.*: \(File too large\)/\1/'; }
small "INSERT INTO db.t $rows"
small "INSERT INTO db.u $rows"
small "CREATE TABLE db.v PARTITIONED BY (k) AS $rows"
tree
calve -q -w w sql "INSERT INTO db.t $rows; INSERT INTO db.u $rows; CREATE TABLE db.v PARTITIONED BY (k) AS $rows"
touch w/db/v/data/k=p1/mine
calve -w w sql "DROP TABLE db.t PURGE; DROP TABLE db.u PURGE; DROP TABLE db.v PURGE"
tree
