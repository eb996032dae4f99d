/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "store/local.h"

static calve_status local_path(calve_str path, char out[CALVE_PATH_MAX], calve_error *err) {
  calve_str local;
  if (!calve_path_local(path, &local)) {
    CALVE_TRY(calve_path_c(path, out, err));
    return calve_fail(err, CALVE_EUNSUPPORTED, out, "this is not a local folder");
  }
  return calve_path_c(local, out, err);
}

calve_status calve_local_folder_exists(calve_str path, bool *exists, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  struct stat st;
  CALVE_TRY(local_path(path, c_path, err));
  if (stat(c_path, &st) == 0) {
    *exists = S_ISDIR(st.st_mode);
    return CALVE_OK;
  }
  if (errno != ENOENT && errno != ENOTDIR)
    return calve_fail_os(err, errno, c_path, "the folder cannot be looked at");
  *exists = false;
  return CALVE_OK;
}

/* "folder/name" into out; false when it is too long. */
static bool below(const char *folder, const char *name, char out[CALVE_PATH_MAX]) {
  int size = snprintf(out, CALVE_PATH_MAX, "%s/%s", folder, name);
  return size > 0 && size < CALVE_PATH_MAX;
}

static bool is_dot(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

calve_status calve_local_list_folders(calve_str path,
                                      calve_status (*visit)(void *ctx, const char *name,
                                                            calve_error *err),
                                      void *ctx, calve_error *err) {
  char c_path[CALVE_PATH_MAX], child[CALVE_PATH_MAX];
  CALVE_TRY(local_path(path, c_path, err));
  DIR *folder = opendir(c_path);
  if (!folder) {
    if (errno == ENOENT) return CALVE_OK;
    return calve_fail_os(err, errno, c_path, "the folder cannot be listed");
  }
  calve_status status = CALVE_OK;
  errno = 0;
  for (const struct dirent *found; status == CALVE_OK && (found = readdir(folder)); errno = 0) {
    struct stat st;
    if (is_dot(found->d_name) || !below(c_path, found->d_name, child) || stat(child, &st) != 0 ||
        !S_ISDIR(st.st_mode))
      continue;
    status = visit(ctx, found->d_name, err);
  }
  if (status == CALVE_OK && errno)
    status = calve_fail_os(err, errno, c_path, "the folder cannot be listed");
  closedir(folder);
  return status;
}

static calve_status remove_tree(const char *path, int depth, calve_error *err) {
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, path, "folders are nested more than %d deep",
                      CALVE_DEPTH_MAX);
  if (rmdir(path) == 0 || errno == ENOENT) return CALVE_OK;
  if (errno != ENOTEMPTY && errno != EEXIST)
    return calve_fail_os(err, errno, path, "the folder cannot be removed");
  DIR *folder = opendir(path);
  if (!folder) return calve_fail_os(err, errno, path, "the folder cannot be listed");
  calve_status status = CALVE_OK;
  char child[CALVE_PATH_MAX];
  for (const struct dirent *found; status == CALVE_OK && (found = readdir(folder));) {
    struct stat st;
    if (is_dot(found->d_name)) continue;
    if (!below(path, found->d_name, child) || lstat(child, &st) != 0 || !S_ISDIR(st.st_mode))
      status = calve_fail(err, CALVE_EINVAL, path, "the folder holds files and stays");
    else
      status = remove_tree(child, depth + 1, err);
  }
  closedir(folder);
  if (status == CALVE_OK && rmdir(path) != 0 && errno != ENOENT)
    status = calve_fail_os(err, errno, path, "the folder cannot be removed");
  return status;
}

calve_status calve_local_remove_folder(calve_str path, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(local_path(path, c_path, err));
  return remove_tree(c_path, 0, err);
}

void calve_local_remove_empty(calve_str file, calve_str root) {
  char folder[CALVE_PATH_MAX];
  if (!calve_path_local(file, &file) || !calve_path_local(root, &root)) return;
  if (!calve_path_inside(file, root) || calve_path_c(file, folder, NULL) != CALVE_OK) return;
  for (char *slash; (slash = strrchr(folder, '/')) && slash > folder;) {
    *slash = '\0';
    if (!calve_path_inside(calve_str_of(folder), root) ||
        calve_path_equal(calve_str_of(folder), root) || rmdir(folder) != 0)
      return;
  }
}
