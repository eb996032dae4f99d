-- SPDX-License-Identifier: Apache-2.0
INSERT INTO air.flights
SELECT carrier, flight, tailnum, dep_delay, arr_delay,
       {'origin': origin, 'dest': dest, 'distance': distance}, time_hour
FROM read_csv('flights.csv', nullstr = 'NA')
WHERE time_hour < TIMESTAMP '2013-07-01 00:00:00';
