/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "cache/image_sections.h"

/* What differs from entry to entry; the rest is in `same`. */
typedef struct number_field {
  calve_image_numbers numbers;
  uint32_t offset;
  bool narrow; /* int32_t                                                                       */
} number_field;

typedef struct text_field {
  calve_image_texts texts;
  uint32_t offset;
} text_field;

/* Statistics of one kind: those columns that have some. */
typedef struct map_field {
  size_t count;
  const calve_image_column **columns;
} map_field;

#define NUMBERS_MAX 12
#define TEXTS_MAX   4

struct calve_cache__fields {
  calve_manifest_entry same;
  size_t number_count, text_count;
  number_field numbers[NUMBERS_MAX];
  text_field texts[TEXTS_MAX];
  calve_image_texts split_offsets, equality_ids;
  calve_image_numbers maps;
  map_field kinds[6];
};

#define IN_ENTRY(member) offsetof(calve_manifest_entry, member)
#define IN_FILE(member)  offsetof(calve_manifest_entry, file.member)

static const struct {
  image_kind kind;
  uint32_t offset;
  bool narrow;
  uint32_t columns; /* only when one of these is asked for; 0: always                           */
} number_places[NUMBERS_MAX] = {
    {IMAGE_STATUS, IN_ENTRY(status), true, 0},
    {IMAGE_SNAPSHOT_ID, IN_ENTRY(snapshot_id), false, 0},
    {IMAGE_DATA_SEQUENCE, IN_ENTRY(data_sequence_number), false, 0},
    {IMAGE_FILE_SEQUENCE, IN_ENTRY(file_sequence_number), false, 0},
    {IMAGE_POSITION, IN_ENTRY(position), false, 0},
    {IMAGE_CONTENT, IN_FILE(content), true, 0},
    {IMAGE_RECORD_COUNT, IN_FILE(record_count), false, 0},
    {IMAGE_FILE_SIZE, IN_FILE(file_size_bytes), false, 0},
    {IMAGE_SORT_ORDER, IN_FILE(sort_order_id), true, CALVE_COLUMNS_SORT_ORDER},
    {IMAGE_FIRST_ROW_ID, IN_FILE(first_row_id), false, 0},
    {IMAGE_CONTENT_OFFSET, IN_FILE(content_offset), false, 0},
    {IMAGE_CONTENT_SIZE, IN_FILE(content_size_bytes), false, 0},
};

static const struct {
  image_kind kind;
  uint32_t offset;
  uint32_t columns;
} text_places[TEXTS_MAX] = {
    {IMAGE_PATH, IN_FILE(path), 0},
    {IMAGE_FORMAT, IN_FILE(format), 0},
    {IMAGE_KEY_METADATA, IN_FILE(key_metadata), CALVE_COLUMNS_KEY_METADATA},
    {IMAGE_REFERENCED, IN_FILE(referenced_data_file), 0},
};

static void set_number(calve_manifest_entry *e, const number_field *f, size_t row) {
  int64_t value = calve_image_number(&f->numbers, row);
  char *to = (char *)e + f->offset;
  if (f->narrow) {
    int32_t narrow = (int32_t)value;
    memcpy(to, &narrow, sizeof narrow);
  } else {
    memcpy(to, &value, sizeof value);
  }
}

static void set_text(calve_manifest_entry *e, const text_field *f, size_t row) {
  calve_str value = calve_image_text(&f->texts, row);
  memcpy((char *)e + f->offset, &value, sizeof value);
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool is_asked(uint32_t columns, uint32_t of) {
  return columns == 0 || (columns & of) != 0;
}

/* Fields that are the same everywhere go into `same` at once. */
static bool open_numbers(const calve_image_rows *rows, struct calve_cache__fields *f) {
  for (size_t i = 0; i < NUMBERS_MAX; i++) {
    if (!is_asked(number_places[i].columns, rows->columns)) continue;
    number_field n = {.offset = number_places[i].offset, .narrow = number_places[i].narrow};
    if (!calve_cache__numbers(rows->image, IMAGE_PLACE(IMAGE_ENTRY, number_places[i].kind),
                              rows->count, &n.numbers)) {
      return false;
    }
    if (!n.numbers.exists) continue;
    if (n.numbers.width == 0 && !n.numbers.absent)
      set_number(&f->same, &n, 0);
    else
      f->numbers[f->number_count++] = n;
  }
  return true;
}

static bool open_texts(const calve_image_rows *rows, struct calve_cache__fields *f) {
  for (size_t i = 0; i < TEXTS_MAX; i++) {
    if (!is_asked(text_places[i].columns, rows->columns)) continue;
    text_field t = {.offset = text_places[i].offset};
    if (!calve_cache__texts(rows->image, IMAGE_PLACE(IMAGE_ENTRY, text_places[i].kind), rows->count,
                            &t.texts)) {
      return false;
    }
    bool vital = text_places[i].kind == IMAGE_PATH || text_places[i].kind == IMAGE_FORMAT;
    if (vital && (!t.texts.exists || t.texts.absent)) return false;
    if (!t.texts.exists) continue;
    if (t.texts.stride == 0 && !t.texts.offsets && !t.texts.absent)
      set_text(&f->same, &t, 0);
    else
      f->texts[f->text_count++] = t;
  }
  if ((rows->columns & CALVE_COLUMNS_SPLIT_OFFSETS) &&
      !calve_cache__lists(rows->image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_SPLIT_OFFSETS), rows->count,
                          8, &f->split_offsets)) {
    return false;
  }
  return calve_cache__lists(rows->image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_EQUALITY_IDS), rows->count,
                            4, &f->equality_ids);
}

/* What calve_manifest_columns say about each kind of statistics. */
static const uint32_t kind_columns[6] = {
    CALVE_COLUMNS_SIZES,      CALVE_COLUMNS_VALUE_COUNTS, CALVE_COLUMNS_NULL_COUNTS,
    CALVE_COLUMNS_NAN_COUNTS, CALVE_COLUMNS_BOUNDS,       CALVE_COLUMNS_BOUNDS};

static bool open_column(const calve_image_rows *rows, int32_t id, calve_image_column *out) {
  *out = (calve_image_column){.field_id = id};
  calve_image_numbers *numbers[] = {&out->sizes, &out->values, &out->nulls, &out->nans};
  calve_image_texts *texts[] = {&out->lower, &out->upper};
  uint64_t column = image_column_of(id);
  for (int kind = 0; kind < 6; kind++) {
    if (!(rows->columns & kind_columns[kind])) continue;
    uint64_t place = IMAGE_PLACE(column, IMAGE_SIZES + kind);
    bool sound = kind < 4 ? calve_cache__numbers(rows->image, place, rows->count, numbers[kind])
                          : calve_cache__texts(rows->image, place, rows->count, texts[kind - 4]);
    if (!sound) return false;
  }
  return true;
}

/* Columns among the wanted ones, or all, that have sections of statistics. */
static calve_status open_columns(calve_image_rows *rows, const calve_manifest_options *o,
                                 calve_arena *arena, bool *sound, calve_error *err) {
  const image_section *s = calve_cache__section(rows->image, IMAGE_PLACE(1, 0));
  size_t left = s ? calve_cache__section_count(rows->image, s) : 0, wanted = 0;
  size_t most = o->metric_ids && o->metric_id_count < left ? o->metric_id_count : left;
  if (!(o->columns & CALVE_COLUMNS_METRICS)) most = 0;
  calve_image_column *columns = CALVE_NEW_ARRAY(arena, calve_image_column, most);
  if (!columns) return calve_fail_oom(err);
  rows->stats = columns;
  if (o->metric_ids) { /* few of many: found one by one                                         */
    for (; wanted < o->metric_id_count && rows->column_count < most && *sound; wanted++) {
      uint64_t column = image_column_of(o->metric_ids[wanted]);
      s = calve_cache__section(rows->image, IMAGE_PLACE(column, 0));
      if (!s || s->place >> 8 != column) continue;
      *sound = open_column(rows, o->metric_ids[wanted], &columns[rows->column_count++]);
    }
    return CALVE_OK;
  }
  for (size_t i = 0; i < left && most > 0 && *sound; i++) {
    if (i > 0 && s[i].place >> 8 == s[i - 1].place >> 8) continue;
    *sound = open_column(rows, image_field_id(s[i].place), &columns[rows->column_count++]);
  }
  return CALVE_OK;
}

static calve_status open_maps(const calve_image_rows *rows, struct calve_cache__fields *f,
                              calve_arena *arena, calve_error *err) {
  for (int kind = 0; kind < 6; kind++) {
    if (!(rows->columns & kind_columns[kind])) continue;
    map_field *m = &f->kinds[kind];
    m->columns = (const calve_image_column **)calve_arena_array(arena, rows->column_count,
                                                                sizeof *m->columns);
    if (!m->columns) return calve_fail_oom(err);
    for (size_t i = 0; i < rows->column_count; i++) {
      const calve_image_column *c = &rows->stats[i];
      const bool exists[] = {c->sizes.exists, c->values.exists, c->nulls.exists,
                             c->nans.exists,  c->lower.exists,  c->upper.exists};
      if (exists[kind]) m->columns[m->count++] = c;
    }
  }
  return CALVE_OK;
}

static bool open_tuples(calve_image_rows *rows, calve_arena *arena, bool *oom) {
  size_t count = rows->tuple_count * rows->field_count;
  calve_value *values = calve_arena_room(arena, count, sizeof *values);
  int64_t *which = calve_arena_room(arena, rows->count, sizeof *which);
  *oom = !values || !which;
  if (*oom || !calve_cache__tuples(rows->image, count, values)) return false;
  rows->tuples = values;
  if (!calve_cache__numbers(rows->image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_TUPLE), rows->count,
                            &rows->tuple)) {
    return false;
  }
  if (rows->count > 0 && (!rows->tuple.exists || rows->tuple.absent)) return false;
  calve_image_unpack(&rows->tuple, rows->count, which);
  bool sound = true;
  for (size_t i = 0; i < rows->count; i++)
    sound &= which[i] >= 0 && (uint64_t)which[i] < rows->tuple_count;
  return sound;
}

static calve_status damaged(const calve_image_rows *rows, calve_error *err) {
  calve_str path = calve_image_path(rows->image);
  return calve_fail(err, CALVE_ECORRUPT, NULL, "the cached image of %.*s is damaged",
                    (int)path.size, path.data);
}

calve_status calve_image_read(const calve_image *image, const calve_manifest_options *options,
                              calve_arena *arena, calve_image_rows *out, calve_error *err) {
  image_head h;
  memcpy(&h, image->bytes, sizeof h);
  calve_image_rows rows = {.image = image,
                           .count = h.entry_count,
                           .spec_id = h.spec_id,
                           .unknown_fields = h.unknown_fields,
                           .columns = options->columns,
                           .tuple_count = h.tuple_count,
                           .field_count = h.field_count};
  struct calve_cache__fields *f = CALVE_NEW(arena, struct calve_cache__fields);
  if (!f) return calve_fail_oom(err);
  f->same = (calve_manifest_entry){.snapshot_id = CALVE_UNSET,
                                   .data_sequence_number = CALVE_UNSET,
                                   .file_sequence_number = CALVE_UNSET,
                                   .file = calve_data_file_blank()};
  f->same.file.spec_id = h.spec_id;
  f->same.file.partition_count = (int32_t)h.field_count;
  rows.fields = f;
  bool sound = true, oom = false;
  if (rows.count > 0) { /* an empty image has no sections that say anything                     */
    sound = open_numbers(&rows, f) && open_texts(&rows, f) && open_tuples(&rows, arena, &oom) &&
            calve_cache__numbers(image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_RECORD_COUNT), rows.count,
                                 &rows.record_counts) &&
            calve_cache__numbers(image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_STATUS), rows.count,
                                 &rows.statuses) &&
            calve_cache__numbers(image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_SNAPSHOT_ID), rows.count,
                                 &rows.snapshot_ids) &&
            calve_cache__numbers(image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_MAPS), rows.count, &f->maps);
    if (oom) return calve_fail_oom(err);
    const calve_image_numbers *vital[] = {&rows.record_counts, &rows.statuses, &f->maps};
    for (size_t i = 0; i < 3; i++) sound = sound && vital[i]->exists && !vital[i]->absent;
    if (sound) CALVE_TRY(open_columns(&rows, options, arena, &sound, err));
    if (sound) CALVE_TRY(open_maps(&rows, f, arena, err));
  }
  if (!sound) return damaged(&rows, err);
  *out = rows;
  return CALVE_OK;
}

const calve_image_column *calve_image_find(const calve_image_rows *rows, int32_t field_id) {
  size_t low = 0, high = rows->column_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows->stats[middle].field_id < field_id)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < rows->column_count && rows->stats[low].field_id == field_id;
  return found ? &rows->stats[low] : NULL;
}

/* ---- one entry ------------------------------------------------------------------------------ */

static const calve_image_numbers *numbers_of(const calve_image_column *c, int kind) {
  const calve_image_numbers *all[] = {&c->sizes, &c->values, &c->nulls, &c->nans};
  return all[kind];
}

static calve_status set_counts(const map_field *m, int kind, size_t row, calve_arena *arena,
                               calve_id_i64_list *out, calve_error *err) {
  calve_id_i64 *items = calve_arena_room(arena, m->count, sizeof *items);
  size_t count = 0;
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < m->count; i++) {
    const calve_image_numbers *n = numbers_of(m->columns[i], kind);
    if (calve_image_is_absent(n->absent, row)) continue;
    items[count++] = (calve_id_i64){m->columns[i]->field_id, calve_image_number(n, row)};
  }
  *out = (calve_id_i64_list){items, count};
  return CALVE_OK;
}

static calve_status set_bounds(const map_field *m, int kind, size_t row, calve_arena *arena,
                               calve_id_bytes_list *out, calve_error *err) {
  calve_id_bytes *items = calve_arena_room(arena, m->count, sizeof *items);
  size_t count = 0;
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < m->count; i++) {
    const calve_image_texts *t = kind == 4 ? &m->columns[i]->lower : &m->columns[i]->upper;
    if (calve_image_is_absent(t->absent, row)) continue;
    items[count++] = (calve_id_bytes){m->columns[i]->field_id, calve_image_text(t, row)};
  }
  *out = (calve_id_bytes_list){items, count};
  return CALVE_OK;
}

static calve_status set_maps(const calve_image_rows *rows, size_t row, calve_arena *arena,
                             calve_data_file *file, calve_error *err) {
  const struct calve_cache__fields *f = rows->fields;
  int64_t maps = calve_image_number(&f->maps, row);
  calve_id_i64_list *counts[] = {&file->column_sizes, &file->value_counts,
                                 &file->null_value_counts, &file->nan_value_counts};
  calve_id_bytes_list *bounds[] = {&file->lower_bounds, &file->upper_bounds};
  for (int kind = 0; kind < 6; kind++) {
    if (!(rows->columns & kind_columns[kind]) || !(maps >> kind & 1)) continue;
    if (kind < 4)
      CALVE_TRY(set_counts(&f->kinds[kind], kind, row, arena, counts[kind], err));
    else
      CALVE_TRY(set_bounds(&f->kinds[kind], kind, row, arena, bounds[kind - 4], err));
  }
  return CALVE_OK;
}

static const void *list_at(const calve_image_texts *t, size_t row, size_t *count) {
  if (!t->exists || calve_image_is_absent(t->absent, row)) return NULL;
  *count = t->offsets[row + 1] - t->offsets[row];
  return t->data + (size_t)t->offsets[row] * t->width;
}

calve_status calve_image_entry(const calve_image_rows *rows, size_t row, calve_arena *arena,
                               calve_manifest_entry *out, calve_error *err) {
  const struct calve_cache__fields *f = rows->fields;
  *out = f->same;
  for (size_t i = 0; i < f->number_count; i++) {
    if (!calve_image_is_absent(f->numbers[i].numbers.absent, row))
      set_number(out, &f->numbers[i], row);
  }
  for (size_t i = 0; i < f->text_count; i++) {
    if (!calve_image_is_absent(f->texts[i].texts.absent, row)) set_text(out, &f->texts[i], row);
  }
  size_t tuple = (size_t)calve_image_number(&rows->tuple, row);
  out->file.partition = rows->tuples + tuple * rows->field_count;
  out->file.split_offsets.items = list_at(&f->split_offsets, row, &out->file.split_offsets.count);
  out->file.equality_ids.items = list_at(&f->equality_ids, row, &out->file.equality_ids.count);
  if (!(rows->columns & CALVE_COLUMNS_METRICS)) return CALVE_OK;
  return set_maps(rows, row, arena, &out->file, err);
}
