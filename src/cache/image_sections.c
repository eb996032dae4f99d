/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cache/image_sections.h"

/* ---- sections as items ---------------------------------------------------------------------- */

static uint64_t items_size(const image_section *s, const uint8_t *data, size_t count) {
  const uint32_t *offsets = (const uint32_t *)(const void *)data;
  switch ((image_form)s->form) {
    case IMAGE_NUMBERS:
    case IMAGE_WIDE_TEXTS:
      return (uint64_t)count * s->width;
    case IMAGE_SAME_TEXT:
      return s->width;
    default: { /* offsets, then items of a width; 0 stands for 1                                */
      uint64_t table = image_round_up((uint64_t)(count + 1) * sizeof *offsets);
      return table + (uint64_t)offsets[count] * (s->width ? s->width : 1);
    }
  }
}

static const uint8_t *absent_bits(const image_section *s, const uint8_t *data, size_t count) {
  return s->has_absent ? data + image_round_up(items_size(s, data, count)) : NULL;
}

/* The section at exactly that place: NULL with *sound true when there is none. */
static const image_section *find(const calve_image *image, uint64_t place, bool *sound) {
  const image_section *s = calve_cache__section(image, place);
  if (s && s->place != place) s = NULL;
  *sound = !s || calve_cache__check(image, s);
  return *sound ? s : NULL;
}

bool calve_cache__numbers(const calve_image *image, uint64_t place, size_t count,
                          calve_image_numbers *out) {
  bool sound;
  const image_section *s = find(image, place, &sound);
  *out = (calve_image_numbers){0};
  if (!s) return sound;
  if (s->form != IMAGE_NUMBERS) return false;
  const uint8_t *data = image->bytes + s->offset;
  *out = (calve_image_numbers){.data = s->width ? data : NULL,
                               .base = s->base,
                               .width = s->width,
                               .exists = true,
                               .absent = absent_bits(s, data, count)};
  return true;
}

bool calve_cache__texts(const calve_image *image, uint64_t place, size_t count,
                        calve_image_texts *out) {
  bool sound;
  const image_section *s = find(image, place, &sound);
  *out = (calve_image_texts){0};
  if (!s) return sound;
  if (s->form != IMAGE_TEXTS && s->form != IMAGE_WIDE_TEXTS && s->form != IMAGE_SAME_TEXT)
    return false;
  const uint8_t *data = image->bytes + s->offset;
  *out = (calve_image_texts){.data = (const char *)data,
                             .width = s->width,
                             .stride = s->form == IMAGE_WIDE_TEXTS ? s->width : 0,
                             .exists = true,
                             .is_utf8 = s->is_utf8 == 1,
                             .absent = absent_bits(s, data, count)};
  if (s->form == IMAGE_TEXTS) {
    out->offsets = (const uint32_t *)(const void *)data;
    out->data += image_round_up((uint64_t)(count + 1) * sizeof *out->offsets);
  }
  return true;
}

bool calve_cache__lists(const calve_image *image, uint64_t place, size_t count, uint32_t width,
                        calve_image_texts *out) {
  bool sound;
  const image_section *s = find(image, place, &sound);
  *out = (calve_image_texts){0};
  if (!s) return sound;
  if (s->form != IMAGE_LISTS || s->width != width) return false;
  const uint8_t *data = image->bytes + s->offset;
  *out = (calve_image_texts){.data = (const char *)data,
                             .offsets = (const uint32_t *)(const void *)data,
                             .width = width,
                             .exists = true,
                             .absent = absent_bits(s, data, count)};
  out->data += image_round_up((uint64_t)(count + 1) * sizeof *out->offsets);
  return true;
}

bool calve_cache__tuples(const calve_image *image, size_t count, calve_value *out) {
  bool sound;
  const image_section *s = find(image, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_TUPLES), &sound);
  if (count == 0) return sound;
  if (!s || s->form != IMAGE_VALUE_TABLE) return false;
  const image_value *values = (const image_value *)(const void *)(image->bytes + s->offset);
  const char *texts = (const char *)(values + count);
  for (size_t i = 0; i < count; i++) {
    const image_value *v = &values[i];
    calve_value to = {.type = (calve_type_id)v->type, .is_null = v->is_null, .scale = v->scale};
    if (v->is_null) {
      out[i] = calve_value_null(to.type);
      continue;
    }
    switch (to.type) {
      case CALVE_BOOLEAN:
        to.b = v->payload[0] != 0;
        break;
      case CALVE_INT:
      case CALVE_DATE:
      case CALVE_FLOAT:
        memcpy(&to.i32, v->payload, sizeof to.i32);
        break;
      case CALVE_DECIMAL:
      case CALVE_UUID:
        memcpy(&to.i128, v->payload, sizeof to.i128);
        break;
      case CALVE_STRING:
      case CALVE_FIXED:
      case CALVE_BINARY:
        to.bytes = (calve_str){texts + v->payload[0], (size_t)v->size_bytes};
        break;
      default:
        memcpy(&to.i64, v->payload, sizeof to.i64);
        break;
    }
    out[i] = to;
  }
  return true;
}

/* ---- items ---------------------------------------------------------------------------------- */

static uint64_t distance_at(const uint8_t *data, uint32_t width, size_t row) {
  switch (width) {
    case 0:
      return 0;
    case 1:
      return data[row];
    case 2: {
      uint16_t v;
      memcpy(&v, data + row * 2, 2);
      return v;
    }
    case 4: {
      uint32_t v;
      memcpy(&v, data + row * 4, 4);
      return v;
    }
    default: {
      uint64_t v;
      memcpy(&v, data + row * 8, 8);
      return v;
    }
  }
}

int64_t calve_image_number(const calve_image_numbers *n, size_t row) {
  return (int64_t)((uint64_t)n->base + distance_at(n->data, n->width, row));
}

calve_str calve_image_text(const calve_image_texts *t, size_t row) {
  if (!t->offsets) return (calve_str){t->data + row * t->stride, t->width};
  return (calve_str){t->data + t->offsets[row], t->offsets[row + 1] - t->offsets[row]};
}

void calve_image_unpack(const calve_image_numbers *n, size_t count, int64_t *out) {
  uint64_t base = (uint64_t)n->base;
  const uint16_t *two = (const uint16_t *)(const void *)n->data;
  const uint32_t *four = (const uint32_t *)(const void *)n->data;
  const uint64_t *eight = (const uint64_t *)(const void *)n->data;
  switch (n->width) {
    case 0:
      for (size_t i = 0; i < count; i++) out[i] = n->base;
      break;
    case 1:
      for (size_t i = 0; i < count; i++) out[i] = (int64_t)(base + n->data[i]);
      break;
    case 2:
      for (size_t i = 0; i < count; i++) out[i] = (int64_t)(base + two[i]);
      break;
    case 4:
      for (size_t i = 0; i < count; i++) out[i] = (int64_t)(base + four[i]);
      break;
    default:
      for (size_t i = 0; i < count; i++) out[i] = (int64_t)(base + eight[i]);
      break;
  }
}
