/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of snapshots and refs, and the logs that follow from them. [spec: Snapshots; Snapshot
 * References; Row Lineage] */
#include "model/change_parts.h"
#include "model/reading.h"

/* The map of base serves until the first change; link makes the final one. */
static bool has_snapshot(const calve_applying *a, int64_t snapshot_id) {
  if (calve_map_get_id(&a->removed, snapshot_id)) return false;
  return calve_map_get_id(&a->added, snapshot_id) || calve_metadata_snapshot(a->base, snapshot_id);
}

static calve_status check_lineage(const calve_metadata *m, const calve_snapshot *s,
                                  calve_error *err) {
  if (s->first_row_id < 0 || s->added_rows < 0)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "snapshot %" PRId64
                      " must have first-row-id and added-rows in a table of "
                      "format version %" PRId32,
                      s->snapshot_id, m->format_version);
  if (s->first_row_id < m->next_row_id)
    return calve_fail(err, CALVE_ECONFLICT, NULL,
                      "snapshot %" PRId64 " numbers its rows from %" PRId64
                      ", but the table is at %" PRId64 " already",
                      s->snapshot_id, s->first_row_id, m->next_row_id);
  if (s->added_rows > INT64_MAX - s->first_row_id)
    return calve_fail(err, CALVE_EINVAL, NULL, "snapshot %" PRId64 " has too many rows",
                      s->snapshot_id);
  return CALVE_OK;
}

static calve_status check_sequence(const calve_metadata *m, const calve_snapshot *s,
                                   calve_error *err) {
  if (m->format_version == 1) {
    if (s->sequence_number == 0) return CALVE_OK;
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "snapshot %" PRId64
                      " has a sequence number, but the table is of format "
                      "version 1",
                      s->snapshot_id);
  }
  if (s->sequence_number > m->last_sequence_number) return CALVE_OK;
  return calve_fail(err, CALVE_ECONFLICT, NULL,
                    "snapshot %" PRId64 " has sequence number %" PRId64
                    ", but the table is at %" PRId64 " already",
                    s->snapshot_id, s->sequence_number, m->last_sequence_number);
}

calve_status calve_change__add_snapshot(calve_applying *a, const calve_change *c,
                                        calve_error *err) {
  calve_metadata *m = &a->m;
  const calve_snapshot *s = c->snapshot;
  if (s->snapshot_id < 0 || has_snapshot(a, s->snapshot_id))
    return calve_fail(err, CALVE_EINVAL, NULL, "snapshot id %" PRId64 " is %s", s->snapshot_id,
                      s->snapshot_id < 0 ? "negative" : "taken");
  CALVE_TRY(check_sequence(m, s, err));
  if (m->format_version >= 3) {
    CALVE_TRY(check_lineage(m, s, err));
    m->next_row_id = s->first_row_id + s->added_rows;
  }
  m->last_sequence_number = s->sequence_number;
  calve_snapshot *list =
      calve_change__room(a, m->snapshots, m->snapshot_count, &a->snapshot_capacity, sizeof *list);
  if (!list) return calve_fail_oom(err);
  list[m->snapshot_count++] = *s;
  m->snapshots = list;
  return calve_map_put_id(&a->added, s->snapshot_id, a, NULL, err);
}

/* ---- refs ------------------------------------------------------------------------------- */

static int64_t snapshot_time(const calve_metadata *m, int64_t snapshot_id) {
  for (size_t i = m->snapshot_count; i > 0; i--)
    if (m->snapshots[i - 1].snapshot_id == snapshot_id) return m->snapshots[i - 1].timestamp_ms;
  return 0;
}

/* main now is another snapshot. A new one became current when it was made; going back to an old
 * one happens now, not at that snapshot's time. [spec: Table Metadata, snapshot-log] */
static calve_status log_current(calve_applying *a, int64_t snapshot_id, calve_error *err) {
  calve_metadata *m = &a->m;
  m->current_snapshot_id = snapshot_id;
  int64_t time_ms =
      calve_map_get_id(&a->added, snapshot_id) ? snapshot_time(m, snapshot_id) : a->now_ms;
  if (m->snapshot_log_count) {
    int64_t last_ms = m->snapshot_log[m->snapshot_log_count - 1].timestamp_ms;
    if (last_ms > time_ms) time_ms = last_ms;
  }
  calve_snapshot_log_entry *log =
      calve_change__room(a, m->snapshot_log, m->snapshot_log_count, &a->log_capacity, sizeof *log);
  if (!log) return calve_fail_oom(err);
  log[m->snapshot_log_count++] = (calve_snapshot_log_entry){time_ms, snapshot_id};
  m->snapshot_log = log;
  return CALVE_OK;
}

static calve_status check_ref(const calve_applying *a, const calve_snapshot_ref *ref,
                              calve_error *err) {
  if (ref->name.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "a ref needs a name");
  if (!has_snapshot(a, ref->snapshot_id))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "\"%.*s\" can't be set to snapshot %" PRId64 ", which does not exist",
                      CALVE_STR_ARG(ref->name), ref->snapshot_id);
  if (ref->is_tag && calve_str_equal(ref->name, CALVE_MAIN_BRANCH))
    return calve_fail(err, CALVE_EINVAL, NULL, "main must be a branch, not a tag");
  if (ref->is_tag && (ref->min_snapshots_to_keep >= 0 || ref->max_snapshot_age_ms >= 0))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "tag \"%.*s\" can't have retention of snapshots: only branches can",
                      CALVE_STR_ARG(ref->name));
  return CALVE_OK;
}

calve_status calve_change__set_ref(calve_applying *a, const calve_change *c, calve_error *err) {
  calve_metadata *m = &a->m;
  CALVE_TRY(check_ref(a, &c->ref, err));
  size_t at = 0;
  while (at < m->ref_count && !calve_str_equal(m->refs[at].name, c->ref.name)) at++;
  calve_snapshot_ref *list =
      calve_change__room(a, m->refs, m->ref_count, &a->ref_capacity, sizeof *list);
  if (!list) return calve_fail_oom(err);
  list[at] = c->ref;
  m->refs = list;
  if (at == m->ref_count) m->ref_count++;
  if (!calve_str_equal(c->ref.name, CALVE_MAIN_BRANCH)) return CALVE_OK;
  if (m->current_snapshot_id == c->ref.snapshot_id) return CALVE_OK;
  return log_current(a, c->ref.snapshot_id, err);
}

calve_status calve_change__remove_ref(calve_applying *a, const calve_change *c, calve_error *err) {
  calve_metadata *m = &a->m;
  calve_snapshot_ref *list = CALVE_NEW_ARRAY(a->arena, calve_snapshot_ref, m->ref_count);
  if (!list) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < m->ref_count; i++)
    if (!calve_str_equal(m->refs[i].name, c->text)) list[count++] = m->refs[i];
  a->ref_capacity = m->ref_count;
  m->refs = list;
  m->ref_count = count;
  if (calve_str_equal(c->text, CALVE_MAIN_BRANCH)) m->current_snapshot_id = CALVE_NO_SNAPSHOT;
  return CALVE_OK;
}

/* ---- removing --------------------------------------------------------------------------- */

/* A ref keeps its snapshot alive: it has to be removed or moved first. */
static calve_status check_unreferenced(const calve_applying *a, calve_error *err) {
  for (size_t i = 0; i < a->m.ref_count; i++)
    if (calve_map_get_id(&a->removed, a->m.refs[i].snapshot_id))
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "snapshot %" PRId64 " can't be removed: %s \"%.*s\" points to it",
                        a->m.refs[i].snapshot_id, a->m.refs[i].is_tag ? "tag" : "branch",
                        CALVE_STR_ARG(a->m.refs[i].name));
  return CALVE_OK;
}

calve_status calve_change__remove_snapshots(calve_applying *a, const calve_change *c,
                                            calve_error *err) {
  calve_metadata *m = &a->m;
  for (size_t i = 0; i < c->count; i++)
    CALVE_TRY(calve_map_put_id(&a->removed, c->ids[i], a, NULL, err));
  CALVE_TRY(check_unreferenced(a, err));
  calve_snapshot *list = CALVE_NEW_ARRAY(a->arena, calve_snapshot, m->snapshot_count);
  if (!list) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < m->snapshot_count; i++)
    if (!calve_map_get_id(&a->removed, m->snapshots[i].snapshot_id))
      list[count++] = m->snapshots[i];
  a->snapshot_capacity = m->snapshot_count;
  m->snapshots = list;
  m->snapshot_count = count;
  CALVE_TRY(calve_metadata__drop_kept(m->statistics_json, &a->removed, a->arena,
                                      &m->statistics_json, err));
  return calve_metadata__drop_kept(m->partition_statistics_json, &a->removed, a->arena,
                                   &m->partition_statistics_json, err);
}

/* A snapshot that was current only between two changes of this list was never seen: it leaves no
 * trace. Once a snapshot is gone, what came before it in the log goes too: with a gap, time travel
 * would take an older snapshot for the one that is missing. */
calve_status calve_change__mend_log(calve_applying *a, calve_error *err) {
  calve_metadata *m = &a->m;
  if (a->removed.count == 0 && m->snapshot_log_count <= a->base->snapshot_log_count + 1)
    return CALVE_OK;
  calve_snapshot_log_entry *log =
      CALVE_NEW_ARRAY(a->arena, calve_snapshot_log_entry, m->snapshot_log_count);
  if (!log) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < m->snapshot_log_count; i++) {
    int64_t id = m->snapshot_log[i].snapshot_id;
    bool never_seen = calve_map_get_id(&a->added, id) && id != m->current_snapshot_id;
    if (a->removed.count && !has_snapshot(a, id))
      count = 0;
    else if (!never_seen)
      log[count++] = m->snapshot_log[i];
  }
  m->snapshot_log = log;
  m->snapshot_log_count = count;
  return CALVE_OK;
}
