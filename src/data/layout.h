/* SPDX-License-Identifier: Apache-2.0 */
/* data/layout: what columns Parquet files have, with names, types and field ids at every depth.
 * In: plain paths of files. Out: one immutable layout a file; files of equal layout share one.
 * For data/read. Reads footers only; remembers the layout of a path while the engine is open (data
 * files never change). Never guesses an id: a node without one has -1. [spec: Parquet] */
#ifndef CALVE_DATA_LAYOUT_H
#define CALVE_DATA_LAYOUT_H

#include "data/engine.h"
#include "model/name_mapping.h"

typedef enum calve_layout_kind {
  CALVE_LAYOUT_LEAF,
  CALVE_LAYOUT_STRUCT,
  CALVE_LAYOUT_LIST, /* children[0] is the element                                              */
  CALVE_LAYOUT_MAP   /* children[0] is the key, children[1] the value                           */
} calve_layout_kind;

typedef struct calve_layout_node {
  calve_layout_kind kind;
  int32_t field_id;   /* -1 when the file has none                                              */
  calve_str name;     /* as DuckDB calls it                                                     */
  calve_str sql_type; /* of a leaf: the DuckDB type that the file is read with                  */
  size_t child_count;
  const struct calve_layout_node *children;
} calve_layout_node;

typedef struct calve_layout {
  calve_str example; /* path of one file that has it, for messages                              */
  size_t column_count;
  const calve_layout_node *columns;
  bool has_ids; /* some node has an id                                                          */
} calve_layout;

/* out[i] is the layout of paths[i]; borrowed from the engine until it closes or is asked to forget.
 * CALVE_ENOTFOUND, CALVE_ECORRUPT and CALVE_EIO name a file. */
CALVE_MUST_USE calve_status calve_layouts_of(calve_engine *engine, const calve_str *paths,
                                             size_t count, const calve_layout **out,
                                             calve_error *err);
/* Drops what is remembered when it is more than `keep` files. Call it between statements. */
void calve_layouts_forget(calve_engine *engine, size_t keep);

/* The layout with ids from a name mapping, for files without ids [spec: Column Projection]. */
CALVE_MUST_USE calve_status calve_layout_with_mapping(const calve_layout *layout,
                                                      const calve_name_mapping *mapping,
                                                      calve_arena *arena, const calve_layout **out,
                                                      calve_error *err);

/* Child with that id, NULL when there is none. CALVE_ECORRUPT: two columns of one struct have it.
 */
CALVE_MUST_USE calve_status calve_layout_find(const calve_layout_node *nodes, size_t count,
                                              int32_t field_id, const calve_layout *layout,
                                              const calve_layout_node **out, calve_error *err);
/* Whether any node at any depth has the id. */
bool calve_layout_has_id(const calve_layout_node *nodes, size_t count, int32_t field_id);
/* A field below the node whose name another field of the same struct has too, but for case: the
 * engine can't tell them apart. NULL when there is none. */
const calve_layout_node *calve_layout_clash(const calve_layout_node *node);
/* Appends the DuckDB type of a node. */
void calve_layout_type(calve_buffer *out, const calve_layout_node *node);

#endif
