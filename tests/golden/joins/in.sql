CREATE NAMESPACE db;
CREATE TABLE db.o (id INT, customer INT, day DATE) PARTITIONED BY (day);
CREATE TABLE db.c (id INT, name STRING) PARTITIONED BY (bucket(2, id));
INSERT INTO db.o SELECT i, i % 4, DATE '2026-03-01' + (i % 3)::INT FROM range(12) AS r(i);
INSERT INTO db.c VALUES (0, 'zero'), (1, 'one'), (2, 'two');
COPY (SELECT 1 AS id, 'eins' AS german UNION ALL SELECT 2, 'zwei') TO 'german.csv';
COPY (SELECT 1 AS id, 'un' AS french) TO 'french.parquet';
COPY (SELECT 2 AS id, 'dos' AS spanish) TO 'spanish.json';
SELECT o.id, c.name, g.german, f.french, s.spanish
FROM db.o LEFT JOIN db.c ON o.customer = c.id LEFT JOIN 'german.csv' g ON g.id = c.id
  LEFT JOIN read_parquet('french.parquet') f ON f.id = c.id LEFT JOIN 'spanish.json' s ON s.id = c.id
WHERE o.day = DATE '2026-03-02' ORDER BY o.id;
EXPLAIN SELECT * FROM db.o JOIN db.c ON o.customer = c.id WHERE o.day = DATE '2026-03-02' AND c.id = 1;
WITH late AS (SELECT * FROM db.o WHERE day > DATE '2026-03-02')
SELECT count(*) AS n, (SELECT max(id) FROM db.c) AS most FROM late WHERE customer IN (SELECT id FROM db.c WHERE name LIKE 't%');
SELECT customer, count(*) FILTER (day = '2026-03-01') AS first FROM db.o GROUP BY customer HAVING count(*) > 2 ORDER BY ALL;
SELECT id, row_number() OVER (PARTITION BY customer ORDER BY id DESC) AS place FROM db.o QUALIFY place = 1 ORDER BY id;
SELECT a.id FROM db.o a SEMI JOIN db.c b ON a.customer = b.id AND b.name = 'one' ORDER BY 1;
SELECT db.o.id FROM db.o WHERE db.o.id = 3;
SELECT count(*) AS n FROM (FROM db.o UNION ALL FROM db.o);
SUMMARIZE db.c;
COPY (SELECT id, name FROM db.c ORDER BY id) TO 'out.csv';
FROM 'out.csv';
