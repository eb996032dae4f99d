# SPDX-License-Identifier: Apache-2.0
echo '$ plan of a name with a slash'
calve -w w sql 'CREATE NAMESPACE n; CREATE TABLE n.`a/b` (id INT); INSERT INTO n.`a/b` VALUES (7)' >/dev/null
calve -w w plan 'n.`a/b`' --count
calve -w w plan 'n."a/b"' --count
echo '$ ls and describe'
try() { calve -w w "$@" 2>&1; echo "-> $?"; }
try ls '"n"'
for name in 'a"b' '"n' 'n.' '""' 'a..b' '`d``b`'; do try ls "$name"; done
try --format csv describe 'n."a/b"' | head -2
try plan 'n.`a/b`' --where ''
echo '$ names are exact'
try describe 'N."a/b"'
try sql 'INSERT INTO N.t VALUES (1)'
try ls N
echo '$ a condition that folds to false'
try plan 'n.`a/b`' --where 'id = 1.5'
echo '$ catalogs by name'
mkdir home; export HOME=$PWD/home
printf 'catalog:\n  prod:\n    uri: sqlite:///%s/w/calve.db\n' "$PWD" >home/.pyiceberg.yaml
calve -c prod ls 2>&1; calve -c prod ls n 2>&1
sed -i 's/prod:/calve:/' home/.pyiceberg.yaml
calve -c calve ls n
echo 'catalog: 5' >home/.pyiceberg.yaml
calve ls 2>&1
