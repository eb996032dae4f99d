/* SPDX-License-Identifier: Apache-2.0 */
/* sql/metadata_diff: what differs between two states of a table, for people.
 * In: metadata before and after. Out: lines of text: columns, partition fields, sort order,
 * properties, with their ids; "-" before, "+" after. Used by the exec_*.c files (--dry-run). */
#ifndef CALVE_SQL_METADATA_DIFF_H
#define CALVE_SQL_METADATA_DIFF_H

#include "model/metadata.h"

/* Appends lines, each with a newline behind it; none when nothing differs. before NULL: a table
 * that is not there yet. */
CALVE_MUST_USE calve_status calve_metadata_diff(const calve_metadata *before,
                                                const calve_metadata *after, calve_arena *arena,
                                                calve_buffer *out, calve_error *err);

#endif
