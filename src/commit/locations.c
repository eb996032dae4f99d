/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/locations.h"

#include "store/path.h"

/* Newest name first; the last is the metadata's. */
static const char *const path_keys[] = {"write.data.path", "write.folder-storage.path",
                                        "write.object-storage.path", "write.metadata.path"};
enum { DATA_KEYS = 3, ALL_KEYS = 4 };
_Static_assert(ALL_KEYS + 1 == CALVE_OWN_FOLDERS_MAX, "a folder for each key, and the location");

static calve_status folder(const calve_metadata *m, const char *const *keys, size_t key_count,
                           const char *below, calve_arena *arena, calve_str *out,
                           calve_error *err) {
  for (size_t i = 0; i < key_count; i++) {
    calve_str path = calve_properties_get(&m->properties, keys[i]);
    while (path.size > 1 && path.data[path.size - 1] == '/') path.size--;
    if (path.size > 0) return calve_arena_str(arena, path, out, err);
  }
  return calve_path_join(m->location, below, arena, out, err);
}

calve_status calve_data_folder(const calve_metadata *m, calve_arena *arena, calve_str *out,
                               calve_error *err) {
  return folder(m, path_keys, DATA_KEYS, "data", arena, out, err);
}

calve_status calve_metadata_folder(const calve_metadata *m, calve_arena *arena, calve_str *out,
                                   calve_error *err) {
  return folder(m, path_keys + DATA_KEYS, ALL_KEYS - DATA_KEYS, "metadata", arena, out, err);
}

size_t calve_own_folders(const calve_metadata *m, calve_str out[CALVE_OWN_FOLDERS_MAX]) {
  size_t count = 0;
  out[count++] = m->location;
  for (size_t i = 0; i < ALL_KEYS; i++) {
    calve_str path = calve_properties_get(&m->properties, path_keys[i]);
    if (path.size > 0) out[count++] = path;
  }
  return count;
}
