/* SPDX-License-Identifier: Apache-2.0 */
/* data/types: Iceberg types as DuckDB types, and values of one as values of the other.
 * In: a calve_type. Out: DuckDB's type as text, or why there is none. May be used by sql.
 * [spec: Primitive Types; Parquet] */
#ifndef CALVE_DATA_TYPES_H
#define CALVE_DATA_TYPES_H

#include <duckdb.h>

#include "base/buffer.h"
#include "model/value.h"

/* Appends the DuckDB type: INTEGER, TIMESTAMP WITH TIME ZONE, STRUCT("a" INTEGER) … A type that
 * this version can't read (variant, geometry, geography, timestamptz_ns; at any depth)
 * appends nothing of use: ask calve_sql_type_supported first. */
void calve_sql_type(calve_buffer *out, const calve_type *type);
/* NULL when every part of the type can be read, else the part that can't. */
const calve_type *calve_sql_type_unreadable(const calve_type *type);
/* The same for writing: fixed[L] and unknown can't be written either. */
const calve_type *calve_sql_type_unwritable(const calve_type *type);
/* Two fields of one struct, at any depth, whose names differ only in case: DuckDB can't hold both.
 * Gives one of them, or NULL. */
const calve_field *calve_sql_type_clash(const calve_type *type);
/* The DuckDB type as an Iceberg type (ids are -1, fields optional), for CREATE TABLE AS and for
 * messages. CALVE_EUNSUPPORTED names what Iceberg has no type for (HUGEINT, INTERVAL, UNION …).
 * Unsigned and small integers widen to int or long. */
CALVE_MUST_USE calve_status calve_type_of_duckdb(duckdb_logical_type logical, calve_arena *arena,
                                                 const calve_type **out, calve_error *err);

#endif
