/* SPDX-License-Identifier: Apache-2.0 */
/* Where the metadata of a table in a catalog may lie. The catalog is the user's, and so is the
 * metadata file that it names; what that file names in turn may come from a stranger. */
#include "base/text.h"
#include "catalog/backend.h"

calve_str calve_catalog__folder_of_file(calve_str file) {
  calve_str folder = file;
  folder.size -= calve_path_file_name(folder).size;
  while (folder.size > 0 && folder.data[folder.size - 1] == '/') folder.size--;
  if (!calve_str_equal(calve_path_file_name(folder), CALVE_STR("metadata"))) return folder;
  folder.size -= sizeof "metadata" - 1;
  while (folder.size > 0 && folder.data[folder.size - 1] == '/') folder.size--;
  return folder;
}

/* Once each; what there is no room for is left out. */
static void add(calve_catalog__roots *roots, calve_str folder) {
  if (folder.size == 0 || roots->count == CALVE_TABLE_ROOTS_MAX) return;
  for (size_t i = 0; i < roots->count; i++)
    if (calve_path_inside(folder, roots->items[i])) return;
  roots->items[roots->count++] = folder;
}

void calve_catalog__table_roots(const calve_catalog *c, const calve_metadata *m,
                                calve_str metadata_location, calve_catalog__roots *out) {
  calve_str own[CALVE_OWN_FOLDERS_MAX];
  size_t own_count = calve_own_folders(m, own);
  out->count = 0;
  add(out, c->warehouse);
  for (size_t i = 0; i < own_count; i++) add(out, own[i]);
  add(out, calve_catalog__folder_of_file(metadata_location));
  /* A table that was given another location, or path of metadata, left its older manifests where
   * they were. The newest entries count when there are many. */
  for (size_t i = m->metadata_log_count; i > 0; i--)
    add(out, calve_catalog__folder_of_file(m->metadata_log[i - 1].metadata_file));
}

void calve_catalog__guard_table(const calve_catalog *c, const calve_catalog__roots *roots,
                                calve_guard_store *out) {
  calve_guard_store_init(out, c->inner, &c->table_rules, NULL, 0, c->allocator);
  calve_guard_store_confine(out, roots->items, roots->count);
}
