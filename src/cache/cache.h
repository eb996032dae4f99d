/* SPDX-License-Identifier: Apache-2.0 */
/* cache/cache: images of manifests, by key, in memory and in a folder.
 * In: a manifest of a plan. Out: its image, found or made. calve_cache itself is in calve.h. May be
 * used by plan; any number of threads at a time. Never makes a plan fail: what can't be had from
 * the cache is NULL, and the manifest is read as without one. Asks the store about every manifest
 * whose image it gives, so that a place that may not be read isn't read this way either. */
#ifndef CALVE_CACHE_CACHE_H
#define CALVE_CACHE_CACHE_H

#include "cache/image.h"
#include "store/store.h"

/* An image in use; let go of with calve_cache_release. */
typedef struct calve_cached calve_cached;
const calve_image *calve_cached_image(const calve_cached *cached);

typedef struct calve_cache_request {
  const calve_store *store;
  const calve_metadata *metadata;
  const calve_manifest_file *manifest;
  const calve_cancel *cancel; /* makes the making of an image end early                         */
  uint64_t plan; /* from calve_cache_begin: what one plan uses, the same plan does not evict    */
} calve_cache_request;

uint64_t calve_cache_begin(calve_cache *cache); /* a number for a plan                          */
/* NULL: none can be had. `bytes` is room to work in. */
calve_cached *calve_cache_obtain(calve_cache *cache, const calve_cache_request *request,
                                 calve_buffer *bytes);
void calve_cache_release(calve_cache *cache, calve_cached *cached); /* NULL is fine             */
/* A section was damaged: nobody gets this image again. Releases it too. */
void calve_cache_reject(calve_cache *cache, calve_cached *cached);
/* How long an image of the folder counts as fresh; for tests. */
void calve_cache__set_fresh_s(calve_cache *cache, int64_t fresh_s);

#endif
