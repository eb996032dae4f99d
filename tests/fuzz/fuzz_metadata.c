/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a metadata file: faults are reported, what is accepted is written, read again and
 * written alike, every id in it is found, and it can be evolved into metadata that is accepted. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "evolve/schema_update.h"
#include "evolve/spec_update.h"
#include "model/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static calve_str written(const calve_metadata *m, calve_arena *arena) {
  calve_buffer b;
  calve_json_writer w;
  calve_str out;
  calve_buffer_init(&b, NULL);
  calve_json_write_init(&w, &b, 0);
  calve_metadata_write_json(m, &w);
  check(calve_arena_str(arena, calve_buffer_view(&b), &out, NULL) == CALVE_OK);
  calve_buffer_free(&b);
  return out;
}

static void check_round_trip(const calve_metadata *m, calve_arena *arena) {
  const calve_metadata *again;
  calve_str text = written(m, arena);
  check(calve_metadata_parse(text, "again", arena, &again, NULL) == CALVE_OK);
  check(calve_str_equal(text, written(again, arena)));
}

static void check_finding(const calve_metadata *m) {
  const calve_snapshot *s;
  for (size_t i = 0; i < m->snapshot_count; i++) {
    check(calve_metadata_snapshot(m, m->snapshots[i].snapshot_id) == &m->snapshots[i]);
    check(calve_metadata_snapshot_schema(m, &m->snapshots[i]) != NULL);
  }
  for (size_t i = 0; i < m->ref_count; i++)
    check(calve_metadata_snapshot(m, m->refs[i].snapshot_id) != NULL);
  check(m->schema && m->spec && m->sort_order);
  if (m->snapshot_log_count)
    (void)!calve_metadata_snapshot_at(m, m->snapshot_log[0].timestamp_ms, &s, NULL);
}

static void check_applied(const calve_changes *changes, const calve_metadata *m,
                          calve_arena *arena) {
  const calve_metadata *next;
  check(calve_requirements_check(changes, m, NULL) == CALVE_OK);
  if (calve_changes_apply(changes, m, (calve_str){"f", 1}, 5, arena, &next, NULL) == CALVE_OK)
    check_round_trip(next, arena);
}

static void evolve(const calve_metadata *m, calve_arena *arena) {
  calve_schema_update *u;
  calve_spec_update *s;
  calve_changes changes;
  calve_transform bucket = {.kind = CALVE_BUCKET, .parameter = 3};
  check(calve_schema_update_begin(m, arena, &u, NULL) == CALVE_OK);
  (void)!calve_schema_update_union_by_name(u, m->schemas[0], NULL);
  for (int32_t i = 0; i < m->schema->node_count && i < 4; i++) {
    calve_str name = m->schema->nodes[i].full_name;
    if (i % 2) (void)!calve_schema_update_rename(u, name, CALVE_STR("renamed"), NULL);
    (void)!calve_schema_update_move_first(u, name, NULL);
    if (i == 2) (void)!calve_schema_update_delete(u, name, NULL);
  }
  if (calve_schema_update_apply(u, NULL, &changes, NULL) == CALVE_OK)
    check_applied(&changes, m, arena);
  if (calve_spec_update_begin(m, arena, &s, NULL) != CALVE_OK) return;
  if (m->spec->field_count) (void)!calve_spec_update_remove(s, m->spec->fields[0].name, NULL);
  for (int32_t i = 0; i < m->schema->node_count && i < 4; i++)
    (void)!calve_spec_update_add(s, m->schema->nodes[i].full_name, &bucket, (calve_str){0}, NULL);
  if (calve_spec_update_apply(s, NULL, &changes, NULL) == CALVE_OK)
    check_applied(&changes, m, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_arena arena;
  calve_error err;
  const calve_metadata *m;
  calve_str plain;
  calve_arena_init(&arena, NULL);
  calve_str bytes = {(const char *)data, size};
  if (calve_metadata_plain_text(bytes, "fuzz", &arena, &plain, &err) == CALVE_OK) {
    calve_status status = calve_metadata_parse(plain, "fuzz", &arena, &m, &err);
    if (status == CALVE_OK) {
      check_finding(m);
      check_round_trip(m, &arena);
      evolve(m, &arena);
    } else {
      check(err.code == status && err.message[0] != '\0');
    }
  }
  calve_arena_free(&arena);
  return 0;
}
