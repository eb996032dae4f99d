/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an Avro file: every block is walked twice, by a program that wants fields of many
 * kinds and by one that wants none. Where both accept a block they end at the same byte. */
#include <stdlib.h>
#include <string.h>

#include "codec/avro_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS_MAX 1000
#define BLOCKS_MAX  50

typedef struct target {
  int64_t number;
  int32_t small;
  bool flag;
  calve_str text;
  calve_i64_list list;
  calve_i32_list small_list;
  calve_id_i64_list counts;
  calve_id_bytes_list bounds;
  calve_record_list records;
  calve_avro_scalar scalar;
  calve_avro_scalar *at;
} target;

#define AT(member) offsetof(target, member)

/* By names and ids that manifests and lists have too, so that seeds reach every kind. */
static const calve_avro_want scalars[] = {
    {.field_id = 1000, .name = "a", .target = CALVE_AVRO_TO_SCALAR}};
static const calve_avro_want summary[] = {
    {.field_id = 509, .name = "b", .target = CALVE_AVRO_TO_BOOL, .offset = AT(flag)},
    {.field_id = 510, .name = "c", .target = CALVE_AVRO_TO_STR, .offset = AT(text)}};
static const calve_avro_want file[] = {
    {.field_id = 100, .name = "d", .target = CALVE_AVRO_TO_STR, .offset = AT(text)},
    {.field_id = 103, .name = "e", .target = CALVE_AVRO_TO_I64, .offset = AT(number)},
    {.field_id = 102,
     .name = "f",
     .target = CALVE_AVRO_TO_RECORD_AT,
     .offset = AT(at),
     .fields = scalars,
     .field_count = 1},
    {.field_id = 108,
     .name = "g",
     .target = CALVE_AVRO_TO_ID_I64,
     .offset = AT(counts),
     .key_id = 117,
     .value_id = 118},
    {.field_id = 125,
     .name = "h",
     .target = CALVE_AVRO_TO_ID_BYTES,
     .offset = AT(bounds),
     .key_id = 126,
     .value_id = 127},
    {.field_id = 132, .name = "i", .target = CALVE_AVRO_TO_I64_LIST, .offset = AT(list)},
    {.field_id = 135, .name = "j", .target = CALVE_AVRO_TO_I32_LIST, .offset = AT(small_list)}};
static const calve_avro_want wants[] = {
    {.field_id = 0, .name = "k", .target = CALVE_AVRO_TO_I32, .offset = AT(small)},
    {.field_id = 1, .name = "l", .target = CALVE_AVRO_TO_I64, .offset = AT(number)},
    {.field_id = 2, .name = "m", .target = CALVE_AVRO_TO_RECORD, .fields = file, .field_count = 7},
    {.field_id = 500, .name = "n", .target = CALVE_AVRO_TO_SCALAR, .offset = AT(scalar)},
    {.field_id = 507,
     .name = "o",
     .target = CALVE_AVRO_TO_RECORDS,
     .offset = AT(records),
     .fields = summary,
     .field_count = 2,
     .item_size = sizeof(target)}};

static bool walk(const calve_avro_program *program, const calve_avro_block *block,
                 calve_avro_hints *hints, calve_arena *arena, size_t *left) {
  const char *at = block->data.data, *end = at + block->data.size;
  for (int64_t i = 0; i < block->record_count && i < RECORDS_MAX; i++) {
    calve_avro_scalar scalar;
    target t;
    memset(&t, 0, sizeof t);
    t.at = &scalar;
    if (calve_avro_decode(program, &at, end, &t, hints, arena, NULL) != CALVE_OK) return false;
    if (at < block->data.data || at > end) abort();
    calve_arena_reset(arena);
  }
  *left = (size_t)(end - at);
  return true;
}

/* The same fields, but a few ids of each map only. */
static calve_status compile_some(const calve_avro_type *schema, calve_arena *arena,
                                 const calve_avro_program **out) {
  static const int32_t ids[] = {1, 3, 70};
  calve_avro_want *all = CALVE_NEW_ARRAY(arena, calve_avro_want, 5);
  calve_avro_want *in_file = CALVE_NEW_ARRAY(arena, calve_avro_want, 7);
  if (!all || !in_file) return CALVE_ENOMEM;
  memcpy(all, wants, sizeof wants);
  memcpy(in_file, file, sizeof file);
  for (size_t i = 0; i < 7; i++) {
    in_file[i].only_ids = ids;
    in_file[i].only_count = 3;
  }
  all[2].fields = in_file;
  return calve_avro_compile(schema, all, 5, NULL, "fuzz", arena, out, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_arena arena, lists;
  calve_codec codec;
  calve_buffer inflated;
  calve_arena_init(&arena, NULL);
  calve_arena_init(&lists, NULL);
  calve_codec_init(&codec, NULL);
  calve_buffer_init(&inflated, NULL);
  calve_avro_file f;
  const calve_avro_program *all = NULL, *some = NULL, *none = NULL;
  calve_avro_hints *hints = calve_avro_hints_make(&arena);
  calve_str bytes = {(const char *)data, size};
  if (calve_avro_open(bytes, "fuzz", &arena, &f, NULL) == CALVE_OK &&
      calve_avro_compile(f.schema, wants, 5, NULL, "fuzz", &arena, &all, NULL) == CALVE_OK &&
      compile_some(f.schema, &arena, &some) == CALVE_OK &&
      calve_avro_compile(f.schema, wants, 0, NULL, "fuzz", &arena, &none, NULL) == CALVE_OK) {
    for (int i = 0; i < BLOCKS_MAX; i++) {
      calve_avro_block block;
      bool more = false;
      if (calve_avro_next_block(&f, &codec, &inflated, &block, &more, NULL) != CALVE_OK || !more) {
        break;
      }
      size_t left, left_by_picking, left_by_skipping;
      calve_avro_hints_restart(hints);
      if (!walk(all, &block, hints, &lists, &left)) continue;
      if (walk(some, &block, hints, &lists, &left_by_picking) && left != left_by_picking) abort();
      if (walk(none, &block, hints, &lists, &left_by_skipping) && left != left_by_skipping) abort();
    }
  }
  calve_buffer_free(&inflated);
  calve_codec_free(&codec);
  calve_arena_free(&lists);
  calve_arena_free(&arena);
  return 0;
}
