/* SPDX-License-Identifier: Apache-2.0 */
/* data/transform_sql: our partition transforms as scalar functions of DuckDB.
 * In: a transform, the type of its source, the source as an expression. Out: an expression for the
 * partition value, computed by model/transform over whole vectors. For data (sort and partition
 * columns) and sql (functions in queries). Never lets the engine's own date functions near a
 * partition value. [spec: Partition Transforms] */
#ifndef CALVE_DATA_TRANSFORM_SQL_H
#define CALVE_DATA_TRANSFORM_SQL_H

#include "data/engine.h"
#include "model/transform.h"

/* Appends the expression; registers the function when it is the first of its kind. Its DuckDB type
 * is the source's for identity and truncate, else INTEGER (years, months, days, hours since 1970;
 * bucket numbers). Null gives null. A value whose result does not fit fails the statement.
 * CALVE_EUNSUPPORTED for void and unknown transforms, and for sources that the engine lacks. */
CALVE_MUST_USE calve_status calve_sql_transform(calve_engine *engine, const calve_transform *t,
                                                const calve_type *source, calve_str input,
                                                calve_buffer *out, calve_error *err);

/* The transforms under the names that people type: bucket(16, c), truncate(3, c), years(c),
 * months(c), days(c) and hours(c). days() gives a DATE, truncate() the type of c (int, long, string
 * or binary), all others INTEGER. Does nothing the second time. */
CALVE_MUST_USE calve_status calve_sql_transform_functions(calve_engine *engine, calve_error *err);

/* Makes truncate() take decimals too, by a macro: a function of the engine can't give the type that
 * it takes. Does nothing the second time, or once the name is theirs. */
CALVE_MUST_USE calve_status calve_sql_truncate_of_decimals(calve_engine *engine, calve_error *err);
/* Gives the name to people who make a macro of it; call once at most. */
CALVE_MUST_USE calve_status calve_sql_truncate_is_theirs(calve_engine *engine, calve_error *err);

#endif
