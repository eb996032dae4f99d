/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* syncfs */
#endif
#include "data/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/local.h"

/* From here on one sync of the file system is quicker than a sync of each file. */
#define MANY_FILES 64

static calve_str folder_of(calve_str path) {
  size_t size = path.size;
  while (size > 0 && path.data[size - 1] != '/') size--;
  return (calve_str){path.data, size > 1 ? size - 1 : size};
}

calve_status calve_durable_folder(calve_durable *d, calve_str file, calve_error *err) {
  char path[CALVE_PATH_MAX];
  calve_str folder = folder_of(file);
  if (d->last_folder.data && calve_str_equal(folder, d->last_folder)) return CALVE_OK;
  CALVE_TRY(calve_path_c(folder, path, err));
  if (mkdir(path, 0777) == 0)
    d->fresh_count++;
  else if (errno != EEXIST || access(path, W_OK) != 0)
    CALVE_TRY(calve_local_make_folder(folder, err)); /* with its parents; tells what is wrong */
  d->last_folder = folder;
  return CALVE_OK;
}

#if defined(__linux__)
#define FILE_SYSTEMS_MAX 16

static calve_status sync_file_system(calve_str file, calve_error *err) {
  int fd = open(file.data, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return calve_fail_os(err, errno, file.data, "the file cannot be opened");
  int failed = syncfs(fd) != 0 ? errno : 0;
  close(fd);
  if (failed) return calve_fail_os(err, failed, file.data, "the file system cannot be synced");
  return CALVE_OK;
}

static bool is_among(const dev_t *devices, size_t count, dev_t device) {
  for (size_t i = 0; i < count; i++)
    if (devices[i] == device) return true;
  return false;
}

/* A folder below the table may be mounted from elsewhere: each file system once. */
static calve_status sync_file_systems(const calve_str *files, size_t count, calve_error *err) {
  dev_t synced[FILE_SYSTEMS_MAX];
  size_t synced_count = 0;
  calve_str last = {0};
  for (size_t i = 0; i < count; i++) {
    calve_str folder = folder_of(files[i]);
    struct stat st;
    if (last.data && calve_str_equal(folder, last)) continue;
    last = folder;
    if (stat(files[i].data, &st) != 0)
      return calve_fail_os(err, errno, files[i].data, "the file cannot be looked at");
    if (is_among(synced, synced_count, st.st_dev)) continue;
    CALVE_TRY(sync_file_system(files[i], err));
    if (synced_count < FILE_SYSTEMS_MAX) synced[synced_count++] = st.st_dev;
  }
  return CALVE_OK;
}
#endif

calve_status calve_durable_sync(const calve_durable *d, const calve_str *files, size_t count,
                                calve_error *err) {
#if defined(__linux__)
  if (count >= MANY_FILES) return sync_file_systems(files, count, err);
#endif
  calve_str last = {0};
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_local_sync(files[i], err)); /* the file and its folder */
    calve_str folder = folder_of(files[i]);
    /* The folder's own name, in its parent. */
    if (d->fresh_count > 0 && (!last.data || !calve_str_equal(folder, last)))
      CALVE_TRY(calve_local_sync(folder, err));
    last = folder;
  }
  return CALVE_OK;
}
