/* SPDX-License-Identifier: Apache-2.0 */
/* The statement grammar: any bytes give a statement or an error, never more. */
#include "sql/query_travel.h"
#include "sql/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_str script = {(const char *)data, size}, one;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  while (calve_sql_next_statement(&script, &one, NULL, &err) == CALVE_OK && one.data) {
    const calve_statement *statement;
    const calve_travel *travels;
    size_t count;
    calve_str text;
    if (calve_statement_parse(one, &arena, &statement, &err) != CALVE_OK) continue;
    if (calve_travel_extract(one, &arena, &text, &travels, &count, &err) != CALVE_OK) continue;
  }
  calve_arena_free(&arena);
  return 0;
}
