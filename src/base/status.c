/* SPDX-License-Identifier: Apache-2.0 */
/* The POSIX strerror_r is wanted, not the GNU one that gives a char pointer. */
#undef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_SIZE sizeof(((calve_error *)NULL)->message)
#define WHERE_SIZE   sizeof(((calve_error *)NULL)->where)

const char *calve_version(void) {
  return CALVE_VERSION_STRING;
}

const char *calve_status_name(calve_status status) {
  switch (status) {
    case CALVE_OK:
      return "ok";
    case CALVE_EINVAL:
      return "invalid";
    case CALVE_ECORRUPT:
      return "corrupt";
    case CALVE_ENOTFOUND:
      return "not found";
    case CALVE_EEXISTS:
      return "exists";
    case CALVE_ECONFLICT:
      return "conflict";
    case CALVE_EUNKNOWN:
      return "unknown outcome";
    case CALVE_EIO:
      return "io";
    case CALVE_ENOMEM:
      return "out of memory";
    case CALVE_EUNSUPPORTED:
      return "unsupported";
    case CALVE_ECANCELLED:
      return "cancelled";
    case CALVE_EDENIED:
      return "denied";
  }
  return "unknown status";
}

static bool is_utf8_tail(char c) {
  return ((unsigned char)c & 0xC0U) == 0x80U;
}

int calve_str_arg_bytes(calve_str s) {
  int size = s.size > 200 ? 200 : (int)s.size;
  for (int i = 0; i < 3 && s.size > 200 && is_utf8_tail(s.data[size]); i++) size--;
  return size;
}

/* Ends text that did not fit with "..."; never in the middle of a code point. */
static void mark_cut(char *text, size_t size) {
  size_t end = size - 4;
  while (end > 0 && is_utf8_tail(text[end])) end--;
  memcpy(text + end, "...", 4);
}

/* A file name or a message from a file may hold terminal escapes, newlines, or bytes that are no
 * text: an error is one line of UTF-8, whatever the input was. */
static void put_line(char *out, size_t size, const char *text) {
  size_t used = 0, n, taken;
  char shown[CALVE_SHOWN_MAX];
  for (calve_str rest = calve_str_of(text); rest.size > 0; rest.data += taken, rest.size -= taken) {
    n = calve_text_show(rest, shown, &taken);
    if (used + n >= size) {
      out[used] = '\0';
      mark_cut(out, used + 1);
      return;
    }
    memcpy(out + used, shown, n);
    used += n;
  }
  out[used] = '\0';
}

static void set_where(calve_error *err, const char *where) {
  char copy[WHERE_SIZE];
  size_t n = where ? strlen(where) : 0;
  if (n < sizeof copy) {
    if (n > 0) memcpy(copy, where, n);
    copy[n] = '\0';
  } else {
    /* The folder and the file name are both worth more than the middle of a long path. */
    size_t head = (sizeof copy - 4) / 2, tail = sizeof copy - 4 - head;
    while (head > 0 && is_utf8_tail(where[head])) head--;
    while (tail > 0 && is_utf8_tail(where[n - tail])) tail--;
    memcpy(copy, where, head);
    memcpy(copy + head, "...", 3);
    memcpy(copy + head + 3, where + n - tail, tail + 1);
  }
  put_line(err->where, sizeof err->where, copy);
}

/* Formats first and stores last: the arguments may point into err itself. */
static void set_message(calve_error *err, const char *fmt, va_list args) CALVE_PRINTF(2, 0);
static void set_message(calve_error *err, const char *fmt, va_list args) {
  char text[MESSAGE_SIZE];
  int n = vsnprintf(text, sizeof text, fmt, args);
  if (n < 0) text[0] = '\0';
  if (n >= (int)sizeof text) mark_cut(text, sizeof text);
  put_line(err->message, sizeof err->message, text);
}

static void set_all(calve_error *err, calve_status code, int os_errno, const char *where,
                    int64_t byte_offset) {
  set_where(err, where);
  err->code = code;
  err->os_errno = os_errno;
  err->http = 0;
  err->byte_offset = byte_offset;
}

calve_status calve_fail(calve_error *err, calve_status code, const char *where, const char *fmt,
                        ...) {
  if (!err) return code;
  va_list args;
  va_start(args, fmt);
  set_message(err, fmt, args);
  va_end(args);
  set_all(err, code, 0, where, -1);
  return code;
}

calve_status calve_fail_at(calve_error *err, calve_status code, const char *where,
                           int64_t byte_offset, const char *fmt, ...) {
  if (!err) return code;
  va_list args;
  va_start(args, fmt);
  set_message(err, fmt, args);
  va_end(args);
  set_all(err, code, 0, where, byte_offset);
  return code;
}

static calve_status class_of_errno(int os_errno) {
  switch (os_errno) {
    case ENOENT:
      return CALVE_ENOTFOUND;
    case EEXIST:
      return CALVE_EEXISTS;
    case EACCES:
    case EPERM:
    case EROFS:
      return CALVE_EDENIED;
    case ENOMEM:
      return CALVE_ENOMEM;
    default:
      return CALVE_EIO;
  }
}

calve_status calve_fail_os(calve_error *err, int os_errno, const char *where, const char *fmt,
                           ...) {
  calve_status code = class_of_errno(os_errno);
  if (!err) return code;
  va_list args;
  va_start(args, fmt);
  set_message(err, fmt, args);
  va_end(args);
  set_all(err, code, os_errno, where, -1);

  char reason[128] = "";
  if (strerror_r(os_errno, reason, sizeof reason) != 0 || reason[0] == '\0')
    snprintf(reason, sizeof reason, "system error %d", os_errno);
  size_t used = strlen(err->message);
  int n = snprintf(err->message + used, sizeof err->message - used, ": %s", reason);
  if (n >= (int)(sizeof err->message - used)) mark_cut(err->message, sizeof err->message);
  return code;
}

calve_status calve_fail_oom(calve_error *err) {
  return calve_fail(err, CALVE_ENOMEM, NULL, "out of memory");
}

void calve_error_set_where(calve_error *err, const char *where) {
  if (err && err->where[0] == '\0') set_where(err, where);
}

static void join(calve_error *err, const char *first, const char *between, const char *second) {
  char text[MESSAGE_SIZE];
  int n = snprintf(text, sizeof text, "%s%s%s", first, between, second);
  if (n >= (int)sizeof text) mark_cut(text, sizeof text);
  memcpy(err->message, text, strlen(text) + 1);
}

void calve_error_prefix(calve_error *err, const char *fmt, ...) {
  if (!err) return;
  calve_error context;
  va_list args;
  va_start(args, fmt);
  set_message(&context, fmt, args);
  va_end(args);
  join(err, context.message, ": ", err->message);
}

void calve_error_remark(calve_error *err, const char *fmt, ...) {
  if (!err) return;
  calve_error remark;
  va_list args;
  va_start(args, fmt);
  set_message(&remark, fmt, args);
  va_end(args);
  join(err, err->message, "; ", remark.message);
}
