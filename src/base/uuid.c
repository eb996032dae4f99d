/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* getentropy */
#include "base/uuid.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static calve_status random_bytes(void *out, size_t size_bytes, calve_error *err) {
  if (getentropy(out, size_bytes) != 0)
    return calve_fail_os(err, errno, NULL, "no random numbers from the system");
  return CALVE_OK;
}

calve_status calve_uuid_random(uint8_t out[16], calve_error *err) {
  uint8_t bytes[16];
  CALVE_TRY(random_bytes(bytes, sizeof bytes, err));
  bytes[6] = (uint8_t)((bytes[6] & 0x0FU) | 0x40U); /* version 4 */
  bytes[8] = (uint8_t)((bytes[8] & 0x3FU) | 0x80U); /* RFC 4122 variant */
  memcpy(out, bytes, sizeof bytes);
  return CALVE_OK;
}

/* A hyphen stands before these bytes. */
static bool starts_group(size_t i) {
  return i == 4 || i == 6 || i == 8 || i == 10;
}

void calve_uuid_format(const uint8_t uuid[16], char out[CALVE_UUID_TEXT_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < 16; i++) {
    if (starts_group(i)) *out++ = '-';
    *out++ = digits[uuid[i] >> 4];
    *out++ = digits[uuid[i] & 0x0FU];
  }
  *out = '\0';
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool calve_uuid_parse(calve_str text, uint8_t out[16]) {
  if (text.size != CALVE_UUID_TEXT_SIZE - 1) return false;
  uint8_t bytes[16];
  const char *p = text.data;
  for (size_t i = 0; i < 16; i++) {
    if (starts_group(i) && *p++ != '-') return false;
    int high = hex_digit(p[0]), low = hex_digit(p[1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = (uint8_t)(high << 4 | low);
    p += 2;
  }
  memcpy(out, bytes, sizeof bytes);
  return true;
}

calve_status calve_random_id(int64_t *out, calve_error *err) {
  uint64_t bits;
  do {
    CALVE_TRY(random_bytes(&bits, sizeof bits, err));
    bits &= INT64_MAX;
  } while (bits == 0);
  *out = (int64_t)bits;
  return CALVE_OK;
}
