/* SPDX-License-Identifier: Apache-2.0 */
/* Changes applied one by one, refs among them. [spec: Snapshot References] */
#include "unit/model/metadata_fixture.h"

#define SNAPSHOT(id, seq, rest)                                                  \
  "{\"snapshot-id\":" #id ",\"sequence-number\":" #seq ",\"timestamp-ms\":" #seq \
  "00,"                                                                          \
  "\"manifest-list\":\"l\"" rest "}"
#define MAIN(id) "\"main\":{\"snapshot-id\":" #id ",\"type\":\"branch\"}"

/* Two snapshots, the second current; last sequence number 9, last updated 1000. */
static const char two[] =
    ",\"current-snapshot-id\":2,\"snapshots\":[" SNAPSHOT(1, 1, "") "," SNAPSHOT(
        2, 2, ",\"parent-snapshot-id\":1") "],\"refs\":{" MAIN(2) "},\"snapshot-log\":[{"
    "\"timestamp-ms\":100,\"snapshot-id\":1},{\"timestamp-ms\":200,\"snapshot-id\":2}],"
    "\"statistics\":[{\"snapshot-id\":1,\"statistics-path\":\"p1\",\"file-size-in-bytes\":9,"
    "\"file-footer-size-in-bytes\":3,\"blob-metadata\":[]},{\"snapshot-id\":2,"
    "\"statistics-path\":\"p2\",\"file-size-in-bytes\":9,\"file-footer-size-in-bytes\":3,"
    "\"blob-metadata\":[]}]";

static calve_status apply(fixture *f, const calve_metadata *base, const calve_change *changes,
                          size_t count, int64_t now_ms, const calve_metadata **out) {
  calve_changes list = {.change_count = count, .changes = changes};
  return calve_changes_apply(&list, base, (calve_str){0}, now_ms, &f->arena, out, &f->err);
}

static calve_change set_main(int64_t snapshot_id) {
  return (calve_change){.kind = CALVE_SET_SNAPSHOT_REF,
                        .ref = {.name = CALVE_STR("main"),
                                .snapshot_id = snapshot_id,
                                .min_snapshots_to_keep = -1,
                                .max_snapshot_age_ms = -1,
                                .max_ref_age_ms = -1}};
}

static calve_snapshot new_snapshot(int64_t id, int64_t parent, int64_t sequence, int64_t time_ms) {
  return (calve_snapshot){.snapshot_id = id,
                          .parent_snapshot_id = parent,
                          .sequence_number = sequence,
                          .timestamp_ms = time_ms,
                          .manifest_list = CALVE_STR("l"),
                          .schema_id = 0,
                          .first_row_id = -1,
                          .added_rows = -1};
}

/* B079: going back happens now; what follows keeps counting from the table's own number. */
static void test_rollback_is_logged_at_its_own_time(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){.rest = two}), *back = NULL, *next = NULL;
  calve_change rollback = set_main(1);
  assert_ok(apply(f, base, &rollback, 1, 300000, &back), &f->err);
  assert_int_equal(back->current_snapshot_id, 1);
  assert_int_equal(back->last_updated_ms, 300000);
  assert_int_equal(back->snapshot_log_count, 3);
  assert_int_equal(back->snapshot_log[2].timestamp_ms, 300000);
  assert_int_equal(back->snapshot_log[2].snapshot_id, 1);
  assert_int_equal(back->last_sequence_number, 9);

  calve_snapshot stale = new_snapshot(3, 1, 2, 300001), fresh = new_snapshot(3, 1, 10, 300001);
  calve_change append[] = {{.kind = CALVE_ADD_SNAPSHOT, .snapshot = &stale}, set_main(3)};
  assert_fails(apply(f, back, append, 2, 300002, &next), CALVE_ECONFLICT, &f->err);
  append[0].snapshot = &fresh;
  assert_ok(apply(f, back, append, 2, 300002, &next), &f->err);
  assert_int_equal(next->last_sequence_number, 10);
  assert_int_equal(next->snapshot_log[3].timestamp_ms, 300001);
  assert_int_equal(calve_metadata_current_snapshot(next)->parent_snapshot_id, 1);
  const calve_metadata *read = NULL;
  assert_ok(parse_metadata(f, written_metadata(f, next), &read), &f->err);
}

/* A clock that stands behind must not make a table that no reader takes. */
static void test_time_never_runs_backwards(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){.rest = two}), *m = NULL, *read = NULL;
  calve_change rollback = set_main(1);
  assert_ok(apply(f, base, &rollback, 1, -5000000, &m), &f->err);
  assert_int_equal(m->last_updated_ms, 1000);
  assert_int_equal(m->snapshot_log[2].timestamp_ms, 200);
  assert_ok(parse_metadata(f, written_metadata(f, m), &read), &f->err);
  calve_snapshot ahead = new_snapshot(3, 2, 10, 9000000);
  calve_change append[] = {{.kind = CALVE_ADD_SNAPSHOT, .snapshot = &ahead}, set_main(3)};
  assert_ok(apply(f, base, append, 2, 2000, &m), &f->err);
  assert_int_equal(m->last_updated_ms, 9000000);
}

static void test_a_snapshot_between_two_changes_leaves_no_trace(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){.rest = two}), *m = NULL;
  calve_snapshot a = new_snapshot(3, 2, 10, 2000), b = new_snapshot(4, 3, 11, 2001);
  calve_change list[] = {{.kind = CALVE_ADD_SNAPSHOT, .snapshot = &a},
                         set_main(3),
                         {.kind = CALVE_ADD_SNAPSHOT, .snapshot = &b},
                         set_main(4)};
  assert_ok(apply(f, base, list, 4, 2002, &m), &f->err);
  assert_int_equal(m->snapshot_log_count, 3);
  assert_int_equal(m->snapshot_log[2].snapshot_id, 4);
  assert_int_equal(m->snapshot_count, 4);
}

/* B081: refs keep snapshots; statistics go with theirs; a gap in the log ends what came before. */
static void test_removed_snapshots_take_statistics_and_history_along(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){.rest = two}), *m = NULL;
  int64_t first = 1, second = 2;
  calve_change remove = {.kind = CALVE_REMOVE_SNAPSHOTS, .ids = &second, .count = 1};
  assert_fails(apply(f, base, &remove, 1, 2000, &m), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "branch \"main\" points to it");
  remove.ids = &first;
  assert_ok(apply(f, base, &remove, 1, 2000, &m), &f->err);
  assert_int_equal(m->snapshot_count, 1);
  assert_int_equal(m->snapshot_log_count, 1);
  assert_int_equal(m->snapshot_log[0].snapshot_id, 2);
  const char *text = written_metadata(f, m);
  assert_null(strstr(text, "\"p1\""));
  assert_non_null(strstr(text, "\"p2\""));
  assert_null(calve_metadata_snapshot(m, 1));
}

static void test_refs_are_checked(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){.rest = two}), *m = NULL;
  calve_change tag = set_main(1);
  tag.ref.is_tag = true;
  assert_fails(apply(f, base, &tag, 1, 2000, &m), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "branch");
  tag.ref.name = CALVE_STR("t");
  assert_ok(apply(f, base, &tag, 1, 2000, &m), &f->err);
  assert_int_equal(m->ref_count, 2);
  assert_int_equal(m->snapshot_log_count, 2);
  tag.ref.snapshot_id = 5;
  assert_fails(apply(f, base, &tag, 1, 2000, &m), CALVE_EINVAL, &f->err);
  calve_change drop = {.kind = CALVE_REMOVE_SNAPSHOT_REF, .text = CALVE_STR("main")};
  assert_ok(apply(f, base, &drop, 1, 2000, &m), &f->err);
  assert_int_equal(m->current_snapshot_id, CALVE_NO_SNAPSHOT);
  assert_int_equal(m->ref_count, 0);
}

/* Row ids are numbered without gaps and never twice. [spec: Row Lineage] */
static void test_v3_snapshots_must_continue_the_row_ids(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){.version = 3, .rest = two}), *m = NULL;
  calve_snapshot s = new_snapshot(3, 2, 10, 2000);
  calve_change add = {.kind = CALVE_ADD_SNAPSHOT, .snapshot = &s};
  assert_fails(apply(f, base, &add, 1, 2000, &m), CALVE_EINVAL, &f->err);
  s.first_row_id = 0;
  s.added_rows = 12;
  assert_ok(apply(f, base, &add, 1, 2000, &m), &f->err);
  assert_int_equal(m->next_row_id, 12);
  s.snapshot_id = 4;
  s.sequence_number = 11;
  s.first_row_id = 11;
  const calve_metadata *next = NULL;
  assert_fails(apply(f, m, &add, 1, 2000, &next), CALVE_ECONFLICT, &f->err);
}

static const calve_schema *schema_of(fixture *f, const char *json) {
  const calve_schema *s = NULL;
  assert_ok(calve_schema_parse(calve_str_of(json), "s", &f->arena, &s, &f->err), &f->err);
  return s;
}

/* What is there already is used again under its own id; what is new gets the next one. */
static void test_equal_parts_are_used_again(void **state) {
  fixture *f = *state;
  const calve_metadata *base = make_table(f, (table_text){0}), *m = NULL, *again = NULL;
  calve_change list[] = {
      {.kind = CALVE_ADD_SCHEMA,
       .schema = schema_of(f, STRUCT(LONG_FIELD(1, "id") "," LONG_FIELD(21, "x"))),
       .id = 21},
      {.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1}};
  assert_ok(apply(f, base, list, 2, 2000, &m), &f->err);
  assert_int_equal(m->current_schema_id, 1);
  assert_int_equal(m->last_column_id, 21);
  list[0].schema = base->schema;
  assert_ok(apply(f, m, list, 2, 2000, &again), &f->err);
  assert_int_equal(again->current_schema_id, 0);
  assert_int_equal(again->schema_count, 2);
  list[0].id = 20;
  assert_fails(apply(f, m, list, 2, 2000, &again), CALVE_EINVAL, &f->err);
  calve_change none = {.kind = CALVE_SET_DEFAULT_SPEC, .id = -1};
  assert_fails(apply(f, m, &none, 1, 2000, &again), CALVE_EINVAL, &f->err);
  none.id = 4;
  assert_fails(apply(f, m, &none, 1, 2000, &again), CALVE_EINVAL, &f->err);
}

/* A concurrent change can have taken a column away: no table comes of it. */
static void test_a_spec_needs_its_columns(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  const calve_metadata *base = make_table(
      f, (table_text){.specs = "[{\"spec-id\":0,\"fields\":[{\"name\":\"data\",\"transform\":"
                               "\"identity\",\"source-id\":2,\"field-id\":1000}]}]",
                      .last_partition_id = 1000});
  calve_change list[] = {
      {.kind = CALVE_ADD_SCHEMA, .schema = schema_of(f, STRUCT(LONG_FIELD(1, "id")))},
      {.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1}};
  assert_fails(apply(f, base, list, 2, 2000, &m), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "source column 2");
}

static void test_metadata_log_is_cut(void **state) {
  fixture *f = *state;
  const calve_metadata *m =
      make_table(f, (table_text){.properties = "{\"write.metadata.previous-versions-max\":\"2\"}"});
  for (int i = 0; i < 4; i++) {
    char name[16];
    calve_change change = {.kind = CALVE_SET_LOCATION, .text = CALVE_STR("mem://u/")};
    calve_changes list = {.change_count = 1, .changes = &change};
    snprintf(name, sizeof name, "f%d", i);
    calve_str where = calve_str_of(calve_arena_copy(&f->arena, name, strlen(name)));
    assert_ok(calve_changes_apply(&list, m, where, 2000 + i, &f->arena, &m, &f->err), &f->err);
  }
  assert_int_equal(m->metadata_log_count, 2);
  assert_str(m->metadata_log[0].metadata_file, "f2");
  assert_str(m->metadata_log[1].metadata_file, "f3");
  assert_int_equal(m->metadata_log[1].timestamp_ms, 2002);
  assert_str(m->location, "mem://u");
}

static void test_properties_and_versions_change(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  const calve_metadata *base =
      make_table(f, (table_text){.version = 1, .properties = "{\"a\":\"1\",\"b\":\"2\"}"});
  calve_property set[] = {{CALVE_STR("b"), CALVE_STR("3")}, {CALVE_STR("c"), CALVE_STR("4")}};
  calve_str gone[] = {CALVE_STR("a"), CALVE_STR("nope")};
  calve_change list[] = {{.kind = CALVE_SET_PROPERTIES, .properties = {set, 2}},
                         {.kind = CALVE_REMOVE_PROPERTIES, .keys = gone, .count = 2},
                         {.kind = CALVE_UPGRADE_FORMAT_VERSION, .id = 3}};
  assert_ok(apply(f, base, list, 3, 2000, &m), &f->err);
  assert_int_equal(m->properties.count, 2);
  assert_str(calve_properties_get(&m->properties, "b"), "3");
  assert_int_equal(m->format_version, 3);
  assert_int_equal(m->next_row_id, 0);
  list[2].id = 1;
  const calve_metadata *down = NULL;
  assert_fails(apply(f, m, &list[2], 1, 2000, &down), CALVE_EINVAL, &f->err);
  list[2].id = 4;
  assert_fails(apply(f, m, &list[2], 1, 2000, &down), CALVE_EUNSUPPORTED, &f->err);
  assert_ok(apply(f, m, NULL, 0, 2000, &down), &f->err);
  assert_ptr_equal(down, m);
}

static void test_apply_survives_every_failing_allocation(void **state) {
  fixture *f = *state;
  failing_allocator mem;
  const calve_metadata *base = make_table(f, (table_text){.rest = two});
  calve_snapshot s = new_snapshot(3, 2, 10, 2000);
  int64_t first = 1;
  calve_change list[] = {{.kind = CALVE_ADD_SNAPSHOT, .snapshot = &s},
                         set_main(3),
                         {.kind = CALVE_REMOVE_SNAPSHOTS, .ids = &first, .count = 1}};
  calve_changes changes = {.change_count = 3, .changes = list};
  bool done = false;
  for (long n = 0; n < 10000 && !done; n++) {
    failing_allocator_init(&mem, n);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    const calve_metadata *m = NULL;
    calve_status status =
        calve_changes_apply(&changes, base, CALVE_STR("f"), 3000, &arena, &m, &f->err);
    if (status == CALVE_OK)
      done = n > 0;
    else
      assert_int_equal(status, CALVE_ENOMEM);
    calve_arena_free(&arena);
    assert_int_equal(mem.live_bytes, 0);
  }
  assert_true(done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_rollback_is_logged_at_its_own_time),
      FIXTURE_TEST(test_time_never_runs_backwards),
      FIXTURE_TEST(test_a_snapshot_between_two_changes_leaves_no_trace),
      FIXTURE_TEST(test_removed_snapshots_take_statistics_and_history_along),
      FIXTURE_TEST(test_refs_are_checked),
      FIXTURE_TEST(test_v3_snapshots_must_continue_the_row_ids),
      FIXTURE_TEST(test_equal_parts_are_used_again),
      FIXTURE_TEST(test_a_spec_needs_its_columns),
      FIXTURE_TEST(test_metadata_log_is_cut),
      FIXTURE_TEST(test_properties_and_versions_change),
      FIXTURE_TEST(test_apply_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
