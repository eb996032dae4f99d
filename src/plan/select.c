/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/calendar.h"
#include "base/text.h"
#include "plan/scan.h"

static calve_status select_ref(const calve_metadata *metadata, calve_str name,
                               const calve_snapshot **snapshot, const calve_schema **schema,
                               calve_error *err) {
  const calve_snapshot_ref *ref = calve_metadata_ref(metadata, name);
  if (!ref && calve_str_equal(name, CALVE_STR("main"))) { /* a table without snapshot           */
    *snapshot = NULL;
    *schema = metadata->schema;
    return CALVE_OK;
  }
  if (!ref) {
    return calve_fail(err, CALVE_ENOTFOUND, NULL, "the table has no branch or tag \"%.*s\"",
                      CALVE_STR_ARG(name));
  }
  const calve_snapshot *s = calve_metadata_snapshot(metadata, ref->snapshot_id);
  if (!s) {
    return calve_fail(err, CALVE_ECORRUPT, NULL,
                      "\"%.*s\" names snapshot %" PRId64 ", which is not in the metadata",
                      CALVE_STR_ARG(name), ref->snapshot_id);
  }
  *snapshot = s;
  /* A branch is written to and read with today's columns, a tag is a point in the past. */
  *schema = ref->is_tag ? calve_metadata_snapshot_schema(metadata, s) : metadata->schema;
  return CALVE_OK;
}

calve_status calve_scan_select(const calve_metadata *metadata, calve_scan_at at,
                               int64_t snapshot_id, int64_t timestamp_ms, calve_str ref,
                               const calve_snapshot **snapshot, const calve_schema **schema,
                               calve_error *err) {
  const calve_snapshot *s = NULL;
  switch (at) {
    case CALVE_SCAN_CURRENT:
      *snapshot = calve_metadata_current_snapshot(metadata);
      *schema = metadata->schema;
      return CALVE_OK;
    case CALVE_SCAN_REF:
      return select_ref(metadata, ref, snapshot, schema, err);
    case CALVE_SCAN_SNAPSHOT:
      s = calve_metadata_snapshot(metadata, snapshot_id);
      if (!s) {
        return calve_fail(err, CALVE_ENOTFOUND, NULL, "the table has no snapshot %" PRId64,
                          snapshot_id);
      }
      break;
    case CALVE_SCAN_TIMESTAMP:
      CALVE_TRY(calve_metadata_snapshot_at(metadata, timestamp_ms, &s, err));
      break;
  }
  *snapshot = s;
  *schema = calve_metadata_snapshot_schema(metadata, s);
  return CALVE_OK;
}
