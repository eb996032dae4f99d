/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_rewrite: a query on Iceberg tables as a query on relations of the engine.
 * In: the text of a SELECT. Out: the text with each Iceberg table replaced; the tables it names.
 * Used by the exec_*.c files. Tables that the catalog lacks stay as they are: the engine's own
 * tables, files. */
#ifndef CALVE_SQL_QUERY_REWRITE_H
#define CALVE_SQL_QUERY_REWRITE_H

#include "sql/relation.h"

/* Called for each Iceberg table of the query, in the order of the text; gives what is to stand
 * there. */
typedef calve_status (*calve_relation_visit)(void *ctx, calve_exec *x,
                                             const calve_relation_request *request,
                                             calve_str *name, calve_error *err);

CALVE_MUST_USE calve_status calve_query_rewrite(calve_exec *x, calve_str query,
                                                calve_relation_visit visit, void *ctx,
                                                calve_str *out, calve_error *err);

#endif
