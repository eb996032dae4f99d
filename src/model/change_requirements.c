/* SPDX-License-Identifier: Apache-2.0 */
#include "model/change.h"
#include "model/reading.h"

static calve_status conflict_id(calve_error *err, const char *what, int64_t wanted, int64_t is) {
  return calve_fail(err, CALVE_ECONFLICT, NULL,
                    "the table was changed meanwhile: its %s is %" PRId64 ", expected %" PRId64,
                    what, is, wanted);
}

static calve_status check_id(int64_t wanted, int64_t is, const char *what, calve_error *err) {
  return wanted == is ? CALVE_OK : conflict_id(err, what, wanted, is);
}

static calve_status check_ref(const calve_requirement *r, const calve_metadata *base,
                              calve_error *err) {
  const calve_snapshot_ref *ref = calve_metadata_ref(base, r->text);
  int64_t is = ref ? ref->snapshot_id : CALVE_NO_SNAPSHOT;
  if (is == r->id) return CALVE_OK;
  if (r->id == CALVE_NO_SNAPSHOT)
    return calve_fail(err, CALVE_ECONFLICT, NULL, "ref \"%.*s\" was created meanwhile",
                      CALVE_STR_ARG(r->text));
  if (!ref)
    return calve_fail(err, CALVE_ECONFLICT, NULL, "ref \"%.*s\" was removed meanwhile",
                      CALVE_STR_ARG(r->text));
  return calve_fail(err, CALVE_ECONFLICT, NULL,
                    "ref \"%.*s\" was moved meanwhile: it is at snapshot %" PRId64
                    ", expected %" PRId64,
                    CALVE_STR_ARG(r->text), is, r->id);
}

static calve_status check_one(const calve_requirement *r, const calve_metadata *base,
                              calve_error *err) {
  if (r->kind == CALVE_REQUIRE_CREATE)
    return base ? calve_fail(err, CALVE_ECONFLICT, NULL, "the table exists already") : CALVE_OK;
  if (!base) return calve_fail(err, CALVE_ECONFLICT, NULL, "the table does not exist any more");
  switch (r->kind) {
    case CALVE_REQUIRE_CREATE:
      break;
    case CALVE_REQUIRE_UUID:
      if (calve_str_equal_nocase(r->text, base->table_uuid)) return CALVE_OK;
      return calve_fail(err, CALVE_ECONFLICT, NULL,
                        "the table was replaced meanwhile: its uuid is %.*s, expected %.*s",
                        CALVE_STR_ARG(base->table_uuid), CALVE_STR_ARG(r->text));
    case CALVE_REQUIRE_REF_SNAPSHOT_ID:
      return check_ref(r, base, err);
    case CALVE_REQUIRE_LAST_FIELD_ID:
      return check_id(r->id, base->last_column_id, "last column id", err);
    case CALVE_REQUIRE_CURRENT_SCHEMA_ID:
      return check_id(r->id, base->current_schema_id, "current schema id", err);
    case CALVE_REQUIRE_LAST_PARTITION_ID:
      return check_id(r->id, base->last_partition_id, "last partition field id", err);
    case CALVE_REQUIRE_DEFAULT_SPEC_ID:
      return check_id(r->id, base->default_spec_id, "default partition spec id", err);
    case CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID:
      return check_id(r->id, base->default_sort_order_id, "default sort order id", err);
  }
  return calve_fail(err, CALVE_EINVAL, NULL, "unknown kind of requirement: %d", (int)r->kind);
}

calve_status calve_requirements_check(const calve_changes *changes, const calve_metadata *base,
                                      calve_error *err) {
  for (size_t i = 0; i < changes->requirement_count; i++)
    CALVE_TRY(check_one(&changes->requirements[i], base, err));
  return CALVE_OK;
}
