/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/value.h"
#include "model/value_private.h"

static void write_double(const calve_value *v, calve_json_writer *w) {
  char text[CALVE_DOUBLE_TEXT_MAX];
  bool finite = v->type == CALVE_FLOAT ? isfinite(v->f32) : isfinite(v->f64);
  if (v->type == CALVE_FLOAT)
    calve_float_format(v->f32, text);
  else
    calve_double_format(v->f64, text);
  if (finite)
    calve_json_write_raw(w, calve_str_of(text));
  else /* JSON has no such number */
    calve_json_write_str(w, calve_str_of(text));
}

static void write_struct(const calve_value *v, const calve_type *type, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  for (int32_t i = 0; i < type->field_count && (size_t)i < v->nested.count; i++) {
    char key[16];
    if (v->nested.items[i].is_null) continue;
    snprintf(key, sizeof key, "%" PRId32, type->fields[i].id);
    calve_json_write_key(w, key);
    calve_value_write_json(&v->nested.items[i], type->fields[i].type, w);
  }
  calve_json_write_end(w, '}');
}

/* Every `step`-th item from `first` on: all of a list, the keys or the values of a map. */
static void write_items(const calve_value *v, const calve_type *type, size_t first, size_t step,
                        calve_json_writer *w) {
  calve_json_write_begin(w, '[');
  for (size_t i = first; i < v->nested.count; i += step)
    calve_value_write_json(&v->nested.items[i], type, w);
  calve_json_write_end(w, ']');
}

static void write_map(const calve_value *v, const calve_type *type, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "keys");
  write_items(v, type->fields[0].type, 0, 2, w);
  calve_json_write_key(w, "values");
  write_items(v, type->fields[1].type, 1, 2, w);
  calve_json_write_end(w, '}');
}

static void write_printed(const calve_value *v, calve_json_writer *w) {
  calve_buffer text;
  calve_buffer_init(&text, w->out->allocator);
  calve_value_print(v, &text);
  calve_json_write_str(w, calve_buffer_view(&text));
  if (text.oom) w->out->oom = true;
  calve_buffer_free(&text);
}

void calve_value_write_json(const calve_value *v, const calve_type *type, calve_json_writer *w) {
  if (v->is_null) {
    calve_json_write_null(w);
    return;
  }
  switch (v->type) {
    case CALVE_BOOLEAN:
      calve_json_write_bool(w, v->b);
      return;
    case CALVE_INT:
      calve_json_write_i64(w, v->i32);
      return;
    case CALVE_LONG:
      calve_json_write_i64(w, v->i64);
      return;
    case CALVE_FLOAT:
    case CALVE_DOUBLE:
      write_double(v, w);
      return;
    case CALVE_STRING:
      calve_json_write_str(w, v->bytes);
      return;
    case CALVE_STRUCT:
      write_struct(v, type, w);
      return;
    case CALVE_LIST:
      write_items(v, type->fields[0].type, 0, 1, w);
      return;
    case CALVE_MAP:
      write_map(v, type, w);
      return;
    default: /* the others are strings in the form that people read */
      write_printed(v, w);
  }
}
