/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include "harness.h"

#include "base/text.h"

#include <errno.h>

static void test_every_status_has_its_own_name(void **state) {
  (void)state;
  static const struct {
    calve_status status;
    const char *name;
  } rows[] = {
      {CALVE_OK, "ok"},
      {CALVE_EINVAL, "invalid"},
      {CALVE_ECORRUPT, "corrupt"},
      {CALVE_ENOTFOUND, "not found"},
      {CALVE_EEXISTS, "exists"},
      {CALVE_ECONFLICT, "conflict"},
      {CALVE_EUNKNOWN, "unknown outcome"},
      {CALVE_EIO, "io"},
      {CALVE_ENOMEM, "out of memory"},
      {CALVE_EUNSUPPORTED, "unsupported"},
      {CALVE_ECANCELLED, "cancelled"},
      {CALVE_EDENIED, "denied"},
      {(calve_status)99, "unknown status"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    assert_string_equal(calve_status_name(rows[i].status), rows[i].name);
  assert_string_equal(calve_version(), CALVE_VERSION_STRING);
}

static void test_a_failure_fills_all_and_gives_its_code(void **state) {
  (void)state;
  calve_error err = {.os_errno = 7, .http = 404, .byte_offset = 9};
  assert_int_equal(calve_fail(&err, CALVE_EINVAL, "db.t", "%d is %s", 3, "odd"), CALVE_EINVAL);
  assert_int_equal(err.code, CALVE_EINVAL);
  assert_int_equal(err.os_errno, 0);
  assert_int_equal(err.http, 0);
  assert_int_equal(err.byte_offset, -1);
  assert_string_equal(err.where, "db.t");
  assert_string_equal(err.message, "3 is odd");
  assert_int_equal(calve_fail_at(&err, CALVE_ECORRUPT, NULL, 12, "x"), CALVE_ECORRUPT);
  assert_int_equal(err.byte_offset, 12);
  assert_string_equal(err.where, "");
  assert_int_equal(calve_fail_oom(&err), CALVE_ENOMEM);
  assert_string_equal(err.message, "out of memory");
}

static void test_a_null_error_still_gives_the_code(void **state) {
  (void)state;
  assert_int_equal(calve_fail(NULL, CALVE_EIO, "x", "y"), CALVE_EIO);
  assert_int_equal(calve_fail_at(NULL, CALVE_EIO, "x", 1, "y"), CALVE_EIO);
  assert_int_equal(calve_fail_os(NULL, ENOENT, "x", "y"), CALVE_ENOTFOUND);
  assert_int_equal(calve_fail_oom(NULL), CALVE_ENOMEM);
  calve_error_set_where(NULL, "x");
  calve_error_prefix(NULL, "x");
  calve_error_remark(NULL, "x");
}

static void test_an_errno_picks_the_class_and_says_why(void **state) {
  (void)state;
  static const struct {
    int os_errno;
    calve_status status;
  } rows[] = {{ENOENT, CALVE_ENOTFOUND}, {EEXIST, CALVE_EEXISTS}, {EACCES, CALVE_EDENIED},
              {EPERM, CALVE_EDENIED},    {EROFS, CALVE_EDENIED},  {ENOMEM, CALVE_ENOMEM},
              {ENOSPC, CALVE_EIO},       {EIO, CALVE_EIO}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    assert_int_equal(calve_fail_os(&err, rows[i].os_errno, "/f", "can't read"), rows[i].status);
    assert_int_equal(err.os_errno, rows[i].os_errno);
    assert_non_null(strstr(err.message, "can't read: "));
    assert_non_null(strstr(err.message, strerror(rows[i].os_errno)));
  }
}

static void test_an_error_is_one_line_of_text(void **state) {
  (void)state;
  calve_error err;
  (void)calve_fail(&err, CALVE_EINVAL, "a\nb\x1b[31m", "no \"%s\" in %s", "x\r\n\x7fy", "\xFF\xC3");
  assert_string_equal(err.message, "no \"x\\x0D\\n\\x7Fy\" in \\xFF\\xC3");
  assert_string_equal(err.where, "a\\nb\\x1B[31m");
  /* What is escaped stays as it is when it is passed on. */
  (void)calve_fail(&err, CALVE_EINVAL, err.where, "%s", err.message);
  assert_string_equal(err.message, "no \"x\\x0D\\n\\x7Fy\" in \\xFF\\xC3");
  assert_string_equal(err.where, "a\\nb\\x1B[31m");
  calve_error_prefix(&err, "a\tb");
  calve_error_remark(&err, "c\nd");
  assert_string_equal(err.message, "a\\tb: no \"x\\x0D\\n\\x7Fy\" in \\xFF\\xC3; c\\nd");
}

/* Escapes are longer than what they stand for: they fit too, or are cut as a whole. */
static void test_escapes_are_cut_whole(void **state) {
  (void)state;
  char text[600];
  for (size_t size = 80; size < sizeof text; size++) {
    calve_error err;
    memset(text, '\x01', size);
    text[size] = '\0';
    (void)calve_fail(&err, CALVE_EINVAL, text, "%s", text);
    const char *const parts[] = {err.where, err.message};
    for (int i = 0; i < 2; i++) {
      size_t n = strlen(parts[i]);
      bool cut = size * 4 >= (i == 0 ? sizeof err.where : sizeof err.message);
      assert_int_equal(strcmp(parts[i] + n - 3, cut ? "..." : "x01") == 0, true);
      assert_true(n < (i == 0 ? sizeof err.where : sizeof err.message));
    }
  }
}

static void test_long_arguments_are_cut_at_a_character(void **state) {
  (void)state;
  char text[400];
  for (size_t shift = 0; shift < 4; shift++) {
    memset(text, 'a', shift);
    for (size_t i = shift; i + 4 < sizeof text; i += 4) memcpy(text + i, "\xF0\x9F\x98\x80", 5);
    calve_str s = calve_str_of(text);
    assert_int_equal(calve_str_arg_bytes(s), shift == 0 ? 200 : 196 + shift);
    s.size = 200 - (200 - shift) % 4;
    assert_int_equal(calve_str_arg_bytes(s), s.size);
  }
}

static void test_long_messages_are_cut_at_a_character(void **state) {
  (void)state;
  char text[2000];
  for (size_t shift = 0; shift < 3; shift++) {
    memset(text, 'a', shift);
    for (size_t i = shift; i + 3 < sizeof text; i += 3) memcpy(text + i, "\xE2\x82\xAC", 4);
    calve_error err;
    (void)calve_fail(&err, CALVE_EINVAL, NULL, "%s", text);
    size_t n = strlen(err.message);
    assert_true(n < sizeof err.message && n > sizeof err.message - 8);
    assert_string_equal(err.message + n - 3, "...");
    assert_int_equal((n - 3 - shift) % 3, 0);
  }
}

static void test_long_places_lose_their_middle(void **state) {
  (void)state;
  char path[1000];
  memset(path, 'd', sizeof path);
  memcpy(path, "/start/", 7);
  memcpy(path + sizeof path - 12, "/v3.json.gz", 12);
  calve_error err;
  (void)calve_fail(&err, CALVE_EIO, path, "x");
  assert_int_equal(strlen(err.where), sizeof err.where - 1);
  assert_int_equal(strncmp(err.where, "/start/", 7), 0);
  assert_string_equal(err.where + strlen(err.where) - 11, "/v3.json.gz");
  assert_non_null(strstr(err.where, "..."));
}

static void test_where_and_prefix_add_what_the_caller_knows(void **state) {
  (void)state;
  calve_error err;
  (void)calve_fail(&err, CALVE_EIO, NULL, "short read");
  calve_error_set_where(&err, "m.avro");
  calve_error_set_where(&err, "other");
  calve_error_prefix(&err, "block %d", 4);
  assert_string_equal(err.where, "m.avro");
  assert_string_equal(err.message, "block 4: short read");
  /* Arguments may lie in the error itself. */
  (void)calve_fail(&err, CALVE_EIO, err.where, "again: %s", err.message);
  assert_string_equal(err.message, "again: block 4: short read");
  assert_string_equal(err.where, "m.avro");
  err.os_errno = 5;
  calve_error_remark(&err, "try %s", "later");
  assert_string_equal(err.message, "again: block 4: short read; try later");
  assert_int_equal(err.os_errno, 5);
  for (int i = 0; i < 100; i++) calve_error_prefix(&err, "level %d", i);
  assert_string_equal(err.message + strlen(err.message) - 3, "...");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_status_has_its_own_name),
      cmocka_unit_test(test_a_failure_fills_all_and_gives_its_code),
      cmocka_unit_test(test_a_null_error_still_gives_the_code),
      cmocka_unit_test(test_an_errno_picks_the_class_and_says_why),
      cmocka_unit_test(test_an_error_is_one_line_of_text),
      cmocka_unit_test(test_escapes_are_cut_whole),
      cmocka_unit_test(test_long_arguments_are_cut_at_a_character),
      cmocka_unit_test(test_long_messages_are_cut_at_a_character),
      cmocka_unit_test(test_long_places_lose_their_middle),
      cmocka_unit_test(test_where_and_prefix_add_what_the_caller_knows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
