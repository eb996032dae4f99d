-- SPDX-License-Identifier: Apache-2.0
-- A second table, partitioned by fields inside a struct.
CREATE TABLE air.departures (
  carrier STRING, route STRUCT<origin: STRING, dest: STRING>, time_hour TIMESTAMP)
PARTITIONED BY (route.origin, bucket(4, route.dest));

INSERT INTO air.departures
SELECT carrier, {'origin': route.origin, 'dest': route.dest}, time_hour FROM air.flights;
