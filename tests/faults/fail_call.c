/* SPDX-License-Identifier: Apache-2.0 */
/* A library to preload: something goes wrong at one system call that changes files.
 * In: environment. Out: the calls of a program below one folder are counted from 1, and at the one
 * that was asked for, FAULT_MODE happens. tests/faults/faults.py compiles it.
 *
 *   FAULT_BELOW  the folder; calls on other files are neither counted nor touched
 *   FAULT_AT     number of the call; 0: none
 *   FAULT_COUNT  a file that gets a line "NUMBER NAME PATH" for each call; may be absent
 *   FAULT_MODE   kill      SIGKILL before the call
 *                tear      half of what is to be written is written, then SIGKILL
 *                term, int the signal before the call, which then happens
 *                stop      SIGSTOP before the call, which then happens
 *                errno:N   the call fails with that errno and does nothing
 *                from:N    this one and all that follow and need space fail with that errno     */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

static int is_below(const char *path) {
  const char *folder = getenv("FAULT_BELOW");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int fd_path(int fd, char out[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, out, PATH_MAX - 1);
  if (size < 0) return 0;
  out[size] = '\0';
  return is_below(out);
}

static void note(long number, const char *name, const char *path) {
  const char *file = getenv("FAULT_COUNT");
  if (!file) return;
  int fd = REAL(open)(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;
  char line[PATH_MAX + 64];
  int size = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
  if (REAL(write)(fd, line, (size_t)size) < 0) abort();
  close(fd);
}

/* 0: go on; else the errno of the call. *torn: to be written by half, and then the end. */
static int fault(const char *name, const char *path, int needs_space, int *torn) {
  if (!is_below(path)) return 0;
  const char *mode = getenv("FAULT_MODE"), *at_text = getenv("FAULT_AT");
  long number = atomic_fetch_add(&calls, 1) + 1, at = at_text ? atol(at_text) : 0;
  note(number, name, path);
  if (!mode || at <= 0 || number < at) return 0;
  if (strncmp(mode, "from:", 5) == 0) return needs_space ? atoi(mode + 5) : 0;
  if (number != at) return 0;
  if (strncmp(mode, "errno:", 6) == 0) return atoi(mode + 6);
  if (strcmp(mode, "tear") == 0 && torn) *torn = 1;
  else if (strcmp(mode, "kill") == 0 || strcmp(mode, "tear") == 0) raise(SIGKILL);
  else raise(strcmp(mode, "term") == 0 ? SIGTERM : strcmp(mode, "int") == 0 ? SIGINT : SIGSTOP);
  return 0;
}

#define FAIL_IF(failed) \
  do { \
    int failed_ = (failed); \
    if (failed_) { \
      errno = failed_; \
      return -1; \
    } \
  } while (0)

/* ---- by path ------------------------------------------------------------------------------ */

static int open_fault(const char *path, int flags) {
  return flags & O_CREAT ? fault("open", path, 1, NULL) : 0;
}

int open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
  va_end(args);
  FAIL_IF(open_fault(path, flags));
  return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
  va_end(args);
  FAIL_IF(open_fault(path, flags));
  return REAL(open64)(path, flags, mode);
}

int link(const char *from, const char *to) {
  FAIL_IF(fault("link", to, 1, NULL));
  return REAL(link)(from, to);
}

int rename(const char *from, const char *to) {
  FAIL_IF(fault("rename", to, 1, NULL));
  return REAL(rename)(from, to);
}

int unlink(const char *path) {
  FAIL_IF(fault("unlink", path, 0, NULL));
  return REAL(unlink)(path);
}

int mkdir(const char *path, mode_t mode) {
  FAIL_IF(fault("mkdir", path, 1, NULL));
  return REAL(mkdir)(path, mode);
}

/* ---- by descriptor ------------------------------------------------------------------------ */

static int fd_fault(const char *name, int fd, int needs_space, int *torn) {
  char path[PATH_MAX];
  return fd_path(fd, path) ? fault(name, path, needs_space, torn) : 0;
}

int fsync(int fd) {
  FAIL_IF(fd_fault("fsync", fd, 0, NULL));
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  FAIL_IF(fd_fault("fdatasync", fd, 0, NULL));
  return REAL(fdatasync)(fd);
}

int syncfs(int fd) {
  FAIL_IF(fd_fault("syncfs", fd, 0, NULL));
  return REAL(syncfs)(fd);
}

int ftruncate(int fd, off_t size) {
  FAIL_IF(fd_fault("ftruncate", fd, 0, NULL));
  return REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  FAIL_IF(fd_fault("ftruncate", fd, 0, NULL));
  return REAL(ftruncate64)(fd, size);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  int torn = 0;
  FAIL_IF(fd_fault("write", fd, 1, &torn));
  ssize_t put = REAL(write)(fd, bytes, torn ? size / 2 : size);
  if (torn) raise(SIGKILL);
  return put;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  int torn = 0;
  FAIL_IF(fd_fault("write", fd, 1, &torn));
  ssize_t put = REAL(pwrite)(fd, bytes, torn ? size / 2 : size, at);
  if (torn) raise(SIGKILL);
  return put;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  int torn = 0;
  FAIL_IF(fd_fault("write", fd, 1, &torn));
  ssize_t put = REAL(pwrite64)(fd, bytes, torn ? size / 2 : size, at);
  if (torn) raise(SIGKILL);
  return put;
}
