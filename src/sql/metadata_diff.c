/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/metadata_diff.h"

#include <inttypes.h>
#include <stdio.h>

#include "sql/ddl_text.h"

/* More pairs of lines than this are not compared one with the other. */
#define PAIRS_MAX (4u << 20)

typedef struct diff {
  calve_arena *arena;
  calve_buffer *out;
  calve_buffer lines[2]; /* calve_str: before, after                                            */
  calve_buffer text;     /* of the line that is being made                                      */
} diff;

/* ---- lines ------------------------------------------------------------------------------ */

static calve_status end_line(diff *d, int side, calve_error *err) {
  calve_str line;
  CALVE_TRY(calve_buffer_check(&d->text, err));
  CALVE_TRY(calve_arena_str(d->arena, calve_buffer_view(&d->text), &line, err));
  calve_buffer_clear(&d->text);
  CALVE_PUSH(&d->lines[side], calve_str, line.data, line.size);
  return calve_buffer_check(&d->lines[side], err);
}

/* A nested type is its kind only: the fields in it have lines of their own. */
static void print_type(const calve_type *type, calve_buffer *out) {
  if (type->id == CALVE_STRUCT)
    calve_buffer_puts(out, "STRUCT");
  else if (type->id == CALVE_LIST)
    calve_buffer_puts(out, "ARRAY");
  else if (type->id == CALVE_MAP)
    calve_buffer_puts(out, "MAP");
  else
    calve_sql_type_print(type, out);
}

static bool is_identifier(const calve_schema *s, int32_t id) {
  for (int32_t i = 0; i < s->identifier_field_count; i++)
    if (s->identifier_field_ids[i] == id) return true;
  return false;
}

/* What rows show that lack the column, when new ones would get another value. */
static void print_earlier(const calve_field *f, calve_buffer *out) {
  if (!f->initial_default ||
      (f->write_default && calve_value_equal(f->initial_default, f->write_default)))
    return;
  calve_buffer_puts(out, " (earlier rows:");
  if (!calve_sql_default_print(f->initial_default, out)) calve_buffer_puts(out, " DEFAULT ...");
  calve_buffer_putc(out, ')');
}

static calve_status schema_lines(diff *d, const calve_metadata *m, int side, calve_error *err) {
  for (int32_t i = 0; i < m->schema->node_count; i++) {
    const calve_schema_node *node = &m->schema->nodes[i];
    const calve_field *f = node->field;
    calve_buffer_printf(&d->text, "%" PRId32 ": ", f->id);
    calve_ddl_column(node, &d->text);
    calve_buffer_putc(&d->text, ' ');
    print_type(f->type, &d->text);
    if (f->required) calve_buffer_puts(&d->text, " NOT NULL");
    if (f->write_default) calve_sql_default_print(f->write_default, &d->text);
    print_earlier(f, &d->text);
    if (f->doc.data) {
      calve_buffer_puts(&d->text, " COMMENT ");
      calve_sql_string_print(f->doc, &d->text);
    }
    if (is_identifier(m->schema, f->id)) calve_buffer_puts(&d->text, " (identifier field)");
    CALVE_TRY(end_line(d, side, err));
  }
  return CALVE_OK;
}

static calve_status spec_lines(diff *d, const calve_metadata *m, int side, calve_error *err) {
  for (int32_t i = 0; i < m->spec->field_count; i++) {
    const calve_partition_field *f = &m->spec->fields[i];
    calve_buffer_printf(&d->text, "%" PRId32 ": ", f->field_id);
    calve_ddl_term(m, &f->transform, f->source_id, &d->text);
    calve_buffer_puts(&d->text, " AS ");
    calve_sql_name_print(f->name, &d->text);
    CALVE_TRY(end_line(d, side, err));
  }
  return CALVE_OK;
}

static calve_status order_lines(diff *d, const calve_metadata *m, int side, calve_error *err) {
  if (m->sort_order->field_count == 0) return CALVE_OK;
  calve_ddl_order(m, &d->text);
  return end_line(d, side, err);
}

static calve_status property_lines(diff *d, const calve_metadata *m, int side, calve_error *err) {
  for (size_t i = 0; i < m->properties.count; i++) {
    calve_sql_string_print(m->properties.items[i].key, &d->text);
    calve_buffer_puts(&d->text, " = ");
    calve_sql_string_print(m->properties.items[i].value, &d->text);
    CALVE_TRY(end_line(d, side, err));
  }
  return CALVE_OK;
}

static calve_status table_lines(diff *d, const calve_metadata *m, int side, calve_error *err) {
  calve_buffer_printf(&d->text, "format version %" PRId32, m->format_version);
  CALVE_TRY(end_line(d, side, err));
  calve_buffer_puts(&d->text, "location ");
  calve_sql_string_print(m->location, &d->text);
  CALVE_TRY(end_line(d, side, err));
  if (m->current_snapshot_id == CALVE_NO_SNAPSHOT)
    calve_buffer_puts(&d->text, "no snapshot: no rows");
  else
    calve_buffer_printf(&d->text, "snapshot %" PRId64, m->current_snapshot_id);
  return end_line(d, side, err);
}

/* ---- comparing -------------------------------------------------------------------------- */

static void put(diff *d, char sign, calve_str line) {
  calve_buffer_putc(d->out, sign);
  calve_buffer_putc(d->out, ' ');
  calve_buffer_put_str(d->out, line);
  calve_buffer_putc(d->out, '\n');
}

/* Lengths of longest common subsequences of the ends of a and b, row by row; then what is not in
 * the longest one is printed. */
static calve_status compare(diff *d, const calve_str *a, size_t a_count, const calve_str *b,
                            size_t b_count, calve_error *err) {
  size_t width = b_count + 1;
  if (a_count > 0 && b_count > 0 && a_count > PAIRS_MAX / width) {
    for (size_t i = 0; i < a_count; i++) put(d, '-', a[i]);
    for (size_t k = 0; k < b_count; k++) put(d, '+', b[k]);
    return CALVE_OK;
  }
  uint32_t *common = CALVE_NEW_ARRAY(d->arena, uint32_t, (a_count + 1) * width);
  if (!common) return calve_fail_oom(err);
  for (size_t i = a_count; i-- > 0;)
    for (size_t k = b_count; k-- > 0;) {
      uint32_t skip_a = common[(i + 1) * width + k], skip_b = common[i * width + k + 1];
      common[i * width + k] = calve_str_equal(a[i], b[k]) ? common[(i + 1) * width + k + 1] + 1
                              : skip_a > skip_b           ? skip_a
                                                          : skip_b;
    }
  for (size_t i = 0, k = 0; i < a_count || k < b_count;) {
    if (i < a_count && k < b_count && calve_str_equal(a[i], b[k])) {
      i++;
      k++;
    } else if (i < a_count &&
               (k == b_count || common[(i + 1) * width + k] >= common[i * width + k + 1])) {
      put(d, '-', a[i++]);
    } else {
      put(d, '+', b[k++]);
    }
  }
  return CALVE_OK;
}

typedef calve_status lines_fn(diff *d, const calve_metadata *m, int side, calve_error *err);

/* The lines of both sides and, when they differ, a head above what differs. */
static calve_status section(diff *d, const calve_metadata *before, const calve_metadata *after,
                            const char *head, lines_fn *lines, calve_error *err) {
  calve_buffer_clear(&d->lines[0]);
  calve_buffer_clear(&d->lines[1]);
  if (before) CALVE_TRY(lines(d, before, 0, err));
  CALVE_TRY(lines(d, after, 1, err));
  size_t start = d->out->size;
  calve_buffer_puts(d->out, head);
  calve_buffer_putc(d->out, '\n');
  size_t headed = d->out->size;
  CALVE_TRY(compare(d, CALVE_ITEMS(&d->lines[0], calve_str), CALVE_COUNT(&d->lines[0], calve_str),
                    CALVE_ITEMS(&d->lines[1], calve_str), CALVE_COUNT(&d->lines[1], calve_str),
                    err));
  if (d->out->size == headed) d->out->size = start;
  return CALVE_OK;
}

/* A part that has an id: one of the same id is the same, whatever its columns are called now. */
static calve_status numbered(diff *d, const calve_metadata *before, const calve_metadata *after,
                             const char *what, int32_t was, int32_t is, lines_fn *lines,
                             calve_error *err) {
  char head[64];
  if (!before) {
    snprintf(head, sizeof head, "%s %" PRId32, what, is);
    return section(d, NULL, after, head, lines, err);
  }
  if (was == is) return CALVE_OK;
  snprintf(head, sizeof head, "%s %" PRId32 " -> %" PRId32, what, was, is);
  return section(d, before, after, head, lines, err);
}

static calve_status sections(diff *d, const calve_metadata *before, const calve_metadata *after,
                             calve_error *err) {
  const calve_metadata *b = before ? before : after;
  CALVE_TRY(numbered(d, before, after, "schema", b->current_schema_id, after->current_schema_id,
                     schema_lines, err));
  CALVE_TRY(numbered(d, before, after, "spec", b->default_spec_id, after->default_spec_id,
                     spec_lines, err));
  CALVE_TRY(numbered(d, before, after, "order", b->default_sort_order_id,
                     after->default_sort_order_id, order_lines, err));
  CALVE_TRY(section(d, before, after, "properties", property_lines, err));
  return section(d, before, after, "table", table_lines, err);
}

calve_status calve_metadata_diff(const calve_metadata *before, const calve_metadata *after,
                                 calve_arena *arena, calve_buffer *out, calve_error *err) {
  diff d = {.arena = arena, .out = out};
  calve_buffer_init(&d.lines[0], out->allocator);
  calve_buffer_init(&d.lines[1], out->allocator);
  calve_buffer_init(&d.text, out->allocator);
  calve_status status = sections(&d, before, after, err);
  calve_buffer_free(&d.lines[0]);
  calve_buffer_free(&d.lines[1]);
  calve_buffer_free(&d.text);
  return status == CALVE_OK ? calve_buffer_check(out, err) : status;
}
