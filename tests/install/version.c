/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's program: compiled as C99 and as C++ against the installed library. */
#include <calve.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  if (strcmp(calve_version(), CALVE_VERSION_STRING) != 0) {
    printf("library %s, header %s\n", calve_version(), CALVE_VERSION_STRING);
    return 1;
  }
  return strcmp(calve_status_name(CALVE_ENOTFOUND), "not found") == 0 ? 0 : 1;
}
