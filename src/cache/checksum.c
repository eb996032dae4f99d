/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/checksum.h"

#include <string.h>

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)

static uint64_t rotate(uint64_t v, int bits) {
  return v << bits | v >> (64 - bits);
}

static uint64_t word_at(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v); /* in the machine's order: the files don't travel                    */
  return v;
}

/* One to one in each argument: a changed word can't leave the state as it was. */
static uint64_t step(uint64_t state, uint64_t word) {
  return rotate(state ^ word * P2, 31) * P1;
}

static uint64_t finish(uint64_t h) {
  h = (h ^ h >> 29) * P3;
  h = (h ^ h >> 32) * P2;
  return h ^ h >> 31;
}

uint64_t calve_cache__mix(uint64_t a, uint64_t b) {
  return finish(step(step(P3, a), b));
}

uint64_t calve_cache__checksum(const void *bytes, size_t size_bytes) {
  const unsigned char *p = bytes, *end = p + size_bytes;
  /* Four states, so that the processor works on four words at a time. */
  uint64_t s[4] = {P1, P2, P3, P1 ^ P2};
  for (; end - p >= 32; p += 32)
    for (int i = 0; i < 4; i++) s[i] = step(s[i], word_at(p + 8 * i));
  uint64_t h = step(size_bytes, s[0]);
  for (int i = 1; i < 4; i++) h = step(h, s[i]);
  for (; end - p >= 8; p += 8) h = step(h, word_at(p));
  if (p < end) {
    unsigned char rest[8] = {0};
    memcpy(rest, p, (size_t)(end - p));
    h = step(h, word_at(rest));
  }
  return finish(h);
}
