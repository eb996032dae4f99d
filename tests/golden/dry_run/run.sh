# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id INT); INSERT INTO db.t VALUES (1)"
look() { echo "\$ $1"; calve -w "${2:-w}" --dry-run sql "$1" 2>&1; echo "-> $?"; }
before=$(find w -type f | sort | xargs md5sum)
look "CREATE NAMESPACE x" none; ls
look "CREATE NAMESPACE x"
look "CREATE NAMESPACE db"
look "CREATE NAMESPACE IF NOT EXISTS db"
look "DROP NAMESPACE db"
look "DROP NAMESPACE x"
look "DROP TABLE db.t"
look "DROP TABLE db.t PURGE"
look "DROP TABLE db.no"
look "DROP TABLE IF EXISTS db.no"
look "INSERT INTO db.t VALUES (2)"
look "INSERT OVERWRITE db.t VALUES (2)"
look "INSERT INTO db.t VALUES (1, 2)"
look "INSERT INTO db.no VALUES (1)"
[ "$before" = "$(find w -type f | sort | xargs md5sum)" ] && echo "nothing has changed"
