-- SPDX-License-Identifier: Apache-2.0
CREATE NAMESPACE air;

CREATE TABLE air.flights (
  carrier STRING NOT NULL,
  flight INT,
  tailnum STRING COMMENT 'the plane; null for flights that were never assigned one',
  dep_delay INT COMMENT 'minutes; negative: left early; null: cancelled',
  arr_delay INT,
  route STRUCT<origin: STRING, dest: STRING, distance: INT>,
  time_hour TIMESTAMP COMMENT 'scheduled hour of departure')
PARTITIONED BY (months(time_hour), bucket(8, tailnum));
