/* SPDX-License-Identifier: Apache-2.0 */
/* Random queries on a table, with WHERE clauses as people write them: literals of every type beside
 * columns of every type, either side, all operators, trees of AND, OR and NOT, functions, joins,
 * subqueries. In the text '@' stands for the table, '~' for its name as columns are qualified by.
 */
#ifndef CALVE_TESTS_LAW_QUERY_H
#define CALVE_TESTS_LAW_QUERY_H

#include "law_table.h"

void law_query(law_random *r, const law_table *table, law_text *out);
/* A condition on bare columns of the table. */
void law_condition(law_random *r, const law_table *table, law_text *out);
/* Writes the query with the two marks replaced. */
void law_query_on(const law_text *query, const char *table, const char *name, law_text *out);

#endif
