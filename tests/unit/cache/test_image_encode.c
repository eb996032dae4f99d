/* SPDX-License-Identifier: Apache-2.0 */
/* Which form a section has: the smallest that tells its items. */
#include "harness.h"

#include "cache/image_encode.h"

#define COUNT 10000

typedef struct encoded {
  image_sections s;
  calve_buffer data, directory;
  uint8_t bits[COUNT / 8 + 16];
} encoded;

static const image_section *put_texts(encoded *e, const calve_str *items) {
  calve_error err;
  calve_buffer_init(&e->data, NULL);
  calve_buffer_init(&e->directory, NULL);
  e->s = (image_sections){
      .count = COUNT, .data = &e->data, .directory = &e->directory, .bits = e->bits};
  calve_cache__put_texts(&e->s, IMAGE_PLACE(IMAGE_ENTRY, IMAGE_PATH), items);
  assert_ok(calve_buffer_check(&e->data, &err), &err);
  assert_int_equal(CALVE_COUNT(&e->directory, image_section), 1);
  return CALVE_ITEMS(&e->directory, const image_section);
}

static void encoded_free(encoded *e) {
  calve_buffer_free(&e->data);
  calve_buffer_free(&e->directory);
}

/* `there` items of `width` bytes at the front, the others absent. */
static void test_the_form_of_texts_follows_what_is_there(void **state) {
  (void)state;
  static const struct {
    size_t there, width;
    bool same;
    uint32_t form;
    size_t most_bytes;
  } rows[] = {
      {COUNT, 16, false, IMAGE_WIDE_TEXTS, COUNT * 16},
      {COUNT * 3 / 4, 16, false, IMAGE_WIDE_TEXTS, COUNT * 17},
      {2, 60000, false, IMAGE_TEXTS, 2 * 60000 + COUNT * 5},
      {COUNT / 3, 16, false, IMAGE_TEXTS, COUNT * 12},
      {2, 60000, true, IMAGE_SAME_TEXT, 60000 + COUNT},
      {COUNT, 60000, true, IMAGE_SAME_TEXT, 60000},
  };
  static char bytes[COUNT + 60000];
  static calve_str items[COUNT];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)('a' + i * i % 23);
  for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
    encoded e;
    for (size_t i = 0; i < COUNT; i++) {
      const char *at = rows[r].same ? bytes : bytes + i;
      items[i] = i < rows[r].there ? (calve_str){at, rows[r].width} : (calve_str){NULL, 0};
    }
    const image_section *section = put_texts(&e, items);
    assert_int_equal(section->form, rows[r].form);
    assert_int_equal(section->has_absent, rows[r].there < COUNT);
    assert_true(section->size_bytes <= rows[r].most_bytes);
    encoded_free(&e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_form_of_texts_follows_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
