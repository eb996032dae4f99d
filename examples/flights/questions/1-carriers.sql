-- How late does each airline leave? (A join of an Iceberg table with a CSV file.)
SELECT a.name, count(*) AS flights, count(*) - count(f.departure_delay) AS cancelled,
       round(avg(f.departure_delay), 2) AS mean_delay
FROM air.flights AS f JOIN read_csv('airlines.csv') AS a ON f.carrier = a.carrier
GROUP BY a.name ORDER BY flights DESC, a.name
