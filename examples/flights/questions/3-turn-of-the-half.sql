-- The days around the first of July: half of them lie in partitions of a month, half in days.
SELECT time_hour::DATE AS day, count(*) AS flights,
       count(*) FILTER (departure_delay > 60) AS more_than_an_hour_late
FROM air.flights
WHERE time_hour >= TIMESTAMP '2013-06-28 00:00:00' AND time_hour < TIMESTAMP '2013-07-04 00:00:00'
GROUP BY day ORDER BY day
