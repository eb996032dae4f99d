/* SPDX-License-Identifier: Apache-2.0 */
/* store/memory: files in memory; a test double, and scratch space for embedders.
 * In: an allocator. Out: a store that any thread may use. Equal paths by calve_path_equal name one
 * file. Never touches the file system.                                                           */
#ifndef CALVE_STORE_MEMORY_H
#define CALVE_STORE_MEMORY_H

#include "store/store.h"

CALVE_MUST_USE calve_status calve_memory_store_make(const calve_allocator *allocator,
                                                    calve_store **out, calve_error *err);
void calve_memory_store_free(calve_store *store); /* NULL is fine                               */
size_t calve_memory_store_count(const calve_store *store); /* files now                        */

#endif
