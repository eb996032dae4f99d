-- SPDX-License-Identifier: Apache-2.0
-- Between the halves of the year: finer partitions, a better name, wider numbers, and one more
-- field inside the struct. No file of the first half is rewritten.
ALTER TABLE air.flights REPLACE PARTITION FIELD months(time_hour) WITH days(time_hour);
ALTER TABLE air.flights RENAME COLUMN dep_delay TO departure_delay;
ALTER TABLE air.flights ALTER COLUMN departure_delay TYPE BIGINT;
ALTER TABLE air.flights ALTER COLUMN route.distance TYPE BIGINT;
ALTER TABLE air.flights ADD COLUMN route.air_time INT AFTER dest;
