/* SPDX-License-Identifier: Apache-2.0 */
/* data/sql_text: names, strings, paths and values as text of a DuckDB statement.
 * In: bytes from users and files. Out: quoted text appended to a buffer. May be used by sql. Every
 * name, path and value goes through here: nothing is ever pasted into a statement. */
#ifndef CALVE_DATA_SQL_TEXT_H
#define CALVE_DATA_SQL_TEXT_H

#include "base/buffer.h"
#include "model/value.h"

/* "name" with quotes doubled. */
void calve_sql_name(calve_buffer *out, calve_str name);
/* 'text' with quotes doubled. Text with NUL bytes becomes an expression that gives the same. */
void calve_sql_string(calve_buffer *out, calve_str text);
/* '\xAB\x00…'::BLOB */
void calve_sql_blob(calve_buffer *out, calve_str bytes);
/* A file name as read_parquet takes it: a literal whose glob characters stand for themselves.
 * CALVE_EUNSUPPORTED for a path with both a backslash and a glob character. The path is a plain one
 * (no scheme). */
CALVE_MUST_USE calve_status calve_sql_file(calve_buffer *out, calve_str path, calve_error *err);
/* error('message')::TYPE: a column that fails when, and only when, a query looks at it. type may be
 * NULL: VARCHAR. */
void calve_sql_error(calve_buffer *out, const char *type, const char *message);
/* The value as an expression of exactly the DuckDB type that `type` maps to (data/types.h); v may
 * be of a type that was promoted to it, and may be null. */
CALVE_MUST_USE calve_status calve_sql_value(calve_buffer *out, const calve_value *v,
                                            const calve_type *type, calve_error *err);

#endif
