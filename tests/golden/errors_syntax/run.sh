# SPDX-License-Identifier: Apache-2.0
try() { calve -w w sql "$1"; echo "-> $?"; }
try 'SELCT 1'
try 'SELECT 1 +'
try 'CREATE NAMESPACE db; CREATE TABLE db.t (a INT'
try 'CREATE TABLE db.t
  (a INT,
   b SMALLINT)'
try 'CREATE TABLE db.t (a INT) PARTITIONED BY (bucket(0, a))'
try 'CREATE TABLE db.t (a INT) PARTITIONED BY (monthly(a))'
try 'CREATE TABLE db.t (a INT) USING parquet'
try 'CREATE TABLE db.t (a INT PRIMARY KEY)'
try 'CREATE TABLE db.t (a VARCHAR(10))'
try 'ALTER TABLE db.t ADD'
try 'ALTER TABLE db.t REPLACE PARTITION FIELD a days(a)'
try 'INSERT db.t VALUES (1)'
try 'INSERT INTO db.t
SELECT 1
FROM range(3) WHERE AND'
try "SELECT 'open"
try 'DROP TABLE'
try "SELECT 'é', '日本', x FROM WHERE"
try 'SELECT 1 ; ; SELECT 2'
