-- SPDX-License-Identifier: Apache-2.0
-- All of March 2026: four inserts into each table, each with a quarter of the orders of every day.
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-03-01', 31, 0);
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-03-01', 31, 1);
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-03-01', 31, 2);
INSERT INTO lab.orders_sorted   SELECT * FROM orders(DATE '2026-03-01', 31, 3);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-03-01', 31, 0);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-03-01', 31, 1);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-03-01', 31, 2);
INSERT INTO lab.orders_shuffled SELECT * FROM orders(DATE '2026-03-01', 31, 3);
