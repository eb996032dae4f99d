/* SPDX-License-Identifier: Apache-2.0 */
#include "track/partition_summary.h"

void calve_track__summary_init(calve_track__summary *s, const calve_allocator *allocator) {
  *s = (calve_track__summary){0};
  calve_buffer_init(&s->lower_bytes, allocator);
  calve_buffer_init(&s->upper_bytes, allocator);
}

void calve_track__summary_free(calve_track__summary *s) {
  calve_buffer_free(&s->lower_bytes);
  calve_buffer_free(&s->upper_bytes);
}

static bool has_bytes(const calve_value *v) {
  return v->type == CALVE_STRING || v->type == CALVE_BINARY || v->type == CALVE_FIXED;
}

static calve_status keep(calve_value *bound, calve_buffer *bytes, const calve_value *v,
                         calve_error *err) {
  *bound = *v;
  if (!has_bytes(v)) return CALVE_OK;
  calve_buffer_clear(bytes);
  calve_buffer_put_str(bytes, v->bytes);
  bound->bytes = (calve_str){bytes->data ? bytes->data : "", bytes->size};
  return calve_buffer_check(bytes, err);
}

calve_status calve_track__summary_add(calve_track__summary *s, const calve_value *v,
                                      calve_error *err) {
  if (v->is_null) {
    s->contains_null = true;
    return CALVE_OK;
  }
  if (calve_value_is_nan(v)) { /* NaN is no bound [spec: Manifest Lists]                        */
    s->contains_nan = true;
    return CALVE_OK;
  }
  if (!s->has_bounds || calve_value_compare(v, &s->lower) < 0) {
    CALVE_TRY(keep(&s->lower, &s->lower_bytes, v, err));
  }
  if (!s->has_bounds || calve_value_compare(v, &s->upper) > 0) {
    CALVE_TRY(keep(&s->upper, &s->upper_bytes, v, err));
  }
  s->has_bounds = true;
  return CALVE_OK;
}

static calve_status bytes_of(const calve_value *v, calve_arena *arena, calve_str *out,
                             calve_error *err) {
  calve_buffer b;
  calve_buffer_init(&b, arena->allocator);
  calve_value_to_bytes(v, &b);
  calve_status status = calve_buffer_check(&b, err);
  calve_str view = calve_buffer_view(&b);
  if (!view.data) view.data = ""; /* an empty string is a bound, not an absent one              */
  if (status == CALVE_OK) status = calve_arena_str(arena, view, out, err);
  calve_buffer_free(&b);
  return status;
}

calve_status calve_track__summary_get(const calve_track__summary *s, calve_arena *arena,
                                      calve_field_summary *out, calve_error *err) {
  calve_field_summary summary = {.contains_null = s->contains_null,
                                 .contains_nan = s->contains_nan ? 1 : 0};
  if (s->has_bounds) {
    CALVE_TRY(bytes_of(&s->lower, arena, &summary.lower, err));
    CALVE_TRY(bytes_of(&s->upper, arena, &summary.upper, err));
  }
  *out = summary;
  return CALVE_OK;
}
