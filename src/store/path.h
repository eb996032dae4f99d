/* SPDX-License-Identifier: Apache-2.0 */
/* store/path: what a path in a table means.
 * In: paths as tables, users and listings spell them. Out: comparisons, joins, the real place.
 * May be used by every room below. Never decodes or encodes a byte: "%20" stays "%20", names may
 * hold spaces, quotes, '*' and '?'. "/p", "file:/p" and "file:///p" are one file: equal when
 * compared, kept as found, "file:///p" in tables of our own.                                     */
#ifndef CALVE_STORE_PATH_H
#define CALVE_STORE_PATH_H

#include "store/store.h"

/* The part of a local path behind its scheme ("/p"); false for other schemes ("s3://…") and for
 * a host that is not localhost. A path without scheme is local, relative ones too. */
bool calve_path_local(calve_str path, calve_str *local);
/* Whether both name one file: schemes of local files, doubled slashes, "." segments and a slash
 * at the end do not count. ".." is never resolved. */
bool calve_path_equal(calve_str a, calve_str b);
/* Whether `path` is `folder` or below it, by whole segments; false when `path` has ".." in it. */
bool calve_path_inside(calve_str path, calve_str folder);
bool calve_path_has_dotdot(calve_str path);
bool calve_path_is_relative(calve_str path); /* a local one without a slash in front            */
/* The form that is equal for equal paths, for use as a key: "/a/b", "s3://bucket/a". */
CALVE_MUST_USE calve_status calve_path_key(calve_str path, calve_arena *arena, calve_str *out,
                                           calve_error *err);
/* "file:///a/b" of a local path, made absolute by the working folder, ".." followed as the system
 * does; others stay as they are. No slash at the end. For locations of our own tables. */
CALVE_MUST_USE calve_status calve_path_own(calve_str path, calve_arena *arena, calve_str *out,
                                           calve_error *err);
/* "folder/name" with one slash between. */
CALVE_MUST_USE calve_status calve_path_join(calve_str folder, const char *name, calve_arena *arena,
                                            calve_str *out, calve_error *err);
calve_str calve_path_file_name(calve_str path); /* behind the last slash                        */
/* Checked copy with a NUL behind, for stores. */
CALVE_MUST_USE calve_status calve_path_c(calve_str path, char out[CALVE_PATH_MAX],
                                         calve_error *err);

typedef struct calve_path_map {
  calve_str from, to; /* whole segments: "/old" maps "/old/t" and "file:/old/t", not "/older" */
} calve_path_map;

/* Which places a table may touch. All borrowed; zero means: no mapping, anywhere. */
typedef struct calve_path_rules {
  const calve_path_map *maps; /* the first that fits                                            */
  size_t map_count;
  bool absolute;           /* no relative path, and none with ".." in it; implied by `confined` */
  bool confined;           /* reading and writing only below roots                              */
  const calve_str *roots;  /* after mapping                                                     */
  size_t root_count;
} calve_path_rules;

/* The place that a path of a table stands for: mapped, and checked against the roots by its text
 * and, where the file system is local, with symbolic links followed. CALVE_EDENIED names path and
 * remedy. Every room that opens a file without the store (the engine) asks here first. */
CALVE_MUST_USE calve_status calve_path_resolve(const calve_path_rules *rules, calve_str path,
                                               calve_arena *arena, calve_str *out,
                                               calve_error *err);

#endif
