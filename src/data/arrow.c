/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "data/damage.h"
#include "data/rows_internal.h"

/* What stands behind an ArrowArrayStream. */
typedef struct arrow_source {
  calve_rows *rows;
  calve_engine *own_engine; /* closed with the stream; NULL when it belongs to the caller        */
  duckdb_arrow_options options;
  calve_error error;
  char told[sizeof(calve_error)]; /* the error's place and message                              */
} arrow_source;

/* The stream's contract wants an errno. */
static int errno_of(const calve_error *e) {
  switch (e->code) {
    case CALVE_ENOMEM:
      return ENOMEM;
    case CALVE_EIO:
    case CALVE_ECORRUPT:
      return EIO;
    case CALVE_ECANCELLED:
      return ECANCELED;
    default:
      return EINVAL;
  }
}

static int fail_from(arrow_source *source, duckdb_error_data *data) {
  (void)calve_engine__fail(duckdb_error_data_error_type(*data), duckdb_error_data_message(*data),
                           &source->error);
  duckdb_destroy_error_data(data);
  return errno_of(&source->error);
}

/* {ARROW:extension:name: arrow.json}, in the C Data Interface's form, little-endian. */
static const char json_metadata[] = "\1\0\0\0\24\0\0\0ARROW:extension:name\12\0\0\0arrow.json";

static bool is_json(duckdb_logical_type type) {
  char *alias = duckdb_logical_type_get_alias(type);
  bool json = alias && strcmp(alias, "JSON") == 0;
  duckdb_free(alias);
  return json;
}

static int convert_schema(arrow_source *source, duckdb_logical_type *types, const char **names,
                          size_t count, struct ArrowSchema *out) {
  for (size_t i = 0; i < count; i++) {
    types[i] = duckdb_column_logical_type(&source->rows->result, i);
    names[i] = duckdb_column_name(&source->rows->result, i);
  }
  memset(out, 0, sizeof *out);
  duckdb_error_data data = duckdb_to_arrow_schema(source->options, types, names, count, out);
  for (size_t i = 0; i < count; i++) {
    /* The engine tells this only together with forms that few readers know. */
    if (!data && !out->children[i]->metadata && is_json(types[i]))
      out->children[i]->metadata = json_metadata;
    duckdb_destroy_logical_type(&types[i]);
  }
  return data ? fail_from(source, &data) : 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  arrow_source *source = stream->private_data;
  size_t count = source->rows->column_count;
  calve_arena scratch;
  calve_arena_init(&scratch, calve_engine_allocator(source->rows->engine));
  duckdb_logical_type *types = CALVE_NEW_ARRAY(&scratch, duckdb_logical_type, count);
  const char **names = CALVE_NEW_ARRAY(&scratch, const char *, count);
  int result = ENOMEM;
  if (types && names)
    result = convert_schema(source, types, names, count, out);
  else
    (void)calve_fail_oom(&source->error);
  calve_arena_free(&scratch);
  return result;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  arrow_source *source = stream->private_data;
  bool more = false;
  memset(out, 0, sizeof *out); /* release NULL: the end of the stream */
  if (calve_rows_next(source->rows, &more, &source->error) != CALVE_OK) {
    calve_damage_name(source->rows->engine, &source->error);
    return errno_of(&source->error);
  }
  if (!more) return 0;
  duckdb_error_data data = duckdb_data_chunk_to_arrow(source->options, source->rows->chunk, out);
  return data ? fail_from(source, &data) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  arrow_source *source = stream->private_data;
  const calve_error *e = &source->error;
  if (e->code == CALVE_OK || !e->where[0]) return e->code == CALVE_OK ? NULL : e->message;
  snprintf(source->told, sizeof source->told, "%s: %s", e->where, e->message);
  return source->told;
}

static void release(struct ArrowArrayStream *stream) {
  arrow_source *source = stream->private_data;
  const calve_allocator *allocator = calve_engine_allocator(source->rows->engine);
  duckdb_destroy_arrow_options(&source->options);
  calve_rows_free(source->rows);
  calve_engine_close(source->own_engine);
  allocator->resize(allocator->ctx, source, sizeof *source, 0);
  memset(stream, 0, sizeof *stream);
}

calve_status calve_rows_to_arrow(calve_rows *rows, calve_engine *own_engine,
                                 struct ArrowArrayStream *out, calve_error *err) {
  const calve_allocator *allocator = calve_engine_allocator(rows->engine);
  arrow_source *source = allocator->resize(allocator->ctx, NULL, 0, sizeof *source);
  if (!source) return calve_fail_oom(err);
  memset(source, 0, sizeof *source);
  source->rows = rows;
  source->own_engine = own_engine;
  source->options = duckdb_result_get_arrow_options(&rows->result);
  *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                   .get_next = get_next,
                                   .get_last_error = get_last_error,
                                   .release = release,
                                   .private_data = source};
  return CALVE_OK;
}
