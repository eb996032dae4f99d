/* SPDX-License-Identifier: Apache-2.0 */
/* runner/exceptions: rows where calve differs from the reference on purpose.
 * In: tests/vectors-exceptions/<kind>.jsonl, one object a line:
 *   {"why": "one sentence", "ours": "what a failing run prints as got", "row": {…}}
 * "row" names members that the row must have, with equal values; members inside objects may be left
 * out as well, and null also stands for a member that the row lacks. One exception may stand for
 * several rows if calve gives the same for each.
 * Out: the exception of a row. An exception whose row agrees with the reference is stale.        */
#ifndef CALVE_TESTS_EXCEPTIONS_H
#define CALVE_TESTS_EXCEPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "codec/json.h"

typedef struct exception {
  calve_str why, ours;
  const calve_json *row;
  size_t used_count;
} exception;

typedef struct exceptions {
  calve_arena arena;
  exception *items;
  size_t count;
} exceptions;

/* A missing file is an empty list. False after printing what is wrong with the file. */
bool exceptions_read(exceptions *list, const char *path);
void exceptions_free(exceptions *list);
/* The first one that fits, with its use counted; NULL when there is none. */
const exception *exceptions_find(exceptions *list, const calve_json *row);

#endif
