/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a query on the Iceberg tables of a warehouse and takes the rows as an Arrow stream, batch by
 * batch, as a program would that hands them on to its own engine.
 *
 *   read_rows WAREHOUSE 'SELECT …'
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <calve_sql.h>

static int fail(const calve_error *err) {
  fprintf(stderr, "read_rows: %s%s%s\n", err->where, err->where[0] ? ": " : "", err->message);
  return 1;
}

static void print_columns(const struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++)
    printf("column %s: Arrow format \"%s\"\n", schema->children[i]->name,
           schema->children[i]->format);
}

/* Every batch is the caller's, until it is released. */
static int walk_batches(struct ArrowArrayStream *rows) {
  int64_t row_count = 0, null_count = 0, batch_count = 0;
  for (;;) {
    struct ArrowArray batch;
    if (rows->get_next(rows, &batch) != 0) {
      fprintf(stderr, "read_rows: %s\n", rows->get_last_error(rows));
      return 1;
    }
    if (!batch.release) break; /* the end */
    row_count += batch.length;
    batch_count += batch.length > 0;
    for (int64_t i = 0; i < batch.n_children; i++)
      if (batch.children[i]->null_count > 0) null_count += batch.children[i]->null_count;
    batch.release(&batch);
  }
  printf("%" PRId64 " rows in %" PRId64 " batches, %" PRId64 " nulls\n", row_count, batch_count,
         null_count);
  return 0;
}

static int read_stream(struct ArrowArrayStream *rows) {
  struct ArrowSchema schema;
  if (rows->get_schema(rows, &schema) != 0) {
    fprintf(stderr, "read_rows: %s\n", rows->get_last_error(rows));
    return 1;
  }
  print_columns(&schema);
  schema.release(&schema);
  return walk_batches(rows);
}

static int run(calve_session *session, const char *query) {
  calve_error err;
  calve_result *result;
  struct ArrowArrayStream rows;
  if (calve_session_run(session, query, strlen(query), &result, &err) != CALVE_OK)
    return fail(&err);
  int code = 1;
  if (calve_result_take_rows(result, &rows, &err) == CALVE_OK) {
    code = read_stream(&rows);
    rows.release(&rows);
  } else {
    fail(&err);
  }
  calve_result_free(result);
  return code;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: read_rows WAREHOUSE 'SELECT …'\n");
    return 2;
  }
  calve_setting warehouse = {"warehouse", argv[1]};
  calve_catalog_config catalog = {
      .struct_size = sizeof catalog, .properties = &warehouse, .property_count = 1};
  calve_session_config config = {.struct_size = sizeof config, .catalog = &catalog};
  calve_session *session;
  calve_error err;
  if (calve_session_open(&config, &session, &err) != CALVE_OK) return fail(&err);
  int code = run(session, argv[2]);
  calve_session_free(session);
  return code;
}
