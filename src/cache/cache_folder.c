/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "store/path.h"

#define FRESH_S     60
#define UNFINISHED  ".tmp-" /* begins the names of files that are being written                 */
#define ABANDONED_S 3600  /* one that is as old as that will not be finished                    */

/* ---- the folder ----------------------------------------------------------------------------- */

/* Parents as everybody makes them, the folder itself for its owner alone. */
static int make_folder(const char *path) {
  char part[CALVE_PATH_MAX];
  size_t size = strlen(path);
  memcpy(part, path, size + 1);
  for (size_t i = 1; i < size; i++) {
    if (part[i] != '/') continue;
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
      return errno;
    part[i] = '/';
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

calve_status calve_cache__folder_open(const char *path, int64_t max_bytes,
                                      calve_cache__folder *out, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c((calve_str){path, strlen(path)}, c_path, err));
  int failed = make_folder(c_path);
  int fd = open(c_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return calve_fail_os(err, failed ? failed : errno, path, "the cache folder cannot be opened");
  struct stat st;
  failed = fstat(fd, &st) != 0 ? errno : 0;
  bool ours = !failed && st.st_uid == geteuid(), closed = !failed && (st.st_mode & 077) == 0;
  if (!failed && ours && closed) {
    *out = (calve_cache__folder){
        .fd = fd, .max_bytes = max_bytes, .known_bytes = -1, .fresh_s = FRESH_S};
    return CALVE_OK;
  }
  close(fd);
  if (failed) return calve_fail_os(err, failed, path, "the cache folder cannot be looked at");
  return calve_fail(err, CALVE_EDENIED, path,
                    ours ? "the cache folder is open to others: chmod 700 it, or name another one"
                         : "the cache folder belongs to somebody else: name another one");
}

void calve_cache__folder_close(calve_cache__folder *folder) {
  if (folder->fd >= 0) close(folder->fd);
  folder->fd = -1;
}

void calve_cache__name(const uint8_t table_uuid[16], const uint8_t hash[16],
                       char out[CALVE_IMAGE_NAME_SIZE]) {
  calve_uuid_format(table_uuid, out);
  char *to = out + CALVE_UUID_TEXT_SIZE - 1;
  *to++ = '/';
  for (int i = 0; i < 16; i++, to += 2) snprintf(to, 3, "%02x", hash[i]);
  memcpy(to, ".image", sizeof ".image");
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_ours(const struct stat *st) {
  return S_ISREG(st->st_mode) && st->st_uid == geteuid() && (st->st_mode & 022) == 0;
}

bool calve_cache__map(const calve_cache__folder *folder, const char *name, bool used,
                      void **bytes, size_t *size_bytes, bool *foreign) {
  *foreign = false;
  int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    *foreign = errno == ELOOP;
    return false;
  }
  struct stat st;
  void *map = MAP_FAILED;
  if (fstat(fd, &st) == 0) {
    *foreign = !is_ours(&st) || st.st_size <= 0;
    if (!*foreign) map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
  }
  if (map != MAP_FAILED && used) (void)futimens(fd, NULL); /* for eviction; not vital */
  close(fd);
  if (map == MAP_FAILED) return false;
  *bytes = map;
  *size_bytes = (size_t)st.st_size;
  return true;
}

void calve_cache__unmap(void *bytes, size_t size_bytes) {
  munmap(bytes, size_bytes);
}

/* ---- looking around ------------------------------------------------------------------------- */

static bool is_finished(const char *name) {
  return strlen(name) == 38 && strcmp(name + 32, ".image") == 0 &&
         strspn(name, "0123456789abcdef") == 32;
}

static bool is_table(const char *name) {
  uint8_t uuid[16];
  return strlen(name) == CALVE_UUID_TEXT_SIZE - 1 &&
         calve_uuid_parse((calve_str){name, CALVE_UUID_TEXT_SIZE - 1}, uuid);
}

/* A listing of the folder, or of one in it; NULL when it can't be had. */
static DIR *list(const calve_cache__folder *folder, const char *name) {
  int fd = openat(folder->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !dir) close(fd);
  return dir;
}

static void add_files(const calve_cache__folder *folder, const char *table, calve_buffer *out) {
  DIR *dir = list(folder, table);
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    bool unfinished = strncmp(e->d_name, UNFINISHED, strlen(UNFINISHED)) == 0;
    struct stat st;
    if (!is_finished(e->d_name) && (!unfinished || strlen(e->d_name) > 38)) continue;
    if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
      continue;
    calve_cache__file f = {.finished = !unfinished,
                           .size_bytes = (int64_t)st.st_blocks * 512,
                           .used_s = st.st_mtim.tv_sec,
                           .used_ms = (int64_t)st.st_mtim.tv_sec * 1000 +
                                      st.st_mtim.tv_nsec / 1000000};
    if (f.size_bytes < st.st_size) f.size_bytes = st.st_size;
    snprintf(f.name, sizeof f.name, "%.36s/%.38s", table, e->d_name);
    calve_buffer_put(out, &f, sizeof f);
  }
  closedir(dir);
}

calve_status calve_cache__files(const calve_cache__folder *folder, const char *table_uuid,
                                calve_buffer *out, calve_error *err) {
  if (table_uuid) {
    add_files(folder, table_uuid, out);
    return calve_buffer_check(out, err);
  }
  DIR *dir = list(folder, ".");
  if (!dir) return calve_fail_os(err, errno, NULL, "the cache folder cannot be listed");
  for (struct dirent *e; (e = readdir(dir)) != NULL;)
    if (is_table(e->d_name)) add_files(folder, e->d_name, out);
  closedir(dir);
  return calve_buffer_check(out, err);
}

static void remove_file(const calve_cache__folder *folder, const calve_cache__file *f) {
  char table[CALVE_UUID_TEXT_SIZE];
  unlinkat(folder->fd, f->name, 0);
  memcpy(table, f->name, sizeof table - 1);
  table[sizeof table - 1] = '\0';
  unlinkat(folder->fd, table, AT_REMOVEDIR); /* fails while others are in it                    */
}

int64_t calve_cache__clear(calve_cache__folder *folder, const calve_buffer *files) {
  const calve_cache__file *all = CALVE_ITEMS(files, const calve_cache__file);
  int64_t removed = 0;
  for (size_t i = 0; i < CALVE_COUNT(files, calve_cache__file); i++) {
    remove_file(folder, &all[i]);
    removed += all[i].size_bytes;
  }
  folder->known_bytes = -1;
  return removed;
}

void calve_cache__drop(const calve_cache__folder *folder, const char *name) {
  unlinkat(folder->fd, name, 0);
}

/* ---- room ----------------------------------------------------------------------------------- */

static int by_use(const void *a, const void *b) {
  const calve_cache__file *x = a, *y = b;
  if (x->used_ms != y->used_ms) return x->used_ms < y->used_ms ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* Counts all files, and removes those not used for longest until `size_bytes` more fit with some
 * to spare. What was used just now stays: a table that is larger than the cache would else throw
 * out, at every plan, what the same plan is about to ask for. */
static bool count_and_evict(calve_cache__folder *folder, int64_t size_bytes, int64_t now_s) {
  calve_buffer files;
  calve_buffer_init(&files, NULL);
  if (calve_cache__files(folder, NULL, &files, NULL) != CALVE_OK) {
    calve_buffer_free(&files);
    return false;
  }
  calve_cache__file *all = CALVE_ITEMS(&files, calve_cache__file);
  size_t count = CALVE_COUNT(&files, calve_cache__file);
  int64_t total = 0;
  for (size_t i = 0; i < count; i++) total += all[i].size_bytes;
  if (count > 0) qsort(all, count, sizeof *all, by_use);
  int64_t target = total + size_bytes <= folder->max_bytes
                       ? INT64_MAX
                       : folder->max_bytes - folder->max_bytes / 10 - size_bytes;
  for (size_t i = 0; i < count; i++) {
    bool abandoned = !all[i].finished && now_s - all[i].used_s > ABANDONED_S;
    bool old = all[i].finished && now_s - all[i].used_s > folder->fresh_s;
    if (!abandoned && !(old && total > target)) continue;
    remove_file(folder, &all[i]);
    total -= all[i].size_bytes;
  }
  calve_buffer_free(&files);
  folder->known_bytes = total;
  folder->put_bytes = 0;
  return true;
}

/* Other processes put files too: they are counted again now and then. */
static bool make_room(calve_cache__folder *folder, int64_t size_bytes, int64_t now_s) {
  if (size_bytes > folder->max_bytes) return false;
  bool count_again = folder->known_bytes < 0 || folder->put_bytes > folder->max_bytes / 16 ||
                     folder->known_bytes + size_bytes > folder->max_bytes;
  if (count_again && !count_and_evict(folder, size_bytes, now_s)) return false;
  return folder->known_bytes + size_bytes <= folder->max_bytes;
}

static bool write_all(int fd, calve_str bytes) {
  for (size_t done = 0; done < bytes.size;) {
    ssize_t put = write(fd, bytes.data + done, bytes.size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += (size_t)put;
  }
  return true;
}

bool calve_cache__begin_file(const calve_cache__folder *folder, const char *name,
                             calve_cache__unfinished *out) {
  char table[CALVE_UUID_TEXT_SIZE];
  int64_t random;
  calve_cache__unfinished u = {.fd = -1};
  if (calve_random_id(&random, NULL) != CALVE_OK) return false;
  memcpy(table, name, sizeof table - 1);
  table[sizeof table - 1] = '\0';
  snprintf(u.name, sizeof u.name, "%s/" UNFINISHED "%016llx", table, (unsigned long long)random);
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  u.fd = openat(folder->fd, u.name, flags, 0600);
  if (u.fd < 0 && errno == ENOENT) { /* somebody else may make it, or remove it, meanwhile        */
    (void)mkdirat(folder->fd, table, 0700);
    u.fd = openat(folder->fd, u.name, flags, 0600);
  }
  if (u.fd < 0) return false;
  struct stat st;
  if (fstat(u.fd, &st) == 0)
    u.now_s = st.st_mtim.tv_sec;
  else
    calve_cache__drop_file(folder, &u);
  *out = u;
  return u.fd >= 0;
}

bool calve_cache__reserve(calve_cache__folder *folder, const calve_cache__unfinished *u,
                          size_t size_bytes) {
  int64_t size = (int64_t)size_bytes;
  if (!make_room(folder, size, u->now_s)) return false;
  folder->known_bytes += size;
  folder->put_bytes += size;
  return true;
}

bool calve_cache__end_file(const calve_cache__folder *folder, calve_cache__unfinished *u,
                           const char *name, calve_str bytes) {
  bool ok = write_all(u->fd, bytes);
  /* Without fsync: a file that a crash tears is found out by its checksums. */
  ok = close(u->fd) == 0 && ok;
  u->fd = -1;
  ok = ok && renameat(folder->fd, u->name, folder->fd, name) == 0;
  if (!ok) calve_cache__drop_file(folder, u);
  return ok;
}

void calve_cache__drop_file(const calve_cache__folder *folder, calve_cache__unfinished *u) {
  if (u->fd >= 0) close(u->fd);
  u->fd = -1;
  unlinkat(folder->fd, u->name, 0);
}
