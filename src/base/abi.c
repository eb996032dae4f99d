/* SPDX-License-Identifier: Apache-2.0 */
#include "base/abi.h"

#include <string.h>

/* Bounds, hashes and Avro are read and written as the machine has its numbers. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(void *) == 8,
               "calve is made for 64-bit little-endian machines");

static size_t size_of(const void *given) {
  size_t size = 0;
  if (given) memcpy(&size, given, sizeof size);
  return size;
}

calve_status calve_struct_check(const void *given, size_t first_size, const char *what,
                                calve_error *err) {
  if (given && size_of(given) >= first_size) return CALVE_OK;
  if (!given) return calve_fail(err, CALVE_EINVAL, what, "a %s is needed, not NULL", what);
  return calve_fail(err, CALVE_EINVAL, what, "struct_size is %zu; set it to sizeof(%s)",
                    size_of(given), what);
}

calve_status calve_struct_read(const void *given, size_t first_size, void *out, size_t size,
                               const char *what, calve_error *err) {
  CALVE_TRY(calve_struct_check(given, first_size, what, err));
  size_t got = size_of(given);
  const unsigned char *bytes = given;
  for (size_t i = size; i < got; i++)
    if (bytes[i] != 0)
      return calve_fail(err, CALVE_EINVAL, what,
                        "struct_size is %zu, and something is set behind the %zu bytes that "
                        "calve %s knows; is the library older than the header?",
                        got, size, calve_version());
  memset(out, 0, size);
  memcpy(out, given, got < size ? got : size);
  memcpy(out, &size, sizeof size);
  return CALVE_OK;
}

calve_status calve_struct_write(void *out, size_t first_size, const void *ours, size_t size,
                                const char *what, calve_error *err) {
  CALVE_TRY(calve_struct_check(out, first_size, what, err));
  size_t room = size_of(out);
  memcpy(out, ours, room < size ? room : size);
  if (room > size) memset((char *)out + size, 0, room - size);
  memcpy(out, &room, sizeof room);
  return CALVE_OK;
}

calve_status calve_allocator_check(const calve_allocator *allocator, calve_error *err) {
  if (!allocator) return CALVE_OK;
  CALVE_TRY(calve_struct_check(allocator, CALVE_FIRST_SIZE(calve_allocator, resize),
                               "calve_allocator", err));
  if (allocator->resize) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, "calve_allocator", "resize is NULL");
}

calve_status calve_executor_check(const calve_executor *executor, calve_error *err) {
  if (!executor) return CALVE_OK;
  CALVE_TRY(calve_struct_check(executor, CALVE_FIRST_SIZE(calve_executor, submit),
                               "calve_executor", err));
  if (executor->submit || executor->worker_count == 0) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, "calve_executor", "submit is NULL, but there are workers");
}
