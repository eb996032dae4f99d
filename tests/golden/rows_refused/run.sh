# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE n; CREATE TABLE n.t (a INT NOT NULL, s STRING, d DATE);
  CREATE TABLE n.p (a INT, m DECIMAL(4,2), dt STRING) PARTITIONED BY (dt); INSERT INTO n.t VALUES (0, 'z', NULL)"
try() { calve -w w sql "INSERT INTO n.$1"; echo "-> $?"; }
file() { printf 'a,s,d\n1,x,2020-01-01\n'"$2" >"$1"; }
file day.csv '2,y,notadate\n'; try "t SELECT * FROM read_csv('day.csv')"
try "t FROM 'day.csv'"
try "t SELECT 1, s, d FROM \"day.csv\" -- a comment"
file range.csv '2,"two\nlines",2020-01-02\n\n99999999999,y,2020-01-03\n'; try "t SELECT * FROM read_csv('range.csv')"
file null.csv ',y,2020-01-02\n'; try "t SELECT * FROM read_csv('null.csv')"
file text.csv 'two,y,2020-01-02\n'; try "t SELECT * FROM read_csv('text.csv')"
try "t (s, a) SELECT s, a FROM read_csv('text.csv', header = true) AS c WHERE s <> 'x'"
try "t BY NAME SELECT c.* EXCLUDE (d) FROM read_csv('text.csv') AS c"
printf 'a,m\n1,2.5\n2,12345.6\n' >decimal.csv; try "p PARTITION (dt = 'x') SELECT * FROM 'decimal.csv'"
printf '# made by hand\na;s;d\n1;x;2020-01-01\n2;y;never\n' >semi.csv; try "t SELECT * FROM read_csv('semi.csv', delim = ';', comment = '#')"
mkdir two && cp range.csv two/b.csv && file two/a.csv '2,y,2020-01-02\n'; try "t SELECT * FROM read_csv('two/*.csv')"
file rejects.csv 'x\n2,y,never\n'; try "t SELECT * FROM read_csv('rejects.csv', header = true, ignore_errors = true, auto_detect = false, columns = {'a': 'INT', 's': 'VARCHAR', 'd': 'VARCHAR'})"
gzip -k day.csv; try "t SELECT * FROM 'day.csv.gz'"
printf '{"a":1,"s":"x","d":"2020-01-01"}\n{"a":2,"s":"y","d":"never"}\n' >rows.json; try "t SELECT * FROM read_json('rows.json')"
calve -q -w w sql "COPY (SELECT * FROM read_json('rows.json')) TO 'rows.parquet'"; try "t SELECT * FROM read_parquet('rows.parquet')"
echo "--- the number of columns"
file ragged.csv '3,y\n'; try "t SELECT * FROM read_csv('ragged.csv')"
: >empty.csv; try "t SELECT * FROM read_csv('empty.csv')"
printf 'a~s~d\n1~x~2020-01-01\n' >odd.csv; try "t SELECT * FROM read_csv('odd.csv')"
try "t SELECT a FROM 'day.csv'"
echo "--- what no file has said"
try "t VALUES (1, 'x', 'never')"
try "t SELECT * FROM (SELECT * FROM 'day.csv')"
calve -w w sql 'SELECT * FROM n.t; SELECT count(*) AS snapshots FROM n.t.snapshots'
find w/n/*/data -type f | wc -l
echo "--- a pipe"
mkfifo pipe.csv; try "t SELECT * FROM read_csv('pipe.csv')"
calve -w w sql "CREATE TABLE n.c AS FROM 'pipe.csv'"; echo "-> $?"
