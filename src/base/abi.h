/* SPDX-License-Identifier: Apache-2.0 */
/* base/abi: structs and tables of functions that cross the public ABI, in any age.
 * In: what a program handed over, whose first member tells its size. Out: a copy as this library
 * knows it, or a refusal. Used where functions of the public headers begin.
 * Never reads or writes behind the size that was told.
 * To add a member to a public struct: behind its last one, never into the padding that ends it (an
 * older program has anything there), and with zero for "as before". */
#ifndef CALVE_BASE_ABI_H
#define CALVE_BASE_ABI_H

#include "base/status.h"

/* The size that `type` had in the release that brought it, where `last` was its last member: what
 * the oldest program has. */
#define CALVE_FIRST_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Copies `given` (may be NULL: refused) into *out of `size` bytes; members that an older program
 * does not have are zero. CALVE_EINVAL names `what` when the size is smaller than `first_size`, or
 * when a member is set that this library does not know. */
CALVE_MUST_USE calve_status calve_struct_read(const void *given, size_t first_size, void *out,
                                              size_t size, const char *what, calve_error *err);
#define CALVE_STRUCT_READ(given, type, last, out, err) \
  calve_struct_read((given), CALVE_FIRST_SIZE(type, last), (out), sizeof *(out), #type, (err))

/* The way back: fills *out, a struct of the program, with what it has room for of `ours`, and
 * zeroes members that this library does not know. Its struct_size stays. */
CALVE_MUST_USE calve_status calve_struct_write(void *out, size_t first_size, const void *ours,
                                               size_t size, const char *what, calve_error *err);
#define CALVE_STRUCT_WRITE(out, type, last, ours, err) \
  calve_struct_write((out), CALVE_FIRST_SIZE(type, last), (ours), sizeof *(ours), #type, (err))

/* A table of functions is used where it is, and may be newer: only its least size is checked. */
CALVE_MUST_USE calve_status calve_struct_check(const void *given, size_t first_size,
                                               const char *what, calve_error *err);
/* NULL is fine for both. */
CALVE_MUST_USE calve_status calve_allocator_check(const calve_allocator *allocator,
                                                  calve_error *err);
CALVE_MUST_USE calve_status calve_executor_check(const calve_executor *executor, calve_error *err);

#endif
