# SPDX-License-Identifier: Apache-2.0
calve -w w -q sql "CREATE NAMESPACE shop;
    CREATE TABLE shop.orders (id BIGINT, order_ts TIMESTAMP, amount DECIMAL(10, 2), country STRING)
    PARTITIONED BY (months(order_ts));
    INSERT INTO shop.orders SELECT i, TIMESTAMPTZ '2026-06-01 00:00:00+00' + to_hours(i), i, 'DE'
    FROM range(1440) AS june_and_july(i)"
echo "--- before"
calve -w w sql "EXPLAIN SELECT sum(amount) FROM shop.orders WHERE order_ts >= '2026-07-30'"
echo "--- dry run"
calve -w w --dry-run sql "ALTER TABLE shop.orders REPLACE PARTITION FIELD months(order_ts) WITH days(order_ts)"
calve -w w sql "ALTER TABLE shop.orders REPLACE PARTITION FIELD months(order_ts) WITH days(order_ts)"
calve -w w sql "ALTER TABLE shop.orders RENAME COLUMN amount TO total;
    ALTER TABLE shop.orders ADD COLUMN channel STRING AFTER country;
    INSERT INTO shop.orders SELECT i, TIMESTAMPTZ '2026-07-31 00:00:00+00' + to_hours(i), i, 'FR', 'web'
    FROM range(72) AS later(i)"
echo "--- after"
calve -w w sql "EXPLAIN SELECT sum(total) FROM shop.orders WHERE order_ts >= '2026-07-30'"
echo "--- describe"
calve -w w --format csv describe shop.orders
echo "--- refused"
calve -w w sql "ALTER TABLE shop.orders DROP COLUMN order_ts"
echo "--- warned"
calve -w w sql "ALTER TABLE shop.orders DROP PARTITION FIELD order_ts_day;
    ALTER TABLE shop.orders DROP COLUMN order_ts"
