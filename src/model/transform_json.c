/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transform_json.h"

calve_status calve_transform__read_json(calve_json_reader *r, calve_transform *out,
                                        calve_error *err) {
  calve_str text;
  calve_error inner;
  CALVE_TRY(calve_json_str(r, &text, err));
  calve_status status = calve_transform_parse(text, r->arena, out, &inner);
  if (status == CALVE_EINVAL) return calve_json_fail(r, err, "%s", inner.message);
  if (status != CALVE_OK && err) *err = inner;
  return status;
}

void calve_transform__write_json(const calve_transform *t, calve_json_writer *w) {
  calve_buffer text;
  calve_buffer_init(&text, w->out->allocator);
  calve_transform_print(t, &text);
  calve_json_write_str(w, calve_buffer_view(&text));
  if (text.oom) w->out->oom = true;
  calve_buffer_free(&text);
}
