/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a manifest of data, a manifest of deletes, and a manifest list. Entries that are
 * accepted are written again, and read back the same. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "track/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENTRIES_MAX 200

static const uint8_t sync_marker[16] = "0123456789abcdef";

static void check(bool ok) {
  if (!ok) abort();
}

static calve_status read_all(calve_str bytes, const calve_manifest_file *m, calve_arena *arena,
                             calve_manifest_reader *r, const calve_manifest_entry **entries,
                             size_t *count) {
  const calve_manifest_options all = {.columns = CALVE_COLUMNS_ALL, .keep_deleted = true};
  CALVE_TRY(calve_manifest_open(bytes, m, NULL, &all, arena, r, NULL));
  return calve_manifest_read_all(r, arena, entries, count, NULL);
}

static void write_again(const calve_manifest_reader *r, const calve_manifest_entry *entries,
                        size_t count, calve_arena *arena) {
  static const calve_type no_columns = {.id = CALVE_STRUCT};
  const calve_schema *schema = NULL;
  check(calve_schema_make(0, &no_columns, NULL, 0, arena, &schema, NULL) == CALVE_OK);
  calve_manifest_params params = {.format_version = 3,
                                  .content = r->manifest->content,
                                  .schema = schema,
                                  .spec = r->spec,
                                  .partition_types = r->partition_types,
                                  .snapshot_id = 1,
                                  .codec_id = CALVE_CODEC_NULL,
                                  .sync = sync_marker};
  calve_manifest_writer *w = NULL;
  /* A spec may be readable and no spec to write with: two fields of one id. */
  if (calve_manifest_writer_open(&params, &w, NULL) != CALVE_OK) return;
  size_t written = 0;
  for (size_t i = 0; i < count && i < ENTRIES_MAX; i++) {
    if (calve_manifest_writer_add(w, &entries[i], NULL) != CALVE_OK) break;
    written++;
  }
  calve_str bytes;
  calve_manifest_file m;
  check(calve_manifest_writer_finish(w, arena, &bytes, &m, NULL) == CALVE_OK);
  m.path = CALVE_STR("again");
  m.sequence_number = r->manifest->sequence_number;
  calve_manifest_reader again;
  const calve_manifest_entry *back = NULL;
  size_t back_count = 0;
  check(read_all(bytes, &m, arena, &again, &back, &back_count) == CALVE_OK);
  check(back_count == written);
  for (size_t i = 0; i < written; i++) {
    check(calve_str_equal(back[i].file.path, entries[i].file.path));
    check(back[i].file.record_count == entries[i].file.record_count);
    check(back[i].file.upper_bounds.count == entries[i].file.upper_bounds.count);
    for (int32_t k = 0; k < back[i].file.partition_count; k++) {
      /* A null of a field that the file lacks has no type; written, it gets one. */
      const calve_value *x = &back[i].file.partition[k], *y = &entries[i].file.partition[k];
      check((x->is_null && y->is_null) || calve_value_equal(x, y));
    }
  }
  calve_manifest_writer_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_str bytes = {(const char *)data, size};
  for (int32_t content = 0; content < 2; content++) {
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    calve_manifest_file m = calve_manifest_file_blank();
    m.path = CALVE_STR("fuzz");
    m.content = content;
    m.sequence_number = 3;
    calve_manifest_reader r;
    const calve_manifest_entry *entries;
    size_t count;
    if (read_all(bytes, &m, &arena, &r, &entries, &count) == CALVE_OK) {
      write_again(&r, entries, count, &arena);
    }
    calve_arena_free(&arena);
  }
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  const calve_manifest_file *list;
  size_t list_count;
  (void)calve_manifest_list_read(bytes, "fuzz", &arena, &list, &list_count, NULL);
  calve_arena_free(&arena);
  return 0;
}
