/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_words: what the words of a statement tell where the engine's parser tells nothing.
 * In: a statement's text. Out: places of names, changed text. Used by the session's query files
 * only. Never looks a name up. */
#ifndef CALVE_SQL_QUERY_WORDS_H
#define CALVE_SQL_QUERY_WORDS_H

#include "sql/statement.h"

/* `name` becomes "name", which is how the engine quotes; text without back quotes stays as it is.
 * *out is in the arena or the text itself. */
CALVE_MUST_USE calve_status calve_words_unquote(calve_str text, calve_arena *arena, calve_str *out,
                                                calve_error *err);

/* Whether the word in front of the offset is one behind which a table takes no alias: TABLE t,
 * DESCRIBE t, SUMMARIZE t. */
CALVE_MUST_USE calve_status calve_words_forbid_alias(calve_str text, size_t offset,
                                                     calve_arena *arena, bool *out,
                                                     calve_error *err);

/* A name that stands where tables are named. */
typedef struct calve_word_name {
  calve_name name;
  size_t size;    /* bytes of the text it takes                                                 */
  bool has_alias; /* a name follows                                                             */
} calve_word_name;

/* Names behind FROM, JOIN, INTO, UPDATE, PIVOT and their like, without those that WITH defines. */
CALVE_MUST_USE calve_status calve_words_find_names(calve_str text, calve_arena *arena,
                                                   const calve_word_name **out, size_t *out_count,
                                                   calve_error *err);

/* Whether the statement only reads: SELECT, WITH, FROM, PIVOT … */
CALVE_MUST_USE calve_status calve_words_are_query(calve_str text, calve_arena *arena, bool *out,
                                                  calve_error *err);

/* The place of the query inside a statement that holds one: COPY (query) TO …, CREATE TEMP TABLE t
 * AS query. The whole text for all others. */
CALVE_MUST_USE calve_status calve_words_find_query(calve_str text, calve_arena *arena,
                                                   size_t *start, size_t *end, calve_error *err);

/* COPY name TO … becomes COPY (FROM name) TO …; all else stays as it is. */
CALVE_MUST_USE calve_status calve_words_copy_query(calve_str text, calve_arena *arena,
                                                   calve_str *out, calve_error *err);

/* What to do instead of a statement that the engine does not let us look into and that names a
 * table of the catalog; *offset is moved from the table's name to the verb where that is what is
 * not known. */
const char *calve_words_advice(calve_str text, calve_arena *arena, size_t *offset);

#endif
