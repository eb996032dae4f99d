# SPDX-License-Identifier: Apache-2.0
printf "SELECT 1 AS a; -- a comment; with a semicolon\nSELECT ';' AS b\n" >two.sql
calve -w w sql -f two.sql
calve -w w sql <two.sql
calve -w w sql -f - <two.sql
echo 'SELECT 1 AS a; SELECT oops; SELECT 3 AS c' | calve -w w --format csv sql
echo "-> $?"
calve -w w sql ''
echo "-> $?"
calve -w w sql ' ; ;; /* nothing */ '
echo "-> $?"
printf 'SELECT 1\0SELECT 2' | calve -w w sql
echo "-> $?"
printf 'SELECT 1 AS a;\n\nSELECT 2\nFROM WHERE' >late.sql
calve -w w sql -f late.sql
