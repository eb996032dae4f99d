-- How fast do they fly? Air time is known from July on.
SELECT carrier, count(*) AS flights, count(route.air_time) AS timed,
       round(60.0 * sum(route.distance) FILTER (route.air_time IS NOT NULL)
             / sum(route.air_time), 1) AS miles_per_hour
FROM air.flights
GROUP BY carrier ORDER BY miles_per_hour DESC, carrier
