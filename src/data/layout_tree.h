/* SPDX-License-Identifier: Apache-2.0 */
/* data/layout_tree: a Parquet schema's flat list of elements as a tree.
 * In: elements in the file's order, as parquet_schema() gives them. Out: a layout in an arena. For
 * data/layout. Nesting and counts come from the file: both are checked.
 * [Parquet: LogicalTypes, Lists and Maps with their backward-compatibility rules] */
#ifndef CALVE_DATA_LAYOUT_TREE_H
#define CALVE_DATA_LAYOUT_TREE_H

#include "data/layout.h"

typedef struct calve_layout_element {
  calve_str name;
  calve_str sql_type;  /* absent for groups                                                      */
  int64_t child_count; /* 0 for leaves                                                          */
  int64_t field_id;    /* -1 when absent                                                        */
  bool repeated, is_list, is_map;
} calve_layout_element;

/* elements[0] is the root. The elements' strings are copied. */
CALVE_MUST_USE calve_status calve_layout_build(const calve_layout_element *elements, size_t count,
                                               calve_str path, calve_arena *arena,
                                               const calve_layout **out, calve_error *err);

#endif
