/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "model/schema.h"

#define DISTANCE_TEXT_MAX 96 /* longer names are not compared                                   */

/* Edits (insert, delete, replace a byte) that turn a into b, without case. Neither may be longer
 * than DISTANCE_TEXT_MAX. */
static size_t edit_distance(calve_str a, calve_str b) {
  size_t row[DISTANCE_TEXT_MAX + 1];
  for (size_t j = 0; j <= b.size; j++) row[j] = j;
  for (size_t i = 0; i < a.size; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size; j++) {
      bool same = calve_str_equal_nocase((calve_str){a.data + i, 1}, (calve_str){b.data + j, 1});
      size_t replace = diagonal + (same ? 0 : 1);
      size_t other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
      diagonal = row[j + 1];
      row[j + 1] = replace < other ? replace : other;
    }
  }
  return row[b.size];
}

/* The best candidate so far; starts with the largest distance that is still a likely slip. */
typedef struct nearest {
  calve_str name;
  size_t limit;
} nearest;

static void consider(nearest *best, calve_str wanted, calve_str candidate) {
  size_t longer = wanted.size > candidate.size ? wanted.size : candidate.size;
  size_t shorter = wanted.size > candidate.size ? candidate.size : wanted.size;
  if (longer > DISTANCE_TEXT_MAX || longer - shorter >= best->limit) return;
  size_t distance = edit_distance(wanted, candidate);
  if (distance >= best->limit) return;
  best->name = candidate;
  best->limit = distance;
}

static nearest nearest_start(calve_str name) {
  size_t third = name.size / 3;
  return (nearest){{NULL, 0}, (third > 0 ? third : 1) + 1};
}

calve_str calve_nearest_name(calve_str name, const calve_str *candidates, size_t count) {
  nearest best = nearest_start(name);
  for (size_t i = 0; i < count; i++) consider(&best, name, candidates[i]);
  return best.name;
}

static calve_status not_found(const calve_schema *s, calve_str name, calve_error *err) {
  nearest best = nearest_start(name);
  for (int32_t i = 0; i < s->node_count; i++) consider(&best, name, s->nodes[i].full_name);
  if (best.name.data)
    return calve_fail(err, CALVE_ENOTFOUND, NULL, "there is no column '%.*s'; did you mean '%.*s'?",
                      CALVE_STR_ARG(name), CALVE_STR_ARG(best.name));
  return calve_fail(err, CALVE_ENOTFOUND, NULL, "there is no column '%.*s'", CALVE_STR_ARG(name));
}

calve_status calve_schema_resolve(const calve_schema *s, calve_str name, bool case_sensitive,
                                  const calve_schema_node **out, calve_error *err) {
  const calve_schema_node *found = NULL;
  if (case_sensitive) {
    found = calve_schema_find(s, name);
  } else {
    /* An exact match does not win over others: which of two columns is meant must not depend on
     * how the user happens to write it. [reference] */
    for (int32_t i = 0; i < s->node_count + s->short_name_count; i++) {
      bool full = i < s->node_count;
      const calve_schema_name *brief = full ? NULL : &s->short_names[i - s->node_count];
      const calve_schema_node *node = full ? &s->nodes[i] : brief->node;
      if (!calve_str_equal_nocase(full ? node->full_name : brief->name, name) || node == found)
        continue;
      if (found)
        return calve_fail(err, CALVE_EINVAL, NULL,
                          "column '%.*s' is ambiguous without case: '%.*s' and '%.*s'",
                          CALVE_STR_ARG(name), CALVE_STR_ARG(found->full_name),
                          CALVE_STR_ARG(node->full_name));
      found = node;
    }
  }
  if (!found) return not_found(s, name, err);
  *out = found;
  return CALVE_OK;
}
