/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "cache/checksum.h"
#include "cache/image_format.h"

calve_image_key calve_image_key_of(const uint8_t table_uuid[16], const calve_manifest_file *m,
                                   uint64_t version) {
  calve_image_key key = {.path = m->path,
                         .length_bytes = m->length_bytes,
                         .sequence_number = m->sequence_number,
                         .added_snapshot_id = m->added_snapshot_id,
                         .first_row_id = m->first_row_id,
                         .spec_id = m->spec_id,
                         .content = m->content,
                         .version = version};
  memcpy(key.table_uuid, table_uuid, sizeof key.table_uuid);
  return key;
}

image_key_head calve_cache__key_head(const calve_image_key *key) {
  image_key_head h = {.length_bytes = key->length_bytes,
                      .sequence_number = key->sequence_number,
                      .added_snapshot_id = key->added_snapshot_id,
                      .first_row_id = key->first_row_id,
                      .version = key->version,
                      .spec_id = key->spec_id,
                      .content = key->content};
  memcpy(h.table_uuid, key->table_uuid, sizeof h.table_uuid);
  return h;
}

void calve_image_key_hash(const calve_image_key *key, uint8_t out[16]) {
  image_key_head h = calve_cache__key_head(key);
  h.version = 0; /* a file that was replaced takes the place of its older image                 */
  uint64_t a = calve_cache__checksum(&h, sizeof h);
  uint64_t b = calve_cache__checksum(key->path.data, key->path.size);
  uint64_t halves[2] = {calve_cache__mix(a, b), calve_cache__mix(~b, a)};
  memcpy(out, halves, sizeof halves);
}

/* ---- head ----------------------------------------------------------------------------------- */

static size_t head_size(const image_head *h) {
  return sizeof *h + (size_t)image_round_up(h->key_bytes) +
         (size_t)h->section_count * sizeof(image_section);
}

static const image_section *directory(const void *bytes) {
  image_head h;
  memcpy(&h, bytes, sizeof h);
  return (const image_section *)(const void *)((const uint8_t *)bytes + sizeof h +
                                               image_round_up(h.key_bytes));
}

/* Of head, key and directory, as if the checksum were 0. */
static uint64_t head_checksum(const uint8_t *bytes, size_t head_bytes) {
  image_head h;
  memcpy(&h, bytes, sizeof h);
  h.checksum = 0;
  return calve_cache__mix(calve_cache__checksum(&h, sizeof h),
                          calve_cache__checksum(bytes + sizeof h, head_bytes - sizeof h));
}

bool calve_image_look(const void *bytes, size_t size_bytes, size_t *checked_bytes) {
  image_head h;
  if (size_bytes < sizeof h) return false;
  memcpy(&h, bytes, sizeof h);
  if (memcmp(h.magic, IMAGE_MAGIC, 8) != 0 || h.byte_order != IMAGE_BYTE_ORDER ||
      h.version != IMAGE_VERSION || h.size_bytes != size_bytes) {
    return false;
  }
  /* Positions alone take a byte of each entry, so that counts are bounded by the size.         */
  if (h.entry_count > size_bytes || h.tuple_count > h.entry_count) return false;
  size_t head_bytes = head_size(&h); /* 32-bit counts can't overflow it                         */
  if (head_bytes > size_bytes || h.key_bytes < sizeof(image_key_head) || h.field_count > 64 ||
      h.checksum != head_checksum(bytes, head_bytes)) {
    return false;
  }
  const image_section *s = directory(bytes);
  for (uint32_t i = 0; i < h.section_count; i++) {
    if (s[i].offset < head_bytes || s[i].offset % 8 != 0 || s[i].offset > size_bytes ||
        s[i].size_bytes > size_bytes - s[i].offset || (i > 0 && s[i].place <= s[i - 1].place)) {
      return false;
    }
  }
  *checked_bytes = h.section_count;
  return true;
}

void calve_image_open(const void *bytes, size_t size_bytes, uint8_t *checked, calve_image *out) {
  image_head h;
  memcpy(&h, bytes, sizeof h);
  *out = (calve_image){bytes, size_bytes, h.section_count, checked};
}

calve_str calve_image_path(const calve_image *image) {
  image_head h;
  memcpy(&h, image->bytes, sizeof h);
  size_t size = h.key_bytes - sizeof(image_key_head);
  return (calve_str){(const char *)image->bytes + sizeof h + sizeof(image_key_head), size};
}

bool calve_image_fits(const calve_image *image, const calve_image_key *key,
                      const calve_metadata *metadata) {
  image_head h;
  image_key_head want = calve_cache__key_head(key);
  memcpy(&h, image->bytes, sizeof h);
  if (memcmp(image->bytes + sizeof h, &want, sizeof want) != 0) return false;
  if (!calve_str_equal(calve_image_path(image), key->path)) return false;
  const calve_spec *spec = calve_metadata_spec(metadata, h.spec_id);
  return spec && (uint32_t)spec->field_count == h.field_count &&
         calve_manifest_tuple_reading(spec, metadata) == h.reading;
}

/* ---- sections ------------------------------------------------------------------------------- */

static bool offsets_are_sound(const uint32_t *offsets, uint64_t count, uint64_t items) {
  if (offsets[0] != 0 || offsets[count] > items) return false;
  bool sound = true;
  for (uint64_t i = 0; i < count; i++) sound &= offsets[i] <= offsets[i + 1];
  return sound;
}

static bool texts_are_sound(const image_section *s, const uint8_t *data, uint64_t count,
                            uint64_t item_bytes, uint64_t *used) {
  uint64_t table = image_round_up((count + 1) * sizeof(uint32_t));
  if (s->size_bytes < table) return false;
  const uint32_t *offsets = (const uint32_t *)(const void *)data;
  if (!offsets_are_sound(offsets, count, (s->size_bytes - table) / item_bytes)) return false;
  *used = table + offsets[count] * item_bytes;
  return true;
}

static bool values_are_sound(const image_section *s, const uint8_t *data, uint64_t count) {
  uint64_t table = count * sizeof(image_value);
  if (s->size_bytes < table) return false;
  const image_value *values = (const image_value *)(const void *)data;
  for (uint64_t i = 0; i < count; i++) {
    const image_value *v = &values[i];
    bool text = v->type == CALVE_STRING || v->type == CALVE_FIXED || v->type == CALVE_BINARY;
    if (v->type < CALVE_BOOLEAN || v->type > CALVE_UNKNOWN) return false;
    if (v->is_null > 1 || (v->type == CALVE_UNKNOWN && !v->is_null)) return false;
    if (text && !v->is_null &&
        (v->payload[0] > s->size_bytes - table ||
         v->size_bytes > s->size_bytes - table - v->payload[0])) {
      return false;
    }
  }
  return true;
}

static bool is_sound(const image_head *h, const image_section *s, const uint8_t *data) {
  uint64_t count = h->entry_count, used = 0;
  switch ((image_form)s->form) {
    case IMAGE_NUMBERS:
      if (s->width > 8 || (s->width & (s->width - 1))) return false;
      used = count * s->width;
      break;
    case IMAGE_SAME_TEXT:
      used = s->width;
      break;
    case IMAGE_WIDE_TEXTS:
      used = count * s->width;
      break;
    case IMAGE_TEXTS:
      if (s->width != 0 || !texts_are_sound(s, data, count, 1, &used)) return false;
      break;
    case IMAGE_LISTS:
      if (s->width != 4 && s->width != 8) return false;
      if (!texts_are_sound(s, data, count, s->width, &used)) return false;
      break;
    case IMAGE_VALUE_TABLE:
      return values_are_sound(s, data, (uint64_t)h->tuple_count * h->field_count);
    default:
      return false;
  }
  if (s->has_absent) used = image_round_up(used) + image_bits_size(count);
  return used <= s->size_bytes;
}

const image_section *calve_cache__section(const calve_image *image, uint64_t place) {
  const image_section *all = directory(image->bytes);
  size_t low = 0, high = image->section_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (all[middle].place < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < image->section_count && all[low].place >= place ? &all[low] : NULL;
}

bool calve_cache__check(const calve_image *image, const image_section *s) {
  uint8_t *state = &image->checked[s - directory(image->bytes)];
  uint8_t known = __atomic_load_n(state, __ATOMIC_RELAXED);
  if (known == 0) { /* two threads may both look; they see the same                             */
    image_head h;
    memcpy(&h, image->bytes, sizeof h);
    const uint8_t *data = image->bytes + s->offset;
    bool good = calve_cache__checksum(data, s->size_bytes) == s->checksum && is_sound(&h, s, data);
    known = good ? 1 : 2;
    __atomic_store_n(state, known, __ATOMIC_RELAXED);
  }
  return known == 1;
}

size_t calve_cache__section_count(const calve_image *image, const image_section *from) {
  return image->section_count - (size_t)(from - directory(image->bytes));
}

void calve_cache__image_seal(void *bytes) {
  image_head h;
  memcpy(&h, bytes, sizeof h);
  image_section *s = (image_section *)(void *)((uint8_t *)bytes + sizeof h +
                                               image_round_up(h.key_bytes));
  for (uint32_t i = 0; i < h.section_count; i++)
    s[i].checksum = calve_cache__checksum((uint8_t *)bytes + s[i].offset, s[i].size_bytes);
  h.checksum = head_checksum(bytes, head_size(&h));
  memcpy((uint8_t *)bytes + offsetof(image_head, checksum), &h.checksum, sizeof h.checksum);
}
