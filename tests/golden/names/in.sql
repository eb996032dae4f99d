CREATE NAMESPACE `a+b "c" 'd'`;
CREATE TABLE `a+b "c" 'd'`.`t*?[x] é 🧊/..` (
  `select` BIGINT, `it's` STRING, `a"b` STRING, `back``tick` INT, `dot.ted` INT, `x/y z*[1]` STRING,
  `new
line` STRING, `Σ 🧊` STRUCT<`in.ner`: INT, `'`: STRING>)
PARTITIONED BY (`x/y z*[1]`, bucket(4, `dot.ted`), truncate(2, `it's`));
SHOW TABLES IN `a+b "c" 'd'`;
DESCRIBE `a+b "c" 'd'`.`t*?[x] é 🧊/..`;
INSERT INTO `a+b "c" 'd'`.`t*?[x] é 🧊/..` VALUES
  (1, 'it''s', 'q"', 1, 1, 'a/b=c*?[d] 100% é 🧊', 'l1', {'in.ner': 1, '''': 'x'}),
  (2, NULL, NULL, 2, 2, '', 'l2', NULL),
  (3, '🧊🧊🧊', '', 3, 3, '../../up', 'l3', {'in.ner': NULL, '''': ''}),
  (4, 'x', 'y', 4, NULL, NULL, NULL, NULL);
SELECT * FROM `a+b "c" 'd'`.`t*?[x] é 🧊/..` ORDER BY `select`;
SELECT "select", "it's", "Σ 🧊"."in.ner" AS i FROM "a+b ""c"" 'd'"."t*?[x] é 🧊/.." WHERE "x/y z*[1]" = 'a/b=c*?[d] 100% é 🧊';
SELECT count(*) AS n FROM `a+b "c" 'd'`.`t*?[x] é 🧊/..` WHERE `x/y z*[1]` = '';
SELECT "select" FROM `a+b "c" 'd'`.`t*?[x] é 🧊/..` WHERE `it's` LIKE '🧊🧊%';
SELECT partition, record_count FROM `a+b "c" 'd'`.`t*?[x] é 🧊/..`.files ORDER BY record_count, partition;
ALTER TABLE `a+b "c" 'd'`.`t*?[x] é 🧊/..` RENAME COLUMN `it's` TO `isn't`;
ALTER TABLE `a+b "c" 'd'`.`t*?[x] é 🧊/..` RENAME COLUMN `Σ 🧊`.`in.ner` TO `out.er`;
SELECT "isn't", "Σ 🧊" FROM `a+b "c" 'd'`.`t*?[x] é 🧊/..` ORDER BY "select" LIMIT 1;
DROP TABLE `a+b "c" 'd'`.`t*?[x] é 🧊/..` PURGE;
DROP NAMESPACE `a+b "c" 'd'`;
