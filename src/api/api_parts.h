/* SPDX-License-Identifier: Apache-2.0 */
/* api/api_parts: helpers of the functions that calve.h declares; private to api.
 * In: C strings and settings of a caller. Out: what the rooms take. api itself decides nothing:
 * each function hands on to the room that does. */
#ifndef CALVE_API_API_PARTS_H
#define CALVE_API_API_PARTS_H

#include "base/abi.h"
#include "base/buffer.h"
#include "catalog/table.h"
#include "expr/predicate_text.h"
#include "plan/scan.h"

/* CALVE_EINVAL, named `what`, when text is NULL. */
CALVE_MUST_USE calve_status calve_api__require(const char *text, const char *what,
                                               calve_error *err);
CALVE_MUST_USE calve_status calve_api__properties(const calve_setting *settings, size_t count,
                                                  calve_arena *arena, calve_properties *out,
                                                  calve_error *err);
CALVE_MUST_USE calve_status calve_api__maps(const calve_setting *settings, size_t count,
                                            calve_arena *arena, const calve_path_map **out,
                                            calve_error *err);
CALVE_MUST_USE calve_status calve_api__roots(const char *const *roots, size_t count,
                                             calve_arena *arena, const calve_str **out,
                                             calve_error *err);
/* What parsers of stored bytes call corrupt is a mistake of the caller where the text is his. */
calve_status calve_api__of_caller(calve_status status, calve_error *err);

/* "country", "days(order_ts)", "bucket(16, id)", "truncate(name, 4)". */
typedef struct calve_api__term {
  calve_str column;
  calve_transform transform;
} calve_api__term;
CALVE_MUST_USE calve_status calve_api__term_parse(calve_str text, calve_api__term *out,
                                                  calve_error *err);
/* Cuts the next term off a list: commas inside parentheses or quotes do not count. False: the
 * end, an absent list; an empty one, as behind the last comma, has an empty term. */
bool calve_api__next_term(calve_str *list, calve_str *term);

/* ---- plans (api_plan.c, api_groups.c) ------------------------------------------------------- */

struct calve_plan {
  calve_table *table;
  const calve_allocator *allocator;
  calve_arena arena;    /* as long as the plan                                                  */
  calve_arena of_batch; /* texts about its tasks                                                */
  calve_scan_params params;
  calve_predicate_notes notes; /* on `where`                                                    */
  calve_scan *scan;
  calve_buffer tasks;
};

/* As calve_scan_next; an error about a manifest tells its list. */
CALVE_MUST_USE calve_status calve_api__next(calve_plan *plan, const calve_scan_task **tasks,
                                            size_t *count, calve_error *err);
/* As the program sees it: `t` is its detail. */
calve_plan_task calve_api__task(const calve_scan_task *t);

#endif
