# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id INT, d DATE) PARTITIONED BY (months(d)); CREATE TABLE db.u (id INT);
  INSERT INTO db.t SELECT i, DATE '2026-03-01' + CAST(i AS INT) FROM range(0, 90) AS r(i);
  INSERT INTO db.t SELECT i, DATE '2027-03-01' + CAST(i AS INT) FROM range(0, 90) AS r(i);
  INSERT INTO db.u VALUES (1), (2)"
# Sizes are the file system's.
try() { echo "\$ calve $*"; calve "$@" 2>&1 | sed -E 's/^([0-9a-f-]{36}) +([0-9]+) +[0-9]+  /\1 \2 SIZE /; s/"size_bytes": [0-9]+/"size_bytes": SIZE/; s/^([0-9a-f-]{36},[0-9]+),[0-9]+/\1,SIZE/'; echo "-> ${PIPESTATUS[0]}"; }
try cache
try -w w plan db.t --count
try -w w plan db.t --count --cache pc
stat -c '%a' pc pc/* pc/*/*
try -w w plan db.t --count --cache pc
export CALVE_PLAN_CACHE=$PWD/pc
try -w w plan db.t --where "d >= '2026-04-28' AND d < '2026-05-02'" --count
try -w w sql "SELECT count(*) AS n, min(d) AS first FROM db.t WHERE d > DATE '2026-04-20'"
try -w w sql "SELECT sum(id) AS s FROM db.u"
calve cache --format csv | tail -n +2 | cut -d , -f 2,5 | sort
try -w w cache clear db.u
try cache
try cache --format csv
try cache --json
echo damaged > "$(ls pc/*/*.image | head -1)"
try -w w plan db.t --count
try -w w sql "SELECT count(*) AS n FROM db.t"
try cache clear 00000000-0000-0000-0000-000000000000
touch pc/mine
try cache clear
ls pc
try cache
try -w w cache clear db.nope
try cache empty
chmod 755 pc
try -w w plan db.t --count
try -w w -q plan db.t --count
try cache
try -w w plan db.t --count --cache /dev/null/x
try -w w plan db.t --count --cache-size many
