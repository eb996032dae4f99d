/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte picks a codec; the rest is taken as compressed data, under a cap, and as content
 * that must come back. */
#include <stdlib.h>

#include "base/text.h"
#include "codec/compression.h"

#define CAP_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  calve_codec_id id = (calve_codec_id)(data[0] % 5);
  calve_str rest = {(const char *)data + 1, size - 1};
  calve_codec codec;
  calve_buffer out, packed;
  calve_codec_init(&codec, NULL);
  calve_buffer_init(&out, NULL);
  calve_buffer_init(&packed, NULL);

  calve_status status = calve_decompress(&codec, id, rest, CAP_BYTES, &out, NULL);
  check(status == CALVE_OK || status == CALVE_ECORRUPT);
  check(out.size <= CAP_BYTES && out.capacity <= 2 * CAP_BYTES);

  check(calve_compress(&codec, id, -1, rest, &packed, NULL) == CALVE_OK);
  status = calve_decompress(&codec, id, calve_buffer_view(&packed), rest.size, &out, NULL);
  check(status == CALVE_OK && calve_str_equal(calve_buffer_view(&out), rest));

  calve_buffer_free(&out);
  calve_buffer_free(&packed);
  calve_codec_free(&codec);
  return 0;
}
