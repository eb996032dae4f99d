/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_rewrite.h"

#include <stdlib.h>

#include "base/calendar.h"
#include "data/sql_text.h"
#include "data/transform_sql.h"
#include "expr/predicate_text.h"
#include "sql/query_answer.h"
#include "sql/query_files.h"
#include "sql/query_fold.h"
#include "sql/query_push.h"
#include "sql/query_tables.h"
#include "sql/query_travel.h"
#include "sql/query_where.h"
#include "sql/query_words.h"
#include "track/snapshot_manifests.h"

/* A piece of the text and what stands there instead. */
typedef struct replacement {
  size_t start, size;
  calve_str text;
} replacement;

/* One table of the query on its way. */
typedef struct found_table {
  const calve_travel *travel;
  calve_name name;
  calve_relation_request request; /* its table NULL: none of the catalog's                      */
  calve_push_table *pushed;       /* NULL: it has no columns that conditions could speak of      */
} found_table;

typedef struct rewrite {
  calve_exec *x;
  calve_str text; /* without time travel clauses                                                */
  const calve_travel *travels;
  size_t travel_count;
  calve_query_tables tables;
  calve_aggregate *aggregates; /* all that the query asks for; count 0: it asks for more          */
  size_t aggregate_count;
  int64_t row_limit; /* any so many rows of the table will do; 0: all are wanted                 */
  calve_relation_visit visit;
  void *ctx;
  calve_buffer replacements;
} rewrite;

/* ---- the engine's parser ------------------------------------------------------------------ */

static calve_status syntax_error(const calve_json *ast, calve_error *err) {
  const calve_json *message = calve_json_get(ast, "error_message");
  const calve_json *position = calve_json_get(ast, "position");
  int64_t offset = -1;
  if (position && position->kind == CALVE_JSON_STRING) calve_str_to_i64(position->text, &offset);
  calve_str text = message ? message->text : CALVE_STR("the query can't be parsed");
  return calve_fail_at(err, CALVE_EINVAL, "SQL", offset, "%.*s", CALVE_STR_ARG(text));
}

/* Objects nested deeper than this are not looked into: no query that people write has tables there,
 * while a sum of hundreds of terms is as deep as it has terms. */
#define DEPTH_LOOKED_INTO (CALVE_JSON_DEPTH_MAX - 20)
#define UNKNOWN_NODE "{\"class\":\"PARAMETER\"}"

/* Copies the text with {"class":"PARAMETER"}, of which nothing is known, for what lies too deep, as
 * an item of a list that does: an empty one would say that there is nothing. */
static calve_status make_shallow(calve_str json, calve_buffer *out, calve_error *err) {
  static const calve_str table = {"\"BASE_TABLE\"", 12};
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size; i++) {
    char c = json.data[i];
    bool deep = depth >= DEPTH_LOOKED_INTO; /* and the closing bracket is still deep */
    if (deep && calve_str_starts_with((calve_str){json.data + i, json.size - i}, table))
      return calve_fail(err, CALVE_EUNSUPPORTED, "SQL", "a table is named too deep in the query");
    if (quoted && c == '\\' && i + 1 < json.size) {
      if (!deep) calve_buffer_put(out, json.data + i, 2);
      i++;
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '{' || c == '[')) depth++;
    if (!deep && depth >= DEPTH_LOOKED_INTO)
      calve_buffer_puts(out, c == '{' ? UNKNOWN_NODE : "[" UNKNOWN_NODE "]");
    else if (!deep)
      calve_buffer_putc(out, c);
    if (!quoted && (c == '}' || c == ']')) depth--;
  }
  return calve_buffer_check(out, err);
}

static calve_status parse_json(calve_exec *x, calve_str json, const calve_json **out,
                               calve_error *err) {
  calve_buffer text;
  calve_str shallow = {NULL, 0};
  calve_buffer_init(&text, x->session->allocator);
  calve_status status = make_shallow(json, &text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(x->arena, calve_buffer_view(&text), &shallow, err);
  calve_buffer_free(&text);
  return status == CALVE_OK ? calve_json_parse(shallow, "query", x->arena, out, err) : status;
}

/* NULL for statements that are no SELECT. */
static calve_status parse_query(calve_exec *x, calve_str query, const calve_json **out,
                                calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, "SELECT json_serialize_sql(");
  calve_sql_string(&sql, query);
  calve_buffer_putc(&sql, ')');
  calve_rows *rows = NULL;
  calve_str json = {NULL, 0};
  bool more = false;
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK)
    status = calve_engine_query(x->session->engine, calve_buffer_cstr(&sql), &rows, err);
  if (status == CALVE_OK) status = calve_rows_next(rows, &more, err);
  if (status == CALVE_OK && more)
    status = calve_arena_str(x->arena, calve_rows_text(rows, 0, 0), &json, err);
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  const calve_json *ast = NULL;
  if (status == CALVE_OK) status = parse_json(x, json, &ast, err);
  CALVE_TRY(status);
  const calve_json *error = calve_json_get(ast, "error"), *type = calve_json_get(ast, "error_type");
  if (error && error->boolean) {
    if (!type || !calve_str_equal_text(type->text, "not implemented"))
      return syntax_error(ast, err);
    ast = NULL;
  }
  *out = ast;
  return CALVE_OK;
}

/* ---- which table, which state ------------------------------------------------------------- */

static const calve_travel *travel_of(const rewrite *r, const calve_table_use *use) {
  if (use->schema.data) return NULL;
  for (size_t i = 0; i < r->travel_count; i++)
    if (calve_str_equal(use->table, r->travels[i].placeholder)) return &r->travels[i];
  return NULL;
}

/* The name's parts as the query has them. */
static calve_status use_name(rewrite *r, const calve_table_use *use, const calve_travel *travel,
                             calve_name *out, calve_error *err) {
  if (travel) {
    *out = travel->table;
    return CALVE_OK;
  }
  calve_str *parts = CALVE_NEW_ARRAY(r->x->arena, calve_str, 3);
  if (!parts) return calve_fail_oom(err);
  size_t count = 0;
  if (use->catalog.data) parts[count++] = use->catalog;
  if (use->schema.data) parts[count++] = use->schema;
  parts[count++] = use->table;
  *out = (calve_name){.part_count = count, .parts = parts, .offset = use->offset};
  return CALVE_OK;
}

/* Loads the table; *table NULL when the name is none of the catalog's. */
static calve_status try_load(rewrite *r, const calve_name *name, calve_table **table,
                             calve_error *err) {
  calve_table_name full;
  bool exists = false;
  *table = NULL;
  if (name->part_count == 1 && r->x->session->space.count == 0) return CALVE_OK;
  CALVE_TRY(calve_exec_table_name(r->x, name, &full, err));
  calve_error failure = {0};
  calve_status status =
      calve_catalog_table_exists(r->x->session->catalog, &full, &exists, &failure);
  if (status == CALVE_EINVAL) return CALVE_OK; /* no name that the catalog could have */
  if (status != CALVE_OK) {
    if (err) *err = failure;
    return status;
  }
  return exists ? calve_exec_open(r->x, &full, table, err) : CALVE_OK;
}

/* db.orders.nope: when db.orders is a table, its metadata tables are listed. */
static calve_status refuse_member(rewrite *r, const calve_name *name, calve_error *err) {
  calve_table *table;
  calve_name front = *name;
  front.part_count--;
  CALVE_TRY(try_load(r, &front, &table, err));
  if (!table) return CALVE_OK;
  calve_buffer known;
  calve_buffer_init(&known, r->x->session->allocator);
  const char *one;
  for (size_t i = 0; (one = calve_metadata_table_name(i)) != NULL; i++) {
    if (i > 0) calve_buffer_puts(&known, calve_metadata_table_name(i + 1) ? ", " : " and ");
    calve_buffer_puts(&known, one);
  }
  calve_status status = calve_fail(
      err, CALVE_ENOTFOUND, calve_table_full_name(table).data, "the table has no %.*s; it has %s",
      CALVE_STR_ARG(name->parts[front.part_count]), calve_buffer_cstr(&known));
  calve_buffer_free(&known);
  calve_table_close(table);
  return status;
}

/* db.orders, or db.orders.files. A name in a namespace of the catalog that has no such table fails
 * here, where the nearest name is known. */
static calve_status find_table(rewrite *r, const calve_name *name, calve_relation_request *request,
                               calve_error *err) {
  CALVE_TRY(try_load(r, name, &request->table, err));
  calve_name front = *name;
  calve_str last = name->parts[name->part_count - 1];
  if (!request->table && name->part_count > 1 && calve_is_metadata_table(last)) {
    front.part_count--;
    CALVE_TRY(try_load(r, &front, &request->table, err));
    request->metadata_table = last;
  }
  if (request->table || name->part_count == 1) return CALVE_OK;
  if (front.part_count == name->part_count && name->part_count > 2)
    CALVE_TRY(refuse_member(r, name, err));
  calve_namespace space;
  bool exists;
  CALVE_TRY(calve_exec_namespace(r->x, &front, &space, err));
  if (name->part_count == front.part_count) {
    front.part_count--;
    CALVE_TRY(calve_exec_namespace(r->x, &front, &space, err));
  }
  CALVE_TRY(calve_catalog_namespace_exists(r->x->session->catalog, &space, &exists, err));
  return exists ? calve_exec_load(r->x, name, &request->table, err) : CALVE_OK;
}

/* What stands behind AS OF. A query there would need tables before any of them is known. */
static calve_status travel_value(rewrite *r, const calve_travel *travel, calve_type_id type,
                                 calve_value *out, calve_error *err) {
  calve_token *t;
  size_t count;
  calve_status status = calve_exec_literal(r->x, travel->text, calve_type_of(type), out, err);
  if (status != CALVE_EINVAL) return status;
  CALVE_TRY(calve_sql_lex(travel->text, r->x->arena, &t, &count, err));
  for (size_t i = 0; i < count; i++)
    if (calve_token_is(&t[i], "SELECT") || calve_token_is(&t[i], "FROM"))
      return calve_fail(err, CALVE_EUNSUPPORTED, "SQL",
                        "AS OF takes no query of tables: ask for the value first, and write it "
                        "there");
  return status;
}

/* VERSION AS OF 123 | 'branch' | 'tag' */
static calve_status travel_to_version(rewrite *r, const calve_travel *travel,
                                      calve_relation_request *request, calve_error *err) {
  const calve_metadata *m = calve_table_metadata(request->table);
  const char *table = calve_table_full_name(request->table).data;
  calve_value value;
  CALVE_TRY(travel_value(r, travel, CALVE_STRING, &value, err));
  if (value.is_null) return calve_fail(err, CALVE_EINVAL, table, "VERSION AS OF NULL");
  request->at = CALVE_SCAN_SNAPSHOT; /* an id hides a ref of that name, as in Spark */
  if (calve_str_to_i64(value.bytes, &request->snapshot_id) &&
      calve_metadata_snapshot(m, request->snapshot_id))
    return CALVE_OK;
  request->at = CALVE_SCAN_REF;
  request->ref = value.bytes;
  if (calve_metadata_ref(m, value.bytes)) return CALVE_OK;
  return calve_fail(err, CALVE_ENOTFOUND, table,
                    "there is no snapshot, branch or tag %.*s; SELECT * FROM %s.snapshots, or "
                    ".refs, lists them",
                    CALVE_STR_ARG(value.bytes), table);
}

static calve_status travel_to_time(rewrite *r, const calve_travel *travel,
                                   calve_relation_request *request, calve_error *err) {
  calve_value value;
  CALVE_TRY(travel_value(r, travel, CALVE_TIMESTAMPTZ, &value, err));
  if (value.is_null) return calve_fail(err, CALVE_EINVAL, "SQL", "TIMESTAMP AS OF NULL");
  request->at = CALVE_SCAN_TIMESTAMP;
  request->timestamp_ms = calve_floor_div(value.i64, 1000);
  return CALVE_OK;
}

static calve_status choose_state(rewrite *r, const calve_travel *travel,
                                 calve_relation_request *request, calve_error *err) {
  request->at = CALVE_SCAN_CURRENT;
  if (travel && travel->text.data)
    CALVE_TRY(travel->by_time ? travel_to_time(r, travel, request, err)
                              : travel_to_version(r, travel, request, err));
  calve_status status = calve_scan_select(calve_table_metadata(request->table), request->at,
                                          request->snapshot_id, request->timestamp_ms, request->ref,
                                          &request->snapshot, &request->schema, err);
  if (status != CALVE_OK) calve_error_set_where(err, calve_table_full_name(request->table).data);
  return status;
}

static calve_status table_filter(rewrite *r, const calve_push_table *pushed,
                                 calve_relation_request *request, calve_error *err) {
  request->filter_is_exact = !pushed || pushed->condition_count == 0;
  if (request->filter_is_exact || request->metadata_table.data) return CALVE_OK;
  calve_where_options options = {.schema = request->schema,
                                 .item = pushed->item,
                                 .conditions = pushed->conditions,
                                 .condition_count = pushed->condition_count,
                                 .session_is_utc = r->x->session->session_is_utc,
                                 .has_collation = r->x->session->has_collation,
                                 .has_macros = r->x->session->has_macros,
                                 .fold = calve_query_fold,
                                 .fold_ctx = r->x};
  calve_buffer text;
  calve_str kept = {NULL, 0};
  calve_buffer_init(&text, r->x->session->allocator);
  calve_status status = calve_where_text(&options, r->x->arena, &text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(r->x->arena, calve_buffer_view(&text), &kept, err);
  calve_buffer_free(&text);
  CALVE_TRY(status);
  /* What the predicate parser refuses is no reason to refuse a query that the engine takes. */
  calve_error ignored;
  status = calve_predicate_parse(kept, r->x->arena, &request->filter, &request->filter_is_exact,
                                 &ignored);
  if (status == CALVE_ENOMEM) return calve_fail_oom(err);
  if (status != CALVE_OK) request->filter = NULL;
  if (status != CALVE_OK) request->filter_is_exact = false;
  return CALVE_OK;
}

/* What the query's aggregates are of, when they are all that it asks for. */
static void resolve_aggregates(rewrite *r, const calve_table_use *use, found_table *t) {
  calve_str binding = use->alias.data ? use->alias : t->name.parts[t->name.part_count - 1];
  calve_str schema = use->alias.data ? (calve_str){NULL, 0} : use->schema;
  if (t->request.metadata_table.data) return;
  for (size_t i = 0; i < r->aggregate_count; i++) {
    calve_aggregate *a = &r->aggregates[i];
    if (a->column) a->field = calve_answer_column(t->request.schema, schema, binding, a->column);
    if (a->column && !a->field) return;
  }
  t->request.aggregates = r->aggregates;
  t->request.aggregate_count = r->aggregate_count;
}

/* ---- the new text ------------------------------------------------------------------------- */

/* Bytes of the dotted name that stands at the offset. */
static calve_status name_size(rewrite *r, size_t offset, size_t parts, size_t *size,
                              calve_error *err) {
  calve_str rest = {r->text.data + offset, r->text.size - offset};
  calve_token *tokens;
  size_t count;
  CALVE_TRY(calve_sql_lex(rest, r->x->arena, &tokens, &count, err));
  size_t last = 2 * (parts - 1);
  if (last + 1 >= count)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)offset, "expected a table name");
  *size = tokens[last].offset + tokens[last].text.size;
  return CALVE_OK;
}

static calve_status replace_name(rewrite *r, const calve_table_use *use, const calve_name *name,
                                 bool travels, calve_str relation, calve_error *err) {
  replacement item = {.start = use->offset};
  size_t parts = travels ? 1 : name->part_count;
  bool no_alias;
  CALVE_TRY(name_size(r, use->offset, parts, &item.size, err));
  CALVE_TRY(calve_words_forbid_alias(r->text, use->offset, r->x->arena, &no_alias, err));
  calve_buffer text;
  calve_buffer_init(&text, r->x->session->allocator);
  /* DuckDB 1.5 takes x IS DISTINCT FROM 5 OR x < 0 for false where a Parquet file's statistics say
   * that x is always null, and fails on x IS DISTINCT FROM [1]. OFFSET 0 keeps such conditions away
   * from the files. */
  if (r->tables.odd_distinct) calve_buffer_puts(&text, "(FROM ");
  calve_sql_name(&text, relation);
  if (r->tables.odd_distinct) calve_buffer_puts(&text, " OFFSET 0)");
  if (!use->alias.data && !no_alias) { /* columns may be qualified by the table's own name */
    calve_buffer_puts(&text, " AS ");
    calve_sql_name(&text, name->parts[name->part_count - 1]);
  }
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(r->x->arena, calve_buffer_view(&text), &item.text, err);
  calve_buffer_free(&text);
  CALVE_TRY(status);
  calve_buffer_put(&r->replacements, &item, sizeof item);
  return CALVE_OK;
}

/* How many parts of the column's name are the table's, with its namespace: of calve.db.t.a, as of
 * db.t.a, all but the last, when the table is named calve.db.t. 0 when it is another's. */
static size_t table_parts(const calve_json *column, const calve_name *name) {
  for (size_t from = 0; from + 1 < name->part_count; from++) {
    size_t count = name->part_count - from, j = 0;
    while (j < count && column->count > count &&
           calve_str_equal_nocase(column->items[j].text, name->parts[from + j]))
      j++;
    if (j == count) return count;
  }
  return 0;
}

/* db.orders.amount becomes orders.amount, since the relation has no namespace. */
static calve_status shorten_columns(rewrite *r, const calve_name *name, calve_error *err) {
  for (size_t i = 0; i < r->tables.column_count; i++) {
    const calve_column_use *column = &r->tables.columns[i];
    size_t parts = table_parts(column->names, name), whole, last;
    if (parts == 0) continue;
    replacement item = {.start = column->offset, .text = {"", 0}};
    CALVE_TRY(name_size(r, column->offset, parts, &whole, err));
    calve_str rest = {r->text.data + column->offset, whole};
    CALVE_TRY(name_size(r, column->offset, parts - 1, &last, err));
    while (last < rest.size && rest.data[last] != '.') last++;
    item.size = last + 1;
    calve_buffer_put(&r->replacements, &item, sizeof item);
  }
  return CALVE_OK;
}

static calve_status make_relation(rewrite *r, const calve_relation_request *request,
                                  calve_str *relation, calve_error *err) {
  calve_status status = r->visit(r->ctx, r->x, request, relation, err);
  if (status != CALVE_OK)
    calve_snapshot_name_list(request->snapshot, calve_table_store(request->table),
                             r->x->session->allocator, err);
  if (status != CALVE_OK)
    calve_error_set_where(err, calve_table_full_name(request->table).data);
  return status;
}

/* request.table is to be closed also when it fails. */
static calve_status find_use(rewrite *r, const calve_table_use *use, found_table *out,
                             calve_error *err) {
  out->travel = travel_of(r, use);
  CALVE_TRY(use_name(r, use, out->travel, &out->name, err));
  CALVE_TRY(find_table(r, &out->name, &out->request, err));
  if (out->request.table) return choose_state(r, out->travel, &out->request, err);
  if (!out->travel) return CALVE_OK;
  return calve_fail_at(err, CALVE_ENOTFOUND, "SQL", (int64_t)out->name.offset,
                       "%.*s is no table of the catalog, so it has no versions",
                       CALVE_STR_ARG(out->name.parts[out->name.part_count - 1]));
}

static calve_status replace_table(rewrite *r, const calve_table_use *use, found_table *t,
                                  calve_error *err) {
  calve_str relation = {NULL, 0};
  if (!t->request.table) return CALVE_OK;
  CALVE_TRY(table_filter(r, t->pushed, &t->request, err));
  resolve_aggregates(r, use, t);
  if (!t->request.metadata_table.data) t->request.row_limit = r->row_limit;
  CALVE_TRY(make_relation(r, &t->request, &relation, err));
  CALVE_TRY(replace_name(r, use, &t->name, t->travel != NULL, relation, err));
  return t->travel ? CALVE_OK : shorten_columns(r, &t->name, err);
}

/* Which conditions hold for which table. */
static calve_status push_conditions(rewrite *r, const calve_json *ast, found_table *tables,
                                    calve_error *err) {
  calve_push_options options = {.has_macros = r->x->session->has_macros};
  options.tables = CALVE_NEW_ARRAY(r->x->arena, calve_push_table, r->tables.table_count);
  if (!options.tables) return calve_fail_oom(err);
  for (size_t i = 0; i < r->tables.table_count; i++) {
    found_table *t = &tables[i];
    if (!t->request.table || t->request.metadata_table.data) continue;
    t->pushed = &options.tables[options.table_count++];
    *t->pushed = (calve_push_table){.offset = r->tables.tables[i].offset,
                                    .name = t->name.parts[t->name.part_count - 1],
                                    .schema = t->request.schema};
  }
  return calve_query_push(&options, ast, r->x->arena, err);
}

static calve_status replace_tables(rewrite *r, const calve_json *ast, calve_error *err) {
  size_t count = r->tables.table_count;
  found_table *tables = CALVE_NEW_ARRAY(r->x->arena, found_table, count);
  if (!tables) return calve_fail_oom(err);
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count && status == CALVE_OK; i++)
    status = find_use(r, &r->tables.tables[i], &tables[i], err);
  if (status == CALVE_OK) status = push_conditions(r, ast, tables, err);
  for (size_t i = 0; i < count && status == CALVE_OK; i++)
    status = replace_table(r, &r->tables.tables[i], &tables[i], err);
  for (size_t i = 0; i < count; i++) calve_table_close(tables[i].request.table);
  return status;
}

static int by_start(const void *a, const void *b) {
  size_t left = ((const replacement *)a)->start, right = ((const replacement *)b)->start;
  return (left > right) - (left < right);
}

static calve_status assemble(rewrite *r, calve_str *out, calve_error *err) {
  CALVE_TRY(calve_buffer_check(&r->replacements, err));
  size_t count = CALVE_COUNT(&r->replacements, replacement), at = 0;
  replacement *items = CALVE_ITEMS(&r->replacements, replacement);
  if (count > 0) qsort(items, count, sizeof *items, by_start);
  calve_buffer text;
  calve_buffer_init(&text, r->x->session->allocator);
  for (size_t i = 0; i < count; i++) {
    if (items[i].start < at) continue; /* the same column, for two uses of one table */
    calve_buffer_put(&text, r->text.data + at, items[i].start - at);
    calve_buffer_put_str(&text, items[i].text);
    at = items[i].start + items[i].size;
  }
  calve_buffer_put(&text, r->text.data + at, r->text.size - at);
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(r->x->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

/* ---- statements that the engine does not serialize ---------------------------------------- */

static calve_status rewrite_word(rewrite *r, const calve_word_name *word, bool is_query,
                                 calve_error *err) {
  calve_relation_request request = {0};
  calve_table *table = NULL;
  calve_str relation;
  if (!is_query) {
    CALVE_TRY(try_load(r, &word->name, &table, err));
    calve_table_close(table);
    if (!table) return CALVE_OK;
    size_t offset = word->name.offset;
    const char *text = calve_words_advice(r->text, r->x->arena, &offset);
    return calve_fail_at(err, CALVE_EUNSUPPORTED, "SQL", (int64_t)offset, "%s", text);
  }
  const calve_table_use use = {.table = word->name.parts[word->name.part_count - 1],
                               .alias = {word->has_alias ? "" : NULL, 0},
                               .offset = word->name.offset};
  const calve_travel *travel = word->name.part_count == 1 ? travel_of(r, &use) : NULL;
  const calve_name *name = travel ? &travel->table : &word->name;
  calve_status status = find_table(r, name, &request, err);
  if (status == CALVE_OK && request.table) {
    status = choose_state(r, travel, &request, err);
    if (status == CALVE_OK) status = make_relation(r, &request, &relation, err);
    if (status == CALVE_OK) status = replace_name(r, &use, name, travel != NULL, relation, err);
  }
  calve_table_close(request.table);
  return status;
}

/* PIVOT with columns that follow from the rows is several statements to the engine; it serializes
 * none of them. Its tables are found by the words in front of them and read whole. */
static calve_status rewrite_words(rewrite *r, calve_error *err) {
  const calve_word_name *names;
  size_t count;
  bool is_query;
  CALVE_TRY(calve_words_are_query(r->text, r->x->arena, &is_query, err));
  CALVE_TRY(calve_words_find_names(r->text, r->x->arena, &names, &count, err));
  for (size_t i = 0; i < count; i++) CALVE_TRY(rewrite_word(r, &names[i], is_query, err));
  return CALVE_OK;
}

static calve_status rewrite_tables(rewrite *r, const calve_json *ast, calve_error *err) {
  CALVE_TRY(calve_query_tables_find(ast, r->x->arena, &r->tables, err));
  CALVE_TRY(calve_query_files_note(r->x->session->engine, ast, err));
  if (!r->x->session->has_macros)
    CALVE_TRY(calve_answer_shape(ast, r->x->arena, &r->aggregates, &r->aggregate_count, err));
  r->row_limit = calve_answer_limit(ast);
  if (r->tables.table_count != 1) r->aggregate_count = 0;
  if (r->tables.table_count != 1) r->row_limit = 0;
  return replace_tables(r, ast, err);
}

/* Makes bucket(), years() … known to the engine for the first statement that may call them. */
static calve_status register_transforms(calve_exec *x, calve_str query, calve_error *err) {
  static const char *const names[] = {"bucket", "truncate", "years", "months", "days", "hours"};
  calve_token *t;
  size_t count;
  if (calve_sql_lex(query, x->arena, &t, &count, NULL) != CALVE_OK) return CALVE_OK;
  for (size_t i = 0; i + 1 < count; i++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      if (calve_token_is(&t[i], names[n]) && calve_token_is_symbol(&t[i + 1], "(")) {
        CALVE_TRY(calve_sql_transform_functions(x->session->engine, err));
        if (n == 1) CALVE_TRY(calve_sql_truncate_of_decimals(x->session->engine, err));
      }
  return CALVE_OK;
}

calve_status calve_query_rewrite(calve_exec *x, calve_str query, calve_relation_visit visit,
                                 void *ctx, calve_str *out, calve_error *err) {
  rewrite r = {.x = x, .visit = visit, .ctx = ctx};
  const calve_json *ast = NULL;
  CALVE_TRY(calve_words_unquote(query, x->arena, &query, err));
  CALVE_TRY(register_transforms(x, query, err));
  CALVE_TRY(calve_travel_extract(query, x->arena, &r.text, &r.travels, &r.travel_count, err));
  calve_status parsed = parse_query(x, r.text, &ast, err);
  if (parsed != CALVE_OK) {
    if (r.travel_count > 0 && err) err->byte_offset = -1; /* of a text that nobody has seen */
    return parsed;
  }
  calve_buffer_init(&r.replacements, x->session->allocator);
  calve_status status = ast ? rewrite_tables(&r, ast, err) : rewrite_words(&r, err);
  if (status == CALVE_OK) status = assemble(&r, out, err);
  calve_buffer_free(&r.replacements);
  return status;
}
