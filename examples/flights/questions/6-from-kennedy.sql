-- What leaves Kennedy for Los Angeles, hour by hour? (Partitions by fields inside a struct.)
SELECT hour(time_hour) AS hour_utc, count(*) AS flights, count(DISTINCT carrier) AS carriers
FROM air.departures
WHERE route.origin = 'JFK' AND route.dest = 'LAX'
GROUP BY hour_utc ORDER BY hour_utc
