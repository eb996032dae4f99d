/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "base/text.h"
#include "catalog/config.h"

static const char yaml[] =
    "# as PyIceberg documents it\n"
    "default-catalog: Prod\n"
    "max-workers: 4\n"
    "catalog:\n"
    "  Prod:\n"
    "    type: sql\n"
    "    uri: sqlite:////tmp/wh/pyiceberg_catalog.db\n"
    "    warehouse: file:///tmp/wh\n"
    "    s3:\n"
    "      endpoint: http://localhost:9000\n"
    "      Access-Key-ID: admin\n"
    "  local:\n"
    "    type: hadoop\n"
    "    warehouse: \"/tmp/o'brien: 1\"\n";

static const calve_config *read_config(calve_arena *arena, const char *text,
                                       const calve_properties *environment) {
  const calve_config *config = NULL;
  calve_error err;
  assert_ok(calve_config_read(calve_str_of(text), "f.yaml", environment, arena, &config, &err),
            &err);
  return config;
}

#define assert_property(c, key, value)                                                     \
  do {                                                                                     \
    calve_str got_ = calve_properties_get(&(c)->properties, key);                          \
    if (!calve_str_equal_text(got_, value)) fail_msg("%s: %.*s", key, CALVE_STR_ARG(got_)); \
  } while (0)

static void test_catalogs_of_a_file(void **state) {
  (void)state;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  const calve_config *config = read_config(&arena, yaml, NULL);
  assert_int_equal(config->catalog_count, 2);
  assert_true(calve_str_equal_text(config->default_catalog, "Prod"));
  assert_true(calve_str_equal_text(calve_properties_get(&config->settings, "max-workers"), "4"));
  const calve_config_catalog *prod = calve_config_find(config, CALVE_STR("PROD"));
  assert_non_null(prod);
  assert_int_equal(prod->properties.count, 5);
  assert_property(prod, "type", "sql");
  assert_property(prod, "uri", "sqlite:////tmp/wh/pyiceberg_catalog.db");
  assert_property(prod, "s3.endpoint", "http://localhost:9000");
  assert_property(prod, "s3.access-key-id", "admin");
  assert_property(calve_config_find(config, CALVE_STR("local")), "warehouse", "/tmp/o'brien: 1");
  assert_null(calve_config_find(config, CALVE_STR("none")));
  calve_arena_free(&arena);
}

/* [PyIceberg: environment variables] */
static void test_the_environment_wins_over_the_file(void **state) {
  (void)state;
  const calve_property items[] = {
      {CALVE_STR("PYICEBERG_CATALOG__PROD__URI"), CALVE_STR("sqlite:////other.db")},
      {CALVE_STR("PYICEBERG_CATALOG__PROD__S3__SECRET_ACCESS_KEY"), CALVE_STR("pass__word_")},
      {CALVE_STR("PYICEBERG_CATALOG__MY_NEW__WAREHOUSE"), CALVE_STR("/x")},
      {CALVE_STR("pyiceberg_default_catalog"), CALVE_STR("my-new")},
      {CALVE_STR("PYICEBERG_HOME"), CALVE_STR("/home")},
      {CALVE_STR("PATH"), CALVE_STR("/bin")},
      {CALVE_STR("PYICEBERG_CATALOG__"), CALVE_STR("?")},
      {CALVE_STR("PYICEBERG_"), CALVE_STR("?")},
  };
  const calve_properties environment = {items, ARRAY_COUNT(items)};
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  const calve_config *config = read_config(&arena, yaml, &environment);
  const calve_config_catalog *prod = calve_config_find(config, CALVE_STR("prod"));
  assert_property(prod, "uri", "sqlite:////other.db");
  assert_property(prod, "type", "sql");
  assert_property(prod, "s3.secret-access-key", "pass__word_");
  assert_property(calve_config_find(config, CALVE_STR("my-new")), "warehouse", "/x");
  assert_true(calve_str_equal_text(config->default_catalog, "my-new"));
  config = read_config(&arena, NULL, &environment); /* no file */
  assert_int_equal(config->catalog_count, 2);
  config = read_config(&arena, "", NULL);
  assert_int_equal(config->catalog_count, 0);
  assert_null(config->default_catalog.data);
  calve_arena_free(&arena);
}

static void test_files_that_are_no_configuration_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *yaml, *message;
  } rows[] = {{"catalog:\n  prod: [1, 2\n", "line"},
              {"- a\n- b\n", "line 1"},
              {"catalog:\n  prod: sql\n", "line 2"},
              {"catalog:\n  prod:\n    {a: 1}: b\n", "line 3"},
              {"a: \"open\n", "line"}};
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_config *config;
    calve_error err;
    assert_fails(calve_config_read(calve_str_of(rows[i].yaml), "f.yaml", NULL, &arena, &config,
                                   &err),
                 CALVE_EINVAL, &err);
    assert_message(&err, rows[i].message);
    assert_message(&err, "f.yaml");
  }
  /* Deeply nested, and aliases that would blow up. */
  char deep[2000] = "catalog:\n  p:\n";
  size_t size = strlen(deep);
  for (int i = 0; i < 300; i++) deep[size++] = '{', deep[size++] = 'a', deep[size++] = ':';
  deep[size] = '\0';
  const calve_config *config;
  calve_error err;
  assert_fails(calve_config_read(calve_str_of(deep), "f.yaml", NULL, &arena, &config, &err),
               CALVE_EINVAL, &err);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_catalogs_of_a_file),
      cmocka_unit_test(test_the_environment_wins_over_the_file),
      cmocka_unit_test(test_files_that_are_no_configuration_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
