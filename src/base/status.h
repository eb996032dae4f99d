/* SPDX-License-Identifier: Apache-2.0 */
/* base/status: making and passing on errors.
 * In: a class, what it is about, a printf sentence. Out: the caller's calve_error, filled.
 * May be called by every room. Never allocates, never prints, never reads errno by itself. */
#ifndef CALVE_BASE_STATUS_H
#define CALVE_BASE_STATUS_H

#include "calve.h"

/* Passes a failure on to the caller; the innermost message stays. */
#define CALVE_TRY(call)                       \
  do {                                        \
    calve_status try_status_ = (call);        \
    if (try_status_ != CALVE_OK) return try_status_; \
  } while (0)

/* printf pair for a calve_str in a message: "%.*s", CALVE_STR_ARG(s). Long strings are cut at 200
 * bytes, not inside of a character. */
#define CALVE_STR_ARG(s) calve_str_arg_bytes(s), ((s).data ? (s).data : "")
int calve_str_arg_bytes(calve_str s);

/* Fills err (may be NULL) and returns code. `where` may be NULL: nothing to name. Newlines,
 * control characters and bytes that are no UTF-8 become escapes (base/text.h, calve_text_show); cut
 * text ends in "...". */
calve_status calve_fail(calve_error *err, calve_status code, const char *where, const char *fmt,
                        ...) CALVE_PRINTF(4, 5);

/* The same, with the byte offset inside the file that `where` names. */
calve_status calve_fail_at(calve_error *err, calve_status code, const char *where,
                           int64_t byte_offset, const char *fmt, ...) CALVE_PRINTF(5, 6);

/* The same for a failed system call: adds strerror(os_errno) to the sentence and picks the class
 * (ENOENT: not found, EEXIST: exists, EACCES/EPERM/EROFS: denied, ENOMEM: memory, else IO). */
calve_status calve_fail_os(calve_error *err, int os_errno, const char *where, const char *fmt, ...)
    CALVE_PRINTF(4, 5);

calve_status calve_fail_oom(calve_error *err);
/* CALVE_ECANCELLED when the token (may be NULL) is set. Looked at often enough that it is seen
 * within milliseconds: long loops ask once in CALVE_ITEMS_PER_LOOK items. */
CALVE_MUST_USE calve_status calve_cancel_look(const calve_cancel *cancel, calve_error *err);
#define CALVE_ITEMS_PER_LOOK 256

/* Sets `where` of an error that has none yet; for callers that know the file or table. */
void calve_error_set_where(calve_error *err, const char *where);

/* Puts "context: " before the message. */
void calve_error_prefix(calve_error *err, const char *fmt, ...) CALVE_PRINTF(2, 3);
/* Puts "; remark" behind the message. */
void calve_error_remark(calve_error *err, const char *fmt, ...) CALVE_PRINTF(2, 3);

#endif
