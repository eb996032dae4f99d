/* SPDX-License-Identifier: Apache-2.0 */
/* sql/ddl_text: tables and their parts as SQL statements spell them.
 * In: metadata. Out: text appended to a buffer (check the buffer afterwards). Used by the exec_*.c
 * files. What is printed is read back by the statement parser. */
#ifndef CALVE_SQL_DDL_TEXT_H
#define CALVE_SQL_DDL_TEXT_H

#include "catalog/catalog.h"
#include "sql/statement.h"

/* "addr.zip", each part quoted by itself where it needs it. */
void calve_ddl_column(const calve_schema_node *node, calve_buffer *out);
/* "bucket(16, id)", "days(ts)", or the column alone for identity. A column that no schema has any
 * more is "<dropped column 7>". */
void calve_ddl_term(const calve_metadata *m, const calve_transform *t, int32_t source_id,
                    calve_buffer *out);
/* "days(ts) DESC NULLS LAST, id ASC NULLS FIRST": the default sort order. */
void calve_ddl_order(const calve_metadata *m, calve_buffer *out);
/* The CREATE TABLE statement of a table with this schema, spec, order, location and properties.
 * Field ids are not in it, nor are the holes that v1 specs have for removed fields. A default that
 * changed is the one for new rows. Where evolution made a spec that CREATE TABLE refuses (months
 * and days of one column), ALTER TABLE statements follow, ";" and a newline before each. */
void calve_ddl_create(const calve_metadata *m, const calve_table_name *name, calve_buffer *out);

#endif
