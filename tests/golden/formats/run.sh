# SPDX-License-Identifier: Apache-2.0
calve -q -w w sql "CREATE NAMESPACE db;
  CREATE TABLE db.t (i INT, l BIGINT, f FLOAT, d DOUBLE, x DECIMAL(38,10), b BOOLEAN, day DATE, t TIME,
    ts TIMESTAMP, nts TIMESTAMP_NTZ, s STRING, u UUID, raw BINARY, st STRUCT<a: INT, b: STRING>, ar ARRAY<INT>, m MAP<STRING, INT>);
  INSERT INTO db.t VALUES
   (1, 9007199254740993, 0.1::FLOAT, 0.1::DOUBLE, 1234567890123456789012345678.0123456789, true, '0001-01-01', '23:59:59.999999',
    '1969-12-31 23:59:59.999999+00', '2026-03-08 02:30:00', 'plain', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', '\x00\xFF'::BLOB, {'a': 1, 'b': 'x'}, [1, NULL, 3], MAP {'k': 1, 'l': NULL}),
   (-2147483648, -9223372036854775808, 'nan'::FLOAT, 'inf'::DOUBLE, -0.0000000001, false, '9999-12-31', '00:00:00',
    '9999-12-31 23:59:59.999999+00', '0001-01-01 00:00:00', 'with \"quotes\", a comma
and a line', NULL, ''::BLOB, {'a': NULL, 'b': ''}, [], MAP {}),
   (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL),
   (NULL, NULL, '-inf'::FLOAT, -0.0::DOUBLE, 0, NULL, NULL, NULL, NULL, NULL, 'emoji 🧊 tab	é', NULL, NULL, NULL, NULL, NULL)"
for format in csv json table; do
  echo "--- $format"
  calve -w w --format $format sql 'SELECT * FROM db.t ORDER BY i DESC NULLS LAST, f'
done
echo "--- no rows"
for format in csv json table; do calve -w w sql 'SELECT i, s FROM db.t WHERE i = 5' --format $format; done
echo "--- two results"
for format in csv json; do calve --format $format -w w sql 'SELECT 1 AS a; SELECT 2 AS b'; done
echo "--- messages go elsewhere"
calve -w w --format csv sql 'CREATE NAMESPACE x; SELECT 1 AS a' 2>messages.txt
cat messages.txt
calve -q -w w sql "SELECT $(seq -s, 1 300) FROM range(1002)" | tail -1 | cut -c1-9
calve -w w sql "SELECT 1" >/dev/full
echo "-> $?"
