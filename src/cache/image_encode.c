/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/image_encode.h"

#include <string.h>

#include "base/text.h"

static void pad(calve_buffer *b) {
  static const char zeros[8];
  calve_buffer_put(b, zeros, (size_t)(image_round_up(b->size) - b->size));
}

static image_section begin(const image_sections *s, uint64_t place, image_form form) {
  pad(s->data);
  return (image_section){.place = place, .form = (uint32_t)form, .offset = s->data->size};
}

/* Puts the bits of absent items behind the items, if some are. */
static void end(image_sections *s, image_section *section, size_t absent_count) {
  if (absent_count > 0) {
    pad(s->data);
    calve_buffer_put(s->data, s->bits, (size_t)image_bits_size(s->count));
    section->has_absent = 1;
  }
  section->size_bytes = s->data->size - section->offset;
  calve_buffer_put(s->directory, section, sizeof *section);
}

static void clear_bits(image_sections *s) {
  memset(s->bits, 0, (size_t)image_bits_size(s->count));
}

static void set_absent(image_sections *s, size_t i) {
  s->bits[i >> 3] = (uint8_t)(s->bits[i >> 3] | 1u << (i & 7));
}

/* ---- numbers -------------------------------------------------------------------------------- */

static uint32_t width_of(uint64_t range) {
  if (range == 0) return 0;
  if (range <= UINT8_MAX) return 1;
  if (range <= UINT16_MAX) return 2;
  return range <= UINT32_MAX ? 4 : 8;
}

static void put_distances(image_sections *s, const int64_t *items, const image_section *section) {
  uint32_t width = section->width;
  char *to = calve_buffer_reserve(s->data, s->count * width + 1);
  if (!to) return;
  for (size_t i = 0; width > 0 && i < s->count; i++) {
    bool absent = calve_image_is_absent(s->bits, i);
    uint64_t distance = absent ? 0 : (uint64_t)items[i] - (uint64_t)section->base;
    memcpy(to + i * width, &distance, width); /* little-endian: its low bytes come first        */
  }
  s->data->size += s->count * width;
}

void calve_cache__put_numbers(image_sections *s, uint64_t place, const int64_t *items,
                              const uint8_t *have) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  size_t absent_count = 0;
  clear_bits(s);
  for (size_t i = 0; i < s->count; i++) {
    if (have ? !have[i] : items[i] == CALVE_UNSET) {
      set_absent(s, i);
      absent_count++;
      continue;
    }
    if (items[i] < least) least = items[i];
    if (items[i] > most) most = items[i];
  }
  if (absent_count == s->count) return;
  image_section section = begin(s, place, IMAGE_NUMBERS);
  section.base = least;
  section.width = width_of((uint64_t)most - (uint64_t)least);
  put_distances(s, items, &section);
  end(s, &section, absent_count);
}

/* ---- texts ---------------------------------------------------------------------------------- */

typedef struct shape {
  size_t absent_count, bytes; /* bytes: of all that are there                                   */
  bool same, wide, utf8;
  calve_str first;
} shape;

static shape shape_of(image_sections *s, const calve_str *items) {
  shape f = {.same = true, .wide = true, .utf8 = true};
  clear_bits(s);
  for (size_t i = 0; i < s->count; i++) {
    if (!items[i].data) {
      set_absent(s, i);
      f.absent_count++;
      continue;
    }
    if (!f.first.data) f.first = items[i];
    f.bytes += items[i].size;
    f.utf8 = f.utf8 && calve_utf8_valid(items[i]);
    f.wide = f.wide && items[i].size == f.first.size;
    f.same = f.same && f.wide && memcmp(items[i].data, f.first.data, f.first.size) == 0;
  }
  return f;
}

static void put_wide(image_sections *s, const calve_str *items, size_t width) {
  static const char zeros[64];
  for (size_t i = 0; i < s->count; i++) {
    if (items[i].data) {
      calve_buffer_put(s->data, items[i].data, width);
      continue;
    }
    for (size_t done = 0; done < width; done += sizeof zeros)
      calve_buffer_put(s->data, zeros, width - done < sizeof zeros ? width - done : sizeof zeros);
  }
}

/* uint32 offsets: the whole image is smaller than that. Items are `width` bytes. */
static void put_offsets(image_sections *s, const calve_str *items, uint32_t width) {
  uint32_t at = 0;
  for (size_t i = 0; i <= s->count; i++) {
    calve_buffer_put(s->data, &at, sizeof at);
    if (i < s->count && items[i].data) at += (uint32_t)items[i].size;
  }
  pad(s->data);
  for (size_t i = 0; i < s->count; i++)
    if (items[i].data) calve_buffer_put(s->data, items[i].data, items[i].size * width);
}

void calve_cache__put_texts(image_sections *s, uint64_t place, const calve_str *items) {
  shape f = shape_of(s, items);
  if (f.absent_count == s->count) return;
  /* Absent items take room in the wide form: a few long ones among many must not multiply. */
  bool wide = f.wide && f.first.size <= UINT16_MAX &&
              (f.same || s->count * f.first.size <= 2 * f.bytes);
  image_section section =
      begin(s, place, !wide ? IMAGE_TEXTS : f.same ? IMAGE_SAME_TEXT : IMAGE_WIDE_TEXTS);
  section.width = wide ? (uint32_t)f.first.size : 0;
  section.is_utf8 = f.utf8;
  if (!wide)
    put_offsets(s, items, 1);
  else if (f.same)
    calve_buffer_put(s->data, f.first.data, f.first.size);
  else
    put_wide(s, items, f.first.size);
  end(s, &section, f.absent_count);
}

void calve_cache__put_lists(image_sections *s, uint64_t place, const calve_str *lists,
                            uint32_t width) {
  size_t absent_count = 0;
  clear_bits(s);
  for (size_t i = 0; i < s->count; i++) {
    if (lists[i].data) continue;
    set_absent(s, i);
    absent_count++;
  }
  if (absent_count == s->count) return;
  image_section section = begin(s, place, IMAGE_LISTS);
  section.width = width;
  put_offsets(s, lists, width);
  end(s, &section, absent_count);
}

/* ---- tuples --------------------------------------------------------------------------------- */

static image_value plain_value(const calve_value *v) {
  image_value out = {.type = (int32_t)v->type, .is_null = v->is_null, .scale = v->scale};
  if (v->is_null) return out;
  switch (v->type) {
    case CALVE_BOOLEAN:
      out.payload[0] = v->b;
      break;
    case CALVE_INT:
    case CALVE_DATE:
      memcpy(out.payload, &v->i32, sizeof v->i32);
      break;
    case CALVE_FLOAT:
      memcpy(out.payload, &v->f32, sizeof v->f32);
      break;
    case CALVE_DECIMAL:
      memcpy(out.payload, &v->i128, sizeof v->i128);
      break;
    case CALVE_UUID:
      memcpy(out.payload, v->uuid, sizeof v->uuid);
      break;
    case CALVE_STRING:
    case CALVE_FIXED:
    case CALVE_BINARY:
      out.size_bytes = v->bytes.size;
      break;
    default: /* int64_t, double */
      memcpy(out.payload, &v->i64, sizeof v->i64);
      break;
  }
  return out;
}

static bool is_text(const calve_value *v) {
  return !v->is_null &&
         (v->type == CALVE_STRING || v->type == CALVE_FIXED || v->type == CALVE_BINARY);
}

void calve_cache__put_values(image_sections *s, const calve_value *values, size_t count) {
  image_section section = begin(s, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_TUPLES), IMAGE_VALUE_TABLE);
  uint64_t at = 0;
  for (size_t i = 0; i < count; i++) {
    image_value v = plain_value(&values[i]);
    if (is_text(&values[i])) {
      v.payload[0] = at;
      at += v.size_bytes;
    }
    calve_buffer_put(s->data, &v, sizeof v);
  }
  for (size_t i = 0; i < count; i++)
    if (is_text(&values[i])) calve_buffer_put_str(s->data, values[i].bytes);
  end(s, &section, 0);
}
