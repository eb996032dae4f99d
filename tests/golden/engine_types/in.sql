SELECT union_value(k := 1) AS u, '1010'::BIT AS b, '12:00:00+02'::TIMETZ AS t,
  340282366920938463463374607431768211455::UHUGEINT AS uh, 170141183460469231731687303715884105727::HUGEINT AS h,
  1::VARIANT AS v, 'a'::ENUM('a', 'b') AS e -- a comment at the end
;
SELECT {'a': '101'::BIT, 'b': 1.50} AS s, ['1'::BIT, NULL] AS l, MAP {'x': '12:00:00+02'::TIMETZ} AS m,
  [['1'::BIT]]::BIT[1][1] AS a, row(1, '1'::BIT) AS r;
SELECT 'infinity'::DATE AS a, '-infinity'::DATE AS b, 'infinity'::TIMESTAMP AS c, DATE '-0044-03-15' AS d;
SELECT INTERVAL '1 second' AS a, INTERVAL '14 months' AS b, INTERVAL '-1 day -2 seconds' AS c, INTERVAL '9000000 hours' AS d;
SET TimeZone = 'Asia/Seoul';
SELECT i, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS at, [TIMESTAMPTZ '2026-07-01 00:00:00+00'] AS list
  FROM range(3) AS t(i) ORDER BY i DESC;
SET TimeZone = 'America/New_York';
SELECT TIMESTAMPTZ '2026-07-01 00:00:00+00' AS summer;
RESET TimeZone;
SELECT TIMESTAMPTZ '2026-07-01 00:00:00+00' AS summer;
SET arrow_output_list_view = true;
SELECT [1, NULL, 3] AS view;
SELECT 'line
two' AS a, chr(7) || 'bell' AS b, e'tab\t' AS c, chr(155) || '2J' AS csi, 'back\slash' AS e;
SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a;
SELECT 'a long line is cut where it is far from the place: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaééé' AS x FRM t WHERE x = 'and also behind it, where it goes on and on';
