/* SPDX-License-Identifier: Apache-2.0 */
/* cache/image_encode: one section of an image from an array of items. Private to cache.
 * In: items, one per entry. Out: the section's bytes behind those before it, and its line of the
 * directory, without the checksum. Chooses the smallest of the forms. Failures are those of the
 * buffers, checked by who owns them. */
#ifndef CALVE_CACHE_IMAGE_ENCODE_H
#define CALVE_CACHE_IMAGE_ENCODE_H

#include "base/buffer.h"
#include "cache/image_format.h"

typedef struct image_sections {
  size_t count; /* of entries                                                                   */
  calve_buffer *data;      /* of all sections; offsets in `directory` are into it               */
  calve_buffer *directory; /* image_section                                                     */
  uint8_t *bits;           /* image_bits_size(count) bytes to work with                         */
} image_sections;

/* Items that are CALVE_UNSET (have[i] is 0 where `have` is given) are absent. No section is made
 * when all are. */
void calve_cache__put_numbers(image_sections *s, uint64_t place, const int64_t *items,
                              const uint8_t *have);
/* Items without data are absent. */
void calve_cache__put_texts(image_sections *s, uint64_t place, const calve_str *items);
/* Lists of items of `width` bytes; those without data are absent. `size` counts items. */
void calve_cache__put_lists(image_sections *s, uint64_t place, const calve_str *lists,
                            uint32_t width);
/* tuple_count × field_count values. */
void calve_cache__put_values(image_sections *s, const calve_value *values, size_t count);

#endif
