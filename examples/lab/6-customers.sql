-- SPDX-License-Identifier: Apache-2.0
-- The customers, spread over 4 and over 16 buckets by the hash of their number.
CREATE TABLE lab.customers (
  customer_id BIGINT NOT NULL, name STRING, country STRING)
PARTITIONED BY (bucket(4, customer_id));

INSERT INTO lab.customers
SELECT 1 + i, 'customer ' || (1 + i),
       ['BR', 'CN', 'DE', 'IN', 'KR', 'NG', 'US'][1 + (hash(i, 'country') % 7)::INT]
FROM range(20000) AS counter(i);

CREATE TABLE lab.customers_16 PARTITIONED BY (bucket(16, customer_id))
AS SELECT * FROM lab.customers;
