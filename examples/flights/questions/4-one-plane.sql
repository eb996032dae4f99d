-- Where was the plane N14228? (One bucket of eight.)
SELECT month(time_hour) AS month, count(*) AS flights, sum(route.distance) AS miles,
       count(DISTINCT route.dest) AS airports
FROM air.flights
WHERE tailnum = 'N14228'
GROUP BY month ORDER BY month
