/* SPDX-License-Identifier: Apache-2.0 */
/* data/projection: one column of the table as an expression over a file's columns, by field id.
 * In: a field of the schema, the file's node with that id (or none). Out: SQL text whose type is
 * the field's. For data/read. Matches nothing by name or position; keeps null, empty and
 * null-inside apart at every depth. [spec: Column Projection; Schema Evolution; Default Values] */
#ifndef CALVE_DATA_PROJECTION_H
#define CALVE_DATA_PROJECTION_H

#include "data/layout.h"
#include "model/schema.h"

/* The value that a file's partition tuple gives to a column that the file lacks. */
typedef struct calve_projection_constant {
  int32_t field_id;
  calve_str sql; /* of the type of the schema's field                                           */
} calve_projection_constant;

typedef struct calve_projection {
  const calve_layout *layout;
  const calve_projection_constant *constants;
  size_t constant_count;
  calve_arena *scratch;
} calve_projection;

/* Appends the expression for `field`; `node` NULL: the file lacks it. `input` is the text by which
 * the node's value is reached, already of type `input_type` (NULL: of the file's own type).
 * A column that can't be read becomes an expression that fails when a query looks at it. */
CALVE_MUST_USE calve_status calve_project_field(const calve_projection *p, const calve_field *field,
                                                const calve_layout_node *node, calve_str input,
                                                calve_buffer *out, calve_error *err);

/* The DuckDB type that read_parquet shall give the file's column: the field's own when the engine's
 * reader does the promotion right, else the file's. *as_is tells that the column is then ready to
 * use under the field's name. */
void calve_project_input_type(const calve_field *field, const calve_layout_node *node,
                              calve_buffer *out, bool *as_is);

#endif
