-- SPDX-License-Identifier: Apache-2.0
-- The other side of the comparison: the same names straight over the CSV, in plain DuckDB. The
-- flights of the first half were written before there was a route.air_time.
CREATE SCHEMA air;

CREATE VIEW air.flights AS
SELECT carrier, flight, tailnum, dep_delay AS departure_delay, arr_delay,
       {'origin': origin, 'dest': dest, 'distance': distance,
        'air_time': CASE WHEN time_hour >= TIMESTAMPTZ '2013-07-01 00:00:00+00'
                         THEN air_time END} AS route,
       time_hour
FROM read_csv('flights.csv', nullstr = 'NA');

CREATE VIEW air.departures AS
SELECT carrier, {'origin': origin, 'dest': dest} AS route, time_hour
FROM read_csv('flights.csv', nullstr = 'NA');
