# SPDX-License-Identifier: Apache-2.0
echo '$ plan of a name with a slash'
calve -w w sql 'CREATE NAMESPACE n; CREATE TABLE n.`a/b` (id INT); INSERT INTO n.`a/b` VALUES (7)' >/dev/null
calve -w w plan 'n.`a/b`' --count
calve -w w plan 'n."a/b"' --count
