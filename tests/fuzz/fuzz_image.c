/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of the planning cache. The first byte says whether checksums are put right
 * first, so that what lies behind them is reached. What is accepted is read whole. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cache/image_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROWS_MAX 300

/* Whether the directory and the sections lie inside, as sealing needs it. */
static bool can_be_sealed(const uint8_t *bytes, size_t size) {
  image_head h;
  if (size < sizeof h) return false;
  memcpy(&h, bytes, sizeof h);
  size_t at = sizeof h + (size_t)image_round_up(h.key_bytes);
  if (at > size || h.section_count > (size - at) / sizeof(image_section)) return false;
  for (uint32_t i = 0; i < h.section_count; i++, at += sizeof(image_section)) {
    image_section s;
    memcpy(&s, bytes + at, sizeof s);
    if (s.offset > size || s.size_bytes > size - s.offset) return false;
  }
  return true;
}

/* Touches every byte that an entry points to. */
static uint64_t touch(const calve_data_file *f) {
  uint64_t sum = calve_str_hash(f->path) + calve_str_hash(f->format);
  if (f->key_metadata.data) sum += calve_str_hash(f->key_metadata);
  if (f->referenced_data_file.data) sum += calve_str_hash(f->referenced_data_file);
  sum += calve_tuple_hash(f->partition, (size_t)f->partition_count);
  for (size_t i = 0; i < f->split_offsets.count; i++) sum += (uint64_t)f->split_offsets.items[i];
  for (size_t i = 0; i < f->equality_ids.count; i++) sum += (uint64_t)f->equality_ids.items[i];
  for (size_t i = 0; i < f->nan_value_counts.count; i++)
    sum += (uint64_t)f->nan_value_counts.items[i].value;
  for (size_t i = 0; i < f->lower_bounds.count; i++)
    sum += calve_str_hash(f->lower_bounds.items[i].value);
  for (size_t i = 0; i < f->upper_bounds.count; i++)
    sum += calve_str_hash(f->upper_bounds.items[i].value);
  return sum;
}

static void read_image(const uint8_t *bytes, size_t size, const int32_t *ids, size_t id_count) {
  size_t needed;
  if (!calve_image_look(bytes, size, &needed)) return;
  const calve_manifest_options options = {
      .columns = CALVE_COLUMNS_ALL, .metric_ids = ids, .metric_id_count = id_count};
  uint8_t *checked = calloc(needed + 1, 1);
  if (!checked) abort();
  calve_arena arena;
  calve_image image;
  calve_image_rows rows;
  calve_arena_init(&arena, NULL);
  calve_image_open(bytes, size, checked, &image);
  uint64_t sum = calve_str_hash(calve_image_path(&image));
  if (calve_image_read(&image, &options, &arena, &rows, NULL) == CALVE_OK) {
    for (size_t i = 0; i < rows.count && i < ROWS_MAX; i++) {
      calve_manifest_entry e;
      if (calve_image_entry(&rows, i, &arena, &e, NULL) != CALVE_OK) abort();
      sum += touch(&e.file);
    }
  }
  if (sum == 42) checked[needed] = 1; /* so that it counts                                       */
  calve_arena_free(&arena);
  free(checked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int32_t ids[] = {1, 3, 2147483546};
  if (size < 1) return 0;
  uint8_t *copy = malloc(size);
  if (!copy) abort();
  memcpy(copy, data + 1, size - 1);
  if (data[0] & 1) {
    if (can_be_sealed(copy, size - 1)) calve_cache__image_seal(copy);
  }
  read_image(copy, size - 1, NULL, 0);
  read_image(copy, size - 1, ids, sizeof ids / sizeof *ids);
  free(copy);
  return 0;
}
