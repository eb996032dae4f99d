/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_table.h"

#include "cache/image_format.h"

/* Reads all of an image that may be damaged. False: it was refused. */
static bool read_all(const void *bytes, size_t size, const calve_image_key *key,
                     const calve_metadata *metadata, uint64_t *sum) {
  const calve_manifest_options all = {.columns = CALVE_COLUMNS_ALL};
  size_t needed;
  if (!calve_image_look(bytes, size, &needed)) return false;
  uint8_t *checked = calloc(needed + 1, 1);
  calve_arena arena;
  calve_image image;
  calve_image_rows rows;
  calve_arena_init(&arena, NULL);
  calve_image_open(bytes, size, checked, &image);
  bool good = calve_image_fits(&image, key, metadata) &&
              calve_image_read(&image, &all, &arena, &rows, NULL) == CALVE_OK;
  *sum = 0;
  for (size_t i = 0; good && i < rows.count; i++) {
    calve_manifest_entry e;
    assert_int_equal(calve_image_entry(&rows, i, &arena, &e, NULL), CALVE_OK);
    *sum = *sum * 31 + calve_str_hash(e.file.path) + (uint64_t)e.file.record_count;
    for (size_t k = 0; k < e.file.upper_bounds.count; k++)
      *sum = *sum * 31 + calve_str_hash(e.file.upper_bounds.items[k].value);
  }
  calve_arena_free(&arena);
  free(checked);
  return good;
}

/* A copy in a block of exactly that size, so that sanitizers see every read behind it. */
static char *copy_of(calve_str image, size_t size) {
  char *copy = malloc(size ? size : 1);
  memcpy(copy, image.data, size);
  return copy;
}

/* Bytes between sections and behind the last belong to nobody: whether a changed one is refused is
 * open, but what is read must be the same. */
static void test_every_changed_byte_is_refused_or_means_nothing(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key;
  uint64_t want, got;
  size_t accepted = 0;
  cache_table_open(&t, 1, 20);
  calve_str image = cache_table_image(&t, 0, &key);
  assert_true(read_all(image.data, image.size, &key, t.metadata, &want));
  for (size_t i = 0; i < image.size; i++) {
    char *copy = copy_of(image, image.size);
    copy[i] = (char)(copy[i] ^ (1 << (i % 8)));
    if (read_all(copy, image.size, &key, t.metadata, &got)) {
      assert_int_equal(got, want);
      accepted++;
    }
    free(copy);
  }
  assert_true(accepted < image.size / 20);
  cache_table_close(&t);
}

static void test_every_cut_is_refused(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key;
  uint64_t sum;
  cache_table_open(&t, 1, 20);
  calve_str image = cache_table_image(&t, 0, &key);
  for (size_t size = 0; size < image.size; size++) {
    char *copy = copy_of(image, size);
    assert_false(read_all(copy, size, &key, t.metadata, &sum));
    free(copy);
  }
  cache_table_close(&t);
}

/* Whether sections lie inside, as sealing needs it. */
static bool can_be_sealed(const char *image, size_t size, size_t directory) {
  image_head h;
  memcpy(&h, image, sizeof h);
  for (size_t i = 0; i < h.section_count; i++) {
    image_section s;
    memcpy(&s, image + directory + i * sizeof s, sizeof s);
    if (s.offset > size || s.size_bytes > size - s.offset) return false;
  }
  return true;
}

/* With right checksums: what the directory and the sections say is not believed either. */
static void test_sealed_nonsense_is_refused_or_harmless(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key;
  uint64_t sum;
  size_t refused = 0;
  cache_table_open(&t, 1, 20);
  calve_str image = cache_table_image(&t, 0, &key);
  image_head h;
  memcpy(&h, image.data, sizeof h);
  size_t directory = sizeof h + (size_t)image_round_up(h.key_bytes);
  size_t end = directory + h.section_count * sizeof(image_section);
  for (size_t i = directory; i < image.size; i++) {
    for (int bit = 0; bit < 8; bit += i < end ? 1 : 7) {
      char *copy = copy_of(image, image.size);
      copy[i] = (char)(copy[i] ^ (1 << bit));
      if (can_be_sealed(copy, image.size, directory)) calve_cache__image_seal(copy);
      refused += !read_all(copy, image.size, &key, t.metadata, &sum);
      free(copy);
    }
  }
  assert_true(refused > h.section_count);
  cache_table_close(&t);
}

/* Values lie where paths belong, in no bytes at all, behind the last byte of the image. */
static void test_sections_of_a_wrong_form_are_not_looked_into(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key;
  uint64_t sum;
  cache_table_open(&t, 1, 20);
  calve_str image = cache_table_image(&t, 0, &key);
  image_head h;
  memcpy(&h, image.data, sizeof h);
  size_t at = sizeof h + (size_t)image_round_up(h.key_bytes), found = 0;
  size_t size = (size_t)image_round_up(image.size);
  char *copy = calloc(size, 1);
  memcpy(copy, image.data, image.size);
  h.size_bytes = size;
  h.tuple_count = 0;
  memcpy(copy, &h, sizeof h);
  for (size_t i = 0; i < h.section_count; i++, at += sizeof(image_section)) {
    image_section s;
    memcpy(&s, copy + at, sizeof s);
    if (s.place != IMAGE_PLACE(IMAGE_ENTRY, IMAGE_PATH)) continue;
    s.form = IMAGE_VALUE_TABLE;
    s.has_absent = 1;
    s.offset = size;
    s.size_bytes = 0;
    memcpy(copy + at, &s, sizeof s);
    found++;
  }
  assert_int_equal(found, 1);
  calve_cache__image_seal(copy);
  assert_false(read_all(copy, size, &key, t.metadata, &sum));
  free(copy);
  cache_table_close(&t);
}

static void test_another_key_is_refused(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key, other;
  uint64_t sum;
  cache_table_open(&t, 1, 5);
  calve_str image = cache_table_image(&t, 0, &key);
#define REFUSED(change)                                                        \
  other = key;                                                                 \
  change;                                                                      \
  assert_false(read_all(image.data, image.size, &other, t.metadata, &sum))
  REFUSED(other.table_uuid[0] ^= 1);
  REFUSED(other.path = CALVE_STR("/other.avro"));
  REFUSED(other.length_bytes++);
  REFUSED(other.sequence_number++);
  REFUSED(other.added_snapshot_id++);
  REFUSED(other.first_row_id = 5);
  REFUSED(other.spec_id = 1);
  REFUSED(other.content = 1);
  REFUSED(other.version++);
#undef REFUSED
  assert_true(read_all(image.data, image.size, &key, t.metadata, &sum));
  cache_table_close(&t);
}

static void test_another_format_or_machine_is_refused(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key;
  uint64_t sum;
  cache_table_open(&t, 1, 5);
  calve_str image = cache_table_image(&t, 0, &key);
  const struct {
    size_t at;
    uint32_t value;
  } heads[] = {{offsetof(image_head, magic), 0x41414141},
               {offsetof(image_head, byte_order), 0x04030201},
               {offsetof(image_head, version), IMAGE_VERSION + 1}};
  for (size_t i = 0; i < ARRAY_COUNT(heads); i++) {
    char *copy = copy_of(image, image.size);
    memcpy(copy + heads[i].at, &heads[i].value, 4);
    calve_cache__image_seal(copy);
    assert_false(read_all(copy, image.size, &key, t.metadata, &sum));
    free(copy);
  }
  cache_table_close(&t);
}

/* A column that was widened since is read as the wider type from tuples too. */
static void test_another_reading_of_tuples_is_refused(void **unused) {
  (void)unused;
  cache_table t;
  calve_image_key key;
  uint64_t sum;
  cache_table_open(&t, 1, 5);
  calve_str image = cache_table_image(&t, 0, &key);
  uint64_t before = calve_manifest_tuple_reading(t.metadata->specs[0], t.metadata);
  calve_metadata changed = *t.metadata;
  calve_spec spec = *t.metadata->specs[0];
  calve_partition_field fields[2] = {spec.fields[0], spec.fields[1]};
  const calve_spec *specs[1] = {&spec};
  fields[0].transform.kind = CALVE_DAY;
  spec.fields = fields;
  changed.specs = specs;
  assert_true(calve_manifest_tuple_reading(&spec, &changed) != before);
  assert_false(read_all(image.data, image.size, &key, &changed, &sum));
  fields[0].transform.kind = CALVE_MONTH;
  assert_true(read_all(image.data, image.size, &key, &changed, &sum));
  cache_table_close(&t);
}

static void test_building_survives_every_oom(void **unused) {
  (void)unused;
  cache_table t;
  calve_str bytes;
  cache_table_open(&t, 1, 20);
  calve_image_key key = cache_table_key(&t, 0);
  assert_ok(calve_store_read(calve_local_store(), t.manifests[0].path, 1 << 20, &t.arena, &bytes,
                             &t.err),
            &t.err);
  for (long n = 0; n < 10000; n++) {
    failing_allocator mem;
    calve_buffer out;
    bool made = false;
    failing_allocator_init(&mem, n);
    calve_buffer_init(&out, &mem.allocator);
    calve_status status =
        calve_image_build(&key, bytes, &t.manifests[0], t.metadata, NULL, &out, &made, &t.err);
    calve_buffer_free(&out);
    assert_int_equal(mem.live_bytes, 0);
    if (status == CALVE_OK && mem.calls <= n) {
      assert_true(made && n > 20);
      cache_table_close(&t);
      return;
    }
    if (status != CALVE_OK) assert_int_equal(status, CALVE_ENOMEM);
  }
  fail_msg("it never succeeds");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_changed_byte_is_refused_or_means_nothing),
      cmocka_unit_test(test_every_cut_is_refused),
      cmocka_unit_test(test_sealed_nonsense_is_refused_or_harmless),
      cmocka_unit_test(test_sections_of_a_wrong_form_are_not_looked_into),
      cmocka_unit_test(test_another_key_is_refused),
      cmocka_unit_test(test_another_format_or_machine_is_refused),
      cmocka_unit_test(test_another_reading_of_tuples_is_refused),
      cmocka_unit_test(test_building_survives_every_oom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
