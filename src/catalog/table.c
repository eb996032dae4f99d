/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/table.h"

#include <string.h>

#include "base/text.h"
#include "base/uuid.h"
#include "catalog/backend.h"

struct calve_table {
  calve_catalog *catalog; /* NULL: opened by its file                                           */
  const calve_allocator *allocator;
  calve_arena own; /* until close                                                               */
  calve_table_name name;
  calve_str full_name;
  calve_path_rules rules;
  calve_guard_store guard;
  calve_str delete_roots[CALVE_OWN_FOLDERS_MAX]; /* in `state_arena` */
  calve_catalog__roots roots; /* where metadata may lie; none for a table that has no catalog   */
  calve_commit_target target;
  calve_arena state_arena;
  calve_table_state state;
  bool staged, read_only;
};

/* ---- making ---- */

static calve_status make(const calve_allocator *allocator, calve_table **out, calve_error *err) {
  if (!allocator) allocator = calve_default_allocator();
  calve_table *t = allocator->resize(allocator->ctx, NULL, 0, sizeof *t);
  if (!t) return calve_fail_oom(err);
  memset(t, 0, sizeof *t);
  t->allocator = allocator;
  calve_arena_init(&t->own, allocator);
  calve_arena_init(&t->state_arena, allocator);
  *out = t;
  return CALVE_OK;
}

void calve_table_close(calve_table *t) {
  if (!t) return;
  const calve_allocator *allocator = t->allocator;
  calve_arena_free(&t->state_arena);
  calve_arena_free(&t->own);
  allocator->resize(allocator->ctx, t, sizeof *t, 0);
}

/* Takes over a state and the arena that it lives in. */
static void adopt(calve_table *t, calve_arena *arena, const calve_table_state *state) {
  calve_arena_free(&t->state_arena);
  t->state_arena = *arena;
  t->state = *state;
  size_t count = calve_own_folders(state->metadata, t->delete_roots);
  t->guard.delete_roots = t->delete_roots;
  t->guard.delete_root_count = t->read_only ? 0 : count;
  if (!t->catalog) return;
  calve_catalog__table_roots(t->catalog, state->metadata, state->metadata_location, &t->roots);
  calve_guard_store_confine(&t->guard, t->roots.items, t->roots.count);
}

/* ---- the target that commits go to ---- */

static calve_status load_state(calve_table *t, calve_arena *arena, calve_table_state *out,
                               calve_error *err) {
  calve_catalog__pointer pointer;
  calve_catalog *c = t->catalog;
  calve_status status = c->backend->locate(c, &t->name, arena, &pointer, err);
  if (status == CALVE_ENOTFOUND) return calve_catalog__no_such_table(c, &t->name, err);
  if (status != CALVE_OK) return status;
  calve_table_state made = {.metadata_location = pointer.location, .version = pointer.version};
  CALVE_TRY(calve_catalog__read_metadata(&c->table_guard.store, pointer.location, arena,
                                         &made.metadata, err));
  /* The name may have been given to another table since. */
  const calve_metadata *known = t->staged ? NULL : t->state.metadata;
  if (known && known->table_uuid.data && made.metadata->table_uuid.data &&
      !calve_str_equal_nocase(known->table_uuid, made.metadata->table_uuid))
    return calve_fail(err, CALVE_ECONFLICT, t->full_name.data,
                      "another table has taken this name since it was loaded; load it again");
  *out = made;
  return CALVE_OK;
}

static bool below_roots(const calve_table *t, calve_str folder) {
  for (size_t i = 0; i < t->roots.count; i++)
    if (calve_path_inside(folder, t->roots.items[i])) return true;
  return false;
}

/* Somebody else's commit may have moved the table. That the state lives shorter than the handle is
 * why folders are copied; there are new ones hardly ever. */
static calve_status target_load(void *ctx, calve_arena *arena, calve_table_state *out,
                                calve_error *err) {
  calve_table *t = ctx;
  calve_table_state state;
  calve_catalog__roots found;
  CALVE_TRY(load_state(t, arena, &state, err));
  calve_catalog__table_roots(t->catalog, state.metadata, state.metadata_location, &found);
  for (size_t i = 0; i < found.count && t->roots.count < CALVE_TABLE_ROOTS_MAX; i++) {
    if (below_roots(t, found.items[i])) continue;
    CALVE_TRY(calve_arena_str(&t->own, found.items[i], &t->roots.items[t->roots.count], err));
    t->roots.count++;
  }
  t->guard.open_root_count = t->roots.count;
  *out = state;
  return CALVE_OK;
}

static calve_status target_swap(void *ctx, const calve_table_state *base,
                                const calve_metadata *metadata, calve_str json, calve_arena *arena,
                                calve_str *location, int64_t *version, calve_error *err) {
  calve_table *t = ctx;
  return t->catalog->backend->swap(t->catalog, &t->name, &t->guard.store, base, metadata, json,
                                   arena, location, version, err);
}

static calve_status target_settle(void *ctx, const calve_table_state *base, calve_str location,
                                  calve_str json, calve_error *err) {
  calve_table *t = ctx;
  return t->catalog->backend->settle(t->catalog, &t->name, &t->guard.store, base, location, json,
                                     err);
}

static calve_status copy_name(calve_table *t, const calve_table_name *name, calve_error *err) {
  calve_str *levels = CALVE_NEW_ARRAY(&t->own, calve_str, name->space.count);
  if (!levels) return calve_fail_oom(err);
  for (size_t i = 0; i < name->space.count; i++)
    CALVE_TRY(calve_arena_str(&t->own, name->space.levels[i], &levels[i], err));
  t->name.space = (calve_namespace){levels, name->space.count};
  CALVE_TRY(calve_arena_str(&t->own, name->name, &t->name.name, err));
  return calve_table_name_text(name, &t->own, &t->full_name, err);
}

/* A handle of a named table, without a state. */
static calve_status make_named(calve_catalog *c, const calve_table_name *name, calve_table **out,
                               calve_error *err) {
  if (name->space.count == 0 || name->name.size == 0)
    return calve_fail(err, CALVE_EINVAL, NULL, "a table needs a namespace and a name");
  calve_table *t;
  CALVE_TRY(make(c->allocator, &t, err));
  t->catalog = c;
  t->read_only = c->read_only;
  t->rules = c->table_rules;
  calve_guard_store_init(&t->guard, c->inner, &t->rules, NULL, 0, t->allocator);
  t->guard.is_table = true;
  calve_status status = copy_name(t, name, err);
  if (status != CALVE_OK) {
    calve_table_close(t);
    return status;
  }
  t->target = (calve_commit_target){.ctx = t,
                                    .name = t->full_name.data,
                                    .store = &t->guard.store,
                                    .allocator = t->allocator,
                                    .clock = c->clock,
                                    .load = target_load,
                                    .swap = target_swap,
                                    .settle = target_settle};
  *out = t;
  return CALVE_OK;
}

/* Loads into a new arena, so that a failure leaves the old state. */
static calve_status reload(calve_table *t, calve_error *err) {
  calve_arena arena;
  calve_table_state state;
  calve_arena_init(&arena, t->allocator);
  calve_status status = load_state(t, &arena, &state, err);
  if (status == CALVE_OK) adopt(t, &arena, &state);
  else calve_arena_free(&arena);
  return status;
}

calve_status calve_table_load(calve_catalog *c, const calve_table_name *name, calve_table **out,
                              calve_error *err) {
  calve_table *t;
  CALVE_TRY(make_named(c, name, &t, err));
  calve_status status = reload(t, err);
  if (status != CALVE_OK) {
    calve_table_close(t);
    return status;
  }
  *out = t;
  return CALVE_OK;
}

/* ---- without a catalog ---- */

/* What a stranger's metadata may make us read: the folder that the user pointed at, by the path
 * that the user gave, never by the location that the file claims. */
static calve_status confine(calve_table *t, calve_str file, const calve_table_file_options *o,
                            calve_error *err) {
  calve_path_map *maps = CALVE_NEW_ARRAY(&t->own, calve_path_map, o->map_count);
  calve_str *roots = CALVE_NEW_ARRAY(&t->own, calve_str, o->root_count + 1);
  if (!maps || !roots) return calve_fail_oom(err);
  for (size_t i = 0; i < o->map_count; i++) {
    CALVE_TRY(calve_arena_str(&t->own, o->maps[i].from, &maps[i].from, err));
    CALVE_TRY(calve_arena_str(&t->own, o->maps[i].to, &maps[i].to, err));
  }
  for (size_t i = 0; i < o->root_count; i++)
    CALVE_TRY(calve_path_own(o->roots[i], &t->own, &roots[i], err));
  calve_str folder, root;
  CALVE_TRY(calve_path_own(file, &t->own, &folder, err));
  CALVE_TRY(calve_arena_str(&t->own, calve_catalog__folder_of_file(folder), &root, err));
  roots[o->root_count] = root;
  t->rules = (calve_path_rules){.maps = maps,
                                .map_count = o->map_count,
                                .confined = !o->trusted,
                                .roots = roots,
                                .root_count = o->root_count + 1};
  return CALVE_OK;
}

/* The metadata file that `path` means: itself, or the newest one of a table's folder. */
static calve_status find_file(const calve_store *store, calve_str path, calve_arena *arena,
                              calve_catalog__pointer *out, calve_error *err) {
  if (calve_str_ends_with(path, CALVE_STR(".json")) ||
      calve_str_ends_with(path, CALVE_STR(".json.gz"))) {
    *out = (calve_catalog__pointer){path, -1};
    return CALVE_OK;
  }
  calve_status status = calve_catalog__find_version(store, path, arena, out, err);
  if (status == CALVE_ENOTFOUND)
    status = calve_catalog__find_numbered(store, path, arena, out, err);
  return status;
}

static calve_status open_file(calve_table *t, calve_str path, const calve_table_file_options *o,
                              calve_error *err) {
  const calve_store *store = o->store ? o->store : calve_local_store();
  calve_catalog__pointer pointer;
  calve_arena arena;
  CALVE_TRY(calve_store_check(store, err));
  CALVE_TRY(calve_arena_str(&t->own, path, &t->full_name, err));
  CALVE_TRY(find_file(store, path, &t->own, &pointer, err));
  CALVE_TRY(confine(t, pointer.location, o, err));
  calve_guard_store_init(&t->guard, store, &t->rules, NULL, 0, t->allocator);
  t->guard.is_table = true;
  calve_table_state state = {.metadata_location = pointer.location, .version = pointer.version};
  calve_arena_init(&arena, t->allocator);
  calve_status status =
      calve_catalog__read_metadata(store, pointer.location, &arena, &state.metadata, err);
  if (status == CALVE_OK) adopt(t, &arena, &state);
  else calve_arena_free(&arena);
  return status;
}

calve_status calve_table_open_file(calve_str path, const calve_table_file_options *options,
                                   calve_table **out, calve_error *err) {
  const calve_table_file_options none = {0};
  if (!options) options = &none;
  calve_table *t;
  CALVE_TRY(make(options->allocator, &t, err));
  t->read_only = true;
  calve_status status = open_file(t, path, options, err);
  if (status != CALVE_OK) {
    calve_table_close(t);
    return status;
  }
  *out = t;
  return CALVE_OK;
}

/* ---- creating ---- */

static calve_status stage(calve_table *t, const calve_table_definition *d, calve_arena *arena,
                          calve_error *err) {
  calve_catalog *c = t->catalog;
  calve_new_table table = {.schema = d->schema,
                           .spec = d->spec,
                           .sort_order = d->sort_order,
                           .properties = d->properties};
  uint8_t uuid[16];
  char text[CALVE_UUID_TEXT_SIZE];
  CALVE_TRY(calve_uuid_random(uuid, err));
  calve_uuid_format(uuid, text);
  CALVE_TRY(calve_arena_str(arena, calve_str_of(text), &table.table_uuid, err));
  if (d->location.size > 0)
    CALVE_TRY(
        calve_catalog_own_location(c, &t->name, d->location, arena, &table.location, err));
  else
    CALVE_TRY(c->backend->default_location(c, &t->name, arena, &table.location, err));
  calve_table_state state = {.version = -1};
  const calve_metadata *made;
  CALVE_TRY(calve_metadata_new(&table, c->clock.now_ms(c->clock.ctx), arena, &made, err));
  state.metadata = made;
  /* The definition's parts are the caller's: the handle keeps a copy, made by way of the text. */
  calve_buffer json;
  calve_json_writer w;
  calve_buffer_init(&json, t->allocator);
  calve_json_write_init(&w, &json, 0);
  calve_metadata_write_json(made, &w);
  calve_str copy;
  calve_status status = calve_buffer_check(&json, err);
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(&json), &copy, err);
  if (status == CALVE_OK)
    status = calve_metadata_parse(copy, t->full_name.data, arena, &state.metadata, err);
  calve_buffer_free(&json);
  if (status != CALVE_OK) return status;
  adopt(t, arena, &state);
  return CALVE_OK;
}

static calve_status check_new_name(calve_table *t, calve_error *err) {
  calve_catalog *c = t->catalog;
  bool exists = false;
  if (c->read_only)
    return calve_fail(err, CALVE_EDENIED, c->name.data, "the catalog was opened for reading only");
  CALVE_TRY(calve_catalog_namespace_exists(c, &t->name.space, &exists, err));
  if (!exists)
    return calve_fail(err, CALVE_ENOTFOUND, t->full_name.data,
                      "the namespace of table \"%s\" does not exist; CREATE NAMESPACE makes one",
                      t->full_name.data);
  CALVE_TRY(calve_catalog_table_exists(c, &t->name, &exists, err));
  if (exists)
    return calve_fail(err, CALVE_EEXISTS, t->full_name.data, "table \"%s\" exists already",
                      t->full_name.data);
  return CALVE_OK;
}

calve_status calve_table_stage(calve_catalog *c, const calve_table_name *name,
                               const calve_table_definition *definition, calve_table **out,
                               calve_error *err) {
  calve_table *t;
  calve_arena arena;
  CALVE_TRY(make_named(c, name, &t, err));
  t->staged = true;
  calve_status status = check_new_name(t, err);
  if (status == CALVE_OK) {
    calve_arena_init(&arena, t->allocator);
    status = stage(t, definition, &arena, err);
    if (status != CALVE_OK) calve_arena_free(&arena);
  }
  if (status != CALVE_OK) {
    calve_table_close(t);
    return status;
  }
  *out = t;
  return CALVE_OK;
}

calve_status calve_table_create(calve_catalog *c, const calve_table_name *name,
                                const calve_table_definition *definition, calve_table **out,
                                calve_error *err) {
  calve_table *t;
  calve_transaction *transaction = NULL;
  CALVE_TRY(calve_table_stage(c, name, definition, &t, err));
  calve_status status = calve_table_begin(t, &transaction, err);
  if (status == CALVE_OK) status = calve_table_commit_transaction(t, transaction, err);
  calve_transaction_free(transaction);
  if (status != CALVE_OK) {
    calve_table_close(t);
    return status;
  }
  *out = t;
  return CALVE_OK;
}

/* ---- looking ---- */

const calve_metadata *calve_table_metadata(const calve_table *t) {
  return t->state.metadata;
}

calve_str calve_table_metadata_location(const calve_table *t) {
  return t->state.metadata_location;
}

calve_str calve_table_full_name(const calve_table *t) {
  return t->full_name;
}

const calve_store *calve_table_store(const calve_table *t) {
  return &t->guard.store;
}

const calve_allocator *calve_table_allocator(const calve_table *t) {
  return t->allocator;
}

const calve_path_rules *calve_table_path_rules(const calve_table *t) {
  return &t->rules;
}

calve_arena *calve_table_state_arena(calve_table *t) {
  return &t->state_arena;
}

bool calve_table_is_staged(const calve_table *t) {
  return t->staged;
}

bool calve_table_is_read_only(const calve_table *t) {
  return t->read_only;
}

calve_status calve_table_refresh(calve_table *t, calve_error *err) {
  if (!t->catalog || t->staged) return CALVE_OK;
  calve_arena scratch;
  calve_catalog__pointer pointer = {0};
  calve_arena_init(&scratch, t->allocator);
  calve_status status = t->catalog->backend->locate(t->catalog, &t->name, &scratch, &pointer, err);
  bool same = status == CALVE_OK && pointer.version == t->state.version &&
              calve_str_equal(pointer.location, t->state.metadata_location);
  calve_arena_free(&scratch);
  if (status == CALVE_ENOTFOUND) return calve_catalog__no_such_table(t->catalog, &t->name, err);
  if (status != CALVE_OK || same) return status;
  return reload(t, err);
}

/* ---- committing ---- */

calve_status calve_table_begin(calve_table *t, calve_transaction **out, calve_error *err) {
  if (t->read_only)
    return calve_fail(err, CALVE_EDENIED, t->full_name.data,
                      t->catalog ? "the catalog was opened for reading only"
                                 : "a table that was opened by its metadata file can't be changed; "
                                   "open it through its catalog");
  return t->staged ? calve_transaction_begin_create(&t->target, t->state.metadata, out, err)
                   : calve_transaction_begin(&t->target, &t->state, out, err);
}

calve_status calve_table_commit_transaction(calve_table *t, calve_transaction *transaction,
                                            calve_error *err) {
  calve_arena arena;
  calve_table_state state;
  calve_arena_init(&arena, t->allocator);
  calve_status status = calve_transaction_commit(transaction, &arena, &state, err);
  if (status != CALVE_OK) {
    calve_arena_free(&arena);
    return status;
  }
  t->staged = false;
  adopt(t, &arena, &state);
  return CALVE_OK;
}

calve_status calve_table_commit_changes(calve_table *t, const calve_changes *changes,
                                        calve_error *err) {
  calve_transaction *transaction;
  CALVE_TRY(calve_table_begin(t, &transaction, err));
  calve_status status = calve_transaction_add_changes(transaction, changes, err);
  if (status == CALVE_OK) status = calve_table_commit_transaction(t, transaction, err);
  calve_transaction_free(transaction);
  return status;
}

calve_status calve_table_commit_update(calve_table *t, const calve_snapshot_update *update,
                                       calve_error *err) {
  calve_transaction *transaction;
  CALVE_TRY(calve_table_begin(t, &transaction, err));
  calve_status status = calve_transaction_add_update(transaction, update, err);
  if (status == CALVE_OK) status = calve_table_commit_transaction(t, transaction, err);
  calve_transaction_free(transaction);
  return status;
}
