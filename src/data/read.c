/* SPDX-License-Identifier: Apache-2.0 */
#include "data/read.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "data/damage.h"
#include "data/layout.h"
#include "data/projection.h"
#include "data/sql_text.h"
#include "data/types.h"

/* Files that are read by one SELECT: equal layout, and equal spec where partition values stand in
 * for columns that the files lack. */
typedef struct read_group {
  const calve_layout *layout; /* as in the file                                                 */
  const calve_layout *mapped; /* with ids from the name mapping, or the same                    */
  const calve_spec *spec;     /* NULL: no value of the tuple is needed                          */
  calve_buffer members;       /* of size_t: indexes of files                                    */
} read_group;

typedef struct reader {
  const calve_read_request *request;
  const calve_allocator *allocator;
  calve_arena arena;
  calve_str *paths; /* plain, where the files really lie                                        */
  const calve_layout **layouts;
  const calve_name_mapping *mapping; /* NULL: the table has none                                */
  calve_buffer groups;               /* of read_group                                           */
  calve_buffer *sql;
} reader;

/* ---- which files ----------------------------------------------------------------------------- */

static calve_status check_files(const calve_read_request *q, calve_error *err) {
  if (q->has_deletes)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "this table has row-level deletes, which this version can't apply yet");
  for (size_t i = 0; i < q->file_count; i++) {
    const calve_data_file *f = q->files[i];
    if (f->content != CALVE_CONTENT_DATA)
      return calve_fail(err, CALVE_EINVAL, NULL, "%.*s is a delete file, not a data file",
                        CALVE_STR_ARG(f->path));
    if (!calve_utf8_valid(f->path))
      return calve_fail(err, CALVE_ECORRUPT, NULL, "the path of data file %.*s is no UTF-8",
                        CALVE_STR_ARG(f->path));
    if (!calve_str_equal_nocase(f->format, CALVE_STR("parquet")))
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                        "this version reads Parquet files only; %.*s is %.*s",
                        CALVE_STR_ARG(f->path), CALVE_STR_ARG(f->format));
  }
  return CALVE_OK;
}

static calve_status resolve_paths(reader *r, calve_error *err) {
  const calve_path_rules anywhere = {0};
  const calve_path_rules *rules = r->request->rules ? r->request->rules : &anywhere;
  size_t count = r->request->file_count;
  r->paths = CALVE_NEW_ARRAY(&r->arena, calve_str, count);
  r->layouts = CALVE_NEW_ARRAY(&r->arena, const calve_layout *, count);
  if (!r->paths || !r->layouts) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    calve_str place;
    CALVE_TRY(calve_path_resolve(rules, r->request->files[i]->path, &r->arena, &place, err));
    if (!calve_path_local(place, &r->paths[i]))
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "this version reads local files only: %.*s",
                        CALVE_STR_ARG(place));
  }
  return CALVE_OK;
}

static calve_status load_mapping(reader *r, calve_error *err) {
  calve_str json =
      calve_properties_get(&r->request->metadata->properties, "schema.name-mapping.default");
  if (!json.data) return CALVE_OK;
  return calve_name_mapping_parse(json, &r->arena, &r->mapping, err);
}

static calve_status mapped_layout(reader *r, const calve_layout *layout, const calve_layout **out,
                                  calve_error *err) {
  if (layout->has_ids) {
    *out = layout;
    return CALVE_OK;
  }
  if (!r->mapping)
    return calve_fail(err, CALVE_EINVAL, layout->example.data,
                      "the data file has no field ids and the table has no property "
                      "schema.name-mapping.default; its columns can't be told apart safely");
  return calve_layout_with_mapping(layout, r->mapping, &r->arena, out, err);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Whether a partition value must stand in for a column of the schema that the file lacks. */
static bool needs_tuple(const reader *r, const calve_layout *layout, const calve_spec *spec) {
  for (int32_t i = 0; spec && i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    if (f->transform.kind == CALVE_IDENTITY && f->source_count <= 1 &&
        calve_schema_find_id(r->request->schema, f->source_id) &&
        !calve_layout_has_id(layout->columns, layout->column_count, f->source_id))
      return true;
  }
  return false;
}

static calve_status add_group(reader *r, const calve_layout *layout, const calve_spec *spec,
                              size_t *out, calve_error *err) {
  read_group group = {.layout = layout, .spec = spec};
  CALVE_TRY(mapped_layout(r, layout, &group.mapped, err));
  if (!needs_tuple(r, group.mapped, spec)) group.spec = NULL;
  *out = CALVE_COUNT(&r->groups, read_group);
  for (size_t i = 0; i < *out; i++) {
    const read_group *g = &CALVE_ITEMS(&r->groups, read_group)[i];
    if (g->layout == layout && g->spec == group.spec) {
      *out = i;
      return CALVE_OK;
    }
  }
  calve_buffer_init(&group.members, r->allocator);
  calve_buffer_put(&r->groups, &group, sizeof group);
  return calve_buffer_check(&r->groups, err);
}

/* Files come in runs of equal layout and spec, so the last answer is tried first; tables have few
 * of either, and a map from the pair to its group keeps many of them linear too. */
static calve_status group_files(reader *r, calve_error *err) {
  calve_map known;
  calve_map_init(&known, &r->arena);
  for (size_t i = 0; i < r->request->file_count; i++) {
    const calve_data_file *f = r->request->files[i];
    struct {
      const calve_layout *layout;
      int64_t spec_id;
    } key = {r->layouts[i], f->spec_id};
    calve_str key_bytes = {(const char *)&key, sizeof key};
    size_t index;
    const size_t *found = calve_map_get_str(&known, key_bytes);
    if (found) {
      index = *found;
    } else {
      CALVE_TRY(add_group(r, r->layouts[i], calve_metadata_spec(r->request->metadata, f->spec_id),
                          &index, err));
      size_t *kept = calve_arena_alloc(&r->arena, sizeof index);
      if (!kept) return calve_fail_oom(err);
      *kept = index;
      calve_str copy;
      CALVE_TRY(calve_arena_str(&r->arena, key_bytes, &copy, err));
      CALVE_TRY(calve_map_put_str(&known, copy, kept, NULL, err));
    }
    calve_buffer *members = &CALVE_ITEMS(&r->groups, read_group)[index].members;
    CALVE_PUSH(members, size_t, i);
    CALVE_TRY(calve_buffer_check(members, err));
  }
  return CALVE_OK;
}

/* ---- partition values ------------------------------------------------------------------------ */

static const calve_value *tuple_value(const reader *r, size_t file, int32_t index) {
  const calve_data_file *f = r->request->files[file];
  return index < f->partition_count ? &f->partition[index] : NULL;
}

static bool has_column_named(const calve_layout *layout, calve_str name) {
  for (size_t i = 0; i < layout->column_count; i++)
    if (calve_str_equal_nocase(layout->columns[i].name, name)) return true;
  return false;
}

/* One value for all files of the group, or a list that is looked up by the file's number. */
static calve_status constant_sql(reader *r, const read_group *g, int32_t index,
                                 const calve_type *type, calve_str *out, calve_error *err) {
  const size_t *members = CALVE_ITEMS(&g->members, size_t);
  size_t count = CALVE_COUNT(&g->members, size_t);
  const calve_value *first = tuple_value(r, members[0], index);
  bool equal = true;
  for (size_t i = 0; i < count; i++) {
    const calve_value *v = tuple_value(r, members[i], index);
    if (!v)
      return calve_fail(err, CALVE_ECORRUPT, NULL, "the partition tuple of %.*s is too short",
                        CALVE_STR_ARG(r->request->files[members[i]]->path));
    equal = equal && calve_value_equal(first, v);
  }
  calve_buffer text;
  calve_buffer_init(&text, r->allocator);
  calve_status status = CALVE_OK;
  if (equal) {
    status = calve_sql_value(&text, first, type, err);
  } else if (!g->layout->has_ids && has_column_named(g->layout, CALVE_STR("file_index"))) {
    status = calve_fail(err, CALVE_EUNSUPPORTED, g->layout->example.data,
                        "the data file has a column called file_index, which hides the engine's "
                        "own; its partition values can't be told apart");
  } else {
    calve_buffer_putc(&text, '[');
    for (size_t i = 0; i < count && status == CALVE_OK; i++) {
      if (i > 0) calve_buffer_putc(&text, ',');
      status = calve_sql_value(&text, tuple_value(r, members[i], index), type, err);
    }
    calve_buffer_puts(&text, "][(file_index + 1)::BIGINT]");
  }
  if (status == CALVE_OK) status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(&r->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

static calve_status group_constants(reader *r, const read_group *g, calve_projection *p,
                                    calve_error *err) {
  if (!g->spec) return CALVE_OK;
  calve_projection_constant *constants =
      CALVE_NEW_ARRAY(&r->arena, calve_projection_constant, (size_t)g->spec->field_count);
  if (!constants) return calve_fail_oom(err);
  p->constants = constants;
  for (int32_t i = 0; i < g->spec->field_count; i++) {
    const calve_partition_field *f = &g->spec->fields[i];
    const calve_schema_node *node = calve_schema_find_id(r->request->schema, f->source_id);
    if (f->transform.kind != CALVE_IDENTITY || f->source_count > 1 || !node ||
        calve_layout_has_id(g->mapped->columns, g->mapped->column_count, f->source_id))
      continue;
    calve_projection_constant *c = &constants[p->constant_count];
    c->field_id = f->source_id;
    CALVE_TRY(constant_sql(r, g, i, node->field->type, &c->sql, err));
    p->constant_count++;
  }
  return CALVE_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The reason why no file's data for this column can be shown, or NULL. */
static const char *unreadable(const calve_schema *schema, int32_t index, char *text, size_t size) {
  const calve_field *field = &schema->root->fields[index];
  char type_text[CALVE_TYPE_TEXT_MAX];
  const calve_type *part = calve_sql_type_unreadable(field->type);
  if (part) {
    snprintf(text, size,
             "column %.*s (field id %d) can't be read: this version has no data of type %s",
             CALVE_STR_ARG(field->name), (int)field->id, calve_type_text(part, type_text));
    return text;
  }
  const calve_field *clash = calve_sql_type_clash(field->type);
  for (int32_t i = 0; i < schema->root->field_count && !clash; i++)
    if (i != index && calve_str_equal_nocase(schema->root->fields[i].name, field->name))
      clash = &schema->root->fields[i];
  if (!clash) return NULL;
  snprintf(text, size,
           "column %.*s (field id %d) can't be read by SQL: the name %.*s is there twice but for "
           "upper and lower case; rename one of them",
           CALVE_STR_ARG(field->name), (int)field->id, CALVE_STR_ARG(clash->name));
  return text;
}

/* Of names that differ only by case the first stands for all: SQL could not tell them apart. */
static bool is_repeated_name(const calve_schema *schema, int32_t index) {
  for (int32_t i = 0; i < index; i++)
    if (calve_str_equal_nocase(schema->root->fields[i].name, schema->root->fields[index].name))
      return true;
  return false;
}

/* The file's column as read_parquet calls it: "c<id>" by the schema map, or its own name. */
static calve_status input_name(reader *r, const read_group *g, const calve_field *field,
                               const calve_layout_node *node, calve_str *out, calve_error *err) {
  if (g->layout->has_ids) return calve_arena_printf(&r->arena, out, err, "c%d", (int)field->id);
  calve_buffer text;
  calve_buffer_init(&text, r->allocator);
  calve_sql_name(&text, node->name);
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(&r->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

/* Columns of a file with ids are mapped by these; in one without, the name must be enough. */
static const calve_layout_node *top_level_clash(const calve_layout *layout, calve_str name) {
  size_t found = 0;
  const calve_layout_node *last = NULL;
  for (size_t i = 0; i < layout->column_count; i++) {
    if (!calve_str_equal_nocase(layout->columns[i].name, name)) continue;
    last = &layout->columns[i];
    found++;
  }
  return found > 1 ? last : NULL;
}

static void put_file_clash(reader *r, const read_group *g, const calve_field *field,
                           const calve_layout_node *clash) {
  char why[512];
  calve_buffer type;
  calve_buffer_init(&type, r->allocator);
  calve_sql_type(&type, field->type);
  snprintf(why, sizeof why,
           "column %.*s (field id %d) can't be read: data files have the name %.*s in it twice but "
           "for upper and lower case; a file of this kind is %.*s",
           CALVE_STR_ARG(field->name), (int)field->id, CALVE_STR_ARG(clash->name),
           CALVE_STR_ARG(g->layout->example));
  calve_sql_error(r->sql, calve_buffer_cstr(&type), why);
  r->sql->oom |= type.oom;
  calve_buffer_free(&type);
}

/* Appends one column of the SELECT, and its entry in read_parquet's schema map. */
static calve_status put_column(reader *r, const read_group *g, const calve_projection *p,
                               int32_t index, calve_buffer *map, calve_error *err) {
  const calve_field *field = &r->request->schema->root->fields[index];
  char why[512];
  if (unreadable(r->request->schema, index, why, sizeof why)) {
    calve_sql_error(r->sql, NULL, why);
    return CALVE_OK;
  }
  const calve_layout_node *node = NULL;
  CALVE_TRY(calve_layout_find(g->mapped->columns, g->mapped->column_count, field->id, g->mapped,
                              &node, err));
  if (!node || field->type->id == CALVE_UNKNOWN)
    return calve_project_field(p, field, NULL, (calve_str){0}, r->sql, err);
  const calve_layout_node *clash = calve_layout_clash(node);
  if (!clash && !g->layout->has_ids) clash = top_level_clash(g->layout, node->name);
  if (clash) {
    put_file_clash(r, g, field, clash);
    return CALVE_OK;
  }
  calve_str input;
  CALVE_TRY(input_name(r, g, field, node, &input, err));
  bool as_is = false;
  calve_buffer type;
  calve_buffer_init(&type, r->allocator);
  calve_project_input_type(field, node, &type, &as_is);
  if (g->layout->has_ids) {
    calve_buffer_printf(map, "%s%d: {name: '", map->size ? ", " : "", (int)field->id);
    calve_buffer_put_str(map, input);
    calve_buffer_puts(map, "', type: ");
    calve_sql_string(map, calve_buffer_view(&type));
    calve_buffer_puts(map, ", default_value: NULL}");
  } else {
    as_is = false; /* nobody has cast the column */
  }
  map->oom |= type.oom;
  calve_buffer_free(&type);
  if (as_is) {
    calve_buffer_put_str(r->sql, input);
    return CALVE_OK;
  }
  return calve_project_field(p, field, node, input, r->sql, err);
}

/* ---- the relation ---------------------------------------------------------------------------- */

static calve_status put_file_list(calve_engine *engine, reader *r, const read_group *g,
                                  calve_error *err) {
  const size_t *members = CALVE_ITEMS(&g->members, size_t);
  size_t count = CALVE_COUNT(&g->members, size_t);
  calve_buffer_puts(r->sql, " FROM read_parquet([");
  size_t start = r->sql->size;
  for (size_t i = 0; i < count; i++) {
    if (i > 0) calve_buffer_putc(r->sql, ',');
    CALVE_TRY(calve_sql_file(r->sql, r->paths[members[i]], err));
  }
  CALVE_TRY(calve_buffer_check(r->sql, err));
  calve_str items = {r->sql->data + start, r->sql->size - start};
  CALVE_TRY(calve_damage_note(engine, items, err));
  calve_buffer_putc(r->sql, ']');
  return CALVE_OK;
}

static void put_positions(reader *r, const read_group *g) {
  const size_t *members = CALVE_ITEMS(&g->members, size_t);
  size_t count = CALVE_COUNT(&g->members, size_t);
  calve_buffer_puts(r->sql, ", [");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) calve_buffer_putc(r->sql, ',');
    calve_sql_string(r->sql, r->request->files[members[i]]->path);
  }
  calve_buffer_puts(r->sql,
                    "][(file_index + 1)::BIGINT] AS \"_file\", file_row_number AS \"_pos\"");
}

static calve_status put_group(calve_engine *engine, reader *r, const read_group *g,
                              calve_error *err) {
  const calve_schema *schema = r->request->schema;
  calve_projection p = {.layout = g->mapped, .scratch = &r->arena};
  CALVE_TRY(group_constants(r, g, &p, err));
  calve_buffer map;
  calve_buffer_init(&map, r->allocator);
  calve_buffer_puts(r->sql, "SELECT ");
  calve_status status = CALVE_OK;
  for (int32_t i = 0; i < schema->root->field_count && status == CALVE_OK; i++) {
    if (is_repeated_name(schema, i)) continue;
    if (i > 0) calve_buffer_puts(r->sql, ", ");
    status = put_column(r, g, &p, i, &map, err);
    calve_buffer_puts(r->sql, " AS ");
    calve_sql_name(r->sql, schema->root->fields[i].name);
  }
  if (r->request->with_position) put_positions(r, g);
  if (status == CALVE_OK) status = put_file_list(engine, r, g, err);
  /* Values in folder names are never columns: hive_partitioning must not be guessed. */
  calve_buffer_puts(r->sql, ", hive_partitioning => false");
  if (map.size > 0) {
    calve_buffer_puts(r->sql, ", schema => map{");
    calve_buffer_put_str(r->sql, calve_buffer_view(&map));
    calve_buffer_putc(r->sql, '}');
  }
  calve_buffer_putc(r->sql, ')');
  if (status == CALVE_OK) status = calve_buffer_check(&map, err);
  calve_buffer_free(&map);
  return status;
}

static void put_empty(reader *r) {
  const calve_schema *schema = r->request->schema;
  char why[512];
  calve_buffer_puts(r->sql, "SELECT ");
  for (int32_t i = 0; i < schema->root->field_count; i++) {
    if (is_repeated_name(schema, i)) continue;
    if (i > 0) calve_buffer_puts(r->sql, ", ");
    calve_buffer_puts(r->sql, "NULL::");
    if (unreadable(schema, i, why, sizeof why))
      calve_buffer_puts(r->sql, "VARCHAR");
    else
      calve_sql_type(r->sql, schema->root->fields[i].type);
    calve_buffer_puts(r->sql, " AS ");
    calve_sql_name(r->sql, schema->root->fields[i].name);
  }
  if (r->request->with_position)
    calve_buffer_puts(r->sql, ", NULL::VARCHAR AS \"_file\", NULL::BIGINT AS \"_pos\"");
  calve_buffer_puts(r->sql, " WHERE false");
}

/* Where the files are, and what is in them. */
static calve_status look_at_files(calve_engine *engine, reader *r, calve_error *err) {
  calve_status status = resolve_paths(r, err);
  if (status == CALVE_OK)
    status = calve_layouts_of(engine, r->paths, r->request->file_count, r->layouts, err);
  bool of_file = status != CALVE_OK && err && err->where[0]; /* else it is about the whole table */
  if (of_file && r->request->table) calve_error_prefix(err, "a data file of %s", r->request->table);
  return status;
}

static calve_status put_relation(calve_engine *engine, reader *r, calve_error *err) {
  if (r->request->schema->root->field_count == 0)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "the table has no columns to read");
  CALVE_TRY(check_files(r->request, err));
  if (r->request->file_count == 0) {
    put_empty(r);
    return CALVE_OK;
  }
  CALVE_TRY(load_mapping(r, err));
  CALVE_TRY(look_at_files(engine, r, err));
  CALVE_TRY(group_files(r, err));
  const read_group *groups = CALVE_ITEMS(&r->groups, read_group);
  for (size_t i = 0; i < CALVE_COUNT(&r->groups, read_group); i++) {
    if (i > 0) calve_buffer_puts(r->sql, " UNION ALL ");
    CALVE_TRY(put_group(engine, r, &groups[i], err));
  }
  return CALVE_OK;
}

calve_status calve_read_relation(calve_engine *engine, const calve_read_request *request,
                                 calve_buffer *sql, calve_error *err) {
  calve_layouts_forget(engine, 500000);
  reader r = {.request = request, .allocator = calve_engine_allocator(engine), .sql = sql};
  calve_arena_init(&r.arena, r.allocator);
  calve_buffer_init(&r.groups, r.allocator);
  calve_status status = put_relation(engine, &r, err);
  if (status == CALVE_OK) status = calve_buffer_check(sql, err);
  for (size_t i = 0; i < CALVE_COUNT(&r.groups, read_group); i++)
    calve_buffer_free(&CALVE_ITEMS(&r.groups, read_group)[i].members);
  calve_buffer_free(&r.groups);
  calve_arena_free(&r.arena);
  return status;
}

calve_status calve_read_view(calve_engine *engine, const calve_read_request *request,
                             const char *name, calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(engine));
  calve_buffer_puts(&sql, "CREATE OR REPLACE TEMP VIEW ");
  calve_sql_name(&sql, calve_str_of(name));
  calve_buffer_puts(&sql, " AS ");
  calve_status status = calve_read_relation(engine, request, &sql, err);
  const char *text = calve_buffer_cstr(&sql);
  if (status == CALVE_OK) status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_run(engine, text, err);
  calve_buffer_free(&sql);
  return status;
}
