# SPDX-License-Identifier: Apache-2.0
try() { echo "\$ calve $*"; calve "$@"; echo "-> $?"; }
try -w w sql 'SELECT 1 AS a' --format csv
try sql --format=json -ww 'SELECT 1 AS a'
try sql 'SELECT 1 AS a' --warehouse=w -q --json
CALVE_WAREHOUSE=w try ls
try -w w ls
try -w w -q sql 'CREATE NAMESPACE db; CREATE TABLE db.t (a INT)'
try -w w ls
try -w w ls db
try -w w --format csv describe db.t
try -w w --read-only sql 'INSERT INTO db.t VALUES (1)'
try -w w --read-only sql 'SELECT count(*) AS n FROM db.t'
try -w w sql -- 'SELECT 3 AS three'
try -w w sql '-- a comment first
SELECT 4 AS four'
calve 2>&1 | head -1; echo "-> ${PIPESTATUS[0]}"
try nope
try sql 'SELECT 1'
try -w w sql 'SELECT 1' 'SELECT 2'
try -w w sql 'SELECT 1' -f in.sql
try -w w sql -f nope.sql
try -w w --format xml sql 'SELECT 1'
try -w w --frmat csv sql 'SELECT 1'
try -w w -c x sql 'SELECT 1'
try -w w --threads 0 sql 'SELECT 1'
try -w w --memory lots sql 'SELECT 1'
try -w w describe
try -w
calve --version | sed 's/[0-9]/N/g'
try help ls
# Who only looks makes no warehouse; options and commands that are none are told.
try -w mistyped ls
try -w mistyped describe db.t
try -w mistyped plan db.t
try -w mistyped --read-only sql 'SELECT 1'
[ ! -e mistyped ] || echo "a warehouse was made"
try -w w ls --where 'a = 1'
try -w w sql 'SELECT 1' --count
try -w w plan db.t -f x.sql
try -w w --dry-run ls
try help nope
try nope --help
cd w/db || exit
try plan t --count
