/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/metadata_fixture.h"

static const char one[] =
    ",\"current-snapshot-id\":1,\"snapshots\":[{\"snapshot-id\":1,\"timestamp-ms\":1,"
    "\"manifest-list\":\"l\"}]";

static calve_status check(fixture *f, const calve_metadata *base, calve_requirement r) {
  calve_changes list = {.requirement_count = 1, .requirements = &r};
  return calve_requirements_check(&list, base, &f->err);
}

/* B071: each says what must not have moved; a conflict names it. */
static void test_each_requirement_holds_or_conflicts(void **state) {
  static const struct {
    calve_requirement requirement;
    bool holds;
    const char *part;
  } rows[] = {
      {{.kind = CALVE_REQUIRE_UUID, .text = {UUID_TEXT, 36}}, true, NULL},
      {{.kind = CALVE_REQUIRE_UUID, .text = {"F79C3E09-677C-4BBD-A479-3F349CB785E7", 36}},
       true,
       NULL},
      {{.kind = CALVE_REQUIRE_UUID, .text = {"other", 5}}, false, "uuid"},
      {{.kind = CALVE_REQUIRE_REF_SNAPSHOT_ID, .text = {"main", 4}, .id = 1}, true, NULL},
      {{.kind = CALVE_REQUIRE_REF_SNAPSHOT_ID, .text = {"main", 4}, .id = 2}, false, "moved"},
      {{.kind = CALVE_REQUIRE_REF_SNAPSHOT_ID, .text = {"main", 4}, .id = -1}, false, "created"},
      {{.kind = CALVE_REQUIRE_REF_SNAPSHOT_ID, .text = {"dev", 3}, .id = -1}, true, NULL},
      {{.kind = CALVE_REQUIRE_REF_SNAPSHOT_ID, .text = {"dev", 3}, .id = 1}, false, "removed"},
      {{.kind = CALVE_REQUIRE_LAST_FIELD_ID, .id = 20}, true, NULL},
      {{.kind = CALVE_REQUIRE_LAST_FIELD_ID, .id = 19}, false, "last column id is 20"},
      {{.kind = CALVE_REQUIRE_CURRENT_SCHEMA_ID, .id = 0}, true, NULL},
      {{.kind = CALVE_REQUIRE_CURRENT_SCHEMA_ID, .id = 1}, false, "schema"},
      {{.kind = CALVE_REQUIRE_LAST_PARTITION_ID, .id = 999}, true, NULL},
      {{.kind = CALVE_REQUIRE_LAST_PARTITION_ID, .id = 1000}, false, "partition field id"},
      {{.kind = CALVE_REQUIRE_DEFAULT_SPEC_ID, .id = 0}, true, NULL},
      {{.kind = CALVE_REQUIRE_DEFAULT_SPEC_ID, .id = 1}, false, "spec id"},
      {{.kind = CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID, .id = 0}, true, NULL},
      {{.kind = CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID, .id = 1}, false, "sort order"},
      {{.kind = CALVE_REQUIRE_CREATE}, false, "exists"},
  };
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.rest = one});
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_status status = check(f, m, rows[i].requirement);
    if (rows[i].holds) {
      assert_ok(status, &f->err);
    } else {
      assert_fails(status, CALVE_ECONFLICT, &f->err);
      assert_message(&f->err, rows[i].part);
    }
  }
}

static void test_a_table_that_is_not_there(void **state) {
  fixture *f = *state;
  assert_ok(check(f, NULL, (calve_requirement){.kind = CALVE_REQUIRE_CREATE}), &f->err);
  assert_fails(check(f, NULL, (calve_requirement){.kind = CALVE_REQUIRE_UUID}), CALVE_ECONFLICT,
               &f->err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_each_requirement_holds_or_conflicts),
      FIXTURE_TEST(test_a_table_that_is_not_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
