/* SPDX-License-Identifier: Apache-2.0 */
/* Two people evolve one table from one state. Whatever the first did, the second's change is either
 * refused or gives what it would have given, had it been made after the first's: never a table
 * whose spec or order has lost its column, whose names collide, or whose partitions hold values of
 * another type. An append meanwhile is no reason to refuse. */
#include "evolve/schema_update.h"
#include "evolve/sort_update.h"
#include "evolve/spec_update.h"
#include "unit/model/metadata_fixture.h"

#define S(literal) CALVE_STR(literal)

/* Spec 0 is in use; spec 1 was, and can come back. */
static const table_text table = {
    .version = 3,
    .schema = STRUCT(LONG_FIELD(1, "id") "," FIELD(2, "c", "int") "," FIELD(3, "day", "date")),
    .last_column_id = 3,
    .specs = "[{\"spec-id\":0,\"fields\":[]},"
             "{\"spec-id\":1,\"fields\":[{\"name\":\"p\",\"transform\":\"bucket[4]\","
             "\"source-id\":2,\"field-id\":1000}]}]",
    .last_partition_id = 1000};

typedef calve_status (*maker)(fixture *f, const calve_metadata *m, calve_changes *out);

static calve_schema_update *schema(fixture *f, const calve_metadata *m) {
  calve_schema_update *u = NULL;
  assert_ok(calve_schema_update_begin(m, &f->arena, &u, &f->err), &f->err);
  return u;
}

static calve_status drop_c(fixture *f, const calve_metadata *m, calve_changes *out) {
  calve_schema_update *u = schema(f, m);
  CALVE_TRY(calve_schema_update_delete(u, S("c"), &f->err));
  return calve_schema_update_apply(u, NULL, out, &f->err);
}

static calve_status add_p(fixture *f, const calve_metadata *m, calve_changes *out) {
  static const calve_type string = {.id = CALVE_STRING};
  calve_schema_update *u = schema(f, m);
  calve_new_column column = {.name = S("p"), .type = &string};
  CALVE_TRY(calve_schema_update_add(u, &column, &f->err));
  return calve_schema_update_apply(u, NULL, out, &f->err);
}

static calve_status rename_id_to_p(fixture *f, const calve_metadata *m, calve_changes *out) {
  calve_schema_update *u = schema(f, m);
  CALVE_TRY(calve_schema_update_rename(u, S("id"), S("p"), &f->err));
  return calve_schema_update_apply(u, NULL, out, &f->err);
}

static calve_status retype_day(fixture *f, const calve_metadata *m, calve_changes *out) {
  static const calve_type timestamp = {.id = CALVE_TIMESTAMP};
  calve_schema_update *u = schema(f, m);
  CALVE_TRY(calve_schema_update_type(u, S("day"), &timestamp, &f->err));
  return calve_schema_update_apply(u, NULL, out, &f->err);
}

static calve_status partition_by(fixture *f, const calve_metadata *m, const char *source,
                                 const char *transform, const char *name, calve_changes *out) {
  calve_spec_update *u = NULL;
  calve_transform t;
  assert_ok(calve_transform_parse(calve_str_of(transform), &f->arena, &t, &f->err), &f->err);
  CALVE_TRY(calve_spec_update_begin(m, &f->arena, &u, &f->err));
  CALVE_TRY(calve_spec_update_add(u, calve_str_of(source), &t, calve_str_of(name), &f->err));
  return calve_spec_update_apply(u, NULL, out, &f->err);
}

static calve_status return_to_spec_1(fixture *f, const calve_metadata *m, calve_changes *out) {
  return partition_by(f, m, "c", "bucket[4]", "p", out);
}

static calve_status by_c(fixture *f, const calve_metadata *m, calve_changes *out) {
  return partition_by(f, m, "c", "identity", "c", out);
}

static calve_status by_id_as_p(fixture *f, const calve_metadata *m, calve_changes *out) {
  return partition_by(f, m, "id", "bucket[8]", "p", out);
}

static calve_status by_day(fixture *f, const calve_metadata *m, calve_changes *out) {
  return partition_by(f, m, "day", "identity", "day", out);
}

static calve_status order_by_c(fixture *f, const calve_metadata *m, calve_changes *out) {
  const calve_new_sort_field field = {.source = S("c"), .transform = {.kind = CALVE_IDENTITY}};
  return calve_sort_update_apply(m, &field, 1, true, &f->arena, out, &f->err);
}

static const struct {
  const char *name;
  maker make;
} changes[] = {{"drop c", drop_c},
               {"add p", add_p},
               {"rename id to p", rename_id_to_p},
               {"day becomes a timestamp", retype_day},
               {"back to spec 1", return_to_spec_1},
               {"partition by c", by_c},
               {"partition by bucket(id) as p", by_id_as_p},
               {"partition by day", by_day},
               {"order by c", order_by_c}};

static void compare(fixture *f, const char *first, const char *second, const calve_metadata *late,
                    const calve_metadata *m, maker again) {
  calve_changes fresh;
  const calve_metadata *want = NULL;
  if (again(f, m, &fresh) != CALVE_OK || apply_changes(f, &fresh, m, 3000, &want) != CALVE_OK)
    fail_msg("%s, then %s: went through although it is not legal", first, second);
  calve_str a, b;
  assert_ok(calve_arena_str(&f->arena, calve_str_of(written_metadata(f, late)), &a, &f->err),
            &f->err);
  assert_ok(calve_arena_str(&f->arena, calve_str_of(written_metadata(f, want)), &b, &f->err),
            &f->err);
  if (!calve_str_equal(a, b))
    fail_msg("%s, then %s:\n%s\nexpected\n%s", first, second, a.data, b.data);
}

static void test_of_two_changes_the_later_is_refused_or_right(void **state) {
  fixture *f = *state;
  int through = 0, refused = 0;
  for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
    for (size_t k = 0; k < ARRAY_COUNT(changes); k++) {
      const calve_metadata *m = make_table(f, table), *next = NULL, *late = NULL;
      calve_changes first, second;
      assert_ok(changes[i].make(f, m, &first), &f->err);
      assert_ok(changes[k].make(f, m, &second), &f->err);
      assert_ok(apply_changes(f, &first, m, 2000, &next), &f->err);
      calve_status status = calve_requirements_check(&second, next, &f->err);
      if (status == CALVE_OK) status = apply_changes(f, &second, next, 3000, &late);
      if (status == CALVE_OK) compare(f, changes[i].name, changes[k].name, late, next,
                                      changes[k].make);
      through += status == CALVE_OK;
      refused += status != CALVE_OK;
    }
  }
  assert_true(through >= 10); /* an order and columns, for one, do not mind each other */
  assert_true(refused >= 30);
}

static const calve_metadata *append(fixture *f, const calve_metadata *m) {
  const calve_metadata *next = NULL;
  calve_snapshot *snapshot = CALVE_NEW(&f->arena, calve_snapshot);
  *snapshot = (calve_snapshot){.snapshot_id = 77,
                               .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                               .sequence_number = m->last_sequence_number + 1,
                               .timestamp_ms = 2000,
                               .manifest_list = S("mem://t/list"),
                               .schema_id = m->current_schema_id,
                               .first_row_id = m->next_row_id,
                               .added_rows = 5};
  const calve_change list[] = {
      {.kind = CALVE_ADD_SNAPSHOT, .snapshot = snapshot},
      {.kind = CALVE_SET_SNAPSHOT_REF,
       .ref = {.name = S("main"),
               .snapshot_id = 77,
               .min_snapshots_to_keep = -1,
               .max_snapshot_age_ms = -1,
               .max_ref_age_ms = -1}}};
  const calve_changes changes_of_append = {.change_count = 2, .changes = list};
  assert_ok(apply_changes(f, &changes_of_append, m, 2000, &next), &f->err);
  return next;
}

static void test_an_append_meanwhile_is_no_conflict(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
    const calve_metadata *m = make_table(f, table), *next = NULL, *late = NULL;
    calve_changes mine;
    assert_ok(changes[i].make(f, m, &mine), &f->err);
    next = append(f, m);
    assert_ok(calve_requirements_check(&mine, next, &f->err), &f->err);
    assert_ok(apply_changes(f, &mine, next, 3000, &late), &f->err);
    compare(f, "append", changes[i].name, late, next, changes[i].make);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_of_two_changes_the_later_is_refused_or_right),
      FIXTURE_TEST(test_an_append_meanwhile_is_no_conflict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
