/* SPDX-License-Identifier: Apache-2.0 */
/* codec/murmur3: the 32-bit x86 variant, seed 0, that bucket partitions use.
 * In: bytes. Out: the hash. May be used by every room below. [spec: Appendix B] */
#ifndef CALVE_CODEC_MURMUR3_H
#define CALVE_CODEC_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

int32_t calve_murmur3_bytes(const void *bytes, size_t size_bytes);
/* The hash of the 8 little-endian bytes of v: int, long, date, time and timestamps. */
int32_t calve_murmur3_i64(int64_t v);

#endif
