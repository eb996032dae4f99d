/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/property_update.h"

#include "model/name_mapping.h"
#include "model/reading.h"

static calve_status check_key(calve_str key, calve_error *err) {
  if (key.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "a property needs a name");
  if (!calve_property_is_reserved(key)) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, NULL,
                    "property \"%.*s\" is reserved: the table's metadata says it by other means",
                    CALVE_STR_ARG(key));
}

/* A mapping that can't be read would make files without ids unreadable, so it is refused here. */
static calve_status check_value(const calve_property *p, calve_arena *arena, calve_error *err) {
  if (!CALVE_KEY_IS(p->key, "schema.name-mapping.default")) return CALVE_OK;
  const calve_name_mapping *mapping;
  calve_status status = calve_name_mapping_parse(p->value, arena, &mapping, err);
  if (status != CALVE_ECORRUPT) return status;
  if (err) err->code = CALVE_EINVAL;
  return CALVE_EINVAL;
}

static calve_status read_version(const calve_metadata *base, calve_str text, int64_t *out,
                                 calve_error *err) {
  if (!calve_str_to_i64(text, out))
    return calve_fail(err, CALVE_EINVAL, "format-version", "\"%.*s\" is no number",
                      CALVE_STR_ARG(text));
  if (*out < base->format_version)
    return calve_fail(err, CALVE_EINVAL, "format-version",
                      "the table has format version %" PRId32 ": it can't go back to %" PRId64,
                      base->format_version, *out);
  if (*out > CALVE_FORMAT_VERSION_MAX)
    return calve_fail(err, CALVE_EUNSUPPORTED, "format-version",
                      "%" PRId64 " is newer than this library writes (up to %d)", *out,
                      CALVE_FORMAT_VERSION_MAX);
  return CALVE_OK;
}

static bool is_in(const calve_str *keys, size_t count, calve_str key) {
  for (size_t i = 0; i < count; i++)
    if (calve_str_equal(keys[i], key)) return true;
  return false;
}

typedef struct wishes {
  int64_t version;
  calve_property *set;
  size_t set_count;
  calve_str *unset;
  size_t unset_count;
} wishes;

/* What is set to the value it has, or unset without being there, is no change. */
static calve_status collect(const calve_metadata *base, const calve_properties *set,
                            const calve_str *unset, size_t unset_count, calve_arena *arena,
                            wishes *out, calve_error *err) {
  calve_map old;
  calve_map_init(&old, arena);
  for (size_t i = 0; i < base->properties.count; i++)
    CALVE_TRY(calve_map_put_str(&old, base->properties.items[i].key,
                                (void *)(uintptr_t)&base->properties.items[i], NULL, err));
  for (size_t i = 0; i < set->count; i++) {
    const calve_property *p = &set->items[i];
    if (CALVE_KEY_IS(p->key, "format-version")) {
      CALVE_TRY(read_version(base, p->value, &out->version, err));
      continue;
    }
    CALVE_TRY(check_key(p->key, err));
    CALVE_TRY(check_value(p, arena, err));
    if (is_in(unset, unset_count, p->key))
      return calve_fail(err, CALVE_EINVAL, NULL, "property \"%.*s\" is both set and unset",
                        CALVE_STR_ARG(p->key));
    const calve_property *was = calve_map_get_str(&old, p->key);
    if (!was || !calve_str_equal(was->value, p->value)) out->set[out->set_count++] = *p;
  }
  for (size_t i = 0; i < unset_count; i++) {
    CALVE_TRY(check_key(unset[i], err));
    if (calve_map_get_str(&old, unset[i])) out->unset[out->unset_count++] = unset[i];
  }
  return CALVE_OK;
}

calve_status calve_property_update_apply(const calve_metadata *base, const calve_properties *set,
                                         const calve_str *unset, size_t unset_count,
                                         calve_arena *arena, calve_changes *out, calve_error *err) {
  enum { CHANGES_MAX = 3, REQUIREMENTS_MAX = 1 };
  static const calve_properties nothing = {0};
  if (!set) set = &nothing;
  wishes w = {.version = base->format_version,
              .set = CALVE_NEW_ARRAY(arena, calve_property, set->count),
              .unset = CALVE_NEW_ARRAY(arena, calve_str, unset_count)};
  calve_change *changes = CALVE_NEW_ARRAY(arena, calve_change, CHANGES_MAX);
  calve_requirement *requirements = CALVE_NEW_ARRAY(arena, calve_requirement, REQUIREMENTS_MAX);
  if (!w.set || !w.unset || !changes || !requirements) return calve_fail_oom(err);
  CALVE_TRY(collect(base, set, unset, unset_count, arena, &w, err));
  size_t n = 0, r = 0;
  if (w.version != base->format_version)
    changes[n++] = (calve_change){.kind = CALVE_UPGRADE_FORMAT_VERSION, .id = w.version};
  if (w.set_count)
    changes[n++] = (calve_change){.kind = CALVE_SET_PROPERTIES, .properties = {w.set, w.set_count}};
  if (w.unset_count)
    changes[n++] =
        (calve_change){.kind = CALVE_REMOVE_PROPERTIES, .keys = w.unset, .count = w.unset_count};
  if (n && base->table_uuid.data)
    requirements[r++] = (calve_requirement){.kind = CALVE_REQUIRE_UUID, .text = base->table_uuid};
  *out = (calve_changes){n, changes, r, requirements};
  return CALVE_OK;
}
