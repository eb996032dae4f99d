# SPDX-License-Identifier: Apache-2.0
calve -w wh sql "CREATE NAMESPACE shop;
    CREATE TABLE shop.orders (id BIGINT NOT NULL, ts TIMESTAMP, amount DECIMAL(10,2), country STRING)
    PARTITIONED BY (months(ts))"
calve -w wh sql "INSERT INTO shop.orders
    SELECT i, TIMESTAMPTZ '2026-03-01 00:00:00+00' + to_seconds(i * 9), i % 500 + 0.5,
           ['DE', 'FR', 'KR'][i % 3 + 1]
    FROM range(297600) AS march(i)"
calve -w wh sql "ALTER TABLE shop.orders REPLACE PARTITION FIELD months(ts) WITH days(ts);
    ALTER TABLE shop.orders ADD COLUMN channel STRING AFTER ts;
    INSERT INTO shop.orders
    SELECT i, TIMESTAMPTZ '2026-04-01 00:00:00+00' + to_seconds(i * 9), 'web', 9.99, 'DE'
    FROM range(288000) AS april(i)"
calve -w wh sql "SELECT ts::DATE AS day, channel, count(*) AS orders, sum(amount) AS total
    FROM shop.orders WHERE ts >= '2026-03-31' AND ts < '2026-04-02' GROUP BY ALL ORDER BY day"
calve -w wh plan shop.orders --where "ts >= '2026-03-31' AND ts < '2026-04-02'" --explain
file=$(ls wh/shop/orders/data/ts_day=2026-04-30/*.parquet)
calve -w wh plan shop.orders --where "ts < '2026-04-02'" --why "$file"
