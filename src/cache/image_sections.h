/* SPDX-License-Identifier: Apache-2.0 */
/* cache/image_sections: sections of an image as items. Private to cache.
 * In: an image and a place. Out: views of a section, checked; one that is not there gives a view
 * that does not exist. False: the section is damaged or of a form that has no place there. */
#ifndef CALVE_CACHE_IMAGE_SECTIONS_H
#define CALVE_CACHE_IMAGE_SECTIONS_H

#include "cache/image_format.h"

bool calve_cache__numbers(const calve_image *image, uint64_t place, size_t count,
                          calve_image_numbers *out);
bool calve_cache__texts(const calve_image *image, uint64_t place, size_t count,
                        calve_image_texts *out);
/* `width` is that of a list's items; offsets count items. */
bool calve_cache__lists(const calve_image *image, uint64_t place, size_t count, uint32_t width,
                        calve_image_texts *out);
/* count values: all of the distinct tuples. */
bool calve_cache__tuples(const calve_image *image, size_t count, calve_value *out);

#endif
