/* SPDX-License-Identifier: Apache-2.0 */
/* Publishing is link(2): it refuses an existing name, which rename(2) silently replaces (two
 * writers of one version would then lose a commit). File systems without hard links are served by
 * renameat2(RENAME_NOREPLACE). */
#define _GNU_SOURCE
#include "store/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/abi.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/uuid.h"

/* The path behind its scheme; CALVE_EUNSUPPORTED for other schemes. Result points into `path`. */
static calve_status local_part(const char *path, const char **out, calve_error *err) {
  calve_str local;
  if (!calve_path_local(calve_str_of(path), &local) || local.size == 0)
    return calve_fail(err, CALVE_EUNSUPPORTED, path,
                      "only local files can be reached; open the table with a store that knows "
                      "this scheme, or map it with --map-prefix");
  if (strlen(local.data) >= CALVE_PATH_MAX) /* a map may have made it longer than it was */
    return calve_fail(err, CALVE_EINVAL, path, "the path is longer than %d bytes",
                      CALVE_PATH_MAX - 1);
  *out = local.data;
  return CALVE_OK;
}

/* Files are handed out as descriptor + 1, so that none is NULL. */
static int descriptor_of(const void *file) {
  return (int)(intptr_t)file - 1;
}

static calve_status check_kind(const struct stat *st, const char *path, calve_error *err) {
  if (S_ISREG(st->st_mode)) return CALVE_OK;
  if (S_ISDIR(st->st_mode)) return calve_fail_os(err, EISDIR, path, "the file cannot be opened");
  return calve_fail(err, CALVE_EIO, path, "this is a pipe or a device, not a file");
}

static calve_status local_open(void *ctx, const char *path, void **file, int64_t *size_bytes,
                               calve_error *err) {
  (void)ctx;
  const char *local;
  CALVE_TRY(local_part(path, &local, err));
  int fd = open(local, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
  if (fd < 0) return calve_fail_os(err, errno, path, "the file cannot be opened");
  struct stat st;
  calve_status status = fstat(fd, &st) == 0
                            ? check_kind(&st, path, err)
                            : calve_fail_os(err, errno, path, "the file cannot be opened");
  if (status != CALVE_OK) {
    close(fd);
    return status;
  }
  *file = (void *)(intptr_t)(fd + 1);
  *size_bytes = st.st_size;
  return CALVE_OK;
}

static calve_status local_pread(void *ctx, void *file, void *out, size_t size_bytes,
                                int64_t offset, calve_error *err) {
  (void)ctx;
  for (size_t done = 0; done < size_bytes;) {
    ssize_t got = pread(descriptor_of(file), (char *)out + done, size_bytes - done,
                        (off_t)(offset + (int64_t)done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return calve_fail_os(err, errno, NULL, "reading fails");
    if (got == 0)
      return calve_fail_at(err, CALVE_ECORRUPT, NULL, offset + (int64_t)done,
                           "the file ends before it should");
    done += (size_t)got;
  }
  return CALVE_OK;
}

static void local_close(void *ctx, void *file) {
  (void)ctx;
  close(descriptor_of(file));
}

/* Copies the folder part of a path; "." when it has none. */
static void folder_of(const char *path, char out[CALVE_PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  if (!slash) {
    memcpy(out, ".", 2);
    return;
  }
  size_t size = slash == path ? 1 : (size_t)(slash - path);
  memcpy(out, path, size);
  out[size] = '\0';
}

static calve_status sync_folder(const char *folder, calve_error *err) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return calve_fail_os(err, errno, folder, "the folder cannot be opened");
  int failed = fsync(fd) != 0 ? errno : 0;
  close(fd);
  /* Some file systems can't sync a folder and say so; their names are as safe as they get. */
  if (failed && failed != EINVAL && failed != ENOTSUP)
    return calve_fail_os(err, failed, folder, "the folder cannot be synced");
  return CALVE_OK;
}

/* Makes missing folders from the top down, and syncs the parent of each that was made: a file is
 * not durable in a folder that is not. */
static calve_status make_folders(const char *folder, calve_error *err) {
  char part[CALVE_PATH_MAX], parent[CALVE_PATH_MAX];
  size_t size = strlen(folder);
  memcpy(part, folder, size + 1);
  for (size_t i = 1; i <= size; i++) {
    if (part[i] != '/' && part[i] != '\0') continue;
    char kept = part[i];
    part[i] = '\0';
    if (mkdir(part, 0777) == 0) {
      folder_of(part, parent);
      CALVE_TRY(sync_folder(parent, err));
    } else if (errno != EEXIST) {
      /* A parent that we may not write to, but that exists, is fine. */
      int failed = errno;
      struct stat st;
      if (stat(part, &st) != 0 || !S_ISDIR(st.st_mode))
        return calve_fail_os(err, failed, part, "the folder cannot be made");
    }
    part[i] = kept;
  }
  return CALVE_OK;
}

static calve_status write_and_sync(int fd, const char *bytes, size_t size_bytes, const char *path,
                                   calve_error *err) {
  for (size_t done = 0; done < size_bytes;) {
    ssize_t put = write(fd, bytes + done, size_bytes - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return calve_fail_os(err, errno, path, "writing fails");
    done += (size_t)put;
  }
  if (fsync(fd) != 0) return calve_fail_os(err, errno, path, "the file cannot be synced");
  return CALVE_OK;
}

/* Writes a hidden file beside `local`, whole and synced; its name goes to temp. */
static calve_status write_temp(const char *local, const char *path, const void *bytes,
                               size_t size_bytes, char temp[CALVE_PATH_MAX], calve_error *err) {
  char folder[CALVE_PATH_MAX];
  folder_of(local, folder);
  int64_t id;
  CALVE_TRY(calve_random_id(&id, err));
  int length = snprintf(temp, CALVE_PATH_MAX, "%s/.calve-%016" PRIx64 ".tmp", folder, (uint64_t)id);
  if (length < 0 || length >= CALVE_PATH_MAX)
    return calve_fail(err, CALVE_EINVAL, path, "the path is too long");
  int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == ENOENT) {
    CALVE_TRY(make_folders(folder, err));
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (fd < 0) return calve_fail_os(err, errno, path, "the file cannot be created");
  calve_status status = write_and_sync(fd, bytes, size_bytes, path, err);
  if (close(fd) != 0 && status == CALVE_OK)
    status = calve_fail_os(err, errno, path, "writing fails");
  if (status != CALVE_OK) unlink(temp);
  return status;
}

/* 0, or the errno. */
static int publish_new(const char *temp, const char *local) {
  if (link(temp, local) == 0) {
    unlink(temp);
    return 0;
  }
  int failed = errno;
#ifdef RENAME_NOREPLACE
  if (failed == EPERM || failed == ENOTSUP || failed == ENOSYS || failed == EMLINK)
    failed = renameat2(AT_FDCWD, temp, AT_FDCWD, local, RENAME_NOREPLACE) == 0 ? 0 : errno;
#endif
  if (failed) unlink(temp);
  return failed;
}

/* Once the name is there, a folder that can't be synced leaves the outcome open. */
static calve_status sync_published(const char *local, const char *path, calve_error *err) {
  char folder[CALVE_PATH_MAX];
  folder_of(local, folder);
  calve_error why = {0};
  if (sync_folder(folder, &why) == CALVE_OK) return CALVE_OK;
  return calve_fail(err, CALVE_EUNKNOWN, path, "the file was written, but %s", why.message);
}

static calve_status local_create(void *ctx, const char *path, const void *bytes,
                                 size_t size_bytes, calve_error *err) {
  (void)ctx;
  const char *local;
  char temp[CALVE_PATH_MAX];
  CALVE_TRY(local_part(path, &local, err));
  CALVE_TRY(write_temp(local, path, bytes, size_bytes, temp, err));
  int failed = publish_new(temp, local);
  if (failed) return calve_fail_os(err, failed, path, "the file cannot be created");
  return sync_published(local, path, err);
}

static calve_status local_replace(void *ctx, const char *path, const void *bytes,
                                  size_t size_bytes, calve_error *err) {
  (void)ctx;
  const char *local;
  char temp[CALVE_PATH_MAX];
  CALVE_TRY(local_part(path, &local, err));
  CALVE_TRY(write_temp(local, path, bytes, size_bytes, temp, err));
  if (rename(temp, local) != 0) {
    int failed = errno;
    unlink(temp);
    return calve_fail_os(err, failed, path, "the file cannot be replaced");
  }
  return sync_published(local, path, err);
}

/* Never 0. */
static uint64_t version_of(const struct stat *st) {
  const uint64_t parts[] = {(uint64_t)st->st_ino, (uint64_t)st->st_size,
                            (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec};
  return calve_str_hash((calve_str){(const char *)parts, sizeof parts}) | 1;
}

static void entry_of(const struct stat *st, const char *path, calve_store_entry *entry) {
  entry->path = path;
  entry->size_bytes = st->st_size;
  entry->modified_ms = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
  if (entry->struct_size >= CALVE_FIRST_SIZE(calve_store_entry, version))
    entry->version = version_of(st);
}

static calve_status local_stat(void *ctx, const char *path, calve_store_entry *entry,
                               calve_error *err) {
  (void)ctx;
  const char *local;
  CALVE_TRY(local_part(path, &local, err));
  struct stat st;
  if (stat(local, &st) != 0) {
    int failed = errno == ENOTDIR ? ENOENT : errno;
    return calve_fail_os(err, failed, path, "the file cannot be looked at");
  }
  if (S_ISDIR(st.st_mode)) return calve_fail(err, CALVE_ENOTFOUND, path, "this is a folder");
  entry_of(&st, NULL, entry);
  return CALVE_OK;
}

typedef struct listing {
  char path[CALVE_PATH_MAX]; /* of the folder or file that is looked at                         */
  size_t size;
  calve_store_visit visit;
  void *visit_ctx;
} listing;

static calve_status list_folder(listing *l, int depth, calve_error *err);

/* Links are not followed: a listing serves clean-up, which must not wander off. */
static calve_status list_one(listing *l, const char *name, int depth, calve_error *err) {
  size_t before = l->size, name_size = strlen(name);
  if (before + 1 + name_size >= CALVE_PATH_MAX)
    return calve_fail(err, CALVE_EINVAL, l->path, "a path below this folder is too long");
  if (before > 0 && l->path[before - 1] != '/') l->path[l->size++] = '/';
  memcpy(l->path + l->size, name, name_size + 1);
  l->size += name_size;
  struct stat st;
  calve_status status = CALVE_OK;
  if (lstat(l->path, &st) != 0) {
    if (errno != ENOENT) status = calve_fail_os(err, errno, l->path, "cannot be looked at");
  } else if (S_ISDIR(st.st_mode)) {
    status = list_folder(l, depth + 1, err);
  } else {
    calve_store_entry entry = {.struct_size = sizeof entry};
    entry_of(&st, l->path, &entry);
    status = l->visit(l->visit_ctx, &entry, err);
  }
  l->size = before;
  l->path[before] = '\0';
  return status;
}

static calve_status list_folder(listing *l, int depth, calve_error *err) {
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, l->path, "folders are nested more than %d deep",
                      CALVE_DEPTH_MAX);
  DIR *folder = opendir(l->path);
  if (!folder) {
    if (errno == ENOENT) return CALVE_OK;
    return calve_fail_os(err, errno, l->path, "the folder cannot be listed");
  }
  calve_status status = CALVE_OK;
  while (status == CALVE_OK) {
    errno = 0;
    const struct dirent *found = readdir(folder);
    if (!found) {
      if (errno) status = calve_fail_os(err, errno, l->path, "the folder cannot be listed");
      break;
    }
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    status = list_one(l, found->d_name, depth, err);
  }
  closedir(folder);
  return status;
}

static calve_status local_list(void *ctx, const char *folder, calve_store_visit visit,
                               void *visit_ctx, calve_error *err) {
  (void)ctx;
  const char *local;
  CALVE_TRY(local_part(folder, &local, err));
  listing l = {.visit = visit, .visit_ctx = visit_ctx};
  CALVE_TRY(calve_path_c(calve_str_of(local), l.path, err));
  l.size = strlen(l.path);
  while (l.size > 1 && l.path[l.size - 1] == '/') l.path[--l.size] = '\0';
  return list_folder(&l, 0, err);
}

static calve_status local_remove(void *ctx, const char *path, calve_error *err) {
  (void)ctx;
  const char *local;
  CALVE_TRY(local_part(path, &local, err));
  if (unlink(local) == 0) return CALVE_OK;
  int failed = errno == ENOTDIR ? ENOENT : errno;
  return calve_fail_os(err, failed, path, "the file cannot be removed");
}

const calve_store *calve_local_store(void) {
  static const calve_store store = {.struct_size = sizeof(calve_store),
                                    .ctx = NULL,
                                    .open = local_open,
                                    .pread = local_pread,
                                    .close = local_close,
                                    .create = local_create,
                                    .replace = local_replace,
                                    .stat = local_stat,
                                    .list = local_list,
                                    .remove = local_remove};
  return &store;
}

calve_status calve_local_sync(calve_str path, calve_error *err) {
  char c_path[CALVE_PATH_MAX], folder[CALVE_PATH_MAX];
  const char *local;
  CALVE_TRY(calve_path_c(path, c_path, err));
  CALVE_TRY(local_part(c_path, &local, err));
  int fd = open(local, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return calve_fail_os(err, errno, c_path, "the file cannot be opened");
  int failed = fsync(fd) != 0 ? errno : 0;
  close(fd);
  if (failed) return calve_fail_os(err, failed, c_path, "the file cannot be synced");
  folder_of(local, folder);
  return sync_folder(folder, err);
}

calve_status calve_local_check_file(calve_str path, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  const char *local;
  CALVE_TRY(calve_path_c(path, c_path, err));
  CALVE_TRY(local_part(c_path, &local, err));
  struct stat st;
  if (stat(local, &st) == 0) return check_kind(&st, c_path, err);
  int failed = errno == ENOTDIR ? ENOENT : errno;
  return calve_fail_os(err, failed, c_path, "the file cannot be opened");
}

calve_status calve_local_make_folder(calve_str path, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  const char *local;
  CALVE_TRY(calve_path_c(path, c_path, err));
  CALVE_TRY(local_part(c_path, &local, err));
  return make_folders(local, err);
}
