/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/maker.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "commit/commit_summary.h"
#include "store/path.h"

calve_status calve_commit__maker_init(calve_commit__maker *maker,
                                      const calve_commit_target *target,
                                      const calve_snapshot_update *update, calve_buffer *written,
                                      calve_error *err) {
  uint8_t uuid[16];
  calve_commit__maker made = {.target = target, .update = update, .written = written};
  CALVE_TRY(calve_uuid_random(uuid, err));
  CALVE_TRY(calve_random_id(&made.snapshot_id, err));
  calve_uuid_format(uuid, made.uuid);
  calve_arena_init(&made.arena, target->allocator);
  calve_buffer_init(&made.added, target->allocator);
  *maker = made;
  return CALVE_OK;
}

void calve_commit__maker_free(calve_commit__maker *maker) {
  calve_buffer_free(&maker->added);
  calve_arena_free(&maker->arena);
}

static calve_str branch_of(const calve_snapshot_update *u) {
  return u->branch.data ? u->branch : CALVE_STR("main");
}

/* A branch that does not exist yet starts from main's head. */
static calve_status find_parent(calve_commit__attempt *a, calve_snapshot_ref *ref,
                                calve_error *err) {
  calve_str name = branch_of(a->maker->update);
  const calve_snapshot_ref *known = calve_metadata_ref(a->base, name);
  if (known && known->is_tag)
    return calve_fail(err, CALVE_EINVAL, a->maker->target->name,
                      "\"%.*s\" is a tag; only branches can be written to", CALVE_STR_ARG(name));
  *ref = known ? *known
               : (calve_snapshot_ref){.name = name,
                                      .min_snapshots_to_keep = -1,
                                      .max_snapshot_age_ms = -1,
                                      .max_ref_age_ms = -1};
  a->parent = known ? calve_metadata_snapshot(a->base, known->snapshot_id)
                    : calve_metadata_current_snapshot(a->base);
  if (known && !a->parent)
    return calve_fail(err, CALVE_ECORRUPT, a->maker->target->name,
                      "branch \"%.*s\" points to snapshot %" PRId64 ", which is not there",
                      CALVE_STR_ARG(name), known->snapshot_id);
  return CALVE_OK;
}

static calve_status write_list(calve_commit__attempt *a, calve_snapshot *snapshot,
                               calve_error *err) {
  calve_commit__maker *maker = a->maker;
  bool has_row_ids = a->base->format_version >= 3;
  int64_t first_row_id = has_row_ids && a->base->next_row_id >= 0 ? a->base->next_row_id : 0;
  const calve_manifest_list_params params = {
      .format_version = a->base->format_version,
      .snapshot_id = snapshot->snapshot_id,
      .parent_snapshot_id = snapshot->parent_snapshot_id,
      .sequence_number = snapshot->sequence_number,
      .first_row_id = has_row_ids ? first_row_id : CALVE_UNSET,
      .codec_id = CALVE_CODEC_DEFLATE,
      .level = -1,
      .allocator = maker->target->allocator};
  calve_buffer bytes;
  calve_buffer_init(&bytes, maker->target->allocator);
  int64_t next_row_id = first_row_id;
  calve_status status = calve_manifest_list_write(
      &params, CALVE_ITEMS(&a->manifests, calve_manifest_file),
      CALVE_COUNT(&a->manifests, calve_manifest_file), &bytes, &next_row_id, err);
  if (status == CALVE_OK) status = calve_buffer_check(&bytes, err);
  if (status == CALVE_OK) {
    char name[CALVE_UUID_TEXT_SIZE + 64];
    snprintf(name, sizeof name, "snap-%" PRId64 "-%d-%s.avro", maker->snapshot_id,
             ++maker->attempt_count, maker->uuid);
    status = calve_commit__write(maker, a->base, name, calve_buffer_view(&bytes), a->arena,
                                 &snapshot->manifest_list, err);
  }
  calve_buffer_free(&bytes);
  snapshot->first_row_id = has_row_ids ? first_row_id : -1;
  snapshot->added_rows = has_row_ids ? next_row_id - first_row_id : -1;
  return status;
}

static const char *operation_of(const calve_commit__attempt *a) {
  const calve_commit__counts *added = &a->summary->added;
  if (a->removed_count == 0 && added->delete_files == 0 && !a->maker->update->replace_partitions)
    return "append";
  if (added->data_files == 0 && added->delete_files == 0) return "delete";
  return "overwrite";
}

static calve_status make_changes(const calve_commit__attempt *a, const calve_snapshot *snapshot,
                                 const calve_snapshot_ref *ref, calve_changes *out,
                                 calve_error *err) {
  calve_change *changes = CALVE_NEW_ARRAY(a->arena, calve_change, 2);
  calve_snapshot *copy = CALVE_NEW(a->arena, calve_snapshot);
  if (!changes || !copy) return calve_fail_oom(err);
  *copy = *snapshot;
  changes[0] = (calve_change){.kind = CALVE_ADD_SNAPSHOT, .snapshot = copy};
  changes[1] = (calve_change){.kind = CALVE_SET_SNAPSHOT_REF, .ref = *ref};
  changes[1].ref.snapshot_id = snapshot->snapshot_id;
  *out = (calve_changes){.change_count = 2, .changes = changes};
  return CALVE_OK;
}

static calve_status build(calve_commit__attempt *a, int64_t now_ms, calve_changes *out,
                          calve_error *err) {
  const calve_metadata *base = a->base;
  calve_snapshot_ref ref;
  CALVE_TRY(find_parent(a, &ref, err));
  CALVE_TRY(calve_commit__check_others(a, err));
  CALVE_TRY(calve_commit__put_added(a, err));
  CALVE_TRY(calve_commit__put_existing(a, err));
  CALVE_TRY(calve_commit__merge(a, err));

  /* Sequence numbers follow the table's last one, not the parent's: after a rollback these differ.
   * Time never runs backwards in the snapshot log. */
  calve_snapshot snapshot = {
      .snapshot_id = a->maker->snapshot_id,
      .parent_snapshot_id = a->parent ? a->parent->snapshot_id : CALVE_NO_SNAPSHOT,
      .sequence_number = base->format_version >= 2 ? base->last_sequence_number + 1 : 0,
      .timestamp_ms = now_ms > base->last_updated_ms ? now_ms : base->last_updated_ms,
      .schema_id = base->current_schema_id};
  CALVE_TRY(write_list(a, &snapshot, err));
  calve_properties summary;
  CALVE_TRY(calve_commit__summary_build(a->summary, a, operation_of(a), &summary, err));
  CALVE_TRY(calve_snapshot_set_summary(&snapshot, &summary, a->arena, err));
  return make_changes(a, &snapshot, &ref, out, err);
}

calve_status calve_commit__make(calve_commit__maker *maker, const calve_metadata *base,
                                int64_t now_ms, calve_arena *arena, calve_changes *out,
                                calve_error *err) {
  calve_commit__summary summary;
  calve_commit__attempt a = {.maker = maker, .base = base, .arena = arena, .summary = &summary};
  calve_commit__summary_init(&summary, arena, maker->target->allocator);
  calve_buffer_init(&a.bytes, maker->target->allocator);
  calve_buffer_init(&a.manifests, maker->target->allocator);
  calve_status status = build(&a, now_ms, out, err);
  calve_buffer_free(&a.manifests);
  calve_buffer_free(&a.bytes);
  calve_commit__summary_free(&summary);
  return status;
}
