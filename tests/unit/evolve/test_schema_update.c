/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/schema_update.h"

#include "unit/model/metadata_fixture.h"

#define S(literal) CALVE_STR(literal)
#define BUCKET_SPEC                                                                    \
  "[{\"spec-id\":0,\"fields\":[{\"name\":\"data_bucket\",\"transform\":\"bucket[4]\"," \
  "\"source-id\":2,\"field-id\":1000}]}]"

static calve_schema_update *begin(fixture *f, const calve_metadata *m) {
  calve_schema_update *u = NULL;
  assert_ok(calve_schema_update_begin(m, &f->arena, &u, &f->err), &f->err);
  return u;
}

static calve_status add(fixture *f, calve_schema_update *u, const char *name, calve_type_id type) {
  calve_new_column c = {.name = calve_str_of(name), .type = calve_type_of(type)};
  return calve_schema_update_add(u, &c, &f->err);
}

/* Applies and commits; gives the table after it. */
static const calve_metadata *commit(fixture *f, calve_schema_update *u, const calve_metadata *m) {
  calve_changes changes;
  const calve_metadata *next = NULL, *read = NULL;
  assert_ok(calve_schema_update_apply(u, NULL, &changes, &f->err), &f->err);
  assert_ok(apply_changes(f, &changes, m, 2000, &next), &f->err);
  assert_ok(parse_metadata(f, written_metadata(f, next), &read), &f->err);
  return next;
}

static int32_t id_of(const calve_metadata *m, const char *name) {
  const calve_schema_node *node = calve_schema_find(m->schema, calve_str_of(name));
  return node ? node->field->id : -1;
}

/* B035: a name that comes back is another column. */
static void test_a_name_that_returns_gets_a_new_id(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.last_column_id = 2});
  calve_schema_update *u = begin(f, m);
  assert_ok(calve_schema_update_delete(u, S("data"), &f->err), &f->err);
  assert_ok(add(f, u, "data", CALVE_INT), &f->err);
  m = commit(f, u, m);
  assert_int_equal(id_of(m, "data"), 3);
  u = begin(f, m);
  assert_ok(calve_schema_update_delete(u, S("data"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_int_equal(m->last_column_id, 3);
  u = begin(f, m);
  assert_ok(add(f, u, "data", CALVE_STRING), &f->err);
  m = commit(f, u, m);
  assert_int_equal(id_of(m, "data"), 4);
}

/* An id that a schema has is taken, whatever last-column-id says. */
static void test_a_last_column_id_that_fell_behind_is_mended(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.last_column_id = 1});
  calve_schema_update *u = begin(f, m);
  assert_ok(add(f, u, "x", CALVE_INT), &f->err);
  assert_int_equal(id_of(commit(f, u, m), "x"), 3);
}

/* B040: a required column needs a default, and a default for old rows needs version 3. */
static void test_required_columns_need_a_default(void **state) {
  static const calve_value seven = {.type = CALVE_INT, .i32 = 7};
  fixture *f = *state;
  for (int version = 2; version <= 3; version++) {
    const calve_metadata *m = make_table(f, (table_text){.version = version});
    calve_schema_update *u = begin(f, m);
    calve_new_column c = {.name = S("x"), .type = calve_type_of(CALVE_INT), .required = true};
    assert_fails(calve_schema_update_add(u, &c, &f->err), CALVE_EINVAL, &f->err);
    assert_message(&f->err, "default");
    c.default_value = &seven;
    assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
    calve_changes changes;
    if (version == 2) {
      assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
      assert_message(&f->err, "version 3");
      continue;
    }
    m = commit(f, u, m);
    const calve_field *x = calve_schema_find(m->schema, S("x"))->field;
    assert_int_equal(x->initial_default->i32, 7);
    assert_int_equal(x->write_default->i32, 7);
    u = begin(f, m);
    assert_fails(calve_schema_update_require(u, S("data"), &f->err), CALVE_EINVAL, &f->err);
    assert_ok(calve_schema_update_make_optional(u, S("x"), &f->err), &f->err);
    assert_false(calve_schema_find(commit(f, u, m)->schema, S("x"))->field->required);
  }
}

/* B041: the default of old rows never changes; that of new rows may. */
static void test_only_the_write_default_evolves(void **state) {
  static const calve_value us = {.type = CALVE_STRING, .bytes = {"US", 2}};
  static const calve_value gb = {.type = CALVE_STRING, .bytes = {"GB", 2}};
  static const calve_value null = {.type = CALVE_STRING, .is_null = true};
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.version = 3});
  calve_schema_update *u = begin(f, m);
  calve_new_column c = {.name = S("c"), .type = calve_type_of(CALVE_STRING), .default_value = &us};
  assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
  m = commit(f, u, m);
  u = begin(f, m);
  assert_ok(calve_schema_update_default(u, S("c"), &gb, NULL, &f->err), &f->err);
  m = commit(f, u, m);
  const calve_field *field = calve_schema_find(m->schema, S("c"))->field;
  assert_str(field->initial_default->bytes, "US");
  assert_str(field->write_default->bytes, "GB");
  u = begin(f, m);
  assert_ok(calve_schema_update_default(u, S("c"), &null, NULL, &f->err), &f->err);
  m = commit(f, u, m);
  field = calve_schema_find(m->schema, S("c"))->field;
  assert_str(field->initial_default->bytes, "US");
  assert_null(field->write_default);
  assert_fails(calve_schema_update_default(begin(f, m), S("id"), &gb, NULL, &f->err), CALVE_EINVAL,
               &f->err);
  const calve_value deep = {.type = CALVE_STRUCT};
  c = (calve_new_column){.name = S("d"), .type = m->schema->root, .default_value = &deep};
  assert_fails(calve_schema_update_add(begin(f, m), &c, &f->err), CALVE_EINVAL, &f->err);
}

/* B044: without case, names that differ only by it are one, and what is unclear is refused. */
static void test_case_decides_what_is_one_name(void **state) {
  fixture *f = *state;
  const calve_metadata *m =
      make_table(f, (table_text){.schema = STRUCT(LONG_FIELD(1, "id") "," LONG_FIELD(
                                     2, "Col") "," LONG_FIELD(3, "COL"))});
  calve_schema_update *u = begin(f, m);
  calve_schema_update_case_sensitive(u, false);
  assert_fails(calve_schema_update_delete(u, S("col"), &f->err), CALVE_EINVAL, &f->err);
  assert_ok(add(f, u, "column", CALVE_INT), &f->err);
  assert_fails(add(f, u, "COLUMN", CALVE_INT), CALVE_EEXISTS, &f->err);
  assert_fails(add(f, u, "ID", CALVE_INT), CALVE_EEXISTS, &f->err);
  u = begin(f, m);
  assert_ok(calve_schema_update_rename(u, S("Col"), S("cOl"), &f->err), &f->err);
  assert_int_equal(id_of(commit(f, u, m), "cOl"), 2);
  u = begin(f, m);
  calve_schema_update_case_sensitive(u, false);
  assert_ok(calve_schema_update_rename(u, S("ID"), S("cOl"), &f->err), &f->err);
  calve_changes changes;
  assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
}

/* B026, B027: a column that would have a partition field's name is refused, naming the field. */
static void test_columns_do_not_take_names_of_partition_fields(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(f, (table_text){.specs = BUCKET_SPEC});
  calve_schema_update *u = begin(f, m);
  assert_ok(add(f, u, "data_bucket", CALVE_INT), &f->err);
  assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "(data_bucket) has that name: rename that field first");

  m = make_table(f, (table_text){.specs = "[{\"spec-id\":0,\"fields\":[{\"name\":\"data\","
                                          "\"transform\":\"identity\",\"source-id\":2,"
                                          "\"field-id\":1000}]}]"});
  u = begin(f, m);
  assert_ok(calve_schema_update_rename(u, S("data"), S("data1"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_str(m->spec->fields[0].name, "data");
  u = begin(f, m);
  assert_ok(add(f, u, "data", CALVE_INT), &f->err);
  assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
  u = begin(f, m);
  calve_schema_update_case_sensitive(u, false);
  assert_ok(add(f, u, "DATA", CALVE_INT), &f->err);
  assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
}

/* B015: what new data is written with keeps its columns; an old spec does not hold them. */
static void test_columns_in_use_are_not_dropped(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(f, (table_text){.specs = BUCKET_SPEC});
  calve_schema_update *u = begin(f, m);
  assert_ok(calve_schema_update_delete(u, S("data"), &f->err), &f->err);
  assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "drop that partition field first");

  m = make_table(f, (table_text){.orders = "[{\"order-id\":1,\"fields\":[{\"transform\":"
                                           "\"identity\",\"source-id\":2,\"direction\":\"asc\","
                                           "\"null-order\":\"nulls-first\"}]}]",
                                 .default_order = 1});
  u = begin(f, m);
  assert_ok(calve_schema_update_delete(u, S("data"), &f->err), &f->err);
  assert_fails(calve_schema_update_apply(u, NULL, &changes, &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "sort order");

  m = make_table(f, (table_text){.specs = "[{\"spec-id\":0,\"fields\":[{\"name\":\"b\","
                                          "\"transform\":\"bucket[4]\",\"source-id\":2,"
                                          "\"field-id\":1000}]},{\"spec-id\":1,\"fields\":[]}]",
                                 .default_spec = 1});
  u = begin(f, m);
  assert_ok(calve_schema_update_delete(u, S("data"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_int_equal(id_of(m, "data"), -1);
  assert_str(calve_metadata_find_field(m, 2)->field->name, "data");
}

static const char deep[] = STRUCT(LONG_FIELD(
    1,
    "id") ",{\"id\":2,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\","
          "\"element-id\":3,\"element\":{\"type\":\"struct\",\"fields\":[" LONG_FIELD(
              4,
              "x") "]},\"element-required\":false}},{\"id\":5,\"name\":\"m\","
                   "\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":6,\"key\":{"
                   "\"type\":\"struct\",\"fields\":[" LONG_FIELD(
                       7,
                       "k") "]},\"value-id\":8,"
                            "\"value\":{\"type\":\"struct\",\"fields\":[" LONG_FIELD(
                                9,
                                "q") "]},"
                                     "\"value-required\":false}}");

/* B042: structs evolve inside lists and map values; keys of maps do not. */
static void test_structs_in_lists_and_maps_evolve(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.schema = deep, .last_column_id = 9});
  calve_schema_update *u = begin(f, m);
  calve_new_column c = {.parent = S("l"), .name = S("y"), .type = calve_type_of(CALVE_INT)};
  assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
  c.parent = S("m.value");
  c.name = S("r");
  assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
  assert_ok(calve_schema_update_move_first(u, S("l.y"), &f->err), &f->err);
  assert_ok(calve_schema_update_rename(u, S("l.element.x"), S("x2"), &f->err), &f->err);
  c.parent = S("m.key");
  assert_fails(calve_schema_update_add(u, &c, &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "keys of a map");
  assert_fails(calve_schema_update_delete(u, S("m.key.k"), &f->err), CALVE_EINVAL, &f->err);
  assert_fails(calve_schema_update_type(u, S("l.element"), calve_type_of(CALVE_INT), &f->err),
               CALVE_EINVAL, &f->err);
  m = commit(f, u, m);
  assert_int_equal(id_of(m, "l.element.y"), 10);
  assert_int_equal(id_of(m, "m.value.r"), 11);
  assert_int_equal(id_of(m, "l.element.x2"), 4);
  const calve_type *element = calve_schema_find_id(m->schema, 3)->field->type;
  assert_str(element->fields[0].name, "y");
}

static void test_messages_say_what_to_do(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){0});
  calve_schema_update *u = begin(f, m);
  assert_fails(calve_schema_update_delete(u, S("dat"), &f->err), CALVE_ENOTFOUND, &f->err);
  assert_message(&f->err, "data");
  assert_fails(calve_schema_update_type(u, S("id"), calve_type_of(CALVE_INT), &f->err),
               CALVE_EINVAL, &f->err);
  assert_message(&f->err, "long can't become int");
  assert_fails(add(f, u, "a.b", CALVE_INT), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "parent");
  assert_ok(calve_schema_update_delete(u, S("data"), &f->err), &f->err);
  assert_fails(calve_schema_update_doc(u, S("data"), S("x"), &f->err), CALVE_EINVAL, &f->err);
  assert_message(&f->err, "dropped by the same update");
}

/* A wish that is refused leaves no trace: what was recorded before still applies. */
static void test_a_refused_wish_changes_nothing(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.last_column_id = 2});
  calve_schema_update *u = begin(f, m);
  assert_fails(add(f, u, "id", CALVE_INT), CALVE_EEXISTS, &f->err);
  assert_fails(calve_schema_update_rename(u, S("data"), S(""), &f->err), CALVE_EINVAL, &f->err);
  calve_changes changes;
  assert_ok(calve_schema_update_apply(u, NULL, &changes, &f->err), &f->err);
  assert_int_equal(changes.change_count, 0);
  assert_int_equal(changes.requirement_count, 0);
  assert_ok(add(f, u, "x", CALVE_INT), &f->err);
  assert_int_equal(id_of(commit(f, u, m), "x"), 3);
}

/* B071: an update that was made for another schema or ids conflicts. */
static void test_concurrent_schema_updates_conflict(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){0});
  calve_schema_update *a = begin(f, m), *b = begin(f, m);
  calve_changes late;
  assert_ok(add(f, a, "x", CALVE_INT), &f->err);
  assert_ok(add(f, b, "y", CALVE_INT), &f->err);
  assert_ok(calve_schema_update_apply(b, NULL, &late, &f->err), &f->err);
  const calve_metadata *next = commit(f, a, m);
  assert_fails(calve_requirements_check(&late, next, &f->err), CALVE_ECONFLICT, &f->err);
}

static void test_dates_become_timestamps_only_where_partitions_stay(void **state) {
  static const struct {
    const char *transform;
    bool ok;
  } rows[] = {{"year", true}, {"month", true},     {"day", true},
              {"void", true}, {"identity", false}, {"bucket[4]", false}};
  fixture *f = *state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char specs[256];
    snprintf(specs, sizeof specs,
             "[{\"spec-id\":0,\"fields\":[{\"name\":\"p\",\"transform\":\"%s\",\"source-id\":1,"
             "\"field-id\":1000}]},{\"spec-id\":1,\"fields\":[]}]",
             rows[i].transform);
    const calve_metadata *m = make_table(f, (table_text){.version = 3,
                                                         .schema = STRUCT(FIELD(1, "d", "date")),
                                                         .specs = specs,
                                                         .default_spec = 1});
    calve_status status =
        calve_schema_update_type(begin(f, m), S("d"), calve_type_of(CALVE_TIMESTAMP), &f->err);
    if (rows[i].ok) {
      assert_ok(status, &f->err);
    } else {
      assert_fails(status, CALVE_EINVAL, &f->err);
      assert_message(&f->err, "partition field");
    }
  }
}

static calve_status evolve_once(const calve_metadata *m, calve_arena *arena, calve_error *err) {
  static const calve_value one = {.type = CALVE_INT, .i32 = 1};
  calve_schema_update *u;
  calve_changes changes;
  CALVE_TRY(calve_schema_update_begin(m, arena, &u, err));
  calve_new_column c = {.name = S("n"), .type = m->schema->root, .doc = S("all again")};
  CALVE_TRY(calve_schema_update_add(u, &c, err));
  c = (calve_new_column){.name = S("d"),
                         .type = calve_type_of(CALVE_LONG),
                         .default_value = &one,
                         .default_type = calve_type_of(CALVE_INT)};
  CALVE_TRY(calve_schema_update_add(u, &c, err));
  CALVE_TRY(calve_schema_update_rename(u, S("id"), S("pk"), err));
  CALVE_TRY(calve_schema_update_delete(u, S("m"), err));
  CALVE_TRY(calve_schema_update_move_first(u, S("n"), err));
  return calve_schema_update_apply(u, NULL, &changes, err);
}

static void test_update_survives_every_failing_allocation(void **state) {
  fixture *f = *state;
  failing_allocator mem;
  const calve_metadata *m = make_table(
      f, (table_text){.version = 3,
                      .schema = deep,
                      .properties = "{\"schema.name-mapping.default\":\"[{\\\"field-id\\\":1,"
                                    "\\\"names\\\":[\\\"id\\\"]}]\"}"});
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
      FIXTURE_TEST(test_a_name_that_returns_gets_a_new_id),
      FIXTURE_TEST(test_a_last_column_id_that_fell_behind_is_mended),
      FIXTURE_TEST(test_required_columns_need_a_default),
      FIXTURE_TEST(test_only_the_write_default_evolves),
      FIXTURE_TEST(test_case_decides_what_is_one_name),
      FIXTURE_TEST(test_columns_do_not_take_names_of_partition_fields),
      FIXTURE_TEST(test_columns_in_use_are_not_dropped),
      FIXTURE_TEST(test_structs_in_lists_and_maps_evolve),
      FIXTURE_TEST(test_messages_say_what_to_do),
      FIXTURE_TEST(test_a_refused_wish_changes_nothing),
      FIXTURE_TEST(test_concurrent_schema_updates_conflict),
      FIXTURE_TEST(test_dates_become_timestamps_only_where_partitions_stay),
      FIXTURE_TEST(test_update_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
