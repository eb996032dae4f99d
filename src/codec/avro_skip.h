/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_skip: fast ways over values nobody asked for; private to the Avro decoder.
 * In: where the data stands. Out: where it stands behind the value. Nobody else includes it.
 * Never reads outside the data; false means damaged. [spec: Appendix A: Avro] */
#ifndef CALVE_CODEC_AVRO_SKIP_H
#define CALVE_CODEC_AVRO_SKIP_H

#include "codec/avro_cursor.h"

/* count varints: each ends with a byte whose top bit is clear, so they are counted, not read. */
bool calve_avro__skip_varints(const char **at, const char *end, uint64_t count);
/* An array whose items are varints_per_item varints. */
bool calve_avro__skip_number_items(const char **at, const char *end, uint64_t varints_per_item);
/* Items number `index` to index + count - 1, each (varint, text), of a map with these hints. */
bool calve_avro__skip_text_items(const char **at, const char *end, calve_avro__text_hint *hints,
                                 size_t index, uint64_t count);
/* An array of (varint, text). */
bool calve_avro__skip_text_pairs(const char **at, const char *end, calve_avro__text_hint *hints);

#endif
