/* SPDX-License-Identifier: Apache-2.0 */
/* sql/table_warnings: what is wrong with how a table is partitioned, for people.
 * In: a table. Out: sentences, each with what to do. Used by the exec_*.c files. Opens at most the
 * manifest list of the current snapshot; a list that can't be read leaves a number out. */
#ifndef CALVE_SQL_TABLE_WARNINGS_H
#define CALVE_SQL_TABLE_WARNINGS_H

#include "sql/session.h"

/* Appends calve_str to `out`, in the statement's arena, a NUL behind each. `metadata` is the
 * table's, or what it would become. all: also specs that no file of the current snapshot has. */
CALVE_MUST_USE calve_status calve_table_warnings(calve_exec *x, const calve_table *table,
                                                 const calve_metadata *metadata, bool all,
                                                 calve_buffer *out, calve_error *err);
/* The result warns of them, of each table once a session, and again when there are more. */
CALVE_MUST_USE calve_status calve_exec_warn_of_metadata(calve_exec *x, const calve_table *table,
                                                        const calve_metadata *metadata,
                                                        calve_error *err);
CALVE_MUST_USE calve_status calve_exec_warn_of_table(calve_exec *x, const calve_table *table,
                                                     calve_error *err);

#endif
