/* SPDX-License-Identifier: Apache-2.0 */
/* Evolving a table while others write to it or evolve it, with everything real: two sessions on one
 * warehouse. What each change may stand on is tests/unit/evolve/test_update_meanwhile.c. */
#include "evolve/schema_update.h"
#include "evolve/spec_update.h"
#include "sql_session.h"

#include <pthread.h>

static calve_status drop(calve_table *table, const char *column, calve_arena *arena,
                         calve_error *err) {
  calve_schema_update *u = NULL;
  calve_changes changes;
  CALVE_TRY(calve_schema_update_begin(calve_table_metadata(table), arena, &u, err));
  CALVE_TRY(calve_schema_update_delete(u, calve_str_of(column), err));
  CALVE_TRY(calve_schema_update_apply(u, NULL, &changes, err));
  return calve_table_commit_changes(table, &changes, err);
}

static calve_status partition_by(calve_table *table, const char *column, calve_arena *arena,
                                 calve_error *err) {
  calve_spec_update *u = NULL;
  calve_changes changes;
  const calve_transform identity = {.kind = CALVE_IDENTITY};
  CALVE_TRY(calve_spec_update_begin(calve_table_metadata(table), arena, &u, err));
  CALVE_TRY(calve_spec_update_add(u, calve_str_of(column), &identity, (calve_str){0}, err));
  CALVE_TRY(calve_spec_update_apply(u, NULL, &changes, err));
  return calve_table_commit_changes(table, &changes, err);
}

/* Rule: rows that come in meanwhile are no conflict; they stay. */
static void test_a_column_is_dropped_while_rows_come_in(void **state) {
  sql_session *f = *state;
  calve_error err;
  run(f, "CREATE TABLE db.t (id BIGINT, c STRING)");
  calve_table *mine = load_table(f, "t");
  run(f, "INSERT INTO db.t VALUES (1, 'x')");
  assert_ok(drop(mine, "c", &f->arena, &err), &err);
  calve_table_close(mine);
  assert_rows(f, "SELECT * FROM db.t", "1");
}

/* Rule: a column that meanwhile became a partition's or an order's is not dropped. */
static void test_a_column_that_came_into_use_stays(void **state) {
  static const char *const theirs[] = {"ALTER TABLE db.t ADD PARTITION FIELD c",
                                       "ALTER TABLE db.t WRITE ORDERED BY c"};
  sql_session *f = *state;
  calve_error err;
  for (size_t i = 0; i < ARRAY_COUNT(theirs); i++) {
    run(f, "CREATE TABLE db.t (id BIGINT, c STRING)");
    calve_table *mine = load_table(f, "t");
    run(f, theirs[i]);
    assert_fails(drop(mine, "c", &f->arena, &err), CALVE_ECONFLICT, &err);
    calve_table_close(mine);
    run(f, "INSERT INTO db.t VALUES (1, 'x')");
    assert_rows(f, "SELECT * FROM db.t", "1,x");
    run(f, "DROP TABLE db.t");
  }
}

/* Rule: what was legal when it was asked for and is so no more is a conflict, and says why. */
static void test_a_partition_field_of_a_column_that_was_dropped_meanwhile(void **state) {
  sql_session *f = *state;
  calve_error err;
  run(f, "CREATE TABLE db.t (id BIGINT, c STRING)");
  calve_table *mine = load_table(f, "t");
  run(f, "ALTER TABLE db.t DROP COLUMN c");
  assert_fails(partition_by(mine, "c", &f->arena, &err), CALVE_ECONFLICT, &err);
  assert_message(&err, "meanwhile");
  calve_table_close(mine);
  run(f, "INSERT INTO db.t VALUES (1)");
}

enum { TURNS = 12 };

typedef struct side {
  const char *dir;
  const char *before, *behind; /* the statement, with the turn between them */
  int done, refused;
  calve_error err;
} side;

static void *repeat(void *argument) {
  side *s = argument;
  calve_session *session = NULL;
  char sql[128];
  calve_setting warehouse[] = {{"type", "sql"}, {"warehouse", s->dir}};
  calve_catalog_config catalog = {
      .struct_size = sizeof catalog, .properties = warehouse, .property_count = 2};
  calve_session_config config = {.struct_size = sizeof config,
                                 .catalog = &catalog,
                                 .temp_dir = s->dir,
                                 .thread_count = 1};
  if (calve_session_open(&config, &session, &s->err) != CALVE_OK) return NULL;
  for (int turn = 0; turn < TURNS; turn++) {
    calve_result *r = NULL;
    snprintf(sql, sizeof sql, "%s%d%s", s->before, turn, s->behind);
    calve_status status = calve_session_run(session, sql, strlen(sql), &r, &s->err);
    s->done += status == CALVE_OK;
    s->refused += status == CALVE_ECONFLICT;
    if (status == CALVE_OK) calve_result_free(r);
  }
  calve_session_free(session);
  return NULL;
}

static void run_both(side *a, side *b) {
  pthread_t first, second;
  assert_int_equal(pthread_create(&first, NULL, repeat, a), 0);
  assert_int_equal(pthread_create(&second, NULL, repeat, b), 0);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

/* Rule: one session inserts, the other adds columns; both get all of theirs through. */
static void test_inserts_and_added_columns_do_not_mind_each_other(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT) TBLPROPERTIES ('commit.retry.num-retries' = '50',"
         " 'commit.retry.min-wait-ms' = '1', 'commit.retry.max-wait-ms' = '20')");
  side a = {.dir = f->dir, .before = "INSERT INTO db.t (id) VALUES (", .behind = ")"};
  side b = {.dir = f->dir, .before = "ALTER TABLE db.t ADD COLUMN c", .behind = " INT"};
  run_both(&a, &b);
  if (a.done != TURNS) fail_msg("%d inserts: %s", a.done, a.err.message);
  if (b.done != TURNS) fail_msg("%d columns: %s", b.done, b.err.message);
  assert_rows(f, "SELECT count(*), sum(id)::BIGINT, count(c11) FROM db.t", "12,66,0");
}

/* Rule: two sessions add columns; what got through is there, once and with an id of its own. */
static void test_two_who_add_columns_get_them_or_a_conflict(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT)");
  side a = {.dir = f->dir, .before = "ALTER TABLE db.t ADD COLUMN a", .behind = " INT"};
  side b = {.dir = f->dir, .before = "ALTER TABLE db.t ADD COLUMN b", .behind = " INT"};
  run_both(&a, &b);
  if (a.done + a.refused != TURNS) fail_msg("%s", a.err.message);
  if (b.done + b.refused != TURNS) fail_msg("%s", b.err.message);
  calve_table *table = load_table(f, "t");
  const calve_metadata *m = calve_table_metadata(table);
  assert_int_equal(m->schema->root->field_count, 1 + a.done + b.done);
  assert_int_equal(m->last_column_id, 1 + a.done + b.done);
  calve_table_close(table);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_a_column_is_dropped_while_rows_come_in),
      T(test_a_column_that_came_into_use_stays),
      T(test_a_partition_field_of_a_column_that_was_dropped_meanwhile),
      T(test_inserts_and_added_columns_do_not_mind_each_other),
      T(test_two_who_add_columns_get_them_or_a_conflict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
