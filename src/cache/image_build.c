/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"
#include "cache/checksum.h"
#include "cache/image_encode.h"

/* Columns are gathered so many at a time: entries are walked row by row, as they lie in memory. */
#define CHUNK 16
#define KINDS 6 /* of statistics                                                                */
/* Cells of statistics that are absent, for each that is there, and some for free. */
#define HOLES_MAX      8
#define FREE_HOLES     ((size_t)1 << 20)
#define PLAIN_BYTES_MAX ((size_t)1 << 30)

typedef struct builder {
  const calve_image_key *key;
  const calve_cancel *cancel;
  calve_arena arena;
  calve_manifest_batch batch;
  calve_buffer entries;   /* calve_manifest_entry                                               */
  calve_buffer memory;    /* calve_manifest_memory: what the entries point to                   */
  calve_buffer ids;       /* int32_t: columns with statistics, sorted                           */
  calve_buffer data, directory;
  calve_manifest_reader reader;
  size_t tuple_count, plain_bytes;
} builder;

static void builder_init(builder *b, const calve_image_key *key,
                         const calve_allocator *allocator) {
  *b = (builder){.key = key};
  calve_arena_init(&b->arena, allocator);
  calve_manifest_batch_init(&b->batch, allocator);
  calve_buffer_init(&b->entries, allocator);
  calve_buffer_init(&b->memory, allocator);
  calve_buffer_init(&b->ids, allocator);
  calve_buffer_init(&b->data, allocator);
  calve_buffer_init(&b->directory, allocator);
}

static void builder_free(builder *b) {
  for (size_t i = 0; i < CALVE_COUNT(&b->memory, calve_manifest_memory); i++)
    calve_manifest_memory_free(&CALVE_ITEMS(&b->memory, calve_manifest_memory)[i]);
  calve_buffer_free(&b->entries);
  calve_buffer_free(&b->memory);
  calve_buffer_free(&b->ids);
  calve_buffer_free(&b->data);
  calve_buffer_free(&b->directory);
  calve_manifest_batch_free(&b->batch);
  calve_arena_free(&b->arena);
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Takes the batch with what it points to. *fits false: rows that nobody counted have no place. */
static calve_status take_batch(builder *b, bool *fits, calve_error *err) {
  calve_manifest_memory taken;
  if (b->batch.count == 0) return CALVE_OK;
  for (size_t i = 0; i < b->batch.count; i++)
    *fits = *fits && b->batch.entries[i].file.record_count >= 0;
  calve_buffer_put(&b->entries, b->batch.entries, b->batch.count * sizeof(calve_manifest_entry));
  CALVE_TRY(calve_buffer_check(&b->entries, err));
  calve_manifest_memory_init(&taken, b->memory.allocator);
  if (!calve_buffer_reserve(&b->memory, sizeof taken)) return calve_fail_oom(err);
  calve_manifest_batch_take(&b->batch, &taken);
  b->plain_bytes += taken.inflated.size + taken.arena.used_bytes;
  calve_buffer_put(&b->memory, &taken, sizeof taken);
  return CALVE_OK;
}

static calve_status read_entries(builder *b, bool *fits, calve_error *err) {
  for (bool more = true;;) {
    CALVE_TRY(calve_manifest_next(&b->reader, &b->batch, &more, err));
    if (!more) return CALVE_OK;
    CALVE_TRY(take_batch(b, fits, err));
    *fits = *fits && b->plain_bytes <= PLAIN_BYTES_MAX;
    if (!*fits) return CALVE_OK;
  }
}

static const calve_manifest_entry *entries_of(const builder *b) {
  return CALVE_ITEMS(&b->entries, const calve_manifest_entry);
}

/* ---- the entry's own fields ----------------------------------------------------------------- */

static int64_t number_of(const calve_manifest_entry *e, image_kind kind) {
  const calve_data_file *f = &e->file;
  switch (kind) {
    case IMAGE_STATUS:
      return e->status;
    case IMAGE_SNAPSHOT_ID:
      return e->snapshot_id;
    case IMAGE_DATA_SEQUENCE:
      return e->data_sequence_number;
    case IMAGE_FILE_SEQUENCE:
      return e->file_sequence_number;
    case IMAGE_POSITION:
      return e->position;
    case IMAGE_CONTENT:
      return f->content;
    case IMAGE_RECORD_COUNT:
      return f->record_count;
    case IMAGE_FILE_SIZE:
      return f->file_size_bytes;
    case IMAGE_SORT_ORDER:
      return f->sort_order_id;
    case IMAGE_FIRST_ROW_ID:
      return f->first_row_id;
    case IMAGE_CONTENT_OFFSET:
      return f->content_offset;
    case IMAGE_CONTENT_SIZE:
      return f->content_size_bytes;
    default:
      return (f->column_sizes.items ? 1 : 0) | (f->value_counts.items ? 2 : 0) |
             (f->null_value_counts.items ? 4 : 0) | (f->nan_value_counts.items ? 8 : 0) |
             (f->lower_bounds.items ? 16 : 0) | (f->upper_bounds.items ? 32 : 0);
  }
}

static calve_str text_of(const calve_manifest_entry *e, image_kind kind) {
  switch (kind) {
    case IMAGE_PATH:
      return e->file.path;
    case IMAGE_FORMAT:
      return e->file.format;
    case IMAGE_KEY_METADATA:
      return e->file.key_metadata;
    case IMAGE_REFERENCED:
      return e->file.referenced_data_file;
    case IMAGE_SPLIT_OFFSETS: /* lists: the count of items as size                              */
      return (calve_str){(const char *)e->file.split_offsets.items, e->file.split_offsets.count};
    default:
      return (calve_str){(const char *)e->file.equality_ids.items, e->file.equality_ids.count};
  }
}

/* Which distinct tuple each entry has, in *out; the distinct ones in the order they come. */
static calve_status number_tuples(builder *b, size_t count, int64_t *out, calve_value **distinct,
                                  calve_error *err) {
  const calve_manifest_entry *entries = entries_of(b);
  size_t fields = (size_t)b->reader.spec->field_count, slots = 16;
  while (slots < 2 * count) slots *= 2;
  uint32_t *table = CALVE_NEW_ARRAY(&b->arena, uint32_t, slots);
  calve_value *tuples = calve_arena_room(&b->arena, count * fields, sizeof *tuples);
  if (!table || !tuples) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    const calve_value *tuple = entries[i].file.partition;
    if (i > 0 && calve_tuple_equal(tuple, entries[i - 1].file.partition, fields)) {
      out[i] = out[i - 1];
      continue;
    }
    size_t slot = (size_t)calve_tuple_hash(tuple, fields) & (slots - 1);
    while (table[slot] && !calve_tuple_equal(tuple, tuples + (table[slot] - 1) * fields, fields))
      slot = (slot + 1) & (slots - 1);
    if (!table[slot]) {
      for (size_t k = 0; k < fields; k++) tuples[b->tuple_count * fields + k] = tuple[k];
      table[slot] = (uint32_t)++b->tuple_count;
    }
    out[i] = table[slot] - 1;
  }
  *distinct = tuples;
  return CALVE_OK;
}

static calve_status put_entries(builder *b, image_sections *s, calve_error *err) {
  const calve_manifest_entry *entries = entries_of(b);
  int64_t *numbers = calve_arena_room(&b->arena, s->count, sizeof *numbers);
  calve_str *texts = calve_arena_room(&b->arena, s->count, sizeof *texts);
  calve_value *distinct;
  if (!numbers || !texts) return calve_fail_oom(err);
  for (int kind = IMAGE_STATUS; kind < IMAGE_TUPLE; kind++) {
    for (size_t i = 0; i < s->count; i++) numbers[i] = number_of(&entries[i], (image_kind)kind);
    calve_cache__put_numbers(s, IMAGE_PLACE(IMAGE_ENTRY, kind), numbers, NULL);
  }
  CALVE_TRY(number_tuples(b, s->count, numbers, &distinct, err));
  calve_cache__put_numbers(s, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_TUPLE), numbers, NULL);
  for (size_t i = 0; i < s->count; i++) numbers[i] = number_of(&entries[i], IMAGE_MAPS);
  calve_cache__put_numbers(s, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_MAPS), numbers, NULL);
  for (int kind = IMAGE_PATH; kind < IMAGE_TUPLES; kind++) {
    for (size_t i = 0; i < s->count; i++) texts[i] = text_of(&entries[i], (image_kind)kind);
    if (kind < IMAGE_SPLIT_OFFSETS)
      calve_cache__put_texts(s, IMAGE_PLACE(IMAGE_ENTRY, kind), texts);
    else
      calve_cache__put_lists(s, IMAGE_PLACE(IMAGE_ENTRY, kind), texts,
                             kind == IMAGE_SPLIT_OFFSETS ? 8 : 4);
  }
  calve_cache__put_values(s, distinct, b->tuple_count * (size_t)b->reader.spec->field_count);
  return CALVE_OK;
}

/* ---- statistics ----------------------------------------------------------------------------- */

/* A map of an entry, whatever its values; both kinds of items begin with the id. */
typedef struct map_view {
  const char *items;
  size_t count, item_bytes;
} map_view;

static map_view map_of(const calve_data_file *f, int kind) {
  const calve_id_i64_list *counts[] = {&f->column_sizes, &f->value_counts, &f->null_value_counts,
                                       &f->nan_value_counts};
  const calve_id_bytes_list *bounds[] = {&f->lower_bounds, &f->upper_bounds};
  if (kind < 4)
    return (map_view){(const char *)counts[kind]->items, counts[kind]->count,
                      sizeof(calve_id_i64)};
  return (map_view){(const char *)bounds[kind - 4]->items, bounds[kind - 4]->count,
                    sizeof(calve_id_bytes)};
}

static int32_t id_at(const map_view *m, size_t i) {
  int32_t id;
  memcpy(&id, m->items + i * m->item_bytes, sizeof id);
  return id;
}

/* Whether all ids of the map are among those known; maps of one manifest are nearly always of the
 * same columns. */
static bool are_known(const calve_buffer *ids, const map_view *m) {
  const int32_t *known = CALVE_ITEMS(ids, const int32_t);
  size_t count = CALVE_COUNT(ids, int32_t), at = 0;
  for (size_t i = 0; i < m->count; i++) {
    int32_t id = id_at(m, i);
    while (at < count && known[at] < id) at++;
    if (at == count || known[at] != id) return false;
  }
  return true;
}

static void add_ids(calve_buffer *ids, const map_view *m) {
  for (size_t i = 0; i < m->count; i++) {
    int32_t id = id_at(m, i);
    calve_buffer_put(ids, &id, sizeof id);
  }
  if (ids->oom) return;
  int32_t *all = CALVE_ITEMS(ids, int32_t);
  size_t count = CALVE_COUNT(ids, int32_t), kept = 0;
  qsort(all, count, sizeof *all, calve_compare_i32);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || all[i] != all[kept - 1]) all[kept++] = all[i];
  ids->size = kept * sizeof *all;
}

/* Finds the columns; *fits false: most entries lack most of them. */
static calve_status find_columns(builder *b, size_t count, bool *fits, calve_error *err) {
  size_t there = 0;
  for (size_t i = 0; i < count; i++) {
    for (int kind = 0; kind < KINDS; kind++) {
      map_view m = map_of(&entries_of(b)[i].file, kind);
      there += m.count;
      if (are_known(&b->ids, &m)) continue;
      add_ids(&b->ids, &m);
      CALVE_TRY(calve_buffer_check(&b->ids, err));
    }
    size_t cells = CALVE_COUNT(&b->ids, int32_t) * (i + 1) * KINDS;
    *fits = cells / HOLES_MAX <= there + FREE_HOLES;
    if (!*fits) return CALVE_OK;
  }
  return CALVE_OK;
}

/* Some columns side by side. */
typedef struct chunk {
  const int32_t *ids;
  size_t count, rows;
  int64_t *numbers[4]; /* [column × rows + row]                                                 */
  uint8_t *have[4];
  calve_str *bounds[2];
} chunk;

static size_t first_from(const map_view *m, int32_t id) {
  size_t low = 0, high = m->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (id_at(m, middle) < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void gather(const chunk *c, const calve_manifest_entry *entries, int kind) {
  size_t hint = 0;
  for (size_t row = 0; row < c->rows; row++) {
    map_view m = map_of(&entries[row].file, kind);
    bool right = hint < m.count && id_at(&m, hint) == c->ids[0] &&
                 (hint == 0 || id_at(&m, hint - 1) < c->ids[0]);
    if (!right) hint = first_from(&m, c->ids[0]);
    size_t column = 0;
    for (size_t i = hint; i < m.count && column < c->count; i++) {
      const char *item = m.items + i * m.item_bytes;
      int32_t id = id_at(&m, i);
      while (column < c->count && c->ids[column] < id) column++;
      if (column == c->count || c->ids[column] != id) continue;
      size_t cell = column * c->rows + row;
      if (kind < 4) {
        c->numbers[kind][cell] = ((const calve_id_i64 *)(const void *)item)->value;
        c->have[kind][cell] = 1;
      } else {
        c->bounds[kind - 4][cell] = ((const calve_id_bytes *)(const void *)item)->value;
      }
    }
  }
}

static calve_status put_chunk(builder *b, image_sections *s, chunk *c, calve_error *err) {
  size_t cells = CHUNK * c->rows;
  for (int kind = 0; kind < 4; kind++) memset(c->have[kind], 0, cells);
  for (int kind = 0; kind < 2; kind++) memset(c->bounds[kind], 0, cells * sizeof(calve_str));
  for (int kind = 0; kind < KINDS; kind++) gather(c, entries_of(b), kind);
  for (size_t i = 0; i < c->count && s->data->size <= (size_t)CALVE_IMAGE_BYTES_MAX; i++) {
    uint64_t column = image_column_of(c->ids[i]);
    size_t first = i * c->rows;
    for (int kind = 0; kind < 4; kind++)
      calve_cache__put_numbers(s, IMAGE_PLACE(column, IMAGE_SIZES + kind),
                               c->numbers[kind] + first, c->have[kind] + first);
    for (int kind = 0; kind < 2; kind++)
      calve_cache__put_texts(s, IMAGE_PLACE(column, IMAGE_LOWER + kind), c->bounds[kind] + first);
  }
  return calve_buffer_check(s->data, err);
}

static calve_status put_statistics(builder *b, image_sections *s, bool *fits, calve_error *err) {
  CALVE_TRY(find_columns(b, s->count, fits, err));
  size_t total = CALVE_COUNT(&b->ids, int32_t);
  if (!*fits || total == 0) return CALVE_OK;
  chunk c = {.rows = s->count};
  for (int kind = 0; kind < 4; kind++) {
    c.numbers[kind] = calve_arena_room(&b->arena, CHUNK * c.rows, sizeof(int64_t));
    c.have[kind] = calve_arena_room(&b->arena, CHUNK * c.rows, 1);
    if (!c.numbers[kind] || !c.have[kind]) return calve_fail_oom(err);
  }
  for (int kind = 0; kind < 2; kind++) {
    c.bounds[kind] = calve_arena_room(&b->arena, CHUNK * c.rows, sizeof(calve_str));
    if (!c.bounds[kind]) return calve_fail_oom(err);
  }
  for (size_t first = 0; first < total; first += CHUNK) {
    c.ids = CALVE_ITEMS(&b->ids, const int32_t) + first;
    c.count = total - first < CHUNK ? total - first : CHUNK;
    CALVE_TRY(calve_cancel_look(b->cancel, err));
    CALVE_TRY(put_chunk(b, s, &c, err));
    *fits = s->data->size <= (size_t)CALVE_IMAGE_BYTES_MAX;
    if (!*fits) return CALVE_OK;
  }
  return CALVE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static uint64_t unknown_fields(const calve_manifest_reader *r) {
  uint64_t unknown = 0;
  for (int32_t i = 0; i < r->spec->field_count; i++)
    if (r->partition_types[i]->id == CALVE_UNKNOWN) unknown |= UINT64_C(1) << i;
  return unknown;
}

/* Head, key, directory and sections behind one another, with checksums. */
static calve_status assemble(builder *b, const calve_metadata *metadata, size_t count,
                             calve_buffer *out, calve_error *err) {
  const calve_image_key *k = b->key;
  image_key_head key = calve_cache__key_head(k);
  image_head h = {.magic = {'C', 'A', 'L', 'V', 'E', 'I', 'M', 'G'},
                  .byte_order = IMAGE_BYTE_ORDER,
                  .version = IMAGE_VERSION,
                  .key_bytes = (uint32_t)(sizeof key + k->path.size),
                  .section_count = (uint32_t)CALVE_COUNT(&b->directory, image_section),
                  .entry_count = (uint32_t)count,
                  .tuple_count = (uint32_t)b->tuple_count,
                  .field_count = (uint32_t)b->reader.spec->field_count,
                  .spec_id = b->reader.spec->spec_id,
                  .unknown_fields = unknown_fields(&b->reader),
                  .reading = calve_manifest_tuple_reading(b->reader.spec, metadata)};
  size_t start = sizeof h + (size_t)image_round_up(h.key_bytes) + b->directory.size;
  h.size_bytes = start + b->data.size;
  for (size_t i = 0; i < h.section_count; i++)
    CALVE_ITEMS(&b->directory, image_section)[i].offset += start;
  static const char zeros[8];
  size_t first = out->size;
  calve_buffer_put(out, &h, sizeof h);
  calve_buffer_put(out, &key, sizeof key);
  calve_buffer_put_str(out, k->path);
  calve_buffer_put(out, zeros, (size_t)image_round_up(h.key_bytes) - h.key_bytes);
  calve_buffer_put_str(out, calve_buffer_view(&b->directory));
  calve_buffer_put_str(out, calve_buffer_view(&b->data));
  CALVE_TRY(calve_buffer_check(out, err));
  calve_cache__image_seal(out->data + first);
  return CALVE_OK;
}

static calve_status build(builder *b, calve_str bytes, const calve_manifest_file *m,
                          const calve_metadata *metadata, calve_buffer *out, bool *made,
                          calve_error *err) {
  const calve_manifest_options all = {.columns = CALVE_COLUMNS_ALL, .cancel = b->cancel};
  CALVE_TRY(calve_manifest_open(bytes, m, metadata, &all, &b->arena, &b->reader, err));
  const calve_spec *spec = b->reader.spec;
  if (spec != calve_metadata_spec(metadata, spec->spec_id) || spec->field_count > 64 ||
      b->key->path.size > UINT16_MAX) {
    return CALVE_OK;
  }
  bool fits = true;
  CALVE_TRY(read_entries(b, &fits, err));
  size_t count = CALVE_COUNT(&b->entries, calve_manifest_entry);
  if (!fits || count > UINT32_MAX / 8) return CALVE_OK;
  image_sections s = {.count = count, .data = &b->data, .directory = &b->directory};
  s.bits = calve_arena_alloc(&b->arena, (size_t)image_bits_size(count) + 1);
  if (!s.bits) return calve_fail_oom(err);
  CALVE_TRY(put_entries(b, &s, err));
  CALVE_TRY(put_statistics(b, &s, &fits, err));
  CALVE_TRY(calve_buffer_check(&b->directory, err));
  if (!fits || b->data.size > (size_t)CALVE_IMAGE_BYTES_MAX) return CALVE_OK;
  CALVE_TRY(assemble(b, metadata, count, out, err));
  *made = true;
  return CALVE_OK;
}

calve_status calve_image_build(const calve_image_key *key, calve_str manifest_bytes,
                               const calve_manifest_file *m, const calve_metadata *metadata,
                               const calve_cancel *cancel, calve_buffer *out, bool *made,
                               calve_error *err) {
  builder b;
  *made = false;
  builder_init(&b, key, out->allocator);
  b.cancel = cancel;
  calve_status status = build(&b, manifest_bytes, m, metadata, out, made, err);
  builder_free(&b);
  return status;
}
