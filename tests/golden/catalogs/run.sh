# SPDX-License-Identifier: Apache-2.0
cat >.pyiceberg.yaml <<Y
default-catalog: mine
catalog:
  mine:
    type: sql
    uri: sqlite:///$PWD/mine.db
    warehouse: $PWD/mine
  old:
    type: filesystem
    warehouse: $PWD/old
  far:
    type: rest
    uri: https://example.invalid/api
    token: top-secret
Y
try() { echo "\$ calve $*"; calve "$@"; echo "-> $?"; }
try sql 'CREATE NAMESPACE a; CREATE TABLE a.t AS SELECT 1 AS one; SELECT * FROM mine.a.t'
try -c mine --format csv ls a
try -c old sql 'CREATE NAMESPACE b; CREATE TABLE b.t (i INT); INSERT INTO b.t VALUES (5); SELECT * FROM old.b.t'
ls old/b/t/metadata | grep -c avro
cat old/b/t/metadata/version-hint.text
try -c old sql 'DROP TABLE b.t'
ls old/b
try -c far ls
try -c nope ls
PYICEBERG_CATALOG__ENV__TYPE=sql PYICEBERG_CATALOG__ENV__URI=sqlite:///$PWD/env.db PYICEBERG_CATALOG__ENV__WAREHOUSE=$PWD/env \
  try -c env sql 'CREATE NAMESPACE c; SHOW NAMESPACES'
calve -q -w w sql 'CREATE NAMESPACE db; CREATE TABLE db.t AS SELECT 7 AS seven'
mv w moved
try -w moved sql 'SELECT * FROM db.t'
try -w moved --map-prefix "$PWD/w=$PWD/moved" sql 'SELECT * FROM db.t'
printf 'catalog:\n  x: [\n' >.pyiceberg.yaml
try ls
