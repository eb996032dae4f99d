/* SPDX-License-Identifier: Apache-2.0 */
#include "track/delete_index.h"

#include <string.h>

#include "base/map.h"
#include "base/sorting.h"
#include "base/text.h"
#include "track/delete_ranges.h"

/* The column file_path of position delete files [spec: Reserved Field IDs]. */
#define FILE_PATH_ID 2147483546

typedef struct item {
  calve_delete_file file; /* first: handed out as calve_delete_file                             */
  calve_str path_lower, path_upper; /* data files it may be about; absent: any                  */
} item;

/* Deletes of one kind, by sequence number once sealed. */
typedef struct list {
  const item **items;
  size_t count;
  struct list *next; /* of all lists that have items                                            */
} list;

/* Deletes of one partition. Groups whose keys hash alike are chained. */
typedef struct group {
  const calve_spec *spec;
  const calve_value *tuple;
  list equality;
  list position;              /* about any path                                                 */
  list bounded;               /* about paths within bounds                                      */
  calve_track__ranges ranges; /* those bounds, by the same numbers                              */
  struct group *next;
  struct group *next_made;
} group;

/* Position deletes of one data file. */
typedef struct target {
  list position;
  const item *vector;
} target;

struct calve_delete_index {
  calve_arena arena;
  calve_buffer all;  /* item *, in the order of adding                                           */
  list *lists;       /* those that have items                                                    */
  list global;       /* equality deletes of unpartitioned specs                                  */
  calve_map groups;  /* hash of spec and tuple -> group                                          */
  group *last_group; /* made; leads to all                                                      */
  calve_map targets; /* path of a data file -> target                                           */
};

calve_status calve_delete_index_make(const calve_allocator *allocator, calve_delete_index **out,
                                     calve_error *err) {
  calve_arena arena;
  calve_arena_init(&arena, allocator);
  calve_delete_index *x = CALVE_NEW(&arena, calve_delete_index);
  if (!x) {
    calve_arena_free(&arena);
    return calve_fail_oom(err);
  }
  x->arena = arena; /* the index lives in its own arena                                         */
  calve_buffer_init(&x->all, allocator);
  calve_map_init(&x->groups, &x->arena);
  calve_map_init(&x->targets, &x->arena);
  *out = x;
  return CALVE_OK;
}

void calve_delete_index_free(calve_delete_index *index) {
  if (!index) return;
  calve_buffer_free(&index->all);
  calve_arena arena = index->arena;
  calve_arena_free(&arena);
}

size_t calve_delete_index_count(const calve_delete_index *index) {
  return CALVE_COUNT(&index->all, item *);
}

size_t calve_delete_index_bytes(const calve_delete_index *index) {
  return index->arena.used_bytes + index->all.capacity;
}

/* ---- adding --------------------------------------------------------------------------------- */

static calve_status check(const calve_data_file *f, calve_error *err) {
  const char *what = NULL;
  if (f->content == CALVE_CONTENT_EQUALITY_DELETES && f->equality_ids.count == 0) {
    what = "equality deletes have no equality_ids";
  }
  if (calve_data_file_is_deletion_vector(f) &&
      (!f->referenced_data_file.data || f->content_offset < 0 || f->content_size_bytes < 0)) {
    what = "a deletion vector has no referenced_data_file, content_offset or content_size_in_bytes";
  }
  if (!what) return CALVE_OK;
  return calve_fail(err, CALVE_ECORRUPT, NULL, "delete file %.*s can't be applied: %s",
                    CALVE_STR_ARG(f->path), what);
}

calve_status calve_delete_index_add(calve_delete_index *index, const calve_manifest_entry *entry,
                                    const calve_spec *spec, calve_error *err) {
  CALVE_TRY(check(&entry->file, err));
  item *it = CALVE_NEW(&index->arena, item);
  if (!it) return calve_fail_oom(err);
  CALVE_TRY(calve_data_file_copy(&entry->file, &index->arena, &it->file.file, err));
  it->file.data_sequence_number = entry->data_sequence_number;
  it->file.spec = spec;
  it->file.order = calve_delete_index_count(index);
  const calve_str *lower = calve_id_bytes_find(&it->file.file.lower_bounds, FILE_PATH_ID);
  const calve_str *upper = calve_id_bytes_find(&it->file.file.upper_bounds, FILE_PATH_ID);
  if (lower) it->path_lower = *lower;
  if (upper) it->path_upper = *upper;
  calve_buffer_put(&index->all, &it, sizeof it);
  return calve_buffer_check(&index->all, err);
}

/* ---- sealing -------------------------------------------------------------------------------- */

static int64_t key_hash(const calve_spec *spec, const calve_data_file *f) {
  uint64_t h = calve_tuple_hash(f->partition, (size_t)f->partition_count);
  return (int64_t)(h ^ ((uint64_t)spec->spec_id * UINT64_C(0x9e3779b97f4a7c15)));
}

/* Both the spec and the values: tuples of two specs are never equal. */
static bool same_partition(const calve_spec *spec, const calve_value *tuple, int32_t spec_id,
                           const calve_data_file *f) {
  return spec->spec_id == spec_id && spec->field_count == f->partition_count &&
         calve_tuple_equal(tuple, f->partition, (size_t)f->partition_count);
}

static group *find_group(const calve_delete_index *x, int32_t spec_id, int64_t hash,
                         const calve_data_file *f) {
  group *g = calve_map_get_id(&x->groups, hash);
  while (g && !same_partition(g->spec, g->tuple, spec_id, f)) g = g->next;
  return g;
}

static calve_status get_group(calve_delete_index *x, const item *it, group **out,
                              calve_error *err) {
  const calve_data_file *f = &it->file.file;
  int64_t hash = key_hash(it->file.spec, f);
  *out = find_group(x, it->file.spec->spec_id, hash, f);
  if (*out) return CALVE_OK;
  group *g = CALVE_NEW(&x->arena, group);
  if (!g) return calve_fail_oom(err);
  g->spec = it->file.spec;
  g->tuple = f->partition;
  g->next = calve_map_get_id(&x->groups, hash);
  g->next_made = x->last_group;
  x->last_group = g;
  CALVE_TRY(calve_map_put_id(&x->groups, hash, g, NULL, err));
  *out = g;
  return CALVE_OK;
}

static calve_status get_target(calve_delete_index *x, calve_str path, target **out,
                               calve_error *err) {
  *out = calve_map_get_str(&x->targets, path);
  if (*out) return CALVE_OK;
  target *t = CALVE_NEW(&x->arena, target);
  if (!t) return calve_fail_oom(err);
  CALVE_TRY(calve_map_put_str(&x->targets, path, t, NULL, err));
  *out = t;
  return CALVE_OK;
}

/* The one data file that position deletes are about; absent when they may be about several. Equal
 * bounds say it too: a cut upper bound is greater than a cut lower one. */
static calve_str only_target(const item *it) {
  if (it->file.file.referenced_data_file.data) return it->file.file.referenced_data_file;
  if (it->path_lower.data && it->path_upper.data &&
      calve_str_equal(it->path_lower, it->path_upper)) {
    return it->path_lower;
  }
  return (calve_str){0};
}

/* Bounds in the wrong order bound nothing. */
static bool is_bounded(const item *it) {
  bool has_lower = it->path_lower.data, has_upper = it->path_upper.data;
  if (has_lower && has_upper) return calve_str_compare(it->path_lower, it->path_upper) <= 0;
  return has_lower || has_upper;
}

/* The list a delete belongs to; NULL for a deletion vector, which is put in place here. */
static calve_status place(calve_delete_index *x, const item *it, list **out, calve_error *err) {
  const calve_data_file *f = &it->file.file;
  group *g = NULL;
  target *t = NULL;
  if (f->content == CALVE_CONTENT_EQUALITY_DELETES) {
    if (calve_spec_is_unpartitioned(it->file.spec)) {
      *out = &x->global;
      return CALVE_OK;
    }
    CALVE_TRY(get_group(x, it, &g, err));
    *out = &g->equality;
    return CALVE_OK;
  }
  calve_str path = only_target(it);
  if (!path.data) {
    CALVE_TRY(get_group(x, it, &g, err));
    *out = is_bounded(it) ? &g->bounded : &g->position;
    return CALVE_OK;
  }
  CALVE_TRY(get_target(x, path, &t, err));
  *out = &t->position;
  if (!calve_data_file_is_deletion_vector(f)) return CALVE_OK;
  if (t->vector) {
    return calve_fail(
        err, CALVE_ECORRUPT, NULL, "data file %.*s has two deletion vectors, in %.*s and %.*s",
        CALVE_STR_ARG(path), CALVE_STR_ARG(t->vector->file.file.path), CALVE_STR_ARG(f->path));
  }
  t->vector = it;
  *out = NULL;
  return CALVE_OK;
}

static int by_sequence(const void *a, const void *b) {
  const calve_delete_file *x = &(*(const item *const *)a)->file;
  const calve_delete_file *y = &(*(const item *const *)b)->file;
  if (x->data_sequence_number != y->data_sequence_number) {
    return x->data_sequence_number < y->data_sequence_number ? -1 : 1;
  }
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Finds the list of every item, and counts. */
static calve_status place_all(calve_delete_index *x, list **places, const calve_cancel *cancel,
                              calve_error *err) {
  const item *const *all = CALVE_ITEMS(&x->all, const item *);
  for (size_t i = 0, count = calve_delete_index_count(x); i < count; i++) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(cancel, err));
    CALVE_TRY(place(x, all[i], &places[i], err));
    list *l = places[i];
    if (!l || l->count++ > 0) continue;
    l->next = x->lists;
    x->lists = l;
  }
  return CALVE_OK;
}

/* Gives every list its array, and the items in order. */
static calve_status fill_lists(calve_delete_index *x, list **places, calve_arena *scratch,
                               const calve_cancel *cancel, calve_error *err) {
  const item *const *all = CALVE_ITEMS(&x->all, const item *);
  for (list *l = x->lists; l; l = l->next) {
    l->items = calve_arena_room(&x->arena, l->count, sizeof *l->items);
    if (!l->items) return calve_fail_oom(err);
    l->count = 0;
  }
  for (size_t i = 0, count = calve_delete_index_count(x); i < count; i++) {
    list *l = places[i];
    if (l) l->items[l->count++] = all[i];
  }
  size_t i = 0;
  for (list *l = x->lists; l; l = l->next) {
    if (i++ % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(cancel, err));
    CALVE_TRY(calve_sort(l->items, l->count, sizeof *l->items, by_sequence, scratch, cancel, err));
    calve_arena_reset(scratch);
  }
  return CALVE_OK;
}

static calve_status make_ranges(calve_delete_index *x, group *g, const calve_cancel *cancel,
                                calve_error *err) {
  calve_track__range *ranges = CALVE_NEW_ARRAY(&x->arena, calve_track__range, g->bounded.count);
  if (!ranges) return calve_fail_oom(err);
  for (size_t i = 0; i < g->bounded.count; i++) {
    const item *it = g->bounded.items[i];
    ranges[i] =
        (calve_track__range){it->path_lower, it->path_upper, it->file.data_sequence_number};
  }
  return calve_track__ranges_make(ranges, g->bounded.count, cancel, &x->arena, &g->ranges, err);
}

static calve_status seal(calve_delete_index *x, calve_arena *scratch, const calve_cancel *cancel,
                         calve_error *err) {
  list **places = CALVE_NEW_ARRAY(&x->arena, list *, calve_delete_index_count(x));
  if (!places) return calve_fail_oom(err);
  CALVE_TRY(place_all(x, places, cancel, err));
  CALVE_TRY(fill_lists(x, places, scratch, cancel, err));
  size_t i = 0;
  for (group *g = x->last_group; g; g = g->next_made) {
    if (i++ % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(cancel, err));
    if (g->bounded.count > 0) CALVE_TRY(make_ranges(x, g, cancel, err));
  }
  return CALVE_OK;
}

calve_status calve_delete_index_seal(calve_delete_index *index, const calve_cancel *cancel,
                                     calve_error *err) {
  if (calve_delete_index_count(index) == 0) return CALVE_OK;
  calve_arena scratch;
  calve_arena_init(&scratch, index->arena.allocator);
  calve_status status = seal(index, &scratch, cancel, err);
  calve_arena_free(&scratch);
  return status;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* The first delete of at least that sequence number. */
static size_t first_from(const list *l, int64_t sequence_number) {
  size_t low = 0, high = l->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (l->items[middle]->file.data_sequence_number < sequence_number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* How many those are. */
static size_t count_from(const list *l, int64_t sequence_number) {
  return l->count - first_from(l, sequence_number);
}

typedef struct result {
  const calve_delete_file **items;
  size_t count;
} result;

static void take(result *r, const list *l, int64_t from_sequence_number) {
  for (size_t i = first_from(l, from_sequence_number); i < l->count; i++) {
    r->items[r->count++] = &l->items[i]->file;
  }
}

/* How many of the group's position deletes are new enough and may be about the path. */
static size_t count_positions(const group *g, calve_str path, int64_t sequence_number) {
  size_t bounded = g->bounded.count == 0
                       ? 0
                       : calve_track__ranges_count(&g->ranges, path, sequence_number);
  return bounded + count_from(&g->position, sequence_number);
}

/* Those, by sequence number and order; numbers has room for the bounded ones. */
static void take_group(result *r, const group *g, calve_str path, int64_t sequence_number,
                       uint32_t *numbers, size_t bounded_count) {
  size_t next = first_from(&g->position, sequence_number);
  calve_track__ranges_find(&g->ranges, path, sequence_number, numbers);
  for (size_t i = 0; i < bounded_count; i++) {
    const item *bounded = g->bounded.items[numbers[i]];
    while (next < g->position.count && by_sequence(&g->position.items[next], &bounded) < 0) {
      r->items[r->count++] = &g->position.items[next++]->file;
    }
    r->items[r->count++] = &bounded->file;
  }
  while (next < g->position.count) r->items[r->count++] = &g->position.items[next++]->file;
}

/* Position deletes that name the data file still apply only in its own partition: so says the
 * spec; the reference asks for the path alone. */
static bool is_in_partition(const item *it, const calve_data_file *f) {
  return same_partition(it->file.spec, it->file.file.partition, f->spec_id, f);
}

static calve_status take_positions(result *r, const group *g, const target *t,
                                   const calve_data_file *f, int64_t sequence_number,
                                   calve_arena *arena, calve_error *err) {
  if (g && g->bounded.count > 0) {
    size_t count = calve_track__ranges_count(&g->ranges, f->path, sequence_number);
    uint32_t *numbers = calve_arena_room(arena, count, sizeof *numbers);
    if (!numbers) return calve_fail_oom(err);
    take_group(r, g, f->path, sequence_number, numbers, count);
  } else if (g) {
    take(r, &g->position, sequence_number);
  }
  for (size_t i = t ? first_from(&t->position, sequence_number) : 0; t && i < t->position.count;
       i++) {
    const item *it = t->position.items[i];
    if (is_in_partition(it, f)) r->items[r->count++] = &it->file;
  }
  return CALVE_OK;
}

calve_status calve_delete_index_find(const calve_delete_index *index, const calve_data_file *file,
                                     int64_t data_sequence_number, calve_arena *arena,
                                     const calve_delete_file *const **out, size_t *out_count,
                                     calve_error *err) {
  *out = NULL;
  *out_count = 0;
  if (index->all.size == 0) return CALVE_OK;
  calve_spec key = {.spec_id = file->spec_id};
  const group *g = index->groups.count == 0
                       ? NULL
                       : find_group(index, file->spec_id, key_hash(&key, file), file);
  const target *t =
      index->targets.count == 0 ? NULL : calve_map_get_str(&index->targets, file->path);
  /* It holds all older position deletes. */
  const item *vector = t ? t->vector : NULL;
  if (vector && (vector->file.data_sequence_number < data_sequence_number ||
                 !is_in_partition(vector, file))) {
    vector = NULL;
  }
  /* Equality deletes reach older rows only, position deletes those of their own commit too. A
   * partition may have as many deletes as data files: those too old to matter must not cost. */
  size_t most = count_from(&index->global, data_sequence_number + 1) + (vector != NULL);
  if (g) most += count_from(&g->equality, data_sequence_number + 1);
  if (g && !vector) most += count_positions(g, file->path, data_sequence_number);
  if (t && !vector) most += count_from(&t->position, data_sequence_number);
  if (most == 0) return CALVE_OK;
  result r = {.items = calve_arena_room(arena, most, sizeof *r.items)};
  if (!r.items) return calve_fail_oom(err);
  take(&r, &index->global, data_sequence_number + 1);
  if (g) take(&r, &g->equality, data_sequence_number + 1);
  if (vector)
    r.items[r.count++] = &vector->file;
  else
    CALVE_TRY(take_positions(&r, g, t, file, data_sequence_number, arena, err));
  *out = r.count > 0 ? r.items : NULL;
  *out_count = r.count;
  return CALVE_OK;
}
