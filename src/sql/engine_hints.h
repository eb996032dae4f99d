/* SPDX-License-Identifier: Apache-2.0 */
/* sql/engine_hints: what the engine can't find, said in terms of the catalog.
 * In: the error of a statement. Out: the same error, or one that tells where tables are looked for
 * and which name is near. Used by session.c. The engine knows no namespaces, so that what it
 * suggests for a name of ours leads astray. Never fails. */
#ifndef CALVE_SQL_ENGINE_HINTS_H
#define CALVE_SQL_ENGINE_HINTS_H

#include "sql/session.h"

/* Gives the status of what `err` tells now. */
calve_status calve_hint_about_names(calve_exec *x, calve_error *err);

#endif
