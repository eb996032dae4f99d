/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/compression.h"
#include "unit/model/metadata_fixture.h"

#define SNAPSHOT(id, rest) \
  "{\"snapshot-id\":" #id ",\"timestamp-ms\":1,\"manifest-list\":\"l\"" rest "}"

static const char history[] =
    ",\"current-snapshot-id\":1,\"snapshots\":[" SNAPSHOT(1, ",\"schema-id\":0") "," SNAPSHOT(
        2, ",\"schema-id\":1") "," SNAPSHOT(3, "") "],\"snapshot-log\":[{\"timestamp-ms\":100,"
    "\"snapshot-id\":1},{\"timestamp-ms\":200,\"snapshot-id\":2},{\"timestamp-ms\":300,"
    "\"snapshot-id\":1},{\"timestamp-ms\":400,\"snapshot-id\":9}]";

static const char schemas[] =
    "[" STRUCT(LONG_FIELD(1, "id")) ",{\"type\":\"struct\",\"schema-id\":1,\"fields\":[" LONG_FIELD(
        1, "id") "," LONG_FIELD(2, "gone") "]}]";

static const calve_metadata *with_history(fixture *f) {
  return make_table(f, (table_text){.schemas = schemas, .rest = history});
}

/* The log answers, not the snapshots' own times: snapshot 1 became current again at 300. */
static void test_time_travel_goes_by_the_log(void **state) {
  static const struct {
    int64_t at_ms, snapshot_id;
  } rows[] = {{100, 1}, {199, 1}, {200, 2}, {299, 2}, {300, 1}, {399, 1}};
  fixture *f = *state;
  const calve_metadata *m = with_history(f);
  const calve_snapshot *s = NULL;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_ok(calve_metadata_snapshot_at(m, rows[i].at_ms, &s, &f->err), &f->err);
    assert_int_equal(s->snapshot_id, rows[i].snapshot_id);
  }
  assert_fails(calve_metadata_snapshot_at(m, 99, &s, &f->err), CALVE_ENOTFOUND, &f->err);
  assert_message(&f->err, "the table's history begins at");
  assert_fails(calve_metadata_snapshot_at(m, 400, &s, &f->err), CALVE_ENOTFOUND, &f->err);
  assert_message(&f->err, "expired");
}

static void test_a_table_without_history_has_no_past(void **state) {
  fixture *f = *state;
  const calve_snapshot *s = NULL;
  assert_fails(calve_metadata_snapshot_at(make_table(f, (table_text){0}), 5, &s, &f->err),
               CALVE_ENOTFOUND, &f->err);
}

/* B077: a snapshot is read with its own schema, or the current one when it does not say. */
static void test_snapshots_have_their_schema(void **state) {
  fixture *f = *state;
  const calve_metadata *m = with_history(f);
  assert_int_equal(calve_metadata_snapshot_schema(m, calve_metadata_snapshot(m, 2))->schema_id, 1);
  assert_int_equal(calve_metadata_snapshot_schema(m, calve_metadata_snapshot(m, 3))->schema_id, 0);
  assert_null(calve_metadata_snapshot(m, 9));
}

static void test_parts_are_found_by_id(void **state) {
  fixture *f = *state;
  const calve_metadata *m = with_history(f);
  assert_int_equal(calve_metadata_schema(m, 1)->node_count, 2);
  assert_null(calve_metadata_schema(m, 2));
  assert_ptr_equal(calve_metadata_spec(m, 0), m->spec);
  assert_null(calve_metadata_spec(m, 1));
  assert_ptr_equal(calve_metadata_sort_order(m, 0), m->sort_order);
  assert_null(calve_metadata_sort_order(m, 1));
  assert_null(calve_metadata_ref(m, CALVE_STR("nope")));
  assert_str(calve_metadata_find_field(m, 2)->field->name, "gone");
  assert_null(calve_metadata_find_field(m, 3));
}

/* B072: gzip is seen by its bytes, not by the file's name. */
static void test_gzip_is_found_by_its_magic(void **state) {
  fixture *f = *state;
  calve_codec codec;
  calve_buffer gz;
  calve_str plain = CALVE_STR("{\"format-version\":2}"), out;
  calve_codec_init(&codec, NULL);
  calve_buffer_init(&gz, NULL);
  assert_ok(calve_compress(&codec, CALVE_CODEC_GZIP, -1, plain, &gz, &f->err), &f->err);
  assert_ok(calve_metadata_plain_text(calve_buffer_view(&gz), "v1.metadata.json", &f->arena, &out,
                                      &f->err),
            &f->err);
  assert_true(calve_str_equal(out, plain));
  calve_str cut = {gz.data, gz.size - 9};
  assert_fails(calve_metadata_plain_text(cut, "v2.gz.metadata.json", &f->arena, &out, &f->err),
               CALVE_ECORRUPT, &f->err);
  assert_message(&f->err, "v2.gz.metadata.json");
  assert_ok(calve_metadata_plain_text(plain, "v2.gz.metadata.json", &f->arena, &out, &f->err),
            &f->err);
  assert_true(calve_str_equal(out, plain));
  calve_buffer_free(&gz);
  calve_codec_free(&codec);
}

/* An allocator that knows the most that was held at once. */
typedef struct peak_allocator {
  calve_allocator allocator;
  failing_allocator under;
  size_t peak_bytes;
} peak_allocator;

static void *peak_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
  peak_allocator *self = ctx;
  p = self->under.allocator.resize(&self->under, p, old_size, new_size);
  size_t now = atomic_load(&self->under.live_bytes);
  if (now > self->peak_bytes) self->peak_bytes = now;
  return p;
}

static void compress_spaces(size_t size_bytes, calve_buffer *gz) {
  calve_error err;
  calve_codec codec;
  char *spaces = malloc(size_bytes);
  assert_non_null(spaces);
  memset(spaces, ' ', size_bytes);
  calve_codec_init(&codec, NULL);
  assert_ok(calve_compress(&codec, CALVE_CODEC_GZIP, 1, (calve_str){spaces, size_bytes}, gz, &err),
            &err);
  calve_codec_free(&codec);
  free(spaces);
}

static void test_a_gzip_bomb_is_refused_and_text_is_held_once(void **state) {
  static const struct {
    size_t size_bytes;
    bool refused;
  } rows[] = {{(size_t)8 << 20, false}, {(size_t)200 << 20, true}};
  fixture *f = *state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_buffer gz;
    calve_buffer_init(&gz, NULL);
    compress_spaces(rows[i].size_bytes, &gz);
    peak_allocator mem = {
        .allocator = {.struct_size = sizeof mem.allocator, .ctx = &mem, .resize = peak_resize}};
    failing_allocator_init(&mem.under, -1);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    calve_str out = {NULL, 0};
    assert_status_(calve_metadata_plain_text(calve_buffer_view(&gz), "b", &arena, &out, &f->err),
                   rows[i].refused ? CALVE_ECORRUPT : CALVE_OK, &f->err, "a bomb?", __FILE__,
                   __LINE__);
    assert_int_equal(out.size, rows[i].refused ? 0 : rows[i].size_bytes);
    if (!rows[i].refused) assert_true(mem.peak_bytes < rows[i].size_bytes + 100000);
    assert_true(mem.peak_bytes < ((size_t)150 << 20));
    calve_arena_free(&arena);
    calve_buffer_free(&gz);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_time_travel_goes_by_the_log),
      FIXTURE_TEST(test_a_table_without_history_has_no_past),
      FIXTURE_TEST(test_snapshots_have_their_schema),
      FIXTURE_TEST(test_parts_are_found_by_id),
      FIXTURE_TEST(test_gzip_is_found_by_its_magic),
      FIXTURE_TEST(test_a_gzip_bomb_is_refused_and_text_is_held_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
