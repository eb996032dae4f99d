/* SPDX-License-Identifier: Apache-2.0 */
/* SHOW CREATE TABLE prints a statement that makes an equal table: over random tables with nested
 * columns, odd names, comments, defaults, identifier fields, partition fields, orders and
 * properties, as they were created and as they are after random evolution. Equal means columns by
 * path with all that they have, partition fields, order and properties; ids are given afresh.
 * CALVE_TABLES says how many (default 80), CALVE_SEED the first seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/value.h"
#include "sql_session.h"

typedef struct maker {
  uint64_t state;
  calve_buffer sql;
  int version, name_count;
  const char *primitives[16]; /* expressions of top-level columns of a primitive type           */
  const char *types[16];
  bool required[16];
  int primitive_count;
} maker;

static uint32_t draw(maker *m, uint32_t below) {
  m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(m->state >> 33) % below;
}

static const struct {
  const char *type, *values[3];
} kinds[] = {
    {"BOOLEAN", {"true", "false", "true"}},
    {"INT", {"-2147483648", "0", "7"}},
    {"BIGINT", {"9223372036854775807", "-1", "0"}},
    {"FLOAT", {"0.1", "-3.4e38", "'inf'"}},
    {"DOUBLE", {"0.1", "-0.0", "1e300"}},
    {"DECIMAL(9, 2)", {"-1234567.89", "0.01", "0"}},
    {"DECIMAL(38, 10)", {"0.0000000001", "-5", "1e20"}},
    {"DATE", {"'1969-12-31'", "'2026-02-28'", "'9999-12-31'"}},
    {"TIME", {"'23:59:59.999999'", "'00:00:00'", "'12:30:00'"}},
    {"TIMESTAMP", {"'1969-12-31 23:59:59.999999+00'", "'2026-01-01 01:30:00+05:30'",
                   "'2026-07-01 00:00:00Z'"}},
    {"TIMESTAMP_NTZ", {"'1969-12-31 23:59:59.999999'", "'2026-01-01 00:00:00'",
                       "'0001-01-01 00:00:00'"}},
    {"STRING", {"'it''s'", "''", "'a\nb \\ \"c\" `d`'"}},
    {"UUID", {"'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
              "'00000000-0000-0000-0000-000000000000'",
              "'ffffffff-ffff-ffff-ffff-ffffffffffff'"}},
    {"BINARY", {"'\\x00\\xFF'::BLOB", "''::BLOB", "'abc'::BLOB"}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const odd_names[] = {"plain",    "`two words`", "`a.b`", "`back``tick`",
                                        "`quo\"te`", "`select`",    "`名前`", "`1st`",
                                        "`TABLE`",  "Mixed",       "_x",    "`semi;colon`"};
static const char *const comments[] = {"'it''s'", "'two\nlines'", "''", "'-- no comment'",
                                       "'back\\slash'", "'名前'"};

/* A name that no other column of the table has. */
static const char *name(sql_session *f, maker *m) {
  const char *odd = odd_names[draw(m, sizeof odd_names / sizeof *odd_names)];
  size_t size = strlen(odd);
  char text[64];
  bool quoted = odd[size - 1] == '`';
  snprintf(text, sizeof text, "%.*s%d%s", (int)(size - quoted), odd, m->name_count++,
           quoted ? "`" : "");
  return calve_arena_copy(&f->arena, text, strlen(text) + 1);
}

static void put_options(maker *m, int kind, bool may_be_required, bool *required) {
  bool with_default = kind >= 0 && m->version == 3 && draw(m, 3) == 0;
  *required = may_be_required && draw(m, 3) == 0;
  if (*required) calve_buffer_puts(&m->sql, " NOT NULL");
  if (with_default) calve_buffer_printf(&m->sql, " DEFAULT %s", kinds[kind].values[draw(m, 3)]);
  const char *comment = comments[draw(m, sizeof comments / sizeof *comments)];
  if (draw(m, 3) == 0) calve_buffer_printf(&m->sql, " COMMENT %s", comment);
}

/* A type; its kind, or -1 for nested ones. */
static int put_type(sql_session *f, maker *m, int depth) {
  bool required;
  uint32_t form = depth > 2 ? 9 : draw(m, 10);
  if (form == 0) {
    int count = 1 + (int)draw(m, 3);
    calve_buffer_puts(&m->sql, "STRUCT<");
    for (int i = 0; i < count; i++) {
      calve_buffer_printf(&m->sql, "%s%s: ", i ? ", " : "", name(f, m));
      int kind = put_type(f, m, depth + 1);
      put_options(m, kind, true, &required);
    }
    calve_buffer_putc(&m->sql, '>');
    return -1;
  }
  if (form == 1) {
    calve_buffer_puts(&m->sql, "ARRAY<");
    put_type(f, m, depth + 1);
    calve_buffer_putc(&m->sql, '>');
    return -1;
  }
  if (form == 2) {
    calve_buffer_printf(&m->sql, "MAP<%s, ", kinds[11].type);
    put_type(f, m, depth + 1);
    calve_buffer_putc(&m->sql, '>');
    return -1;
  }
  int kind = (int)draw(m, KINDS);
  calve_buffer_puts(&m->sql, kinds[kind].type);
  return kind;
}

static void put_columns(sql_session *f, maker *m) {
  int count = 2 + (int)draw(m, 6);
  for (int i = 0; i < count; i++) {
    const char *column = name(f, m);
    bool required;
    calve_buffer_printf(&m->sql, "%s%s ", i ? ", " : "", column);
    int kind = put_type(f, m, 0);
    put_options(m, kind, true, &required);
    if (kind < 0) continue;
    m->primitives[m->primitive_count] = column;
    m->types[m->primitive_count] = kinds[kind].type;
    m->required[m->primitive_count++] = required;
  }
}

/* A transform that the type can take. */
static void put_term(maker *m, int column) {
  const char *type = m->types[column], *at = m->primitives[column];
  bool is_float = strcmp(type, "FLOAT") == 0 || strcmp(type, "DOUBLE") == 0;
  bool is_date = strcmp(type, "DATE") == 0, is_time = strncmp(type, "TIMESTAMP", 9) == 0;
  bool cuts = strcmp(type, "INT") == 0 || strcmp(type, "BIGINT") == 0 ||
              strcmp(type, "STRING") == 0 || strncmp(type, "DECIMAL", 7) == 0 ||
              strcmp(type, "BINARY") == 0;
  static const char *const units[] = {"years", "months", "days", "hours"};
  uint32_t form = draw(m, 4);
  if (form == 0 && (is_date || is_time))
    calve_buffer_printf(&m->sql, "%s(%s)", units[draw(m, is_time ? 4 : 3)], at);
  else if (form == 1 && cuts)
    calve_buffer_printf(&m->sql, "truncate(%d, %s)", 1 + (int)draw(m, 20), at);
  else if (form == 2 && !is_float && strcmp(type, "BOOLEAN") != 0)
    calve_buffer_printf(&m->sql, "bucket(%d, %s)", 1 + (int)draw(m, 100), at);
  else
    calve_buffer_puts(&m->sql, at);
}

static void put_clauses(sql_session *f, maker *m) {
  bool any = false;
  for (int i = 0; i < m->primitive_count; i++) {
    if (draw(m, 3) != 0) continue;
    calve_buffer_puts(&m->sql, any ? ", " : " PARTITIONED BY (");
    any = true;
    put_term(m, i);
    if (draw(m, 3) == 0) calve_buffer_printf(&m->sql, " AS %s", name(f, m));
  }
  if (any) calve_buffer_putc(&m->sql, ')');
  any = false;
  for (int i = 0; i < m->primitive_count; i++) {
    bool fits = m->required[i] && strcmp(m->types[i], "FLOAT") && strcmp(m->types[i], "DOUBLE");
    if (!fits || draw(m, 2) == 0) continue;
    calve_buffer_printf(&m->sql, "%s%s", any ? ", " : " IDENTIFIER FIELDS (", m->primitives[i]);
    any = true;
  }
  if (any) calve_buffer_putc(&m->sql, ')');
  any = false;
  for (int i = 0; i < m->primitive_count; i++) {
    if (draw(m, 3) != 0) continue;
    calve_buffer_puts(&m->sql, any ? ", " : " WRITE ORDERED BY ");
    any = true;
    put_term(m, i);
    calve_buffer_puts(&m->sql, draw(m, 2) ? " DESC" : "");
    calve_buffer_puts(&m->sql, draw(m, 2) ? " NULLS LAST" : "");
  }
  if (draw(m, 3) == 0) calve_buffer_puts(&m->sql, " COMMENT 'the table''s'");
  calve_buffer_printf(&m->sql, " TBLPROPERTIES ('format-version' = '%d', 'a''b' = 'c\nd')",
                      m->version);
}

/* ---- evolution: what fits is done, what does not is refused --------------------------------- */

static void change(sql_session *f, maker *m) {
  calve_buffer_clear(&m->sql);
  calve_buffer_puts(&m->sql, "ALTER TABLE db.t ");
  int column = m->primitive_count ? (int)draw(m, (uint32_t)m->primitive_count) : -1;
  uint32_t form = column < 0 ? 0 : draw(m, 9);
  bool required;
  if (form == 0) {
    calve_buffer_printf(&m->sql, "ADD COLUMN %s ", name(f, m));
    put_options(m, put_type(f, m, 0), false, &required);
    calve_buffer_puts(&m->sql, draw(m, 2) ? " FIRST" : "");
  } else if (form == 1) {
    calve_buffer_printf(&m->sql, "DROP COLUMN %s", m->primitives[column]);
  } else if (form == 2) {
    const char *fresh = name(f, m);
    calve_buffer_printf(&m->sql, "RENAME COLUMN %s TO %s", m->primitives[column], fresh);
    m->primitives[column] = fresh;
  } else if (form == 3) {
    calve_buffer_puts(&m->sql, "ADD PARTITION FIELD ");
    put_term(m, column);
    if (draw(m, 2)) calve_buffer_printf(&m->sql, " AS %s", name(f, m));
  } else if (form == 4) {
    calve_buffer_puts(&m->sql, "DROP PARTITION FIELD ");
    put_term(m, column);
  } else if (form == 5) {
    calve_buffer_puts(&m->sql, draw(m, 2) ? "WRITE LOCALLY ORDERED BY " : "WRITE ORDERED BY ");
    put_term(m, column);
  } else if (form == 6) {
    calve_buffer_printf(&m->sql, "ALTER COLUMN %s %s", m->primitives[column],
                        draw(m, 2) ? "DROP DEFAULT" : "COMMENT 'other'");
  } else if (form == 7) {
    calve_buffer_printf(&m->sql, "SET IDENTIFIER FIELDS %s", m->primitives[column]);
  } else {
    calve_buffer_printf(&m->sql, "ALTER COLUMN %s DROP NOT NULL", m->primitives[column]);
  }
  calve_error err;
  calve_result *r = NULL;
  if (try_run(f, calve_buffer_cstr(&m->sql), &r, &err) == CALVE_OK) calve_result_free(r);
}

/* ---- what a table is, without its ids ------------------------------------------------------- */

static void put_source(const calve_metadata *m, const calve_transform *t, int32_t id,
                       calve_buffer *out) {
  const calve_schema_node *node = calve_schema_find_id(m->schema, id);
  calve_transform_print(t, out);
  calve_buffer_printf(out, " of %.*s", CALVE_STR_ARG(node->full_name));
}

static void put_metadata(const calve_metadata *m, calve_buffer *out) {
  char type[CALVE_TYPE_TEXT_MAX];
  calve_buffer_printf(out, "version %" PRId32 "\n", m->format_version);
  for (int32_t i = 0; i < m->schema->node_count; i++) {
    const calve_field *field = m->schema->nodes[i].field;
    bool nested = calve_type_is_nested(field->type);
    calve_buffer_printf(out, "column %.*s %s", CALVE_STR_ARG(m->schema->nodes[i].full_name),
                        nested ? "" : calve_type_text(field->type, type));
    calve_buffer_printf(out, " kind %d required %d doc %d %.*s", (int)field->type->id,
                        field->required, field->doc.data != NULL, CALVE_STR_ARG(field->doc));
    if (field->write_default) {
      calve_json_writer w;
      calve_json_write_init(&w, out, 0);
      calve_buffer_puts(out, " default ");
      calve_value_write_json(field->write_default, field->type, &w);
    }
    for (int32_t k = 0; k < m->schema->identifier_field_count; k++)
      if (m->schema->identifier_field_ids[k] == field->id) calve_buffer_puts(out, " identifier");
    calve_buffer_putc(out, '\n');
  }
  for (int32_t i = 0; i < m->spec->field_count; i++) {
    const calve_partition_field *field = &m->spec->fields[i];
    if (field->transform.kind == CALVE_VOID) continue; /* no statement makes one */
    calve_buffer_printf(out, "partition %.*s ", CALVE_STR_ARG(field->name));
    put_source(m, &field->transform, field->source_id, out);
    calve_buffer_putc(out, '\n');
  }
  for (int32_t i = 0; i < m->sort_order->field_count; i++) {
    const calve_sort_field *field = &m->sort_order->fields[i];
    calve_buffer_printf(out, "order desc %d last %d ", field->descending, field->nulls_last);
    put_source(m, &field->transform, field->source_id, out);
    calve_buffer_putc(out, '\n');
  }
  for (size_t i = 0; i < m->properties.count; i++)
    calve_buffer_printf(out, "property %.*s = %.*s\n", CALVE_STR_ARG(m->properties.items[i].key),
                        CALVE_STR_ARG(m->properties.items[i].value));
}

static const char *metadata_of(sql_session *f, const char *table_name) {
  calve_table *table = load_table(f, table_name);
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  put_metadata(calve_table_metadata(table), &text);
  const char *copy = calve_arena_copy(&f->arena, calve_buffer_cstr(&text), text.size + 1);
  calve_buffer_free(&text);
  calve_table_close(table);
  return copy;
}

static void check_copy(sql_session *f, uint64_t seed) {
  const char *before = metadata_of(f, "t"), *shown = rows_of(f, "SHOW CREATE TABLE db.t");
  run(f, "DROP TABLE db.t");
  for (const char *next = shown; next;) {
    const char *statement = next, *end = strstr(next, ";\nALTER TABLE ");
    next = end ? end + 2 : NULL;
    size_t size = end ? (size_t)(end - statement) : strlen(statement);
    calve_error err;
    calve_result *r = NULL;
    if (calve_session_run(f->session, statement, size, &r, &err) != CALVE_OK) {
      print_error("seed %" PRIu64 ": %s\n%s\n", seed, err.message, shown);
      fail();
    }
    calve_result_free(r);
  }
  const char *after = metadata_of(f, "t");
  if (strcmp(before, after) == 0) return;
  print_error("seed %" PRIu64 "\n%s\nbefore\n%safter\n%s", seed, shown, before, after);
  fail();
}

static void test_what_is_shown_makes_an_equal_table(void **state) {
  sql_session *f = *state;
  const char *count = getenv("CALVE_TABLES"), *first = getenv("CALVE_SEED");
  int compared = 0, refused = 0;
  uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
  for (uint64_t end = seed + (count ? strtoull(count, NULL, 10) : 80); seed < end; seed++) {
    maker m = {.state = seed, .version = 1 + (int)(seed % 3)};
    calve_buffer_init(&m.sql, NULL);
    calve_buffer_puts(&m.sql, "CREATE TABLE db.t (");
    put_columns(f, &m);
    calve_buffer_putc(&m.sql, ')');
    put_clauses(f, &m);
    calve_error err;
    calve_result *r = NULL;
    if (try_run(f, calve_buffer_cstr(&m.sql), &r, &err) == CALVE_OK) {
      calve_result_free(r);
      check_copy(f, seed);
      for (int i = 0; i < 8; i++) change(f, &m);
      check_copy(f, seed);
      run(f, "DROP TABLE db.t");
      compared += 2;
    } else if (!strstr(err.message, "partition")) { /* two that may not stand beside each other */
      print_error("seed %" PRIu64 ": %s\n%s\n", seed, err.message, calve_buffer_cstr(&m.sql));
      fail();
    } else {
      refused++;
    }
    calve_buffer_free(&m.sql);
  }
  print_message("%d tables compared, %d not made\n", compared, refused);
  assert_true(compared > 10 * refused);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {T(test_what_is_shown_makes_an_equal_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
