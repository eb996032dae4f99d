/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sort.h"

#include <inttypes.h>

#include "base/text.h"
#include "model/reading.h"
#include "model/source_ids.h"
#include "model/transform_json.h"

#define FIELDS_MAX 10000 /* of one order                                                        */

/* One of two words, in any case: true for the second. */
static calve_status read_choice(calve_json_reader *r, const char *what, const char *no,
                                const char *yes, bool *out, calve_error *err) {
  calve_str text;
  CALVE_TRY(calve_json_str(r, &text, err));
  *out = calve_str_equal_nocase(text, calve_str_of(yes));
  if (*out || calve_str_equal_nocase(text, calve_str_of(no))) return CALVE_OK;
  return calve_json_fail(r, err, "\"%s\" is '%.*s', expected %s or %s", what, CALVE_STR_ARG(text),
                         no, yes);
}

static calve_status read_field(calve_json_reader *r, calve_sort_field *out, calve_error *err) {
  calve_sort_field f = {0};
  calve_source_ids sources = {0};
  bool has_transform = false, has_direction = false, has_nulls = false;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more, taken;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(calve_source_ids__read(r, key, &sources, &taken, err));
    if (taken) continue;
    if (CALVE_KEY_IS(key, "transform")) {
      has_transform = true;
      CALVE_TRY(calve_transform__read_json(r, &f.transform, err));
    } else if (CALVE_KEY_IS(key, "direction")) {
      has_direction = true;
      CALVE_TRY(read_choice(r, "direction", "asc", "desc", &f.descending, err));
    } else if (CALVE_KEY_IS(key, "null-order")) {
      has_nulls = true;
      CALVE_TRY(read_choice(r, "null-order", "nulls-first", "nulls-last", &f.nulls_last, err));
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  const char *missing = !has_transform       ? "transform"
                        : sources.count == 0 ? "source-id"
                        : !has_direction     ? "direction"
                        : !has_nulls         ? "null-order"
                                             : NULL;
  if (missing) return calve_json_fail(r, err, "a sort field has no \"%s\"", missing);
  f.source_id = sources.ids[0];
  f.source_ids = sources.ids;
  f.source_count = sources.count;
  *out = f;
  return CALVE_OK;
}

static calve_status read_fields(calve_json_reader *r, const calve_sort_field **out,
                                int32_t *count_out, calve_error *err) {
  calve_sort_field *fields = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) break;
    if (count >= FIELDS_MAX)
      return calve_json_fail(r, err, "a sort order has more than %d fields", FIELDS_MAX);
    fields = calve_model__grown(r->arena, fields, count, &capacity, sizeof *fields);
    if (!fields) return calve_fail_oom(err);
    CALVE_TRY(read_field(r, &fields[count++], err));
  }
  *out = fields;
  *count_out = (int32_t)count;
  return CALVE_OK;
}

calve_status calve_sort_order_read_json(calve_json_reader *r, const calve_sort_order **out,
                                        calve_error *err) {
  calve_sort_order order = {0};
  bool has_id = false, has_fields = false;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    if (CALVE_KEY_IS(key, "order-id")) {
      has_id = true;
      CALVE_TRY(calve_json_i32(r, &order.order_id, err));
    } else if (CALVE_KEY_IS(key, "fields")) {
      has_fields = true;
      CALVE_TRY(read_fields(r, &order.fields, &order.field_count, err));
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  if (!has_id || !has_fields)
    return calve_json_fail(r, err, "a sort order has no \"%s\"", has_id ? "fields" : "order-id");
  calve_sort_order *copy = CALVE_NEW(r->arena, calve_sort_order);
  if (!copy) return calve_fail_oom(err);
  *copy = order;
  *out = copy;
  return CALVE_OK;
}

calve_status calve_sort_order_parse(calve_str json, const char *where, calve_arena *arena,
                                    const calve_sort_order **out, calve_error *err) {
  calve_json_reader r;
  const calve_sort_order *order;
  calve_json_open(&r, json, where, arena);
  CALVE_TRY(calve_sort_order_read_json(&r, &order, err));
  CALVE_TRY(calve_json_end(&r, err));
  *out = order;
  return CALVE_OK;
}

void calve_sort_order_write_json(const calve_sort_order *o, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "order-id");
  calve_json_write_i64(w, o->order_id);
  calve_json_write_key(w, "fields");
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < o->field_count; i++) {
    const calve_sort_field *f = &o->fields[i];
    calve_json_write_begin(w, '{');
    calve_json_write_key(w, "transform");
    calve_transform__write_json(&f->transform, w);
    calve_source_ids__write(f->source_ids, f->source_count, w);
    calve_json_write_key(w, "direction");
    calve_json_write_str(w, f->descending ? CALVE_STR("desc") : CALVE_STR("asc"));
    calve_json_write_key(w, "null-order");
    calve_json_write_str(w, f->nulls_last ? CALVE_STR("nulls-last") : CALVE_STR("nulls-first"));
    calve_json_write_end(w, '}');
  }
  calve_json_write_end(w, ']');
  calve_json_write_end(w, '}');
}

static bool same_field(const calve_sort_field *a, const calve_sort_field *b) {
  if (a->source_count != b->source_count || a->descending != b->descending ||
      a->nulls_last != b->nulls_last || !calve_transform_equal(&a->transform, &b->transform))
    return false;
  for (int32_t i = 0; i < a->source_count; i++)
    if (a->source_ids[i] != b->source_ids[i]) return false;
  return true;
}

bool calve_sort_order_same(const calve_sort_order *a, const calve_sort_order *b) {
  if (a->field_count != b->field_count) return false;
  for (int32_t i = 0; i < a->field_count; i++)
    if (!same_field(&a->fields[i], &b->fields[i])) return false;
  return true;
}

calve_status calve_sort_order_check(const calve_sort_order *o, const calve_schema *schema,
                                    calve_error *err) {
  char type[CALVE_TYPE_TEXT_MAX];
  if (o->order_id == 0 && o->field_count > 0)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "sort order 0 is the unsorted one; it has no fields");
  for (int32_t i = 0; i < o->field_count; i++) {
    const calve_sort_field *f = &o->fields[i];
    for (int32_t j = 0; j < f->source_count; j++) {
      const calve_schema_node *source = calve_schema_find_id(schema, f->source_ids[j]);
      if (!source)
        return calve_fail(err, CALVE_EINVAL, NULL,
                          "sort order %" PRId32 ": there is no column with id %" PRId32,
                          o->order_id, f->source_ids[j]);
      if (source->inside_repeated || !calve_type_is_primitive(source->field->type) ||
          (f->source_count == 1 && !calve_transform_accepts(&f->transform, source->field->type)))
        return calve_fail(
            err, CALVE_EINVAL, NULL,
            "sort order %" PRId32 ": rows can't be sorted by column '%.*s' of type %s", o->order_id,
            CALVE_STR_ARG(source->full_name), calve_type_text(source->field->type, type));
    }
  }
  return CALVE_OK;
}
