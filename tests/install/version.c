/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's program: compiled as C99 and as C++ against the installed library. */
#include <calve.h>
#include <stdio.h>
#include <string.h>

static const calve_file_record record = CALVE_FILE_RECORD_INIT;
static const calve_column_stats stats = CALVE_COLUMN_STATS_INIT;

int main(void) {
  if (record.spec_id != -1 || record.sort_order_id != -1 || record.column_count != 0) return 1;
  if (stats.size_bytes != -1 || stats.nan_count != -1 || stats.upper.data) return 1;
  if (strcmp(calve_version(), CALVE_VERSION_STRING) != 0) {
    printf("library %s, header %s\n", calve_version(), CALVE_VERSION_STRING);
    return 1;
  }
  return strcmp(calve_status_name(CALVE_ENOTFOUND), "not found") == 0 ? 0 : 1;
}
