/* SPDX-License-Identifier: Apache-2.0 */
#include "store/guard.h"

#include <string.h>

#include "base/text.h"
#include "store/local.h"

typedef calve_status (*with_place)(calve_guard_store *guard, const char *place, void *args,
                                   calve_error *err);

/* Calls `then` with the place that path stands for. The arena lives during the call only. */
static calve_status at_place(void *ctx, const char *path, with_place then, void *args,
                             calve_error *err) {
  calve_guard_store *guard = ctx;
  calve_arena scratch;
  calve_arena_init(&scratch, guard->allocator);
  calve_str place;
  calve_status status =
      calve_path_resolve(&guard->rules, calve_str_of(path), &scratch, &place, err);
  if (status == CALVE_OK) status = then(guard, place.data, args, err);
  calve_arena_free(&scratch);
  return status;
}

static calve_status mapped_root(const calve_guard_store *guard, calve_str root,
                                calve_arena *scratch, calve_str *out, calve_error *err) {
  calve_path_rules rules = guard->rules;
  rules.confined = rules.absolute = false;
  return calve_path_resolve(&rules, root, scratch, out, err);
}

/* The place of a file that a table's metadata names. A table whose metadata puts it at "/" owns
 * nothing by that. */
static calve_status place_to_open(const calve_guard_store *guard, calve_str path,
                                  calve_arena *scratch, calve_str *out, calve_error *err) {
  calve_path_rules rules = guard->rules;
  calve_str *roots =
      CALVE_NEW_ARRAY(scratch, calve_str, rules.root_count + guard->open_root_count);
  if (!roots) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < rules.root_count; i++) roots[count++] = rules.roots[i];
  for (size_t i = 0; i < guard->open_root_count; i++) {
    if (guard->open_roots[i].size == 0) continue;
    CALVE_TRY(mapped_root(guard, guard->open_roots[i], scratch, &roots[count], err));
    if (!calve_path_equal(roots[count], CALVE_STR("/"))) count++;
  }
  rules.confined = true;
  rules.roots = roots;
  rules.root_count = count;
  return calve_path_resolve(&rules, path, scratch, out, err);
}

static calve_status guard_open(void *ctx, const char *path, void **file, int64_t *size_bytes,
                               calve_error *err) {
  const calve_guard_store *guard = ctx;
  calve_arena scratch;
  calve_str place = {0};
  calve_arena_init(&scratch, guard->allocator);
  calve_str asked = calve_str_of(path);
  calve_status status = guard->opens_below_roots
                            ? place_to_open(guard, asked, &scratch, &place, err)
                            : calve_path_resolve(&guard->rules, asked, &scratch, &place, err);
  if (status == CALVE_OK)
    status = guard->inner->open(guard->inner->ctx, place.data, file, size_bytes, err);
  if (status == CALVE_ENOTFOUND && guard->is_table)
    status = calve_fail(err, CALVE_ECORRUPT, place.data,
                        "the file is missing, but the table names it (if it was moved: "
                        "--map-prefix OLD=NEW)");
  calve_arena_free(&scratch);
  return status;
}

static calve_status guard_pread(void *ctx, void *file, void *out, size_t size_bytes,
                                int64_t offset, calve_error *err) {
  const calve_store *inner = ((calve_guard_store *)ctx)->inner;
  return inner->pread(inner->ctx, file, out, size_bytes, offset, err);
}

static void guard_close(void *ctx, void *file) {
  const calve_store *inner = ((calve_guard_store *)ctx)->inner;
  inner->close(inner->ctx, file);
}

static calve_status create_there(calve_guard_store *guard, const char *place, void *args,
                                 calve_error *err) {
  calve_str *bytes = args;
  return guard->inner->create(guard->inner->ctx, place, bytes->data, bytes->size, err);
}

static calve_status guard_create(void *ctx, const char *path, const void *bytes,
                                 size_t size_bytes, calve_error *err) {
  return at_place(ctx, path, create_there, &(calve_str){bytes, size_bytes}, err);
}

static calve_status replace_there(calve_guard_store *guard, const char *place, void *args,
                                  calve_error *err) {
  calve_str *bytes = args;
  return guard->inner->replace(guard->inner->ctx, place, bytes->data, bytes->size, err);
}

static calve_status guard_replace(void *ctx, const char *path, const void *bytes,
                                  size_t size_bytes, calve_error *err) {
  return at_place(ctx, path, replace_there, &(calve_str){bytes, size_bytes}, err);
}

static calve_status stat_there(calve_guard_store *guard, const char *place, void *args,
                               calve_error *err) {
  return guard->inner->stat(guard->inner->ctx, place, args, err);
}

static calve_status guard_stat(void *ctx, const char *path, calve_store_entry *entry,
                               calve_error *err) {
  return at_place(ctx, path, stat_there, entry, err);
}

typedef struct list_args {
  calve_store_visit visit;
  void *visit_ctx;
} list_args;

static calve_status list_there(calve_guard_store *guard, const char *place, void *args,
                               calve_error *err) {
  list_args *a = args;
  return guard->inner->list(guard->inner->ctx, place, a->visit, a->visit_ctx, err);
}

static calve_status guard_list(void *ctx, const char *folder, calve_store_visit visit,
                               void *visit_ctx, calve_error *err) {
  return at_place(ctx, folder, list_there, &(list_args){visit, visit_ctx}, err);
}

/* args: the root that it lies below. Folders of partitions go with their last file. */
static calve_status remove_there(calve_guard_store *guard, const char *place, void *args,
                                 calve_error *err) {
  const calve_str *root = args;
  CALVE_TRY(guard->inner->remove(guard->inner->ctx, place, err));
  if (guard->inner == calve_local_store()) calve_local_remove_empty(calve_str_of(place), *root);
  return CALVE_OK;
}

/* A path that was listed is spelled as the store spells it, behind the mapping: both are tried. */
static calve_status guard_remove(void *ctx, const char *path, calve_error *err) {
  calve_guard_store *guard = ctx;
  for (size_t i = 0; i < guard->delete_root_count; i++) {
    calve_path_rules rules = guard->rules;
    calve_arena scratch;
    calve_arena_init(&scratch, guard->allocator);
    calve_str root, place;
    calve_status status = mapped_root(guard, guard->delete_roots[i], &scratch, &root, err);
    rules.confined = true;
    rules.roots = &root;
    rules.root_count = 1;
    /* A table whose metadata puts it at "/" owns nothing by that. */
    if (status == CALVE_OK && calve_path_equal(root, CALVE_STR("/"))) status = CALVE_EDENIED;
    if (status == CALVE_OK)
      status = calve_path_resolve(&rules, calve_str_of(path), &scratch, &place, NULL);
    bool own = status == CALVE_OK;
    if (own) status = at_place(ctx, path, remove_there, &root, err);
    calve_arena_free(&scratch);
    if (own) return status;
    if (status == CALVE_ENOMEM) return calve_fail_oom(err); /* says nothing about the path */
  }
  return calve_fail(err, CALVE_EDENIED, path,
                    "only files below the table's location and its write paths may be removed");
}

void calve_guard_store_confine(calve_guard_store *guard, const calve_str *open_roots,
                               size_t open_root_count) {
  guard->is_table = true;
  guard->opens_below_roots = true;
  guard->open_roots = open_roots;
  guard->open_root_count = open_root_count;
}

void calve_guard_store_init(calve_guard_store *guard, const calve_store *inner,
                            const calve_path_rules *rules, const calve_str *delete_roots,
                            size_t delete_root_count, const calve_allocator *allocator) {
  *guard = (calve_guard_store){.inner = inner,
                               .rules = *rules,
                               .delete_roots = delete_roots,
                               .delete_root_count = delete_root_count,
                               .allocator = allocator};
  guard->store = (calve_store){.struct_size = sizeof(calve_store),
                               .ctx = guard,
                               .open = guard_open,
                               .pread = guard_pread,
                               .close = guard_close,
                               .create = guard_create,
                               .replace = guard_replace,
                               .stat = guard_stat,
                               .list = guard_list,
                               .remove = guard_remove};
}
