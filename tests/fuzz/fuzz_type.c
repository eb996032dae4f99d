/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a type string and as a transform string: what is accepted prints as text that reads
 * back as the same. */
#include <stdlib.h>

#include "base/text.h"
#include "model/transform.h"
#include "model/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static void try_type(calve_str text, calve_arena *arena, calve_buffer *out) {
  const calve_type *type = NULL, *again = NULL;
  calve_error err;
  if (calve_type_parse(text, arena, &type, &err) != CALVE_OK) {
    check(err.code == CALVE_EINVAL && err.message[0] != '\0' && !type);
    return;
  }
  calve_type_print(type, out);
  check(calve_type_parse(calve_buffer_view(out), arena, &again, &err) == CALVE_OK);
  check(calve_type_equal(type, again));
}

static void try_transform(calve_str text, calve_arena *arena, calve_buffer *out) {
  calve_transform t = {0}, again = {0};
  calve_error err;
  if (calve_transform_parse(text, arena, &t, &err) != CALVE_OK) {
    check(err.code == CALVE_EINVAL && err.message[0] != '\0');
    return;
  }
  calve_transform_print(&t, out);
  check(calve_transform_parse(calve_buffer_view(out), arena, &again, &err) == CALVE_OK);
  check(calve_transform_equal(&t, &again));
  if (t.kind == CALVE_TRANSFORM_UNKNOWN) check(calve_str_equal(t.text, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_arena arena;
  calve_buffer out;
  calve_str text = {(const char *)data, size};
  calve_arena_init(&arena, NULL);
  calve_buffer_init(&out, NULL);
  try_type(text, &arena, &out);
  calve_buffer_clear(&out);
  try_transform(text, &arena, &out);
  calve_buffer_free(&out);
  calve_arena_free(&arena);
  return 0;
}
