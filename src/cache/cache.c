/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/abi.h"
#include "cache/cache_folder.h"
#include "store/path.h"

#define FOLDER_BYTES  (INT64_C(2) << 30)
#define MEMORY_BYTES  (INT64_C(256) << 20)
#define FIRST_BUCKETS 64
/* Larger manifests are decoded each time: their images would need too much memory to make. */
#define MANIFEST_BYTES_MAX (INT64_C(64) << 20)

struct calve_cached {
  calve_image image;
  int references; /* of users, and one of the table while it is in it                           */
  uint8_t name[32]; /* table uuid, hash of the key                                              */
  uint64_t plan;    /* that used it last                                                        */
  bool listed;
  calve_cached *newer, *older, *chain;
  void *map; /* either a mapping, of image.size_bytes, or … */
  calve_buffer bytes;
  uint8_t *checked;
  size_t checked_bytes;
};

struct calve_cache {
  const calve_allocator *allocator;
  pthread_mutex_t lock; /* of all below                                                         */
  bool has_folder;
  calve_cache__folder folder;
  int64_t max_bytes, kept_bytes;
  size_t bucket_count, kept_count;
  calve_cached **buckets;
  calve_cached *newest, *oldest;
  uint64_t last_plan, full_plan; /* the plan that found no room for more                        */
  calve_cache_counts counts;
};

/* ---- one image ------------------------------------------------------------------------------ */

const calve_image *calve_cached_image(const calve_cached *cached) {
  return &cached->image;
}

static void free_cached(const calve_allocator *a, calve_cached *c) {
  if (c->map) calve_cache__unmap(c->map, c->image.size_bytes);
  calve_buffer_free(&c->bytes);
  if (c->checked) a->resize(a->ctx, c->checked, c->checked_bytes, 0);
  a->resize(a->ctx, c, sizeof *c, 0);
}

/* Takes over a mapping or the content of a buffer. NULL: it is no image, or memory is out; what was
 * given is freed then. */
static calve_cached *make_cached(calve_cache *cache, void *map, calve_buffer *bytes, size_t size) {
  const calve_allocator *a = cache->allocator;
  calve_cached *c = a->resize(a->ctx, NULL, 0, sizeof *c);
  if (!c) {
    if (map) calve_cache__unmap(map, size);
    if (bytes) calve_buffer_free(bytes);
    return NULL;
  }
  *c = (calve_cached){.references = 1, .map = map};
  calve_buffer_init(&c->bytes, a);
  if (bytes) {
    c->bytes = *bytes;
    calve_buffer_init(bytes, a);
  }
  const void *at = map ? map : c->bytes.data;
  size_t needed;
  c->image.size_bytes = size;
  if (calve_image_look(at, size, &needed)) {
    c->checked_bytes = needed + 1;
    c->checked = a->resize(a->ctx, NULL, 0, c->checked_bytes);
    if (c->checked) {
      memset(c->checked, 0, c->checked_bytes);
      calve_image_open(at, size, c->checked, &c->image);
      return c;
    }
  }
  free_cached(a, c);
  return NULL;
}

static void let_go(calve_cache *cache, calve_cached *c) {
  if (__atomic_sub_fetch(&c->references, 1, __ATOMIC_ACQ_REL) == 0)
    free_cached(cache->allocator, c);
}

void calve_cache_release(calve_cache *cache, calve_cached *cached) {
  if (cached) let_go(cache, cached);
}

/* ---- the table: all under the lock ---------------------------------------------------------- */

static calve_cached **bucket_of(calve_cache *cache, const uint8_t name[32]) {
  uint64_t hash;
  memcpy(&hash, name + 16, sizeof hash);
  return &cache->buckets[hash & (cache->bucket_count - 1)];
}

static calve_cached *find(calve_cache *cache, const uint8_t name[32]) {
  if (cache->bucket_count == 0) return NULL;
  calve_cached *c = *bucket_of(cache, name);
  while (c && memcmp(c->name, name, sizeof c->name) != 0) c = c->chain;
  return c;
}

static void link_newest(calve_cache *cache, calve_cached *c) {
  c->newer = NULL;
  c->older = cache->newest;
  if (cache->newest) cache->newest->newer = c;
  cache->newest = c;
  if (!cache->oldest) cache->oldest = c;
}

static void unlink_use(calve_cache *cache, calve_cached *c) {
  *(c->newer ? &c->newer->older : &cache->newest) = c->older;
  *(c->older ? &c->older->newer : &cache->oldest) = c->newer;
}

static void forget(calve_cache *cache, calve_cached *c) {
  calve_cached **at = bucket_of(cache, c->name);
  while (*at != c) at = &(*at)->chain;
  *at = c->chain;
  unlink_use(cache, c);
  c->listed = false;
  cache->kept_bytes -= (int64_t)c->image.size_bytes;
  cache->kept_count--;
  let_go(cache, c);
}

static bool grow(calve_cache *cache) {
  const calve_allocator *a = cache->allocator;
  size_t count = cache->bucket_count ? cache->bucket_count * 2 : FIRST_BUCKETS;
  calve_cached **buckets = a->resize(a->ctx, NULL, 0, count * sizeof *buckets);
  if (!buckets) return false;
  memset(buckets, 0, count * sizeof *buckets);
  if (cache->buckets)
    a->resize(a->ctx, cache->buckets, cache->bucket_count * sizeof *buckets, 0);
  cache->buckets = buckets;
  cache->bucket_count = count;
  for (calve_cached *c = cache->newest; c; c = c->older) {
    calve_cached **at = bucket_of(cache, c->name);
    c->chain = *at;
    *at = c;
  }
  return true;
}

/* Whether it is kept now. A plan does not throw out what it used itself: a table that is larger
 * than the cache would else never find anything in it. */
static bool keep(calve_cache *cache, calve_cached *c) {
  int64_t size = (int64_t)c->image.size_bytes;
  calve_cached *other = find(cache, c->name);
  if (other) forget(cache, other);
  while (cache->kept_bytes + size > cache->max_bytes && cache->oldest &&
         cache->oldest->plan < c->plan)
    forget(cache, cache->oldest);
  if (cache->kept_bytes + size > cache->max_bytes) return false;
  if (cache->kept_count >= cache->bucket_count && !grow(cache)) return false;
  calve_cached **at = bucket_of(cache, c->name);
  c->chain = *at;
  *at = c;
  link_newest(cache, c);
  c->listed = true;
  cache->kept_bytes += size;
  cache->kept_count++;
  __atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
  return true;
}

/* ---- obtaining ------------------------------------------------------------------------------ */

typedef struct lookup {
  const calve_cache_request *request;
  calve_image_key key;
  uint8_t name[32];
  char file[CALVE_IMAGE_NAME_SIZE];
} lookup;

static bool begin_lookup(const calve_cache_request *r, lookup *out) {
  calve_store_entry entry;
  uint8_t uuid[16];
  lookup l = {.request = r};
  if (!calve_uuid_parse(r->metadata->table_uuid, uuid)) return false;
  if (r->manifest->key_metadata.data) return false; /* encrypted: its plain content is not kept */
  if (calve_store_stat(r->store, r->manifest->path, &entry, NULL) != CALVE_OK) return false;
  if (entry.size_bytes > MANIFEST_BYTES_MAX) return false;
  l.key = calve_image_key_of(uuid, r->manifest, entry.version);
  memcpy(l.name, uuid, sizeof uuid);
  calve_image_key_hash(&l.key, l.name + 16);
  calve_cache__name(l.name, l.name + 16, l.file);
  *out = l;
  return true;
}

static calve_cached *from_memory(calve_cache *cache, const lookup *l) {
  pthread_mutex_lock(&cache->lock);
  calve_cached *c = find(cache, l->name);
  if (c && !calve_image_fits(&c->image, &l->key, l->request->metadata)) {
    forget(cache, c);
    cache->counts.refused++;
    c = NULL;
  }
  if (c) {
    __atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
    if (c->plan < l->request->plan) c->plan = l->request->plan;
    unlink_use(cache, c);
    link_newest(cache, c);
    cache->counts.hits++;
  }
  pthread_mutex_unlock(&cache->lock);
  return c;
}

static calve_cached *from_folder(calve_cache *cache, const lookup *l) {
  void *map;
  size_t size;
  bool foreign;
  calve_cached *c = NULL;
  bool mapped = calve_cache__map(&cache->folder, l->file, true, &map, &size, &foreign);
  if (mapped) c = make_cached(cache, map, NULL, size);
  if (c && !calve_image_fits(&c->image, &l->key, l->request->metadata)) {
    let_go(cache, c);
    c = NULL;
  }
  if (!mapped && !foreign) return NULL;
  if (!c) calve_cache__drop(&cache->folder, l->file);
  pthread_mutex_lock(&cache->lock);
  if (c) {
    memcpy(c->name, l->name, sizeof c->name);
    c->plan = l->request->plan;
    (void)keep(cache, c);
    cache->counts.hits++;
  } else {
    cache->counts.refused++;
  }
  pthread_mutex_unlock(&cache->lock);
  return c;
}

/* Other threads look things up while the disk writes. */
static bool put_in_folder(calve_cache *cache, const char *name, calve_str bytes) {
  calve_cache__unfinished file;
  if (!calve_cache__begin_file(&cache->folder, name, &file)) return false;
  pthread_mutex_lock(&cache->lock);
  bool fits = calve_cache__reserve(&cache->folder, &file, bytes.size);
  pthread_mutex_unlock(&cache->lock);
  if (fits) return calve_cache__end_file(&cache->folder, &file, name, bytes);
  calve_cache__drop_file(&cache->folder, &file);
  return false;
}

/* Puts a new image where the next plan finds it, when there is room. */
static void store_image(calve_cache *cache, const lookup *l, calve_cached *c) {
  uint64_t plan = l->request->plan;
  bool put = cache->has_folder && put_in_folder(cache, l->file, calve_buffer_view(&c->bytes));
  pthread_mutex_lock(&cache->lock);
  cache->counts.misses++;
  bool kept = cache->has_folder ? put : keep(cache, c);
  cache->counts.stored += kept;
  if (!kept) cache->full_plan = plan;
  pthread_mutex_unlock(&cache->lock);
}

static calve_cached *make_image(calve_cache *cache, const lookup *l, calve_buffer *bytes) {
  const calve_cache_request *r = l->request;
  calve_buffer image;
  bool made;
  calve_buffer_init(&image, cache->allocator);
  calve_cached *c = NULL;
  calve_status status = calve_store_read_until(r->store, r->manifest->path, MANIFEST_BYTES_MAX,
                                               r->cancel, bytes, NULL);
  if (status == CALVE_OK)
    status = calve_image_build(&l->key, calve_buffer_view(bytes), r->manifest, r->metadata,
                               r->cancel, &image, &made, NULL);
  if (status == CALVE_OK && made) c = make_cached(cache, NULL, &image, image.size);
  calve_buffer_free(&image);
  if (!c) return NULL;
  memcpy(c->name, l->name, sizeof c->name);
  c->plan = r->plan;
  store_image(cache, l, c);
  return c;
}

/* An image that nobody would find again costs more than to decode the manifest. */
static bool is_full_for(calve_cache *cache, uint64_t plan) {
  pthread_mutex_lock(&cache->lock);
  bool full = cache->full_plan == plan;
  pthread_mutex_unlock(&cache->lock);
  return full;
}

calve_cached *calve_cache_obtain(calve_cache *cache, const calve_cache_request *request,
                                 calve_buffer *bytes) {
  lookup l;
  if (!begin_lookup(request, &l)) return NULL;
  calve_cached *c = from_memory(cache, &l);
  if (!c && cache->has_folder) c = from_folder(cache, &l);
  if (c || is_full_for(cache, request->plan)) return c;
  return make_image(cache, &l, bytes);
}

void calve_cache_reject(calve_cache *cache, calve_cached *cached) {
  char file[CALVE_IMAGE_NAME_SIZE];
  calve_cache__name(cached->name, cached->name + 16, file);
  pthread_mutex_lock(&cache->lock);
  if (cached->listed) forget(cache, cached);
  if (cache->has_folder) calve_cache__drop(&cache->folder, file);
  cache->counts.refused++;
  pthread_mutex_unlock(&cache->lock);
  let_go(cache, cached);
}

/* ---- the whole ------------------------------------------------------------------------------ */

calve_status calve_cache_open(const calve_cache_config *given, calve_cache **out,
                              calve_error *err) {
  calve_cache_config config;
  CALVE_TRY(CALVE_STRUCT_READ(given, calve_cache_config, allocator, &config, err));
  CALVE_TRY(calve_allocator_check(config.allocator, err));
  const calve_allocator *a = config.allocator ? config.allocator : calve_default_allocator();
  if (config.max_bytes < 0)
    return calve_fail(err, CALVE_EINVAL, NULL, "a cache can't hold less than nothing");
  calve_cache *cache = a->resize(a->ctx, NULL, 0, sizeof *cache);
  if (!cache) return calve_fail_oom(err);
  *cache = (calve_cache){.allocator = a, .has_folder = config.folder != NULL, .folder = {.fd = -1}};
  cache->max_bytes = config.max_bytes    ? config.max_bytes
                     : cache->has_folder ? FOLDER_BYTES
                                         : MEMORY_BYTES;
  calve_status status = CALVE_OK;
  if (cache->has_folder)
    status = calve_cache__folder_open(config.folder, cache->max_bytes, &cache->folder, err);
  if (status == CALVE_OK && pthread_mutex_init(&cache->lock, NULL) != 0) {
    calve_cache__folder_close(&cache->folder);
    status = calve_fail_oom(err);
  }
  if (status != CALVE_OK) {
    a->resize(a->ctx, cache, sizeof *cache, 0);
    return status;
  }
  *out = cache;
  return CALVE_OK;
}

static void forget_all(calve_cache *cache, const uint8_t *table_uuid) {
  for (calve_cached *c = cache->oldest, *next; c; c = next) {
    next = c->newer;
    if (!table_uuid || memcmp(c->name, table_uuid, 16) == 0) forget(cache, c);
  }
}

void calve_cache_free(calve_cache *cache) {
  if (!cache) return;
  const calve_allocator *a = cache->allocator;
  forget_all(cache, NULL);
  if (cache->buckets)
    a->resize(a->ctx, cache->buckets, cache->bucket_count * sizeof *cache->buckets, 0);
  calve_cache__folder_close(&cache->folder);
  pthread_mutex_destroy(&cache->lock);
  a->resize(a->ctx, cache, sizeof *cache, 0);
}

uint64_t calve_cache_begin(calve_cache *cache) {
  pthread_mutex_lock(&cache->lock);
  uint64_t plan = ++cache->last_plan;
  pthread_mutex_unlock(&cache->lock);
  return plan;
}

void calve_cache__set_fresh_s(calve_cache *cache, int64_t fresh_s) {
  cache->folder.fresh_s = fresh_s;
}

calve_status calve_cache_get_counts(calve_cache *cache, calve_cache_counts *out,
                                    calve_error *err) {
  pthread_mutex_lock(&cache->lock);
  calve_cache_counts counts = cache->counts;
  counts.memory_bytes = cache->kept_bytes;
  pthread_mutex_unlock(&cache->lock);
  return CALVE_STRUCT_WRITE(out, calve_cache_counts, memory_bytes, &counts, err);
}

calve_status calve_cache_clear(calve_cache *cache, const char *table_uuid, int64_t *removed_bytes,
                               calve_error *err) {
  uint8_t uuid[16];
  char text[CALVE_UUID_TEXT_SIZE];
  if (table_uuid) {
    if (!calve_uuid_parse((calve_str){table_uuid, strlen(table_uuid)}, uuid))
      return calve_fail(err, CALVE_EINVAL, table_uuid, "this is no table's uuid");
    calve_uuid_format(uuid, text);
  }
  calve_buffer files;
  calve_buffer_init(&files, cache->allocator);
  calve_status status = CALVE_OK;
  pthread_mutex_lock(&cache->lock);
  forget_all(cache, table_uuid ? uuid : NULL);
  int64_t removed = 0;
  if (cache->has_folder) {
    status = calve_cache__files(&cache->folder, table_uuid ? text : NULL, &files, err);
    if (status == CALVE_OK) removed = calve_cache__clear(&cache->folder, &files);
  }
  pthread_mutex_unlock(&cache->lock);
  calve_buffer_free(&files);
  if (status == CALVE_OK && removed_bytes) *removed_bytes = removed;
  return status;
}

/* ---- showing -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  const calve_cache__file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* The path of the manifest that a file is of; "" when it does not tell. */
static void read_example(calve_cache *cache, const char *name, char out[CALVE_PATH_MAX]) {
  void *map;
  size_t size, needed;
  bool foreign;
  calve_image image;
  out[0] = '\0';
  if (!calve_cache__map(&cache->folder, name, false, &map, &size, &foreign)) return;
  if (calve_image_look(map, size, &needed)) {
    calve_image_open(map, size, NULL, &image);
    if (calve_path_c(calve_image_path(&image), out, NULL) != CALVE_OK) out[0] = '\0';
  }
  calve_cache__unmap(map, size);
}

calve_status calve_cache_list(calve_cache *cache,
                              bool (*visit)(void *ctx, const calve_cache_table *table), void *ctx,
                              calve_error *err) {
  calve_buffer files;
  char example[CALVE_PATH_MAX], uuid[CALVE_UUID_TEXT_SIZE] = "";
  if (!cache->has_folder) return CALVE_OK;
  calve_buffer_init(&files, cache->allocator);
  pthread_mutex_lock(&cache->lock);
  calve_status status = calve_cache__files(&cache->folder, NULL, &files, err);
  pthread_mutex_unlock(&cache->lock);
  calve_cache__file *all = CALVE_ITEMS(&files, calve_cache__file);
  size_t count = status == CALVE_OK ? CALVE_COUNT(&files, calve_cache__file) : 0;
  if (count > 0) qsort(all, count, sizeof *all, by_name);
  for (size_t i = 0, next; i < count; i = next) {
    calve_cache_table t = {.struct_size = sizeof t, .table_uuid = uuid, .example = example};
    memcpy(uuid, all[i].name, sizeof uuid - 1);
    example[0] = '\0';
    for (next = i; next < count && strncmp(all[next].name, uuid, sizeof uuid - 1) == 0; next++) {
      t.manifest_count += all[next].finished;
      t.size_bytes += all[next].size_bytes;
      if (all[next].used_ms > t.used_ms) t.used_ms = all[next].used_ms;
      if (all[next].finished && !example[0]) read_example(cache, all[next].name, example);
    }
    if (!visit(ctx, &t)) break;
  }
  calve_buffer_free(&files);
  return status;
}
