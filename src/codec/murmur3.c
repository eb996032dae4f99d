/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/murmur3.h"

#include "base/number.h"

static uint32_t rotate(uint32_t v, int bits) {
  return v << bits | v >> (32 - bits);
}

static uint32_t mix_key(uint32_t k) {
  return rotate(k * 0xCC9E2D51U, 15) * 0x1B873593U;
}

static uint32_t mix_block(uint32_t h, uint32_t k) {
  return rotate(h ^ mix_key(k), 13) * 5 + 0xE6546B64U;
}

static int32_t finish(uint32_t h, uint32_t size) {
  h ^= size;
  h = (h ^ h >> 16) * 0x85EBCA6BU;
  h = (h ^ h >> 13) * 0xC2B2AE35U;
  return (int32_t)(h ^ h >> 16);
}

int32_t calve_murmur3_bytes(const void *bytes, size_t size_bytes) {
  const uint8_t *p = bytes;
  uint32_t h = 0;
  size_t left = size_bytes;
  for (; left >= 4; p += 4, left -= 4) h = mix_block(h, calve_load_le32(p));
  uint32_t tail = 0;
  for (size_t i = left; i > 0; i--) tail = tail << 8 | p[i - 1];
  if (left > 0) h ^= mix_key(tail);
  return finish(h, (uint32_t)size_bytes);
}

int32_t calve_murmur3_i64(int64_t v) {
  uint32_t h = mix_block(0, (uint32_t)(uint64_t)v);
  return finish(mix_block(h, (uint32_t)((uint64_t)v >> 32)), 8);
}
