/* SPDX-License-Identifier: Apache-2.0 */
/* runner/evolution: rows that evolve a table commit by commit.
 * In: rows of schema_updates and spec_updates. Out: checks of what each commit gives.
 * For run_schema_updates.c and run_spec_updates.c, whose rows mix both kinds of commits. */
#ifndef CALVE_TESTS_EVOLUTION_H
#define CALVE_TESTS_EVOLUTION_H

#include "model/change.h"
#include "runner/runner.h"

/* Runs all commits of a row on its base and checks the results. */
void run_evolution(run *r, const calve_json *row);

/* The commit's operations on base: the changes that it makes. The status is the library's. */
calve_status schema_commit(run *r, const calve_metadata *base, const calve_json *ops,
                           calve_changes *out);
calve_status spec_commit(run *r, const calve_metadata *base, const calve_json *ops,
                         calve_changes *out);

#endif
