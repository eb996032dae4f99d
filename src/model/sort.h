/* SPDX-License-Identifier: Apache-2.0 */
/* model/sort: sort orders.
 * In: JSON. Out: immutable orders in an arena. May be used by every room below model. [spec:
 * Sorting] */
#ifndef CALVE_MODEL_SORT_H
#define CALVE_MODEL_SORT_H

#include "model/schema.h"
#include "model/transform.h"

typedef struct calve_sort_field {
  int32_t source_id;
  calve_transform transform;
  bool descending;
  bool nulls_last;
  int32_t source_count; /* as in calve_partition_field                                          */
  const int32_t *source_ids;
} calve_sort_field;

typedef struct calve_sort_order {
  int32_t order_id; /* 0 is the unsorted order                                                  */
  int32_t field_count;
  const calve_sort_field *fields;
} calve_sort_order;

CALVE_MUST_USE calve_status calve_sort_order_read_json(calve_json_reader *r,
                                                       const calve_sort_order **out,
                                                       calve_error *err);
CALVE_MUST_USE calve_status calve_sort_order_parse(calve_str json, const char *where,
                                                   calve_arena *arena, const calve_sort_order **out,
                                                   calve_error *err);
void calve_sort_order_write_json(const calve_sort_order *o, calve_json_writer *w);
bool calve_sort_order_same(const calve_sort_order *a, const calve_sort_order *b); /* but for id */
CALVE_MUST_USE calve_status calve_sort_order_check(const calve_sort_order *o,
                                                   const calve_schema *schema, calve_error *err);

#endif
