/* SPDX-License-Identifier: Apache-2.0 */
/* expr/literal: literals as they were written become values of a column's type.
 * In: a literal, a type. Out: a value, and how it stands to the literal. Private to expr. Never
 * allocates but for bytes that hex digits spell. [reference: literal conversion] */
#ifndef CALVE_EXPR_LITERAL_H
#define CALVE_EXPR_LITERAL_H

#include "model/value.h"

typedef enum calve_expr_fit {
  CALVE_FIT_EXACT,
  CALVE_FIT_ROUNDED,   /* the nearest value of a float type; the literal is a little off         */
  CALVE_FIT_BETWEEN,   /* the literal lies above the value and below the next one of the type    */
  CALVE_FIT_ABOVE_MAX, /* above all values of the type                                           */
  CALVE_FIT_BELOW_MIN,
  CALVE_FIT_NONE /* no value: a string that is no date, a number for a string …                   */
} calve_expr_fit;

/* sql: strings become what SQL casts them to where all engines agree ('5' for an int, a date for a
 * timestamp, but no bytes and nothing that is rounded); otherwise as in the reference, which reads
 * hex for bytes. CALVE_ENOMEM only. */
CALVE_MUST_USE calve_status calve_expr__convert(const calve_value *literal, const calve_type *type,
                                                bool sql, calve_arena *arena, calve_value *out,
                                                calve_expr_fit *fit, calve_error *err);

/* What engines make of a text that the column's type has no value for, each in its way: the day of
 * '2026-03-01 12:00:00' where a date is wanted; NaN, which some order and some don't. */
bool calve_expr__day_of_moment(const calve_value *literal, const calve_type *type,
                               calve_value *out);
bool calve_expr__is_nan_text(const calve_value *literal, const calve_type *type);

#endif
