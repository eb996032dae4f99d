/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/property_update.h"

#include "unit/model/metadata_fixture.h"

#define S(literal) CALVE_STR(literal)

static calve_status update(fixture *f, const calve_metadata *m, const char *key, const char *value,
                           const char *unset, calve_changes *out) {
  calve_property *item = calve_arena_alloc(&f->arena, sizeof *item);
  calve_str *gone = calve_arena_alloc(&f->arena, sizeof *gone);
  *item = (calve_property){calve_str_of(key), calve_str_of(value)};
  *gone = calve_str_of(unset);
  calve_properties set = {item, key ? 1 : 0};
  return calve_property_update_apply(m, &set, gone, unset ? 1 : 0, &f->arena, out, &f->err);
}

static void test_properties_are_set_and_unset(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(f, (table_text){.properties = "{\"a\":\"1\"}"});
  assert_ok(update(f, m, "a", "1", "b", &changes), &f->err);
  assert_int_equal(changes.change_count, 0);
  assert_ok(update(f, m, "b", "2", "a", &changes), &f->err);
  assert_ok(apply_changes(f, &changes, m, 2000, &m), &f->err);
  assert_int_equal(m->properties.count, 1);
  assert_str(calve_properties_get(&m->properties, "b"), "2");
  assert_fails(update(f, m, "b", "3", "b", &changes), CALVE_EINVAL, &f->err);
}

static void test_reserved_keys_and_bad_mappings_are_refused(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(f, (table_text){0});
  assert_fails(update(f, m, "uuid", "x", NULL, &changes), CALVE_EINVAL, &f->err);
  assert_fails(update(f, m, NULL, NULL, "current-snapshot-id", &changes), CALVE_EINVAL, &f->err);
  assert_fails(update(f, m, "", "x", NULL, &changes), CALVE_EINVAL, &f->err);
  assert_fails(update(f, m, "schema.name-mapping.default", "{", NULL, &changes), CALVE_EINVAL,
               &f->err);
  assert_ok(update(f, m, "schema.name-mapping.default", "[]", NULL, &changes), &f->err);
}

static void test_format_version_upgrades_the_table(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(f, (table_text){0});
  assert_ok(update(f, m, "format-version", "3", NULL, &changes), &f->err);
  assert_ok(apply_changes(f, &changes, m, 2000, &m), &f->err);
  assert_int_equal(m->format_version, 3);
  assert_int_equal(m->properties.count, 0);
  assert_fails(update(f, m, "format-version", "2", NULL, &changes), CALVE_EINVAL, &f->err);
  assert_fails(update(f, m, "format-version", "4", NULL, &changes), CALVE_EUNSUPPORTED, &f->err);
  assert_fails(update(f, m, "format-version", "x", NULL, &changes), CALVE_EINVAL, &f->err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_properties_are_set_and_unset),
      FIXTURE_TEST(test_reserved_keys_and_bad_mappings_are_refused),
      FIXTURE_TEST(test_format_version_upgrades_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
