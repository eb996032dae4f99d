/* SPDX-License-Identifier: Apache-2.0 */
/* A catalog of folders: <warehouse>/<namespace levels>/<table>/metadata/vN.metadata.json, the
 * newest version being the table. A commit makes version N+1 by exclusive creation, so that of two
 * writers one wins. The hint is written afterwards and may lag. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "catalog/backend.h"
#include "store/local.h"

/* Folders need no file on a real file system; elsewhere this one keeps a namespace. */
#define MARKER ".calve-namespace"

static calve_status check_part(calve_str part, calve_error *err) {
  bool bad = part.size == 0 || part.data[0] == '.' || part.size > 255;
  for (size_t i = 0; i < part.size && !bad; i++)
    bad = part.data[i] == '/' || (unsigned char)part.data[i] < 0x20;
  if (!bad) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, NULL,
                    "\"%.*s\" can't be a folder's name, as names in this kind of catalog must "
                    "(no slash, no leading dot, no control characters, at most 255 bytes)",
                    CALVE_STR_ARG(part));
}

static calve_status folder_of(const calve_catalog *c, const calve_namespace *space,
                              const calve_str *table, calve_arena *arena, calve_str *out,
                              calve_error *err) {
  calve_str folder = c->warehouse;
  char part[256];
  for (size_t i = 0; i < (space ? space->count : 0) + (table ? 1 : 0); i++) {
    calve_str level = space && i < space->count ? space->levels[i] : *table;
    CALVE_TRY(check_part(level, err));
    memcpy(part, level.data, level.size);
    part[level.size] = '\0';
    CALVE_TRY(calve_path_join(folder, part, arena, &folder, err));
  }
  *out = folder;
  return CALVE_OK;
}

static bool is_local(const calve_catalog *c) {
  return c->inner == calve_local_store();
}

/* ---- looking into folders ---- */

typedef struct children {
  calve_str key; /* of the folder, as calve_path_key gives it                                   */
  calve_arena *arena;
  calve_buffer *out;
} children;

static calve_status add_child(void *ctx, const calve_store_entry *entry, calve_error *err) {
  children *ch = ctx;
  calve_str key;
  CALVE_TRY(calve_path_key(calve_str_of(entry->path), ch->arena, &key, err));
  if (key.size <= ch->key.size + 1) return CALVE_OK;
  size_t skip = ch->key.size + (ch->key.data[ch->key.size - 1] == '/' ? 0 : 1);
  calve_str name = {key.data + skip, key.size - skip};
  const char *slash = memchr(name.data, '/', name.size);
  if (!slash) return CALVE_OK; /* a file */
  name.size = (size_t)(slash - name.data);
  calve_buffer_put(ch->out, &name, sizeof name);
  return CALVE_OK;
}

static calve_status add_folder(void *ctx, const char *name, calve_error *err) {
  children *ch = ctx;
  calve_str copy;
  CALVE_TRY(calve_arena_str(ch->arena, calve_str_of(name), &copy, err));
  calve_buffer_put(ch->out, &copy, sizeof copy);
  return CALVE_OK;
}

/* Names of the folders in a folder, hidden ones left out, perhaps twice. */
static calve_status list_folders(calve_catalog *c, calve_str folder, calve_arena *arena,
                                 calve_buffer *out, calve_error *err) {
  children ch = {.arena = arena, .out = out};
  calve_str place;
  CALVE_TRY(calve_path_resolve(&c->rules, folder, arena, &place, err));
  if (is_local(c)) {
    CALVE_TRY(calve_local_list_folders(place, add_folder, &ch, err));
  } else {
    CALVE_TRY(calve_path_key(place, arena, &ch.key, err));
    CALVE_TRY(calve_store_list(c->inner, place, add_child, &ch, err));
  }
  return calve_buffer_check(out, err);
}

static calve_status is_table(calve_catalog *c, calve_str folder, calve_arena *arena, bool *out,
                             calve_error *err) {
  calve_catalog__pointer pointer;
  calve_error own = {0};
  calve_status status =
      calve_catalog__find_version(&c->guard.store, folder, arena, &pointer, &own);
  *out = status == CALVE_OK;
  if (status == CALVE_OK || status == CALVE_ENOTFOUND) return CALVE_OK;
  if (err) *err = own;
  return status;
}

static calve_status folder_exists(calve_catalog *c, calve_str folder, calve_arena *arena,
                                  bool *out, calve_error *err) {
  calve_str place;
  CALVE_TRY(calve_path_resolve(&c->rules, folder, arena, &place, err));
  if (is_local(c)) return calve_local_folder_exists(place, out, err);
  calve_buffer found;
  calve_buffer_init(&found, c->allocator);
  calve_str marker;
  calve_status status = calve_path_join(place, MARKER, arena, &marker, err);
  if (status == CALVE_OK) status = calve_store_exists(c->inner, marker, out, NULL, err);
  if (status == CALVE_OK && !*out) {
    status = list_folders(c, folder, arena, &found, err);
    *out = found.size > 0;
  }
  calve_buffer_free(&found);
  return status;
}

/* ---- namespaces ---- */

static calve_status fs_namespace_exists(calve_catalog *c, const calve_namespace *space,
                                        bool *exists, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str folder;
  bool there = false, table = false;
  calve_status status = folder_of(c, space, NULL, &scratch, &folder, err);
  if (status == CALVE_OK) status = folder_exists(c, folder, &scratch, &there, err);
  if (status == CALVE_OK && there) status = is_table(c, folder, &scratch, &table, err);
  calve_arena_free(&scratch);
  if (status == CALVE_OK) *exists = there && !table;
  return status;
}

/* A folder that is a table's can't be a namespace too, nor have one inside. */
static calve_status refuse_tables(calve_catalog *c, const calve_namespace *space,
                                  calve_arena *scratch, calve_error *err) {
  for (size_t count = 1; count <= space->count; count++) {
    const calve_namespace front = {space->levels, count};
    calve_str folder;
    bool table = false;
    CALVE_TRY(folder_of(c, &front, NULL, scratch, &folder, err));
    CALVE_TRY(is_table(c, folder, scratch, &table, err));
    if (table)
      return calve_fail(err, CALVE_EEXISTS, folder.data,
                        "this folder is a table; a namespace can't take its place");
  }
  return CALVE_OK;
}

static calve_status make_namespace(calve_catalog *c, const calve_namespace *space,
                                   calve_arena *scratch, calve_error *err) {
  calve_str folder, place, marker;
  CALVE_TRY(folder_of(c, space, NULL, scratch, &folder, err));
  CALVE_TRY(calve_path_resolve(&c->rules, folder, scratch, &place, err));
  if (is_local(c)) return calve_local_make_folder(place, err);
  CALVE_TRY(calve_path_join(place, MARKER, scratch, &marker, err));
  return calve_store_create(c->inner, marker, (calve_str){"", 0}, err);
}

static calve_status fs_create_namespace(calve_catalog *c, const calve_namespace *space,
                                        const calve_properties *properties, calve_error *err) {
  if (properties && properties->count > 0)
    return calve_fail(err, CALVE_EUNSUPPORTED, c->name.data,
                      "namespaces of a filesystem catalog are folders and have no properties");
  bool exists = false;
  CALVE_TRY(fs_namespace_exists(c, space, &exists, err));
  if (exists)
    return calve_fail(err, CALVE_EEXISTS, c->name.data, "the namespace exists already");
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_status status = refuse_tables(c, space, &scratch, err);
  if (status == CALVE_OK) status = make_namespace(c, space, &scratch, err);
  calve_arena_free(&scratch);
  return status;
}

static calve_status drop_folder(calve_catalog *c, calve_str folder, calve_arena *scratch,
                                calve_error *err) {
  calve_buffer found;
  calve_str place, marker;
  calve_buffer_init(&found, c->allocator);
  calve_status status = list_folders(c, folder, scratch, &found, err);
  bool empty = found.size == 0;
  calve_buffer_free(&found);
  if (status != CALVE_OK) return status;
  if (!empty)
    return calve_fail(err, CALVE_EINVAL, folder.data,
                      "the namespace is not empty; drop its tables and namespaces first");
  CALVE_TRY(calve_path_resolve(&c->rules, folder, scratch, &place, err));
  if (is_local(c)) return calve_local_remove_folder(place, err);
  CALVE_TRY(calve_path_join(place, MARKER, scratch, &marker, err));
  return calve_store_remove(c->inner, marker, err);
}

static calve_status fs_drop_namespace(calve_catalog *c, const calve_namespace *space,
                                      calve_error *err) {
  bool exists = false;
  CALVE_TRY(fs_namespace_exists(c, space, &exists, err));
  if (!exists) return calve_fail(err, CALVE_ENOTFOUND, c->name.data, "there is no such namespace");
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str folder;
  calve_status status = folder_of(c, space, NULL, &scratch, &folder, err);
  if (status == CALVE_OK) status = drop_folder(c, folder, &scratch, err);
  calve_arena_free(&scratch);
  return status;
}

/* Folders are tables or namespaces. */
static calve_status list_kind(calve_catalog *c, const calve_namespace *space, bool tables,
                              calve_arena *arena, calve_buffer *out, calve_error *err) {
  calve_str folder;
  CALVE_TRY(folder_of(c, space, NULL, arena, &folder, err));
  calve_buffer found;
  calve_buffer_init(&found, c->allocator);
  calve_status status = list_folders(c, folder, arena, &found, err);
  const calve_str *items = CALVE_ITEMS(&found, calve_str);
  for (size_t i = 0; i < CALVE_COUNT(&found, calve_str) && status == CALVE_OK; i++) {
    calve_str path;
    bool table = false;
    char part[256];
    if (items[i].size >= sizeof part || items[i].data[0] == '.') continue;
    memcpy(part, items[i].data, items[i].size);
    part[items[i].size] = '\0';
    status = calve_path_join(folder, part, arena, &path, err);
    if (status == CALVE_OK) status = is_table(c, path, arena, &table, err);
    if (status == CALVE_OK && table == tables) calve_buffer_put(out, &items[i], sizeof *items);
  }
  calve_buffer_free(&found);
  return status == CALVE_OK ? calve_buffer_check(out, err) : status;
}

static calve_status fs_list_namespaces(calve_catalog *c, const calve_namespace *parent,
                                       calve_arena *arena, calve_buffer *out, calve_error *err) {
  return list_kind(c, parent, false, arena, out, err);
}

static calve_status fs_list_tables(calve_catalog *c, const calve_namespace *space,
                                   calve_arena *arena, calve_buffer *out, calve_error *err) {
  return list_kind(c, space, true, arena, out, err);
}

static calve_status fs_namespace_properties(calve_catalog *c, const calve_namespace *space,
                                            calve_arena *arena, calve_properties *out,
                                            calve_error *err) {
  (void)c;
  (void)space;
  (void)arena;
  (void)err;
  *out = (calve_properties){0};
  return CALVE_OK;
}

static calve_status fs_alter_namespace(calve_catalog *c, const calve_namespace *space,
                                       const calve_properties *set, const calve_str *unset,
                                       size_t unset_count, calve_error *err) {
  (void)space;
  (void)set;
  (void)unset;
  (void)unset_count;
  return calve_fail(err, CALVE_EUNSUPPORTED, c->name.data,
                    "namespaces of a filesystem catalog are folders and have no properties");
}

/* ---- tables ---- */

static calve_status fs_default_location(calve_catalog *c, const calve_table_name *name,
                                        calve_arena *arena, calve_str *out, calve_error *err) {
  return folder_of(c, &name->space, &name->name, arena, out, err);
}

static calve_status fs_locate(calve_catalog *c, const calve_table_name *name, calve_arena *arena,
                              calve_catalog__pointer *out, calve_error *err) {
  calve_str folder;
  CALVE_TRY(folder_of(c, &name->space, &name->name, arena, &folder, err));
  return calve_catalog__find_version(&c->guard.store, folder, arena, out, err);
}

static calve_status remove_entry(void *ctx, const calve_store_entry *entry, calve_error *err) {
  return calve_store_remove(ctx, calve_str_of(entry->path), err);
}

static calve_status remove_or_count(void *ctx, const calve_store_entry *entry, calve_error *err) {
  (void)err;
  calve_catalog__remove_file(ctx, calve_str_of(entry->path));
  return CALVE_OK;
}

static calve_status remove_version(void *ctx, const calve_store_entry *entry, calve_error *err) {
  calve_str name = calve_path_file_name(calve_str_of(entry->path));
  bool leads = calve_catalog__version_of(name) >= 0 ||
               calve_str_equal(name, CALVE_STR("version-hint.text"));
  return leads ? remove_entry(ctx, entry, err) : CALVE_OK;
}

/* The name is the folder. Versions and hint go first: from then on there is no table, and a crash
 * leaves files that nobody finds instead of a table with holes. */
static calve_status drop_table(calve_catalog *c, const calve_table_name *name, calve_str folder,
                               calve_arena *scratch, calve_error *err) {
  bool table = false;
  CALVE_TRY(is_table(c, folder, scratch, &table, err));
  if (!table) return calve_fail(err, CALVE_ENOTFOUND, folder.data, "there is no such table");
  calve_guard_store guard;
  calve_guard_store_init(&guard, c->inner, &c->rules, &folder, 1, c->allocator);
  calve_str metadata, place;
  CALVE_TRY(calve_path_join(folder, "metadata", scratch, &metadata, err));
  CALVE_TRY(calve_store_list(&guard.store, metadata, remove_version, &guard.store, err));
  calve_catalog__leftovers left = {.store = &guard.store};
  calve_str text;
  CALVE_TRY(calve_table_name_text(name, scratch, &text, err));
  CALVE_TRY(calve_store_list(&guard.store, folder, remove_or_count, &left, err));
  CALVE_TRY(calve_catalog__tell_leftovers(&left, text, err));
  CALVE_TRY(calve_path_resolve(&c->rules, folder, scratch, &place, err));
  return is_local(c) ? calve_local_remove_folder(place, err) : CALVE_OK;
}

static calve_status fs_drop(calve_catalog *c, const calve_table_name *name, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str folder;
  calve_status status = folder_of(c, &name->space, &name->name, &scratch, &folder, err);
  if (status == CALVE_OK) status = drop_table(c, name, folder, &scratch, err);
  calve_arena_free(&scratch);
  return status;
}

static calve_status fs_rename(calve_catalog *c, const calve_table_name *from,
                              const calve_table_name *to, calve_error *err) {
  (void)from;
  (void)to;
  return calve_fail(err, CALVE_EUNSUPPORTED, c->name.data,
                    "tables of a filesystem catalog are named by their folders, which their "
                    "metadata names too: they can't be renamed");
}

static calve_status fs_enroll(calve_catalog *c, const calve_table_name *name, calve_str location,
                              calve_error *err) {
  (void)name;
  (void)location;
  return calve_fail(err, CALVE_EUNSUPPORTED, c->name.data,
                    "a filesystem catalog finds tables by their folders: there is nothing to "
                    "register");
}

/* ---- the swap ---- */

/* [reference: path-based tables can be neither relocated nor keep their metadata elsewhere] */
static calve_status check_place(calve_catalog *c, calve_str folder, const calve_metadata *m,
                                calve_arena *arena, calve_error *err) {
  calve_str wanted, got; /* a copied warehouse still names its old place: maps tell             */
  CALVE_TRY(calve_path_resolve(&c->rules, folder, arena, &wanted, err));
  CALVE_TRY(calve_path_resolve(&c->rules, m->location, arena, &got, err));
  if (calve_properties_get(&m->properties, "write.metadata.path").size > 0)
    return calve_fail(err, CALVE_EINVAL, "write.metadata.path",
                      "tables of a filesystem catalog keep their metadata in their folder");
  if (!calve_path_equal(wanted, got))
    return calve_fail(err, CALVE_EINVAL, c->name.data,
                      "tables of a filesystem catalog stay in their folder \"%.*s\"",
                      CALVE_STR_ARG(folder));
  return CALVE_OK;
}

/* Whether the file at `path` is the one we tried to write: answers may get lost, and some network
 * file systems repeat a link that went through and then say that it exists. */
static calve_status holds(const calve_store *store, calve_str path, calve_str bytes, bool *there,
                          bool *same, const calve_allocator *allocator, calve_error *err) {
  *same = false;
  CALVE_TRY(calve_store_exists(store, path, there, NULL, err));
  if (!*there) return CALVE_OK;
  calve_buffer found;
  calve_buffer_init(&found, allocator);
  calve_status status = calve_store_read_buffer(store, path, INT64_MAX, &found, err);
  if (status == CALVE_OK) *same = calve_str_equal(calve_buffer_view(&found), bytes);
  calve_buffer_free(&found);
  return status;
}

/* Best effort: readers go on from an old hint to the newest version. */
static void write_hint(const calve_store *store, calve_str metadata_folder, int64_t version,
                       calve_arena *arena) {
  char text[32];
  calve_str path;
  calve_error ignored;
  snprintf(text, sizeof text, "%" PRId64, version);
  if (calve_path_join(metadata_folder, "version-hint.text", arena, &path, &ignored) != CALVE_OK ||
      calve_store_replace(store, path, calve_str_of(text), &ignored) != CALVE_OK)
    return;
}

static calve_status publish(const calve_store *store, calve_str location, calve_str bytes,
                            const calve_allocator *allocator, calve_error *err) {
  calve_status status = calve_store_create(store, location, bytes, err);
  if (status != CALVE_EEXISTS) return status;
  bool there = false, same = false;
  CALVE_TRY(holds(store, location, bytes, &there, &same, allocator, err));
  if (same) return CALVE_OK;
  return calve_fail(err, CALVE_ECONFLICT, location.data, "another commit made this version first");
}

/* The name's form follows base, not the new metadata: all writers that build on one version must
 * try one and the same name, or both could win. A new codec thus takes effect one version later. */
static calve_status encode(const calve_table_state *base, const calve_metadata *metadata,
                           calve_str json, calve_buffer *bytes, bool *compressed,
                           calve_error *err) {
  CALVE_TRY(calve_catalog__wants_gzip(metadata, compressed, err)); /* refuses unknown codecs */
  if (base) CALVE_TRY(calve_catalog__wants_gzip(base->metadata, compressed, err));
  return calve_catalog__encode_metadata(json, *compressed, bytes, err);
}

/* The first version of a table would hide the tables that a namespace of its name holds. */
static calve_status refuse_namespace(calve_catalog *c, const calve_table_name *name,
                                     calve_arena *arena, calve_error *err) {
  calve_str *levels = CALVE_NEW_ARRAY(arena, calve_str, name->space.count + 1);
  if (!levels) return calve_fail_oom(err);
  memcpy(levels, name->space.levels, name->space.count * sizeof *levels);
  levels[name->space.count] = name->name;
  const calve_namespace space = {levels, name->space.count + 1};
  calve_buffer tables;
  calve_buffer_init(&tables, c->allocator);
  calve_status status = list_kind(c, &space, true, arena, &tables, err);
  bool none = tables.size == 0;
  calve_buffer_free(&tables);
  if (status != CALVE_OK || none) return status;
  return calve_fail(err, CALVE_EEXISTS, c->name.data,
                    "\"%.*s\" is a namespace that holds tables; a table can't take its place",
                    CALVE_STR_ARG(name->name));
}

static calve_status fs_swap(calve_catalog *c, const calve_table_name *name,
                            const calve_store *store, const calve_table_state *base,
                            const calve_metadata *metadata, calve_str json, calve_arena *arena,
                            calve_str *location, int64_t *version, calve_error *err) {
  calve_str folder, metadata_folder;
  char file[64];
  bool compressed, taken;
  calve_catalog__pointer other;
  CALVE_TRY(folder_of(c, &name->space, &name->name, arena, &folder, err));
  CALVE_TRY(check_place(c, folder, metadata, arena, err));
  CALVE_TRY(calve_path_join(folder, "metadata", arena, &metadata_folder, err));
  if (!base) CALVE_TRY(refuse_namespace(c, name, arena, err));
  *version = base ? base->version + 1 : 1;
  CALVE_TRY(calve_catalog__find_file(store, metadata_folder, *version, arena, &other, &taken, err));
  if (taken)
    return calve_fail(err, base ? CALVE_ECONFLICT : CALVE_EEXISTS, folder.data,
                      base ? "another commit was faster" : "the table exists already");
  calve_buffer bytes;
  calve_buffer_init(&bytes, c->allocator);
  calve_status status = encode(base, metadata, json, &bytes, &compressed, err);
  snprintf(file, sizeof file, "v%" PRId64 "%s", *version,
           compressed ? ".gz.metadata.json" : ".metadata.json");
  if (status == CALVE_OK) status = calve_path_join(metadata_folder, file, arena, location, err);
  if (status == CALVE_OK)
    status = publish(store, *location, calve_buffer_view(&bytes), c->allocator, err);
  calve_buffer_free(&bytes);
  if (status == CALVE_ECONFLICT && !base)
    return calve_fail(err, CALVE_EEXISTS, folder.data, "the table exists already");
  if (status == CALVE_OK) write_hint(store, metadata_folder, *version, arena);
  return status;
}

static calve_status fs_settle(calve_catalog *c, const calve_table_name *name,
                              const calve_store *store, const calve_table_state *base,
                              calve_str location, calve_str json, calve_error *err) {
  (void)name;
  bool compressed = calve_str_ends_with(location, CALVE_STR(".gz.metadata.json"));
  bool there = false, same = false;
  (void)base;
  calve_buffer bytes;
  calve_buffer_init(&bytes, c->allocator);
  calve_status status = calve_catalog__encode_metadata(json, compressed, &bytes, err);
  if (status == CALVE_OK)
    status = holds(store, location, calve_buffer_view(&bytes), &there, &same, c->allocator, err);
  calve_buffer_free(&bytes);
  if (status == CALVE_OK && same) return CALVE_OK;
  if (status == CALVE_OK && there)
    return calve_fail(err, CALVE_ECONFLICT, location.data,
                      "another commit made this version first");
  return calve_fail(err, CALVE_EUNKNOWN, location.data,
                    "it is not known whether this version was written");
}

static void fs_close(calve_catalog *c) {
  (void)c;
}

static const calve_catalog__backend fs_backend = {
    .names_are_folders = true,
    .create_namespace = fs_create_namespace,
    .drop_namespace = fs_drop_namespace,
    .namespace_exists = fs_namespace_exists,
    .list_namespaces = fs_list_namespaces,
    .list_tables = fs_list_tables,
    .namespace_properties = fs_namespace_properties,
    .alter_namespace = fs_alter_namespace,
    .locate = fs_locate,
    .default_location = fs_default_location,
    .drop = fs_drop,
    .rename = fs_rename,
    .enroll = fs_enroll,
    .swap = fs_swap,
    .settle = fs_settle,
    .close = fs_close,
};

calve_status calve_catalog__open_filesystem(calve_catalog *c, calve_error *err) {
  if (!c->warehouse.data)
    return calve_fail(err, CALVE_EINVAL, "warehouse", "a filesystem catalog needs a warehouse");
  c->backend = &fs_backend;
  calve_str place;
  CALVE_TRY(calve_path_resolve(&c->rules, c->warehouse, &c->arena, &place, err));
  return is_local(c) && !c->read_only ? calve_local_make_folder(place, err) : CALVE_OK;
}
