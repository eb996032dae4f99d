/* SPDX-License-Identifier: Apache-2.0 */
/* expr/predicate_text: the SQL form of predicates, as `calve plan --where` takes it.
 * In: the text of a WHERE condition. Out: an Iceberg predicate (two-valued, not bound yet). May be
 * used by every room below expr. Never asks a schema, a clock or a time zone: timestamps without
 * offset are UTC. Knows
 *   c = 5, <>, !=, <, <=, >, >=, ==, with the literal on either side; BETWEEN, IN, NOT IN, LIKE
 *   'abc%', IS [NOT] NULL, IS [NOT] NAN, isnan(c), IS [NOT] TRUE/FALSE, IS [NOT] DISTINCT FROM, a
 *   boolean column alone; AND, OR, NOT, parentheses; names bare, "quoted" or `quoted`, dotted;
 *   numbers, 'strings', TRUE, FALSE, NULL, DATE '…', TIMESTAMP '…', TIMESTAMPTZ '…', X'hex',
 *   casts of literals (CAST('…' AS date), '…'::date), arithmetic of numbers, dates and intervals
 *   (DATE '…' - INTERVAL 7 DAY); the transforms bucket(16, c),
 *   truncate(4, c), year(c)/years(c) … hour(c)/hours(c), date_trunc('day', c), CAST(c AS date);
 *   units as Iceberg prints them, hours(c) >= '2026-03-01-07'.
 * Any other condition that is well-formed becomes "true": DuckDB applies the whole WHERE again.
 * SQL's names have no case: bind what comes out with case_insensitive. A predicate that is not
 * exact proves nothing about all rows of a file. */
#ifndef CALVE_EXPR_PREDICATE_TEXT_H
#define CALVE_EXPR_PREDICATE_TEXT_H

#include "expr/predicate.h"

/* What the author of a text may want to know. Strings are parts of the text, or in the arena. */
typedef struct calve_predicate_notes {
  size_t column_count; /* columns that it names, used or not, as often as it does               */
  const calve_str *columns;
  size_t unused_count; /* its parts that have no Iceberg form, or not whole: they became true   */
  const calve_str *unused;
} calve_predicate_notes;

/* *exact (may be NULL) tells whether the predicate holds for the same rows as the text, or for
 * more. Strings are borrowed from text and arena. CALVE_EINVAL for a syntax error, with the byte
 * offset in text, and for more than CALVE_CONDITION_DEPTH_MAX nested parentheses. */
CALVE_MUST_USE calve_status calve_predicate_parse(calve_str text, calve_arena *arena,
                                                  const calve_predicate **out, bool *exact,
                                                  calve_error *err);

/* The same, with notes. */
CALVE_MUST_USE calve_status calve_predicate_parse_noted(calve_str text, calve_arena *arena,
                                                        const calve_predicate **out, bool *exact,
                                                        calve_predicate_notes *notes,
                                                        calve_error *err);

/* The same without the last step: leaves mean what SQL means (for callers that combine conditions
 * before they call calve_predicate_two_valued). */
CALVE_MUST_USE calve_status calve_predicate_parse_sql(calve_str text, calve_arena *arena,
                                                      const calve_predicate **out,
                                                      calve_error *err);

#endif
