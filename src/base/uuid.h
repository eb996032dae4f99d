/* SPDX-License-Identifier: Apache-2.0 */
/* base/uuid: RFC 4122 ids as 16 bytes big-endian and as text; and random 64-bit ids.
 * In: bytes or text. Out: the other. May be used by every room that makes ids (commit, catalog,
 * data, sql); pure rooms take them as parameters. */
#ifndef CALVE_BASE_UUID_H
#define CALVE_BASE_UUID_H

#include "base/status.h"

#define CALVE_UUID_TEXT_SIZE 37 /* 36 characters and a NUL                                       */

/* Version 4, from the kernel's random source. CALVE_EIO when there is none. */
CALVE_MUST_USE calve_status calve_uuid_random(uint8_t out[16], calve_error *err);
void calve_uuid_format(const uint8_t uuid[16], char out[CALVE_UUID_TEXT_SIZE]);
/* 8-4-4-4-12 hex digits in any case; false for anything else. */
bool calve_uuid_parse(calve_str text, uint8_t out[16]);
/* A random positive 63-bit id, as snapshot ids are. */
CALVE_MUST_USE calve_status calve_random_id(int64_t *out, calve_error *err);

#endif
