/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source_ids.h"

#include "base/text.h"
#include "model/reading.h"

#define SOURCES_MAX 1000 /* of one field                                                        */

static calve_status read_one(calve_json_reader *r, calve_source_ids *out, calve_error *err) {
  int32_t *id = CALVE_NEW(r->arena, int32_t);
  if (!id) return calve_fail_oom(err);
  CALVE_TRY(calve_json_i32(r, id, err));
  /* A writer may give both members; the list says more. [spec: Partition Specs, v3] */
  if (out->count == 0) *out = (calve_source_ids){1, id};
  return CALVE_OK;
}

static calve_status read_list(calve_json_reader *r, calve_source_ids *out, calve_error *err) {
  int32_t *ids = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) break;
    if (count >= SOURCES_MAX)
      return calve_json_fail(r, err, "a field has more than %d source columns", SOURCES_MAX);
    ids = calve_model__grown(r->arena, ids, count, &capacity, sizeof *ids);
    if (!ids) return calve_fail_oom(err);
    CALVE_TRY(calve_json_i32(r, &ids[count++], err));
  }
  if (count == 0) return calve_json_fail(r, err, "\"source-ids\" is empty");
  *out = (calve_source_ids){(int32_t)count, ids};
  return CALVE_OK;
}

calve_status calve_source_ids__read(calve_json_reader *r, calve_str key, calve_source_ids *out,
                                    bool *taken, calve_error *err) {
  *taken = true;
  if (CALVE_KEY_IS(key, "source-id")) return read_one(r, out, err);
  if (CALVE_KEY_IS(key, "source-ids")) return read_list(r, out, err);
  *taken = false;
  return CALVE_OK;
}

void calve_source_ids__write(const int32_t *ids, int32_t count, calve_json_writer *w) {
  if (count == 1) {
    calve_json_write_key(w, "source-id");
    calve_json_write_i64(w, ids[0]);
    return;
  }
  calve_json_write_key(w, "source-ids");
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < count; i++) calve_json_write_i64(w, ids[i]);
  calve_json_write_end(w, ']');
}
