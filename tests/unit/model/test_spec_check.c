/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static const char columns[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"
    "{\"id\":3,\"name\":\"ts_day\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":4,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":5,"
    "\"element\":\"int\",\"element-required\":true}},"
    "{\"id\":6,\"name\":\"s\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":7,\"name\":\"d\",\"required\":false,\"type\":\"date\"}]}}]}";

static void test_rules_for_new_specs(void **state) {
  static const struct {
    const char *name, *transform;
    int source;
    const char *name_2, *transform_2;
    int source_2;
    const char *part; /* NULL: accepted */
  } rows[] = {
      {"ts_day", "day", 2, NULL, NULL, 0, "(ts_day) has the name of column"},
      {"day", "day", 2, NULL, NULL, 0, NULL},
      {"id", "bucket[4]", 1, NULL, NULL, 0, "has the name of column"},
      {"id", "identity", 1, NULL, NULL, 0, NULL},
      {"id", "void", 1, NULL, NULL, 0, NULL},
      {"ts", "identity", 1, NULL, NULL, 0, "has the name of column"},
      {"ts", "void", 1, NULL, NULL, 0, "has the name of column"},
      {"ID", "bucket[4]", 1, NULL, NULL, 0, NULL},
      {"", "bucket[4]", 1, NULL, NULL, 0, "name"},
      {"a", "bucket[4]", 1, "a", "bucket[8]", 1, "two partition fields named 'a'"},
      {"a", "bucket[4]", 1, "b", "bucket[4]", 1, NULL},
      {"a", "identity", 1, "b", "identity", 1, "redundant"},
      {"a", "day", 2, "b", "hour", 2, "redundant"},
      {"a", "day", 2, "b", "day", 7, NULL},
      {"a", "identity", 2, "b", "hour", 2, NULL},
      {"a", "void", 2, "b", "void", 2, NULL},
      {"a", "identity", 99, NULL, NULL, 0, "no column with id 99"},
      {"a", "void", 99, NULL, NULL, 0, NULL},
      {"a", "identity", 4, NULL, NULL, 0, "column 'l'"},
      {"a", "identity", 5, NULL, NULL, 0, "list or map"},
      {"a", "identity", 6, NULL, NULL, 0, "column 's'"},
      {"a", "hour", 7, NULL, NULL, 0, "column 's.d' of type date"},
      {"s.d_day", "day", 7, NULL, NULL, 0, NULL},
      {"a", "zorder", 1, NULL, NULL, 0, NULL},
  };
  (void)state;
  const calve_schema *schema = parsed_schema(&arena, columns);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    int32_t sources[] = {rows[i].source, rows[i].source_2};
    calve_partition_field fields[2] = {{sources[0], 1000, calve_str_of(rows[i].name),
                                        parsed_transform(&arena, rows[i].transform), 1,
                                        &sources[0]}};
    if (rows[i].name_2)
      fields[1] = (calve_partition_field){sources[1],
                                          1001,
                                          calve_str_of(rows[i].name_2),
                                          parsed_transform(&arena, rows[i].transform_2),
                                          1,
                                          &sources[1]};
    calve_spec spec = {0, rows[i].name_2 ? 2 : 1, fields};
    if (rows[i].part) {
      assert_fails(calve_spec_check(&spec, schema, &err), CALVE_EINVAL, &err);
      assert_message(&err, rows[i].part);
    } else {
      assert_ok(calve_spec_check(&spec, schema, &err), &err);
    }
  }
}

static int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_for_new_specs),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
