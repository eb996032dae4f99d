/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/snapshot_update.h"

#include "commit/update_parts.h"
#include "store/path.h"

calve_status calve_snapshot_update_make(const calve_allocator *allocator,
                                        calve_snapshot_update **out, calve_error *err) {
  if (!allocator) allocator = calve_default_allocator();
  calve_snapshot_update *u = allocator->resize(allocator->ctx, NULL, 0, sizeof *u);
  if (!u) return calve_fail_oom(err);
  *u = (calve_snapshot_update){.allocator = allocator};
  calve_arena_init(&u->arena, allocator);
  calve_buffer_init(&u->added, allocator);
  calve_buffer_init(&u->removed, allocator);
  calve_buffer_init(&u->summary, allocator);
  calve_map_init(&u->added_keys, &u->arena);
  calve_map_init(&u->removed_keys, &u->arena);
  *out = u;
  return CALVE_OK;
}

void calve_snapshot_update_free(calve_snapshot_update *u) {
  if (!u) return;
  const calve_allocator *allocator = u->allocator;
  calve_buffer_free(&u->added);
  calve_buffer_free(&u->removed);
  calve_buffer_free(&u->summary);
  calve_arena_free(&u->arena);
  allocator->resize(allocator->ctx, u, sizeof *u, 0);
}

/* A deletion vector shares its Puffin file with others: its key is that file and the data file it
 * is for. [spec: Deletion Vectors] */
static calve_status key_of(calve_snapshot_update *u, const calve_data_file *file, calve_str *out,
                           calve_error *err) {
  calve_str key, target;
  CALVE_TRY(calve_path_key(file->path, &u->arena, &key, err));
  *out = key;
  if (!calve_data_file_is_deletion_vector(file) || !file->referenced_data_file.data)
    return CALVE_OK;
  CALVE_TRY(calve_path_key(file->referenced_data_file, &u->arena, &target, err));
  return calve_arena_printf(&u->arena, out, err, "%s\n%s", key.data, target.data);
}

calve_status calve_snapshot_update_add(calve_snapshot_update *u, const calve_data_file *file,
                                       calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(file->path, c_path, err));
  if (file->record_count < 0 || file->file_size_bytes < 0)
    return calve_fail(err, CALVE_EINVAL, c_path,
                      "the file's record needs a record count and a size, at least 0 each");
  if (file->content < CALVE_CONTENT_DATA || file->content > CALVE_CONTENT_EQUALITY_DELETES)
    return calve_fail(err, CALVE_EINVAL, c_path, "the file's content %d is not known",
                      file->content);
  calve_data_file *copy = CALVE_NEW(&u->arena, calve_data_file);
  if (!copy) return calve_fail_oom(err);
  CALVE_TRY(calve_data_file_copy(file, &u->arena, copy, err));
  calve_str key;
  CALVE_TRY(key_of(u, copy, &key, err));
  if (calve_map_get_str(&u->added_keys, key))
    return calve_fail(err, CALVE_EINVAL, c_path, "the file is added twice");
  CALVE_TRY(calve_map_put_str(&u->added_keys, key, copy, NULL, err));
  calve_buffer_put(&u->added, copy, sizeof *copy);
  return calve_buffer_check(&u->added, err);
}

calve_status calve_snapshot_update_remove(calve_snapshot_update *u, calve_str path,
                                          int32_t spec_id, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  calve_commit__removal *removal = CALVE_NEW(&u->arena, calve_commit__removal);
  if (!removal) return calve_fail_oom(err);
  removal->spec_id = spec_id;
  CALVE_TRY(calve_arena_str(&u->arena, path, &removal->path, err));
  CALVE_TRY(calve_path_key(path, &u->arena, &removal->key, err));
  if (calve_map_get_str(&u->removed_keys, removal->key)) return CALVE_OK;
  CALVE_TRY(calve_map_put_str(&u->removed_keys, removal->key, removal, NULL, err));
  calve_buffer_put(&u->removed, removal, sizeof *removal);
  return calve_buffer_check(&u->removed, err);
}

calve_status calve_snapshot_update_remove_matching(calve_snapshot_update *u,
                                                   const calve_predicate *filter,
                                                   calve_error *err) {
  if (!u->filter) {
    u->filter = filter;
    return CALVE_OK;
  }
  const calve_predicate *const both[] = {u->filter, filter};
  return calve_predicate_or(both, 2, &u->arena, &u->filter, err);
}

void calve_snapshot_update_replace_partitions(calve_snapshot_update *u) {
  u->replace_partitions = true;
}

calve_status calve_snapshot_update_branch(calve_snapshot_update *u, calve_str name,
                                          calve_error *err) {
  if (name.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "a branch needs a name");
  return calve_arena_str(&u->arena, name, &u->branch, err);
}

calve_status calve_snapshot_update_summary(calve_snapshot_update *u, calve_str key,
                                           calve_str value, calve_error *err) {
  calve_property property;
  CALVE_TRY(calve_arena_str(&u->arena, key, &property.key, err));
  CALVE_TRY(calve_arena_str(&u->arena, value, &property.value, err));
  calve_buffer_put(&u->summary, &property, sizeof property);
  return calve_buffer_check(&u->summary, err);
}

void calve_snapshot_update_check(calve_snapshot_update *u, const calve_commit_checks *checks) {
  u->checks = *checks;
}
