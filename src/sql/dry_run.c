/* SPDX-License-Identifier: Apache-2.0 */
/* What a statement would change, as rows. */
#include <string.h>

#include "sql/listing.h"
#include "sql/metadata_diff.h"
#include "sql/table_warnings.h"

calve_status calve_exec_show_diff(calve_exec *x, const calve_metadata *before,
                                  const calve_metadata *after, calve_error *err) {
  calve_buffer text;
  calve_listing l;
  calve_buffer_init(&text, x->session->allocator);
  calve_status status = calve_metadata_diff(before, after, x->arena, &text, err);
  if (status == CALVE_OK) status = calve_listing_begin(x, "would_change VARCHAR", 1, &l, err);
  if (status != CALVE_OK) {
    calve_buffer_free(&text);
    return status;
  }
  for (size_t at = 0; at < text.size;) {
    const char *end = memchr(text.data + at, '\n', text.size - at);
    size_t size = (size_t)(end - (text.data + at));
    calve_listing_text(&l, (calve_str){text.data + at, size});
    at += size + 1;
  }
  calve_buffer_free(&text);
  return calve_listing_show(&l, err);
}

calve_status calve_exec_show_changes(calve_exec *x, calve_table *table,
                                     const calve_changes *changes, size_t count,
                                     calve_error *err) {
  calve_transaction *transaction;
  const calve_metadata *after;
  CALVE_TRY(calve_table_begin(table, &transaction, err));
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count && status == CALVE_OK; i++)
    if (changes[i].change_count > 0)
      status = calve_transaction_add_changes(transaction, &changes[i], err);
  if (status == CALVE_OK) status = calve_transaction_preview(transaction, &after, err);
  if (status == CALVE_OK) status = calve_exec_warn_of_metadata(x, table, after, err);
  if (status == CALVE_OK)
    status = calve_exec_show_diff(x, calve_table_metadata(table), after, err);
  calve_transaction_free(transaction);
  return status;
}
