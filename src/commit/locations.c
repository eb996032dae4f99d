/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/locations.h"

#include "store/path.h"

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
  static const char *const keys[] = {"write.data.path", "write.folder-storage.path",
                                     "write.object-storage.path"};
  return folder(m, keys, 3, "data", arena, out, err);
}

calve_status calve_metadata_folder(const calve_metadata *m, calve_arena *arena, calve_str *out,
                                   calve_error *err) {
  static const char *const keys[] = {"write.metadata.path"};
  return folder(m, keys, 1, "metadata", arena, out, err);
}
