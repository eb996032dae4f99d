-- SPDX-License-Identifier: Apache-2.0
-- All of April 2026, in the same way: four inserts into each table, each with a quarter of each day's orders.
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-04-01', 30, 0);
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-04-01', 30, 1);
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-04-01', 30, 2);
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-04-01', 30, 3);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-04-01', 30, 0);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-04-01', 30, 1);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-04-01', 30, 2);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-04-01', 30, 3);
