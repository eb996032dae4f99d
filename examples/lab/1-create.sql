-- SPDX-License-Identifier: Apache-2.0
-- Two tables that differ in one thing: calve sorts the rows of the first by time before it writes
-- them. Files are kept small (256 KiB), so that a laptop shows what a warehouse would.
CREATE NAMESPACE lab;

CREATE TABLE lab.orders_sorted (
  order_id BIGINT NOT NULL, customer_id BIGINT, order_ts TIMESTAMP, amount DECIMAL(10,2),
  country STRING)
PARTITIONED BY (months(order_ts))
WRITE ORDERED BY order_ts
TBLPROPERTIES ('write.target-file-size-bytes' = '262144');

CREATE TABLE lab.orders_shuffled (
  order_id BIGINT NOT NULL, customer_id BIGINT, order_ts TIMESTAMP, amount DECIMAL(10,2),
  country STRING)
PARTITIONED BY (months(order_ts))
TBLPROPERTIES ('write.target-file-size-bytes' = '262144');
