# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db; CREATE TABLE db.t (id INT); INSERT INTO db.t VALUES (1), (2)"
data=$(ls w/db/t/data/*.parquet) metadata=$(ls w/db/t/metadata/*.metadata.json | tail -1)
manifest=$(ls w/db/t/metadata/*-m0.avro) list=$(ls w/db/t/metadata/snap-*.avro)
try() { calve "$@" 2>&1 | sed 's/snap-<*[-0-9a-z]*/snap-N/; s/-m0/-m/; s/00000-0-/N-/; s/0000[0-9]-/N-/'; echo "-> ${PIPESTATUS[0]}"; }
damage() { echo "--- $1"; shift; cp "$1" kept; "${@:2}" "$1"; try -w w sql 'SELECT * FROM db.t ORDER BY id'; cp kept "$1"; }
empty() { : >"$1"; }
cut() { truncate -s 100 "$1"; }
remove() { rm "$1"; }
overwrite() { printf 'XXXX' | dd of="$1" conv=notrunc status=none; }
for how in empty cut remove overwrite; do
  [ $how = overwrite ] || damage "data: $how" "$data" $how # its first bytes are not looked at
  damage "manifest: $how" "$manifest" $how
  damage "manifest list: $how" "$list" $how
  damage "metadata: $how" "$metadata" $how
done
echo "--- as it was"
try -w w sql 'SELECT * FROM db.t ORDER BY id'
echo "--- a metadata file that names files elsewhere"
mkdir else && cp "$list" else/list.avro
sed "s|\"manifest-list\" *: *\"[^\"]*\"|\"manifest-list\": \"file://$PWD/else/list.avro\"|" "$metadata" >w/db/t/metadata/v9.metadata.json
try plan w/db/t/metadata/v9.metadata.json --count
try plan w/db/t/metadata/v9.metadata.json --count --allow-root "$PWD/else"
