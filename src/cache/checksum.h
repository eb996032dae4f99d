/* SPDX-License-Identifier: Apache-2.0 */
/* cache/checksum: a fast 64-bit checksum for files of our own on this machine.
 * In: bytes. Out: a number. Private to cache. Finds every change of up to 8 bytes that lie in one
 * word, and others with a chance of 1 in 2^64; no protection against an adversary. */
#ifndef CALVE_CACHE_CHECKSUM_H
#define CALVE_CACHE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t calve_cache__checksum(const void *bytes, size_t size_bytes);
/* Two numbers as one that depends on their order. */
uint64_t calve_cache__mix(uint64_t a, uint64_t b);

#endif
