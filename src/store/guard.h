/* SPDX-License-Identifier: Apache-2.0 */
/* store/guard: a store that maps prefixes and keeps to allowed roots.
 * In: a store and path rules, both borrowed. Out: a store. Made by catalog for each table.
 * A table's guard opens only what lies below open_roots or the rules' roots: what is opened here is
 * metadata, and its names come from files. Data files are opened by an engine, by the rules.
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
  bool opens_below_roots;      /* these, and those of the rules; other calls may go anywhere    */
  const calve_str *open_roots; /* before mapping; borrowed; "/" and "" count for nothing        */
  size_t open_root_count;
} calve_guard_store;

/* Of the catalog that a table is in: what it names is opened below its roots only. */
void calve_guard_store_confine(calve_guard_store *guard, const calve_str *open_roots,
                               size_t open_root_count);
/* The guard must not move afterwards. allocator NULL: the default one; as the store, it is asked by
 * several threads at once. */
void calve_guard_store_init(calve_guard_store *guard, const calve_store *inner,
                            const calve_path_rules *rules, const calve_str *delete_roots,
                            size_t delete_root_count, const calve_allocator *allocator);

#endif
