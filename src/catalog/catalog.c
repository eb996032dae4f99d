/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/calendar.h"
#include "base/text.h"
#include "catalog/backend.h"
#include "catalog/config.h"
#include "commit/reachable.h"
#include "store/local.h"

/* ---- opening ---- */

static int64_t system_now_ms(void *ctx) {
  (void)ctx;
  return calve_now_ms();
}

static void nap_ms(int64_t ms) {
  struct timespec wait = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  while (nanosleep(&wait, &wait) != 0) continue; /* a signal; the rest is in wait */
}

static bool system_sleep_ms(void *ctx, int64_t ms) {
  (void)ctx;
  nap_ms(ms);
  return true;
}

/* Until it is cancelled. */
static bool own_sleep_ms(void *ctx, int64_t ms) {
  const calve_catalog *c = ctx;
  for (int64_t left = ms; left > 0 && !calve_cancel_is_set(c->cancel); left -= 50)
    nap_ms(left < 50 ? left : 50);
  return !calve_cancel_is_set(c->cancel);
}

static calve_status copy_properties(calve_catalog *c, const calve_properties *from,
                                    calve_error *err) {
  calve_property *items = CALVE_NEW_ARRAY(&c->arena, calve_property, from->count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < from->count; i++) {
    CALVE_TRY(calve_arena_str(&c->arena, from->items[i].key, &items[i].key, err));
    CALVE_TRY(calve_arena_str(&c->arena, from->items[i].value, &items[i].value, err));
  }
  c->properties = (calve_properties){items, from->count};
  return CALVE_OK;
}

static calve_status copy_rules(calve_catalog *c, const calve_catalog_options *o,
                               calve_error *err) {
  calve_path_map *maps = CALVE_NEW_ARRAY(&c->arena, calve_path_map, o->map_count);
  if (!maps) return calve_fail_oom(err);
  for (size_t i = 0; i < o->map_count; i++) {
    CALVE_TRY(calve_arena_str(&c->arena, o->maps[i].from, &maps[i].from, err));
    CALVE_TRY(calve_arena_str(&c->arena, o->maps[i].to, &maps[i].to, err));
  }
  calve_str given = calve_properties_get(&c->properties, "allow-root");
  calve_str *roots = CALVE_NEW_ARRAY(&c->arena, calve_str, o->root_count + 1);
  if (!roots) return calve_fail_oom(err);
  size_t root_count = 0;
  for (size_t i = 0; i < o->root_count; i++)
    CALVE_TRY(calve_path_own(o->roots[i], &c->arena, &roots[root_count++], err));
  if (given.size > 0) CALVE_TRY(calve_path_own(given, &c->arena, &roots[root_count++], err));
  c->rules = (calve_path_rules){.maps = maps, .map_count = o->map_count};
  c->table_rules = c->rules;
  c->table_rules.absolute = true;
  c->table_rules.roots = roots;
  c->table_rules.root_count = root_count;
  calve_guard_store_init(&c->guard, c->inner, &c->rules, NULL, 0, c->allocator);
  calve_guard_store_init(&c->table_guard, c->inner, &c->rules, NULL, 0, c->allocator);
  c->table_guard.is_table = true;
  return CALVE_OK;
}

static calve_status open_backend(calve_catalog *c, calve_error *err) {
  calve_str type = calve_properties_get(&c->properties, "type");
  if (type.size == 0 || calve_str_equal_nocase(type, CALVE_STR("sql")) ||
      calve_str_equal_nocase(type, CALVE_STR("jdbc")))
    return calve_catalog__open_sql(c, err);
  if (calve_str_equal_nocase(type, CALVE_STR("filesystem")) ||
      calve_str_equal_nocase(type, CALVE_STR("hadoop")))
    return calve_catalog__open_filesystem(c, err);
  return calve_fail(err, CALVE_EUNSUPPORTED, "type",
                    "catalogs of type \"%.*s\" are not supported; sql and filesystem are",
                    CALVE_STR_ARG(type));
}

static calve_status set_up(calve_catalog *c, const calve_catalog_options *o, calve_error *err) {
  c->inner = o->store ? o->store : calve_local_store();
  CALVE_TRY(calve_store_check(c->inner, err));
  c->clock = o->clock;
  if (!c->clock.now_ms && !c->clock.sleep_ms)
    c->clock = (calve_commit_clock){.ctx = c, .sleep_ms = own_sleep_ms};
  if (!c->clock.now_ms) c->clock.now_ms = system_now_ms;
  if (!c->clock.sleep_ms) c->clock.sleep_ms = system_sleep_ms;
  c->read_only = o->read_only;
  CALVE_TRY(copy_properties(c, &o->properties, err));
  CALVE_TRY(copy_rules(c, o, err));
  calve_str name = o->name.data ? o->name : calve_properties_get(&c->properties, "name");
  CALVE_TRY(calve_arena_str(&c->arena, name.size ? name : CALVE_STR("calve"), &c->name, err));
  calve_str warehouse = calve_properties_get(&c->properties, "warehouse");
  if (warehouse.size > 0) CALVE_TRY(calve_path_own(warehouse, &c->arena, &c->warehouse, err));
  return open_backend(c, err);
}

calve_status calve_catalog_open_options(const calve_catalog_options *options, calve_catalog **out,
                                        calve_error *err) {
  const calve_allocator *allocator =
      options->allocator ? options->allocator : calve_default_allocator();
  calve_catalog *c = allocator->resize(allocator->ctx, NULL, 0, sizeof *c);
  if (!c) return calve_fail_oom(err);
  memset(c, 0, sizeof *c);
  c->allocator = allocator;
  calve_arena_init(&c->arena, allocator);
  calve_status status = set_up(c, options, err);
  if (status != CALVE_OK) {
    calve_catalog_close(c);
    return status;
  }
  *out = c;
  return CALVE_OK;
}

void calve_catalog_close(calve_catalog *c) {
  if (!c) return;
  if (c->backend) c->backend->close(c);
  const calve_allocator *allocator = c->allocator;
  calve_arena_free(&c->arena);
  allocator->resize(allocator->ctx, c, sizeof *c, 0);
}

calve_str calve_catalog_name(const calve_catalog *c) {
  return c->name;
}

const calve_allocator *calve_catalog_allocator(const calve_catalog *c) {
  return c->allocator;
}

const calve_store *calve_catalog_store(const calve_catalog *c) {
  return &c->guard.store;
}

void calve_catalog_set_cancel(calve_catalog *c, const calve_cancel *cancel) {
  c->cancel = cancel;
}

calve_status calve_catalog_others(calve_catalog *c, calve_arena *arena, calve_str *out,
                                  calve_error *err) {
  *out = CALVE_STR("");
  return c->backend->others ? c->backend->others(c, arena, out, err) : CALVE_OK;
}

/* ---- names ---- */

static calve_status check_writable(const calve_catalog *c, calve_error *err) {
  if (!c->read_only) return CALVE_OK;
  return calve_fail(err, CALVE_EDENIED, c->name.data, "the catalog was opened for reading only");
}

static calve_status check_space(const calve_namespace *space, calve_error *err) {
  if (space->count == 0 || space->count > CALVE_NAMESPACE_LEVELS_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a namespace has 1 to %d levels",
                      CALVE_NAMESPACE_LEVELS_MAX);
  for (size_t i = 0; i < space->count; i++)
    if (space->levels[i].size == 0)
      return calve_fail(err, CALVE_EINVAL, NULL, "a level of the namespace's name is empty");
  return CALVE_OK;
}

static calve_status check_name(const calve_table_name *name, calve_error *err) {
  CALVE_TRY(check_space(&name->space, err));
  if (name->name.size > 0 && calve_utf8_valid(name->name)) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, NULL, "the table's name is empty or no valid UTF-8");
}

/* The name of a namespace beside one that does not exist, when it is near; else absent. */
static calve_str near_space(calve_catalog *c, const calve_namespace *space, calve_arena *arena) {
  const calve_namespace parent = {space->levels, space->count ? space->count - 1 : 0};
  calve_error ignored;
  calve_buffer found;
  calve_str near = {0};
  bool exists = true;
  if (space->count == 0 ||
      c->backend->namespace_exists(c, space, &exists, &ignored) != CALVE_OK || exists)
    return near;
  calve_buffer_init(&found, c->allocator);
  if (c->backend->list_namespaces(c, parent.count ? &parent : NULL, arena, &found, &ignored) ==
          CALVE_OK &&
      calve_buffer_check(&found, &ignored) == CALVE_OK)
    near = calve_nearest_name(space->levels[space->count - 1], CALVE_ITEMS(&found, calve_str),
                              CALVE_COUNT(&found, calve_str));
  calve_buffer_free(&found);
  return near;
}

static calve_status require_space(calve_catalog *c, const calve_namespace *space,
                                  calve_error *err) {
  bool exists = false;
  CALVE_TRY(c->backend->namespace_exists(c, space, &exists, err));
  if (exists) return CALVE_OK;
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str text, near = near_space(c, space, &scratch);
  calve_status status = calve_namespace_text(space, &scratch, &text, err);
  if (status == CALVE_OK)
    status = near.data ? calve_fail(err, CALVE_ENOTFOUND, text.data,
                                    "there is no namespace \"%s\" in catalog \"%s\"; is \"%.*s\" "
                                    "meant?",
                                    text.data, c->name.data, CALVE_STR_ARG(near))
                       : calve_fail(err, CALVE_ENOTFOUND, text.data,
                                    "there is no namespace \"%s\" in catalog \"%s\"; CREATE "
                                    "NAMESPACE makes one",
                                    text.data, c->name.data);
  calve_arena_free(&scratch);
  return status;
}

static int by_text(const void *a, const void *b) {
  return calve_str_compare(*(const calve_str *)a, *(const calve_str *)b);
}

/* Sorts, drops what comes twice, copies to the arena; frees `found`. */
static calve_status give_sorted(calve_status status, calve_buffer *found, calve_arena *arena,
                                const calve_str **out, size_t *out_count, calve_error *err) {
  if (status == CALVE_OK) status = calve_buffer_check(found, err);
  size_t count = CALVE_COUNT(found, calve_str), kept = 0;
  if (status == CALVE_OK) {
    calve_str *items = CALVE_NEW_ARRAY(arena, calve_str, count);
    if (items) {
      if (count) memcpy(items, found->data, found->size);
      if (count) qsort(items, count, sizeof *items, by_text);
      for (size_t i = 0; i < count; i++)
        if (kept == 0 || !calve_str_equal(items[kept - 1], items[i])) items[kept++] = items[i];
      *out = items;
      *out_count = kept;
    } else {
      status = calve_fail_oom(err);
    }
  }
  calve_buffer_free(found);
  return status;
}

/* ---- namespaces ---- */

calve_status calve_catalog_create_namespace(calve_catalog *c, const calve_namespace *space,
                                            const calve_properties *properties,
                                            calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_space(space, err));
  return c->backend->create_namespace(c, space, properties, err);
}

calve_status calve_catalog_drop_namespace(calve_catalog *c, const calve_namespace *space,
                                          calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_space(space, err));
  return c->backend->drop_namespace(c, space, err);
}

calve_status calve_catalog_namespace_exists(calve_catalog *c, const calve_namespace *space,
                                            bool *exists, calve_error *err) {
  CALVE_TRY(check_space(space, err));
  return c->backend->namespace_exists(c, space, exists, err);
}

calve_status calve_catalog_list_namespaces(calve_catalog *c, const calve_namespace *parent,
                                           calve_arena *arena, const calve_str **out,
                                           size_t *out_count, calve_error *err) {
  if (parent && parent->count == 0) parent = NULL;
  if (parent) CALVE_TRY(require_space(c, parent, err));
  calve_buffer found;
  calve_buffer_init(&found, c->allocator);
  calve_status status = c->backend->list_namespaces(c, parent, arena, &found, err);
  return give_sorted(status, &found, arena, out, out_count, err);
}

calve_status calve_catalog_namespace_properties(calve_catalog *c, const calve_namespace *space,
                                                calve_arena *arena, calve_properties *out,
                                                calve_error *err) {
  CALVE_TRY(check_space(space, err));
  CALVE_TRY(require_space(c, space, err));
  return c->backend->namespace_properties(c, space, arena, out, err);
}

calve_status calve_catalog_alter_namespace(calve_catalog *c, const calve_namespace *space,
                                           const calve_properties *set, const calve_str *unset,
                                           size_t unset_count, calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_space(space, err));
  CALVE_TRY(require_space(c, space, err));
  return c->backend->alter_namespace(c, space, set, unset, unset_count, err);
}

/* ---- tables ---- */

calve_status calve_catalog_list_tables(calve_catalog *c, const calve_namespace *space,
                                       calve_arena *arena, const calve_str **out,
                                       size_t *out_count, calve_error *err) {
  CALVE_TRY(check_space(space, err));
  CALVE_TRY(require_space(c, space, err));
  calve_buffer found;
  calve_buffer_init(&found, c->allocator);
  calve_status status = c->backend->list_tables(c, space, arena, &found, err);
  return give_sorted(status, &found, arena, out, out_count, err);
}

calve_status calve_catalog_own_location(calve_catalog *c, const calve_table_name *name,
                                        calve_str location, calve_arena *arena, calve_str *out,
                                        calve_error *err) {
  calve_str own, text = {0};
  if (calve_path_is_relative(location) || calve_path_has_dotdot(location))
    return calve_fail(err, CALVE_EINVAL, "LOCATION",
                      "the location \"%.*s\" is relative or has \"..\" in it; write it whole, from "
                      "the root on",
                      CALVE_STR_ARG(location));
  CALVE_TRY(calve_path_own(location, arena, &own, err));
  if (name && c->backend->table_at)
    CALVE_TRY(c->backend->table_at(c, own, name, arena, &text, err));
  if (text.size > 0)
    return calve_fail(err, CALVE_EEXISTS, "LOCATION",
                      "%.*s is the folder of table %.*s; of two tables in one, programs that "
                      "clean up would remove files of either",
                      CALVE_STR_ARG(own), CALVE_STR_ARG(text));
  *out = own;
  return CALVE_OK;
}

calve_status calve_catalog__no_such_table(calve_catalog *c, const calve_table_name *name,
                                          calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  const calve_str *names = NULL;
  size_t count = 0;
  calve_error ignored;
  const char *kind = "";
  calve_str text = {0}, near = near_space(c, &name->space, &scratch);
  if (near.data) kind = "namespace ";
  else if (calve_catalog_list_tables(c, &name->space, &scratch, &names, &count, &ignored) ==
           CALVE_OK)
    near = calve_nearest_name(name->name, names, count);
  calve_status status = calve_table_name_text(name, &scratch, &text, err);
  if (status == CALVE_OK)
    status = near.data ? calve_fail(err, CALVE_ENOTFOUND, text.data,
                                    "there is no table \"%s\" in catalog \"%s\"; is %s\"%.*s\" "
                                    "meant?",
                                    text.data, c->name.data, kind, CALVE_STR_ARG(near))
                       : calve_fail(err, CALVE_ENOTFOUND, text.data,
                                    "there is no table \"%s\" in catalog \"%s\"", text.data,
                                    c->name.data);
  calve_arena_free(&scratch);
  return status;
}

calve_status calve_catalog_table_exists(calve_catalog *c, const calve_table_name *name,
                                        bool *exists, calve_error *err) {
  CALVE_TRY(check_name(name, err));
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_catalog__pointer pointer;
  calve_error own = {0};
  calve_status status = c->backend->locate(c, name, &scratch, &pointer, &own);
  calve_arena_free(&scratch);
  if (status != CALVE_OK && status != CALVE_ENOTFOUND) {
    if (err) *err = own;
    return status;
  }
  *exists = status == CALVE_OK;
  return CALVE_OK;
}

/* Files that a table names, as far as they are its own to remove. */
typedef struct doomed {
  calve_arena *arena;
  calve_str roots[CALVE_OWN_FOLDERS_MAX];
  size_t root_count;
  calve_buffer paths; /* calve_str                                                              */
} doomed;

static calve_status doom(void *ctx, calve_reachable_kind kind, calve_str path, calve_error *err) {
  doomed *d = ctx;
  (void)kind;
  bool own = false;
  for (size_t i = 0; i < d->root_count && !own; i++) own = calve_path_inside(path, d->roots[i]);
  if (!own) return CALVE_OK; /* imported files lie elsewhere and stay */
  CALVE_TRY(calve_arena_str(d->arena, path, &path, err));
  calve_buffer_put(&d->paths, &path, sizeof path);
  return calve_buffer_check(&d->paths, err);
}

/* The metadata of a table whose files may go. */
static calve_status load_removable(calve_catalog *c, const calve_table_name *name,
                                   calve_arena *arena, calve_catalog__pointer *pointer,
                                   const calve_metadata **out, calve_error *err) {
  calve_status status = c->backend->locate(c, name, arena, pointer, err);
  if (status == CALVE_ENOTFOUND) return calve_catalog__no_such_table(c, name, err);
  if (status != CALVE_OK) return status;
  CALVE_TRY(
      calve_catalog__read_metadata(&c->table_guard.store, pointer->location, arena, out, err));
  if (calve_properties_bool(&(*out)->properties, "gc.enabled", true)) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, "gc.enabled",
                    "the table says that others use its files too (gc.enabled=false); %s",
                    c->backend->names_are_folders
                        ? "in a catalog of folders they go with the table: unset gc.enabled first"
                        : "drop it without PURGE");
}

static calve_status collect_doomed(calve_catalog *c, doomed *d, const calve_table_name *name,
                                   calve_error *err) {
  calve_catalog__pointer pointer;
  const calve_metadata *m;
  CALVE_TRY(load_removable(c, name, d->arena, &pointer, &m, err));
  d->root_count = calve_own_folders(m, d->roots);
  calve_catalog__roots roots;
  calve_guard_store guard;
  calve_catalog__table_roots(c, m, pointer.location, &roots);
  calve_catalog__guard_table(c, &roots, &guard);
  CALVE_TRY(calve_reachable_files(&guard.store, m, c->allocator, doom, d, err));
  return doom(d, CALVE_REACHABLE_METADATA, pointer.location, err);
}

void calve_catalog__remove_file(calve_catalog__leftovers *left, calve_str path) {
  calve_error own = {0};
  calve_status status = calve_store_remove(left->store, path, &own);
  left->of_count++;
  if (status == CALVE_OK || status == CALVE_ENOTFOUND) return;
  if (left->count++ == 0) left->first = own;
}

calve_status calve_catalog__tell_leftovers(const calve_catalog__leftovers *left, calve_str table,
                                           calve_error *err) {
  if (left->count == 0) return CALVE_OK;
  if (err) *err = left->first;
  calve_error_prefix(err, "table %.*s was dropped, but %zu of its %zu files %s left, of which this "
                     "is the first",
                     CALVE_STR_ARG(table), left->count, left->of_count,
                     left->count == 1 ? "is" : "are");
  return left->first.code;
}

/* The location, when nothing but empty folders is left of it. */
static void remove_location(calve_catalog *c, const doomed *d) {
  calve_str place;
  if (c->inner != calve_local_store() || d->root_count == 0) return;
  if (calve_path_resolve(&c->rules, d->roots[0], d->arena, &place, NULL) != CALVE_OK) return;
  calve_status status = calve_local_remove_folder(place, NULL);
  (void)status; /* files of others stay, and their folders */
}

/* First what is to go is found out, then the name goes, then the files: a failure in between leaves
 * files that nobody needs, never a table with holes. */
static calve_status drop_and_purge(calve_catalog *c, doomed *d, const calve_table_name *name,
                                   calve_error *err) {
  CALVE_TRY(collect_doomed(c, d, name, err));
  CALVE_TRY(c->backend->drop(c, name, err));
  calve_guard_store guard;
  calve_guard_store_init(&guard, c->inner, &c->rules, d->roots, d->root_count, c->allocator);
  calve_catalog__leftovers left = {.store = &guard.store};
  const calve_str *paths = CALVE_ITEMS(&d->paths, calve_str);
  for (size_t i = 0; i < CALVE_COUNT(&d->paths, calve_str); i++)
    calve_catalog__remove_file(&left, paths[i]);
  calve_str text = {"", 0};
  if (left.count == 0) remove_location(c, d);
  else if (calve_table_name_text(name, d->arena, &text, NULL) != CALVE_OK) text = name->name;
  return calve_catalog__tell_leftovers(&left, text, err);
}

static calve_status drop_folder_table(calve_catalog *c, const calve_table_name *name,
                                      calve_arena *scratch, calve_error *err) {
  calve_catalog__pointer pointer;
  const calve_metadata *m;
  CALVE_TRY(load_removable(c, name, scratch, &pointer, &m, err));
  return c->backend->drop(c, name, err);
}

bool calve_catalog_drop_removes_files(const calve_catalog *c) {
  return c->backend->names_are_folders;
}

calve_status calve_catalog_check_drop(calve_catalog *c, const calve_table_name *name, bool purge,
                                      calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_name(name, err));
  calve_arena scratch;
  calve_catalog__pointer pointer;
  const calve_metadata *m;
  calve_arena_init(&scratch, c->allocator);
  calve_status status = purge || c->backend->names_are_folders
                            ? load_removable(c, name, &scratch, &pointer, &m, err)
                            : c->backend->locate(c, name, &scratch, &pointer, err);
  calve_arena_free(&scratch);
  return status == CALVE_ENOTFOUND ? calve_catalog__no_such_table(c, name, err) : status;
}

calve_status calve_catalog_drop_table(calve_catalog *c, const calve_table_name *name, bool purge,
                                      calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_name(name, err));
  if (!purge && !c->backend->names_are_folders) return c->backend->drop(c, name, err);
  calve_arena arena;
  doomed d = {.arena = &arena};
  calve_arena_init(&arena, c->allocator);
  calve_buffer_init(&d.paths, c->allocator);
  calve_status status = purge ? drop_and_purge(c, &d, name, err)
                              : drop_folder_table(c, name, &arena, err);
  calve_buffer_free(&d.paths);
  calve_arena_free(&arena);
  return status;
}

calve_status calve_catalog_rename_table(calve_catalog *c, const calve_table_name *from,
                                        const calve_table_name *to, calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_name(from, err));
  CALVE_TRY(check_name(to, err));
  CALVE_TRY(require_space(c, &to->space, err));
  return c->backend->rename(c, from, to, err);
}

calve_status calve_catalog_register_table(calve_catalog *c, const calve_table_name *name,
                                          calve_str metadata_location, calve_error *err) {
  CALVE_TRY(check_writable(c, err));
  CALVE_TRY(check_name(name, err));
  CALVE_TRY(require_space(c, &name->space, err));
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  const calve_metadata *m;
  calve_str own;
  calve_status status =
      calve_catalog__read_metadata(&c->guard.store, metadata_location, &scratch, &m, err);
  if (status == CALVE_OK) status = calve_path_own(metadata_location, &scratch, &own, err);
  if (status == CALVE_OK) status = c->backend->enroll(c, name, own, err);
  calve_arena_free(&scratch);
  return status;
}
