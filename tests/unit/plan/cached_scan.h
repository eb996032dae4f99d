/* SPDX-License-Identifier: Apache-2.0 */
/* Scans with a planning cache, compared with the same scan without one. */
#ifndef CALVE_TESTS_CACHED_SCAN_H
#define CALVE_TESTS_CACHED_SCAN_H

#include "harness.h"

#include "base/buffer.h"
#include "plan/scan.h"

/* All that a scan gives, as text: every field of every task, and the counts; or its failure. */
void describe_scan(const calve_scan_params *params, calve_buffer *out);
/* Asserts that the scan gives the same with caches in memory and in a folder, empty and warm. The
 * scan's own columns are asked for, then all. */
void assert_same_with_caches(const calve_scan_params *params);
void assert_same_in_memory(const calve_scan_params *params); /* the same without a folder       */

#endif
