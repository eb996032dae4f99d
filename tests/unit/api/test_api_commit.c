/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions from end to end, with nothing but calve.h. */
#include "harness.h"

static const char schema[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"order_id\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"order_ts\",\"required\":false,\"type\":\"timestamptz\"},"
    "{\"id\":3,\"name\":\"country\",\"required\":false,\"type\":\"string\"}]}";

typedef struct fixture {
  char folder[256];
  calve_catalog *catalog;
  calve_table *table;
} fixture;

static void open_fixture(fixture *f) {
  calve_error err;
  make_temp_dir(f->folder);
  const calve_setting properties[] = {{"warehouse", f->folder}};
  const calve_catalog_config config = {
      .struct_size = sizeof config, .properties = properties, .property_count = 1};
  assert_ok(calve_catalog_open(&config, &f->catalog, &err), &err);
  assert_ok(calve_namespace_create(f->catalog, "db", NULL, 0, &err), &err);
  const calve_table_config table = {.struct_size = sizeof table,
                                    .schema_json = schema,
                                    .partitioned_by = "months(order_ts), bucket(16, order_id)"};
  assert_ok(calve_table_make(f->catalog, "db.orders", &table, &f->table, &err), &err);
}

static void close_fixture(fixture *f) {
  calve_table_free(f->table);
  calve_catalog_free(f->catalog);
  remove_temp_dir(f->folder);
}

static calve_file_record record(const char *path, const char *values) {
  calve_file_record r = CALVE_FILE_RECORD_INIT;
  r.path = path;
  r.record_count = 3;
  r.file_size_bytes = 999;
  r.values_json = values;
  return r;
}

static void test_a_table_is_made_listed_opened_and_dropped(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  open_fixture(&f);
  calve_names *names;
  assert_ok(calve_namespace_list(f.catalog, NULL, &names, &err), &err);
  assert_int_equal(calve_names_count(names), 1);
  assert_string_equal(calve_names_get(names, 0).data, "db");
  assert_null(calve_names_get(names, 1).data);
  calve_names_free(names);
  assert_ok(calve_table_list(f.catalog, "db", &names, &err), &err);
  assert_int_equal(calve_names_count(names), 1);
  assert_string_equal(calve_names_get(names, 0).data, "orders");
  calve_names_free(names);
  assert_fails(calve_table_list(f.catalog, "nothing", &names, &err), CALVE_ENOTFOUND, &err);

  assert_int_equal(calve_table_snapshot_id(f.table), -1);
  assert_int_equal(calve_table_format_version(f.table), 2);
  assert_string_equal(calve_table_full_name(f.table).data, "db.orders");
  calve_str text;
  assert_ok(calve_table_spec_json(f.table, -1, &text, &err), &err);
  assert_non_null(strstr(text.data, "order_ts_month"));
  assert_non_null(strstr(text.data, "order_id_bucket"));
  assert_ok(calve_table_schema_json(f.table, 0, &text, &err), &err);
  assert_non_null(strstr(text.data, "country"));
  assert_ok(calve_table_metadata_json(f.table, 2, &text, &err), &err);
  assert_non_null(strstr(text.data, "\"table-uuid\""));
  static const int indents[] = {-1, INT32_MIN, 17, INT32_MAX};
  for (size_t i = 0; i < ARRAY_COUNT(indents); i++) {
    calve_str none = {0};
    assert_fails(calve_table_metadata_json(f.table, indents[i], &none, &err), CALVE_EINVAL, &err);
    assert_message(&err, "between 0 and 16");
    assert_null(none.data);
  }
  assert_fails(calve_table_schema_json(f.table, 9, &text, &err), CALVE_ENOTFOUND, &err);
  assert_fails(calve_table_spec_json(f.table, 9, &text, &err), CALVE_ENOTFOUND, &err);

  calve_table *other;
  assert_fails(calve_table_open(f.catalog, "db.order", &other, &err), CALVE_ENOTFOUND, &err);
  assert_message(&err, "orders"); /* suggested */
  assert_fails(calve_table_open(f.catalog, "orders", &other, &err), CALVE_EINVAL, &err);
  assert_ok(calve_table_rename(f.catalog, "db.orders", "db.bills", &err), &err);
  assert_ok(calve_table_open(f.catalog, "db.bills", &other, &err), &err);
  calve_table_free(other);
  assert_ok(calve_table_drop(f.catalog, "db.bills", true, &err), &err);
  assert_fails(calve_table_drop(f.catalog, "db.bills", true, &err), CALVE_ENOTFOUND, &err);
  assert_ok(calve_namespace_drop(f.catalog, "db", &err), &err);
  close_fixture(&f);
}

static void test_files_of_a_caller_are_committed(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_commit *c;
  open_fixture(&f);
  static const char low[8] = {1}, high[8] = {9};
  calve_column_stats stats[] = {CALVE_COLUMN_STATS_INIT, CALVE_COLUMN_STATS_INIT};
  stats[0].field_id = 3;
  stats[0].value_count = stats[0].null_count = 3;
  stats[1].field_id = 1;
  stats[1].value_count = 3;
  stats[1].null_count = 0;
  stats[1].lower = (calve_str){low, 8};
  stats[1].upper = (calve_str){high, 8};
  calve_file_record file =
      record("/data/f1.parquet", "{\"order_ts\":\"2026-03-09T10:00:00+00:00\",\"order_id\":8237}");
  file.columns = stats;
  file.column_count = 2;
  assert_ok(calve_commit_begin(f.table, &c, &err), &err);
  assert_ok(calve_commit_add_file(c, &file, &err), &err);
  assert_ok(calve_commit_note(c, "written-by", "a test", &err), &err);
  assert_ok(calve_commit_run(c, &err), &err);
  assert_fails(calve_commit_run(c, &err), CALVE_EINVAL, &err);
  calve_commit_free(c);
  assert_true(calve_table_snapshot_id(f.table) > 0);
  calve_str json;
  assert_ok(calve_table_metadata_json(f.table, 0, &json, &err), &err);
  assert_non_null(strstr(json.data, "\"written-by\":\"a test\""));
  assert_non_null(strstr(json.data, "\"total-records\":\"3\""));

  /* Removing, replacing, and what refuses. */
  assert_ok(calve_commit_begin(f.table, &c, &err), &err);
  assert_fails(calve_commit_remove_where(c, "lower(country) = 'x' OR", &err), CALVE_EINVAL, &err);
  assert_fails(calve_commit_remove_where(c, "lower(country) = 'x'", &err), CALVE_EUNSUPPORTED,
               &err);
  assert_ok(calve_commit_remove_where(c, "order_id < 10", &err), &err);
  assert_ok(calve_commit_run(c, &err), &err);
  calve_commit_free(c);
  assert_ok(calve_table_metadata_json(f.table, 0, &json, &err), &err);
  assert_non_null(strstr(json.data, "\"total-records\":\"0\""));
  assert_ok(calve_commit_begin(f.table, &c, &err), &err);
  assert_ok(calve_commit_remove_file(c, "/data/f1.parquet", &err), &err);
  assert_fails(calve_commit_run(c, &err), CALVE_ECONFLICT, &err);
  calve_commit_free(c);
  close_fixture(&f);
}

static void test_records_that_do_not_fit_are_refused(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_commit *c;
  open_fixture(&f);
  assert_ok(calve_commit_begin(f.table, &c, &err), &err);
  calve_file_record file = record("/f", "{\"order_ts\":\"2026-03-09T10:00:00+00:00\"}");
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  assert_message(&err, "order_id");
  file = record("/f", NULL);
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  file = record("/f", "{\"order_ts\":\"soon\",\"order_id\":1}");
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  file = record("/f", "{\"order_ts\":");
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  file = record(NULL, "{}");
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  file = record("/f", "{\"order_ts\":null,\"order_id\":1}");
  file.struct_size = 8;
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  file.struct_size = sizeof file;
  file.spec_id = 4;
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  file.spec_id = 0;
  assert_ok(calve_commit_add_file(c, &file, &err), &err);
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  calve_commit_free(c);
  close_fixture(&f);
}

/* A program that was compiled with a later header: its structs are longer. */
static void test_structs_of_another_age_are_read_by_their_own_size(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_commit *c;
  open_fixture(&f);
  struct later {
    calve_column_stats known;
    int64_t unknown;
  } later[] = {{CALVE_COLUMN_STATS_INIT, 0}, {CALVE_COLUMN_STATS_INIT, 0}};
  for (int i = 0; i < 2; i++) {
    later[i].known.struct_size = sizeof *later;
    later[i].known.field_id = 1 + 2 * i;
    later[i].known.value_count = 3;
  }
  calve_file_record file = record("/data/f1.parquet", "{\"order_ts\":null,\"order_id\":1}");
  file.columns = &later[0].known;
  file.column_count = 2;
  assert_ok(calve_commit_begin(f.table, &c, &err), &err);
  later[1].unknown = 5;
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  assert_message(&err, "something is set behind");
  later[1].unknown = 0;
  later[1].known.struct_size += 8;
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  assert_message(&err, "differs from that of the first");
  later[0].known.struct_size = later[1].known.struct_size = 8;
  assert_fails(calve_commit_add_file(c, &file, &err), CALVE_EINVAL, &err);
  later[0].known.struct_size = later[1].known.struct_size = sizeof *later;
  assert_ok(calve_commit_add_file(c, &file, &err), &err);
  assert_ok(calve_commit_run(c, &err), &err);
  calve_commit_free(c);
  const calve_plan_config config = {.struct_size = sizeof config, .with_stats = true};
  calve_plan *plan;
  calve_plan_batch batch;
  assert_ok(calve_plan_open(f.table, &config, &plan, &err), &err);
  assert_ok(calve_plan_next(plan, &batch, &err), &err);
  assert_int_equal(batch.count, 1);
  later[0].unknown = 9;
  assert_ok(calve_plan_task_stats(CALVE_PLAN_TASK(&batch, 0), 3, &later[0].known, &err), &err);
  assert_int_equal(later[0].known.struct_size, sizeof *later);
  assert_int_equal(later[0].known.value_count, 3);
  assert_int_equal(later[0].known.null_count, -1);
  assert_int_equal(later[0].unknown, 0);
  calve_plan_free(plan);
  close_fixture(&f);
}

static void test_schema_and_partitioning_evolve_in_one_commit(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_evolution *e;
  open_fixture(&f);
  assert_ok(calve_evolution_begin(f.table, &e, &err), &err);
  assert_ok(calve_evolution_add_column(e, NULL, "amount", "decimal(18, 2)", "in euro", &err), &err);
  assert_ok(calve_evolution_add_column(e, NULL, "addr",
                                       "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":"
                                       "\"zip\",\"required\":false,\"type\":\"string\"}]}",
                                       NULL, &err),
            &err);
  assert_ok(calve_evolution_rename_column(e, "country", "land", &err), &err);
  assert_ok(calve_evolution_make_optional(e, "order_id", &err), &err);
  assert_fails(calve_evolution_widen_column(e, "country", "long", &err), CALVE_EINVAL, &err);
  assert_fails(calve_evolution_drop_column(e, "nothing", &err), CALVE_ENOTFOUND, &err);
  assert_ok(calve_evolution_replace_partition(e, "order_ts_month", "days(order_ts)", NULL, &err),
            &err);
  assert_ok(calve_evolution_add_partition(e, "truncate(4, land)", NULL, &err), &err);
  assert_fails(calve_evolution_add_partition(e, "sqrt(land)", NULL, &err), CALVE_EINVAL, &err);
  assert_fails(calve_evolution_add_column(e, NULL, "late", "int", NULL, &err), CALVE_EINVAL, &err);
  assert_ok(calve_evolution_set_property(e, "owner", "me", &err), &err);
  assert_ok(calve_evolution_run(e, &err), &err);
  assert_fails(calve_evolution_run(e, &err), CALVE_EINVAL, &err);
  assert_fails(calve_evolution_drop_column(e, "amount", &err), CALVE_EINVAL, &err);
  assert_message(&err, "run already");
  assert_fails(calve_evolution_set_property(e, "owner", "you", &err), CALVE_EINVAL, &err);
  assert_message(&err, "run already");
  calve_evolution_free(e);
  calve_str json;
  assert_ok(calve_table_schema_json(f.table, -1, &json, &err), &err);
  assert_non_null(strstr(json.data, "\"in euro\""));
  assert_non_null(strstr(json.data, "\"land\""));
  assert_ok(calve_table_spec_json(f.table, -1, &json, &err), &err);
  assert_non_null(strstr(json.data, "order_ts_day"));
  assert_non_null(strstr(json.data, "land_trunc"));
  assert_null(strstr(json.data, "order_ts_month"));
  assert_int_equal(calve_table_default_spec_id(f.table), 1);
  assert_int_equal(calve_table_property(f.table, "owner").size, 2);
  assert_memory_equal(calve_table_property(f.table, "owner").data, "me", 2);

  assert_ok(calve_evolution_begin(f.table, &e, &err), &err);
  assert_ok(calve_evolution_set_property(e, "owner", NULL, &err), &err);
  assert_ok(calve_evolution_drop_partition(e, "land_trunc_4", &err), &err);
  assert_ok(calve_evolution_rename_partition(e, "order_ts_day", "day", &err), &err);
  assert_ok(calve_evolution_run(e, &err), &err);
  calve_evolution_free(e);
  assert_null(calve_table_property(f.table, "owner").data);
  assert_int_equal(calve_table_default_spec_id(f.table), 2);
  close_fixture(&f);
}

/* All that the SQL of ALTER TABLE can say, several in one commit. */
static void test_columns_and_fields_evolve_in_every_way(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_evolution *e;
  calve_str json;
  open_fixture(&f);
  assert_ok(calve_evolution_begin(f.table, &e, &err), &err);
  assert_ok(calve_evolution_set_property(e, "format-version", "3", &err), &err);
  assert_ok(calve_evolution_run(e, &err), &err);
  calve_evolution_free(e);

  assert_ok(calve_evolution_begin(f.table, &e, &err), &err);
  assert_ok(calve_evolution_ignore_case(e, &err), &err);
  const calve_column_config channel = {.struct_size = sizeof channel,
                                       .name = "channel",
                                       .type = "string",
                                       .doc = "how it came",
                                       .default_json = "\"web\"",
                                       .required = true,
                                       .place = CALVE_PLACE_AFTER,
                                       .other = "ORDER_ID"};
  assert_ok(calve_evolution_add_column_config(e, &channel, &err), &err);
  calve_column_config wrong = channel;
  wrong.name = "other";
  wrong.default_json = "7";
  assert_fails(calve_evolution_add_column_config(e, &wrong, &err), CALVE_EINVAL, &err);
  wrong.default_json = NULL;
  assert_fails(calve_evolution_add_column_config(e, &wrong, &err), CALVE_EINVAL, &err);
  assert_ok(calve_evolution_move_column(e, "Country", CALVE_PLACE_FIRST, NULL, &err), &err);
  assert_fails(calve_evolution_move_column(e, "country", 9, NULL, &err), CALVE_EINVAL, &err);
  assert_ok(calve_evolution_set_doc(e, "country", "ISO 3166", &err), &err);
  const char *const ids[] = {"order_id"};
  assert_ok(calve_evolution_set_identifier_fields(e, ids, 1, &err), &err);
  assert_ok(calve_evolution_union_by_name(
                e, "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":9,\"name\":\"note\","
                   "\"required\":true,\"type\":\"string\"}]}", &err),
            &err);
  assert_fails(calve_evolution_ignore_case(e, &err), CALVE_EINVAL, &err);
  assert_ok(calve_evolution_drop_partition_term(e, "months(ORDER_TS)", &err), &err);
  assert_ok(calve_evolution_add_partition(e, "days(order_ts)", "day", &err), &err);
  assert_ok(calve_evolution_add_partition(e, "bucket(4, order_id)", "shard", &err), &err);
  assert_ok(calve_evolution_move_partition(e, "shard", CALVE_PLACE_BEFORE, "DAY", &err), &err);
  assert_ok(calve_evolution_run(e, &err), &err);
  calve_evolution_free(e);
  assert_ok(calve_table_schema_json(f.table, -1, &json, &err), &err);
  const char *order[] = {"\"country\"", "\"order_id\"", "\"channel\"", "\"order_ts\"", "\"note\""};
  for (size_t i = 0; i + 1 < ARRAY_COUNT(order); i++)
    assert_true(strstr(json.data, order[i]) < strstr(json.data, order[i + 1]));
  assert_non_null(strstr(json.data, "\"identifier-field-ids\":[1]"));
  assert_non_null(strstr(json.data, "\"initial-default\":\"web\""));
  assert_ok(calve_table_spec_json(f.table, -1, &json, &err), &err);
  assert_non_null(strstr(json.data, "\"shard\""));
  assert_true(strstr(json.data, "\"shard\"") < strstr(json.data, "\"day\""));
  int32_t spec = calve_table_default_spec_id(f.table);

  assert_ok(calve_evolution_begin(f.table, &e, &err), &err);
  assert_ok(calve_evolution_set_default(e, "channel", "\"shop\"", &err), &err);
  assert_fails(calve_evolution_set_default(e, "channel", "{", &err), CALVE_EINVAL, &err);
  assert_ok(calve_evolution_drop_partition(e, "shard", &err), &err);
  assert_ok(calve_evolution_keep_default_spec(e, &err), &err);
  assert_ok(calve_evolution_run(e, &err), &err);
  calve_evolution_free(e);
  assert_int_equal(calve_table_default_spec_id(f.table), spec);
  assert_ok(calve_table_spec_json(f.table, spec + 1, &json, &err), &err);
  assert_null(strstr(json.data, "\"shard\""));
  assert_ok(calve_table_schema_json(f.table, -1, &json, &err), &err);
  assert_non_null(strstr(json.data, "\"write-default\":\"shop\""));
  assert_non_null(strstr(json.data, "\"initial-default\":\"web\""));
  close_fixture(&f);
}

/* Two evolutions from one base: the second is refused, and may be redone. */
static void test_concurrent_evolutions_conflict(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_evolution *e;
  calve_table *other;
  open_fixture(&f);
  assert_ok(calve_table_open(f.catalog, "db.orders", &other, &err), &err);
  for (int round = 0; round < 2; round++) {
    assert_ok(calve_evolution_begin(round == 0 ? f.table : other, &e, &err), &err);
    assert_ok(calve_evolution_add_column(e, NULL, round == 0 ? "x" : "y", "int", NULL, &err), &err);
    if (round == 0) assert_ok(calve_evolution_run(e, &err), &err);
    else assert_fails(calve_evolution_run(e, &err), CALVE_ECONFLICT, &err);
    calve_evolution_free(e);
  }
  assert_ok(calve_table_refresh(other, &err), &err);
  assert_ok(calve_evolution_begin(other, &e, &err), &err);
  assert_ok(calve_evolution_add_column(e, NULL, "y", "int", NULL, &err), &err);
  assert_ok(calve_evolution_run(e, &err), &err);
  calve_evolution_free(e);
  calve_str json;
  assert_ok(calve_table_schema_json(other, -1, &json, &err), &err);
  assert_non_null(strstr(json.data, "{\"id\":4,\"name\":\"x\""));
  assert_non_null(strstr(json.data, "{\"id\":5,\"name\":\"y\""));
  calve_table_free(other);
  close_fixture(&f);
}

static void test_a_bare_file_can_be_read_but_not_changed(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  calve_table *bare;
  calve_commit *c;
  calve_evolution *e;
  open_fixture(&f);
  assert_ok(calve_table_open_path(calve_table_metadata_location(f.table).data, NULL, &bare, &err),
            &err);
  assert_int_equal(calve_table_location(bare).size, calve_table_location(f.table).size);
  assert_ok(calve_table_refresh(bare, &err), &err);
  assert_ok(calve_commit_begin(bare, &c, &err), &err);
  assert_fails(calve_commit_run(c, &err), CALVE_EDENIED, &err);
  calve_commit_free(c);
  assert_fails(calve_evolution_begin(bare, &e, &err), CALVE_EDENIED, &err);
  calve_table_free(bare);
  char folder[400];
  snprintf(folder, sizeof folder, "%s/db/orders", f.folder);
  assert_ok(calve_table_open_path(folder, NULL, &bare, &err), &err); /* finds the file */
  calve_table_free(bare);
  assert_fails(calve_table_open_path(f.folder, NULL, &bare, &err), CALVE_ENOTFOUND, &err);
  close_fixture(&f);
}

static void test_terms_that_are_none_are_refused(void **state) {
  (void)state;
  fixture f;
  calve_error err;
  open_fixture(&f);
  static const char *const terms[] = {"bucket(order_id)",     "bucket(0, order_id)",
                                      "bucket(4, order_id",   "days()",
                                      "days(order_ts, 1, 2)", "order_id,,country",
                                      "truncate(x, country)", "years(nothing)",
                                      "order_id,",            "bucket(4, order_id,)",
                                      ",order_id",            ","};
  for (size_t i = 0; i < ARRAY_COUNT(terms); i++) {
    const calve_table_config table = {
        .struct_size = sizeof table, .schema_json = schema, .partitioned_by = terms[i]};
    calve_status status = calve_table_make(f.catalog, "db.x", &table, NULL, &err);
    if (status != CALVE_EINVAL && status != CALVE_ENOTFOUND)
      fail_msg("%s: %s", terms[i], calve_status_name(status));
  }
  const calve_table_config table = {.struct_size = sizeof table,
                                    .schema_json = schema,
                                    .partitioned_by = " `country` , hours( order_ts ),"
                                                      "TRUNCATE(order_id, 10)"};
  assert_ok(calve_table_make(f.catalog, "db.x", &table, NULL, &err), &err);
  const calve_table_config plain = {
      .struct_size = sizeof plain, .schema_json = schema, .partitioned_by = " "};
  assert_ok(calve_table_make(f.catalog, "db.y", &plain, NULL, &err), &err);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_table_is_made_listed_opened_and_dropped),
      cmocka_unit_test(test_files_of_a_caller_are_committed),
      cmocka_unit_test(test_records_that_do_not_fit_are_refused),
      cmocka_unit_test(test_structs_of_another_age_are_read_by_their_own_size),
      cmocka_unit_test(test_schema_and_partitioning_evolve_in_one_commit),
      cmocka_unit_test(test_columns_and_fields_evolve_in_every_way),
      cmocka_unit_test(test_concurrent_evolutions_conflict),
      cmocka_unit_test(test_a_bare_file_can_be_read_but_not_changed),
      cmocka_unit_test(test_terms_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
