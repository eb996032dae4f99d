-- SPDX-License-Identifier: Apache-2.0
-- One quarter of the orders of a month, in no order at all: made up from a counter, the same rows
-- in every run. 12,500 orders a day and quarter.
CREATE MACRO orders(first_day, days, quarter) AS TABLE
SELECT 4 * i + quarter                                                       AS order_id,
       1 + hash(i, 'customer', quarter) % 20000                              AS customer_id,
       first_day::TIMESTAMPTZ + to_microseconds(
         (hash(i, 'time', quarter) % (days * 86400000000))::BIGINT)          AS order_ts,
       (100 + hash(i, 'amount', quarter) % 99900)::DECIMAL(18,2) / 100       AS amount,
       ['BR', 'CN', 'DE', 'IN', 'KR', 'NG', 'US'][1 + (hash(i, 'land', quarter) % 7)::INT] AS country
FROM range(days * 12500) AS counter(i);
