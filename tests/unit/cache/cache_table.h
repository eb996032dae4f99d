/* SPDX-License-Identifier: Apache-2.0 */
/* A table of one manifest, in memory or on disk, for tests of the planning cache. */
#ifndef CALVE_TESTS_CACHE_TABLE_H
#define CALVE_TESTS_CACHE_TABLE_H

#include "harness.h"

#include "base/text.h"
#include "cache/cache.h"
#include "plan/scan.h"

#define CACHE_TABLE_UUID "9c12d441-03fe-4693-9a96-a0705ddf69c1"

typedef struct cache_table {
  calve_arena arena;
  const calve_metadata *metadata;
  calve_manifest_file *manifests;
  size_t manifest_count, file_count; /* files of each manifest                                  */
  char folder[256];                  /* of the table's files                                    */
  calve_error err;
} cache_table;

/* Columns id (1, long), d (2, date), s (3, string), x (4, double); partitioned by month(d) and s.
 * Manifests m0.avro … of `files` files each, listed in snapshot 100. */
void cache_table_open(cache_table *t, size_t manifests, size_t files);
void cache_table_close(cache_table *t);
/* Writes one of its manifests anew; `shift` changes the numbers in it. */
void cache_table_write(cache_table *t, size_t manifest, int64_t shift);
/* The image of a manifest, in the arena. */
calve_str cache_table_image(cache_table *t, size_t manifest, calve_image_key *key);
calve_image_key cache_table_key(const cache_table *t, size_t manifest);
/* Sums over all that a scan gives with this cache (NULL: none), and the number of files. */
typedef struct cache_sums {
  size_t files;
  uint64_t sum;
} cache_sums;
cache_sums cache_table_plan(const cache_table *t, calve_cache *cache, uint32_t columns,
                            const calve_executor *executor);
calve_cache_counts cache_counts(calve_cache *cache);
calve_cache *cache_open(const char *folder, int64_t max_bytes);

#endif
