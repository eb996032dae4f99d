/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/spec_update.h"

#include "evolve/schema_update.h"
#include "unit/model/metadata_fixture.h"

#define S(literal) CALVE_STR(literal)
#define PF(name, transform, source, id)                                           \
  "{\"name\":\"" name "\",\"transform\":\"" transform "\",\"source-id\":" #source \
  ",\"field-id\":" #id "}"

static const char columns[] =
    STRUCT(LONG_FIELD(1, "id") "," FIELD(2, "ts", "timestamp") "," FIELD(3, "category", "string"));
static const calve_str no_name = {0};

static calve_transform transform_of(fixture *f, const char *text) {
  calve_transform t;
  assert_ok(calve_transform_parse(calve_str_of(text), &f->arena, &t, &f->err), &f->err);
  return t;
}

static calve_spec_update *begin(fixture *f, const calve_metadata *m) {
  calve_spec_update *u = NULL;
  assert_ok(calve_spec_update_begin(m, &f->arena, &u, &f->err), &f->err);
  return u;
}

static calve_status add(fixture *f, calve_spec_update *u, const char *source, const char *transform,
                        const char *name) {
  calve_transform t = transform_of(f, transform);
  return calve_spec_update_add(u, calve_str_of(source), &t, calve_str_of(name), &f->err);
}

static const calve_metadata *commit(fixture *f, calve_spec_update *u, const calve_metadata *m) {
  calve_changes changes;
  const calve_metadata *next = NULL, *read = NULL;
  assert_ok(calve_spec_update_apply(u, NULL, &changes, &f->err), &f->err);
  assert_ok(apply_changes(f, &changes, m, 2000, &next), &f->err);
  assert_ok(parse_metadata(f, written_metadata(f, next), &read), &f->err);
  return next;
}

static const calve_metadata *add_one(fixture *f, const calve_metadata *m, const char *source,
                                     const char *transform, const char *name) {
  calve_spec_update *u = begin(f, m);
  assert_ok(add(f, u, source, transform, name), &f->err);
  return commit(f, u, m);
}

static const calve_metadata *remove_one(fixture *f, const calve_metadata *m, const char *name) {
  calve_spec_update *u = begin(f, m);
  assert_ok(calve_spec_update_remove(u, calve_str_of(name), &f->err), &f->err);
  return commit(f, u, m);
}

/* B017: what comes back has its old id, and its old spec. */
static void test_a_field_that_returns_has_its_id_and_spec(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns});
  m = add_one(f, m, "id", "identity", NULL);
  assert_int_equal(m->default_spec_id, 1);
  assert_string_equal(spec_line(f, m->spec), "1000:identity(1) id");
  m = remove_one(f, m, "id");
  assert_int_equal(m->default_spec_id, 0);
  m = add_one(f, m, "id", "identity", NULL);
  assert_int_equal(m->default_spec_id, 1);
  assert_int_equal(m->spec_count, 2);
  m = add_one(f, m, "id", "bucket[16]", "shard");
  assert_string_equal(spec_line(f, m->spec), "1000:identity(1) id, 1001:bucket[16](1) shard");
  m = remove_one(f, m, "shard");
  m = add_one(f, m, "id", "bucket[16]", "shard");
  assert_int_equal(m->spec->fields[1].field_id, 1001);
  assert_int_equal(m->default_spec_id, 2);
  assert_int_equal(m->last_partition_id, 1001);
}

/* B017: removing and adding in one update is nothing, or a new name. */
static void test_removed_and_added_in_one_update_is_a_rename(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns,
                                                       .specs = "[{\"spec-id\":0,\"fields\":[" PF(
                                                           "shard", "bucket[16]", 1, 1000) "]}]",
                                                       .last_partition_id = 1000});
  calve_spec_update *u = begin(f, m);
  calve_changes changes;
  assert_ok(calve_spec_update_remove(u, S("shard"), &f->err), &f->err);
  assert_ok(add(f, u, "id", "bucket[16]", NULL), &f->err);
  assert_ok(calve_spec_update_apply(u, NULL, &changes, &f->err), &f->err);
  assert_int_equal(changes.change_count, 0);
  u = begin(f, m);
  assert_ok(calve_spec_update_remove(u, S("shard"), &f->err), &f->err);
  assert_ok(add(f, u, "id", "bucket[16]", "b16"), &f->err);
  m = commit(f, u, m);
  assert_string_equal(spec_line(f, m->spec), "1000:bucket[16](1) b16");
}

/* B018: the first id is 1000, and none is given twice. */
static void test_ids_of_removed_fields_are_not_given_to_others(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns});
  m = add_one(f, m, "category", "identity", NULL);
  assert_int_equal(m->spec->fields[0].field_id, 1000);
  m = remove_one(f, m, "category");
  m = add_one(f, m, "id", "bucket[4]", NULL);
  assert_int_equal(m->spec->fields[0].field_id, 1001);
  m = add_one(f, m, "ts", "day", NULL);
  assert_int_equal(m->spec->fields[1].field_id, 1002);
}

/* B019, B022: v1 fields keep their place: dropped ones turn void, new ones come last. */
static void test_v1_leaves_a_hole_and_appends(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(
      f, (table_text){
             .version = 1,
             .schema = columns,
             .specs = "[{\"spec-id\":0,\"fields\":[" PF(
                 "category", "identity", 3,
                 1000) "]}"
                       ",{\"spec-id\":1,\"fields\":[" PF("category", "identity", 3, 1000) "," PF(
                           "id", "identity", 1, 1001) "]}]",
             .default_spec = 1,
             .last_partition_id = 1001});
  m = remove_one(f, m, "id");
  assert_string_equal(spec_line(f, m->spec), "1000:identity(3) category, 1001:void(1) id");
  assert_int_equal(m->default_spec_id, 2);
  m = add_one(f, m, "id", "identity", NULL);
  assert_string_equal(spec_line(f, m->spec),
                      "1000:identity(3) category, 1001:void(1) id_1001, 1002:identity(1) id");
  assert_fails(calve_spec_update_move_first(begin(f, m), S("id"), &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "version 1");
}

/* Among several earlier fields that fit, the one of the newest spec comes back. */
static void test_the_newest_spec_is_searched_first(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(
      f, (table_text){
             .schema = columns,
             .specs = "[{\"spec-id\":2,\"fields\":[" PF(
                 "a", "bucket[4]", 1, 1001) "]},"
                                            "{\"spec-id\":4,\"fields\":[" PF(
                                                "b", "bucket[4]", 1,
                                                1003) "]},"
                                                      "{\"spec-id\":3,\"fields\":[" PF(
                                                          "z", "bucket[4]", 1,
                                                          1002) "]},"
                                                                "{\"spec-id\":7,\"fields\":[]}]",
             .default_spec = 7,
             .last_partition_id = 1003});
  const calve_metadata *back = add_one(f, m, "id", "bucket[4]", NULL);
  assert_string_equal(spec_line(f, back->spec), "1003:bucket[4](1) b");
  assert_int_equal(back->default_spec_id, 4);
  back = add_one(f, m, "id", "bucket[4]", "a");
  assert_string_equal(spec_line(f, back->spec), "1001:bucket[4](1) a");
  back = add_one(f, m, "id", "bucket[4]", "c");
  assert_string_equal(spec_line(f, back->spec), "1004:bucket[4](1) c");
  assert_int_equal(back->default_spec_id, 8);
}

static void test_months_may_stay_when_days_come(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns});
  m = add_one(f, m, "ts", "month", NULL);
  m = add_one(f, m, "ts", "day", NULL);
  assert_string_equal(spec_line(f, m->spec), "1000:month(2) ts_month, 1001:day(2) ts_day");
  m = remove_one(f, m, "ts_month");
  assert_string_equal(spec_line(f, m->spec), "1001:day(2) ts_day");
  assert_int_equal(m->default_spec_id, 3);
  calve_spec_update *u = begin(f, m);
  assert_ok(add(f, u, "ts", "year", NULL), &f->err);
  assert_fails(add(f, u, "ts", "hour", NULL), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "finer");
}

static void test_replace_is_one_step(void **state) {
  fixture *f = *state;
  const calve_metadata *m =
      add_one(f, make_table(f, (table_text){.schema = columns}), "ts", "month", NULL);
  calve_spec_update *u = begin(f, m);
  calve_transform day = transform_of(f, "day"), bad = transform_of(f, "truncate[4]");
  assert_fails(calve_spec_update_replace(u, S("ts_month"), S("ts"), &bad, no_name, &f->err),
               CALVE_EINVAL, &f->err);
  assert_ok(calve_spec_update_replace(u, S("ts_month"), S("ts"), &day, S("day"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_string_equal(spec_line(f, m->spec), "1001:day(2) day");
  assert_int_equal(m->default_spec_id, 2);
}

static void test_fields_are_reordered(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns});
  calve_spec_update *u = begin(f, m);
  assert_ok(add(f, u, "ts", "day", "d"), &f->err);
  assert_ok(add(f, u, "id", "bucket[4]", "b"), &f->err);
  assert_ok(add(f, u, "category", "identity", "c"), &f->err);
  assert_ok(calve_spec_update_move_first(u, S("c"), &f->err), &f->err);
  assert_ok(calve_spec_update_move_after(u, S("d"), S("b"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_string_equal(spec_line(f, m->spec),
                      "1002:identity(3) c, 1001:bucket[4](1) b, "
                      "1000:day(2) d");
  u = begin(f, m);
  assert_ok(calve_spec_update_move_before(u, S("d"), S("c"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_string_equal(spec_line(f, m->spec),
                      "1000:day(2) d, 1002:identity(3) c, "
                      "1001:bucket[4](1) b");
  u = begin(f, m);
  calve_changes changes;
  assert_ok(calve_spec_update_move_first(u, S("nope"), &f->err), &f->err);
  assert_fails(calve_spec_update_apply(u, NULL, &changes, &f->err), CALVE_ENOTFOUND, &f->err);
}

/* B026: names that would collide with columns are refused, also default ones. */
static void test_partition_names_do_not_collide_with_columns(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(
      f,
      (table_text){.schema = STRUCT(FIELD(1, "ts", "timestamp") "," FIELD(2, "ts_day", "string"))});
  calve_spec_update *u = begin(f, m);
  assert_ok(add(f, u, "ts", "day", NULL), &f->err);
  assert_fails(calve_spec_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "another name");
  m = add_one(f, m, "ts", "day", "d");
  assert_string_equal(spec_line(f, m->spec), "1000:day(1) d");
}

/* B071: two updates from one base would give one id two meanings. */
static void test_concurrent_spec_updates_conflict(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns});
  calve_spec_update *a = begin(f, m), *b = begin(f, m);
  calve_changes late;
  assert_ok(add(f, a, "id", "bucket[4]", NULL), &f->err);
  assert_ok(add(f, b, "category", "bucket[8]", NULL), &f->err);
  assert_ok(calve_spec_update_apply(b, NULL, &late, &f->err), &f->err);
  m = commit(f, a, m);
  assert_fails(calve_requirements_check(&late, m, &f->err), CALVE_ECONFLICT, &f->err);
  m = add_one(f, m, "category", "bucket[8]", NULL);
  assert_string_equal(spec_line(f, m->spec),
                      "1000:bucket[4](1) id_bucket_4, 1001:bucket[8](3) category_bucket_8");
}

static void test_what_can_not_be_is_refused(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns,
                                                       .specs = "[{\"spec-id\":0,\"fields\":[" PF(
                                                           "shard", "bucket[16]", 1, 1000) "]}]",
                                                       .last_partition_id = 1000});
  calve_spec_update *u = begin(f, m);
  assert_fails(calve_spec_update_remove(u, S("shart"), &f->err), CALVE_ENOTFOUND, &f->err);
  assert_message(&f->err, "shard");
  assert_fails(add(f, u, "ids", "identity", NULL), CALVE_ENOTFOUND, &f->err);
  assert_fails(add(f, u, "category", "day", NULL), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "category");
  assert_fails(add(f, u, "id", "bucket[16]", NULL), CALVE_EEXISTS, &f->err);
  assert_fails(add(f, u, "id", "zorder", NULL), CALVE_EUNSUPPORTED, &f->err);
  assert_ok(add(f, u, "category", "identity", NULL), &f->err);
  assert_fails(calve_spec_update_remove(u, S("category"), &f->err), CALVE_EINVAL, &f->err);
  m = make_table(
      f, (table_text){.schema = columns,
                      .specs = "[{\"spec-id\":0,\"fields\":[" PF("z", "zorder", 1, 1000) "]}]"});
  assert_fails(calve_spec_update_begin(m, &f->arena, &u, &f->err), CALVE_EUNSUPPORTED, &f->err);
  assert_message(&f->err, "zorder");
}

/* Specs of new tables: default names, ids from 1000, no two time units of one column. */
static void test_specs_of_new_tables(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns});
  const calve_spec *spec = NULL;
  calve_new_partition_field fields[] = {
      {.source = S("ts"), .transform = transform_of(f, "month")},
      {.source = S("id"), .transform = transform_of(f, "bucket[4]"), .name = S("b")}};
  assert_ok(calve_spec_build(m->schema, fields, 2, true, &f->arena, &spec, &f->err), &f->err);
  assert_string_equal(spec_line(f, spec), "1000:month(2) ts_month, 1001:bucket[4](1) b");
  fields[0] = (calve_new_partition_field){.source = S("id")};
  fields[1] = (calve_new_partition_field){.source = S("id")};
  fields[0].transform = transform_of(f, "bucket[8]");
  fields[1].transform = transform_of(f, "bucket[4]");
  assert_ok(calve_spec_build(m->schema, fields, 2, true, &f->arena, &spec, &f->err), &f->err);
  assert_string_equal(spec_line(f, spec),
                      "1000:bucket[8](1) id_bucket, 1001:bucket[4](1) id_bucket_4");
  fields[1].transform = fields[0].transform;
  assert_fails(calve_spec_build(m->schema, fields, 2, true, &f->arena, &spec, &f->err),
               CALVE_EINVAL, &f->err);
  fields[0] = (calve_new_partition_field){.source = S("ts"), .transform = transform_of(f, "month")};
  fields[1] = (calve_new_partition_field){.source = S("TS"), .transform = transform_of(f, "day")};
  assert_fails(calve_spec_build(m->schema, fields, 2, true, &f->arena, &spec, &f->err),
               CALVE_ENOTFOUND, &f->err);
  assert_fails(calve_spec_build(m->schema, fields, 2, false, &f->arena, &spec, &f->err),
               CALVE_EINVAL, &f->err);
}

static calve_status evolve_once(const calve_metadata *m, calve_arena *arena, calve_error *err) {
  calve_spec_update *u;
  calve_changes changes;
  calve_transform bucket = {.kind = CALVE_BUCKET, .parameter = 8};
  CALVE_TRY(calve_spec_update_begin(m, arena, &u, err));
  CALVE_TRY(calve_spec_update_remove(u, S("shard"), err));
  CALVE_TRY(calve_spec_update_add(u, S("id"), &bucket, no_name, err));
  CALVE_TRY(calve_spec_update_move_first(u, S("id_bucket_8"), err));
  return calve_spec_update_apply(u, NULL, &changes, err);
}

static void test_update_survives_every_failing_allocation(void **state) {
  fixture *f = *state;
  failing_allocator mem;
  const calve_metadata *m = make_table(f, (table_text){.schema = columns,
                                                       .specs = "[{\"spec-id\":0,\"fields\":[" PF(
                                                           "shard", "bucket[16]", 1, 1000) "]}]",
                                                       .last_partition_id = 1000});
  bool done = false;
  for (long n = 0; n < 10000 && !done; n++) {
    failing_allocator_init(&mem, n);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    calve_status status = evolve_once(m, &arena, &f->err);
    if (status == CALVE_OK)
      done = n > 0;
    else
      assert_fails(status, CALVE_ENOMEM, &f->err);
    calve_arena_free(&arena);
    assert_int_equal(mem.live_bytes, 0);
  }
  assert_true(done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_a_field_that_returns_has_its_id_and_spec),
      FIXTURE_TEST(test_removed_and_added_in_one_update_is_a_rename),
      FIXTURE_TEST(test_ids_of_removed_fields_are_not_given_to_others),
      FIXTURE_TEST(test_v1_leaves_a_hole_and_appends),
      FIXTURE_TEST(test_the_newest_spec_is_searched_first),
      FIXTURE_TEST(test_months_may_stay_when_days_come),
      FIXTURE_TEST(test_replace_is_one_step),
      FIXTURE_TEST(test_fields_are_reordered),
      FIXTURE_TEST(test_partition_names_do_not_collide_with_columns),
      FIXTURE_TEST(test_concurrent_spec_updates_conflict),
      FIXTURE_TEST(test_what_can_not_be_is_refused),
      FIXTURE_TEST(test_specs_of_new_tables),
      FIXTURE_TEST(test_update_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
