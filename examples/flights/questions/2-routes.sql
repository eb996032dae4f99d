-- On which busy routes do planes arrive latest?
SELECT route.origin AS origin, route.dest AS dest, count(*) AS flights,
       round(avg(arr_delay), 2) AS mean_delay
FROM air.flights
WHERE arr_delay IS NOT NULL
GROUP BY ALL HAVING count(*) >= 1000
ORDER BY mean_delay DESC, origin, dest LIMIT 10
