-- SPDX-License-Identifier: Apache-2.0
-- From now on new rows are partitioned by day. What is written stays as it is.
ALTER TABLE lab.orders_sorted   REPLACE PARTITION FIELD months(order_ts) WITH days(order_ts);
ALTER TABLE lab.orders_shuffled REPLACE PARTITION FIELD months(order_ts) WITH days(order_ts);
