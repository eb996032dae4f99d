/* SPDX-License-Identifier: Apache-2.0 */
/* store/guard: a store that maps prefixes and keeps to allowed roots.
 * In: a store and path rules, both borrowed. Out: a store. Made by catalog for each table.
 * Removing is always confined to the delete roots (a table's location and its write paths), also
 * when reading is not: nothing that metadata says can delete a stranger's file. Local folders below
 * the delete root go with the last file in them.                                                 */
#ifndef CALVE_STORE_GUARD_H
#define CALVE_STORE_GUARD_H

#include "store/path.h"

typedef struct calve_guard_store {
  calve_store store; /* first member: hand out &guard.store                                     */
  const calve_store *inner;
  calve_path_rules rules;
  const calve_str *delete_roots; /* before mapping; borrowed                                    */
  size_t delete_root_count;
  const calve_allocator *allocator;
  bool is_table; /* a table names what is opened: CALVE_ECORRUPT when it is not there           */
} calve_guard_store;

/* The guard must not move afterwards. allocator NULL: the default one; as the store, it is asked by
 * several threads at once. */
void calve_guard_store_init(calve_guard_store *guard, const calve_store *inner,
                            const calve_path_rules *rules, const calve_str *delete_roots,
                            size_t delete_root_count, const calve_allocator *allocator);

#endif
