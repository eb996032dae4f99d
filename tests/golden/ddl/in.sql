CREATE NAMESPACE db;
CREATE NAMESPACE IF NOT EXISTS db;
CREATE NAMESPACE db.inner COMMENT 'a namespace in a namespace';
SHOW NAMESPACES;
SHOW NAMESPACES IN db;
CREATE TABLE db.orders (
  order_id BIGINT NOT NULL COMMENT 'counts up',
  customer_id BIGINT,
  order_ts TIMESTAMP,
  amount DECIMAL(18,2),
  address STRUCT<street: STRING, zip: STRING COMMENT 'as text'>,
  tags ARRAY<STRING>,
  prices MAP<STRING, DOUBLE>)
USING iceberg
PARTITIONED BY (months(order_ts), bucket(16, customer_id), truncate(2, address.zip))
WRITE ORDERED BY order_ts DESC, order_id
COMMENT 'what was bought'
TBLPROPERTIES ('write.metadata.compression-codec' = 'none', owner = 'tests');
CREATE TABLE IF NOT EXISTS db.orders (other INT);
SHOW TABLES IN db;
DESCRIBE db.orders;
SHOW CREATE TABLE db.orders;
SHOW TBLPROPERTIES db.orders;
USE db;
CREATE TABLE short (a INT);
SHOW TABLES;
ALTER TABLE short RENAME TO shorter;
SELECT * FROM shorter;
DROP TABLE shorter;
DROP TABLE IF EXISTS shorter;
DROP TABLE db.orders PURGE;
DROP NAMESPACE db.inner;
DROP NAMESPACE db;
SHOW NAMESPACES;
