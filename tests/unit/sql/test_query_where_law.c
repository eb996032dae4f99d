/* SPDX-License-Identifier: Apache-2.0 */
/* Law: a query on an Iceberg table and the same query on an engine-side copy of its full scan give
 * the same rows. Planning may keep too many files, never too few, whatever a WHERE says.
 *   CALVE_LAW_SECONDS  how long (default 20)       CALVE_LAW_SEED  replay one table's life
 *   CALVE_LAW_FIRST    where to begin (default 1; the same tables every time)
 * A failure prints the seed, the table's life and the query. */
#include "harness.h"

#include <time.h>

#include "calve_sql.h"
#include "law_query.h"

#define QUERIES_A_ROUND 25
#define ROUNDS          5

typedef struct rows {
  size_t count, capacity;
  char **texts;
} rows;

typedef struct life {
  calve_session *session;
  uint64_t seed;
  law_random random;
  law_table table;
  law_text log; /* the statements so far                                                        */
  law_text query, ours, theirs;
  size_t past_count;
  struct past {
    law_table table;
    char snapshot[24];
  } past[ROUNDS]; /* the table as it was when copy i of it was made                             */
  size_t queries, refused, pruned, asked, differing;
} life;

/* ---- running statements ------------------------------------------------------------------- */

static calve_status run(life *l, const char *text, calve_error *err) {
  calve_result *result = NULL;
  calve_status status = calve_session_run(l->session, text, strlen(text), &result, err);
  calve_result_free(result);
  return status;
}

/* Zeros have no sign here: DISTINCT and joins take the one for the other. */
static void rows_add(rows *r, const char *text, size_t size) {
  if (r->count == r->capacity) {
    r->capacity = r->capacity ? 2 * r->capacity : 64;
    r->texts = realloc(r->texts, r->capacity * sizeof *r->texts);
    assert_non_null(r->texts);
  }
  char *copy = malloc(size + 1);
  assert_non_null(copy);
  size_t kept = 0;
  for (size_t i = 0; i < size; i++) {
    bool zero = size - i >= 4 && memcmp(text + i, "-0.0", 4) == 0;
    if (!zero || (size - i > 4 && text[i + 4] >= '0' && text[i + 4] <= '9')) copy[kept++] = text[i];
  }
  copy[kept] = '\0';
  r->texts[r->count++] = copy;
}

static void rows_free(rows *r) {
  for (size_t i = 0; i < r->count; i++) free(r->texts[i]);
  free(r->texts);
  *r = (rows){0};
}

/* The first column, which must be text. */
static calve_status read_texts(struct ArrowArrayStream *stream, rows *out, calve_error *err) {
  for (;;) {
    struct ArrowArray batch;
    if (stream->get_next(stream, &batch) != 0) {
      const char *message = stream->get_last_error(stream);
      *err = (calve_error){.code = CALVE_EIO};
      snprintf(err->message, sizeof err->message, "%s", message ? message : "");
      return CALVE_EIO;
    }
    if (!batch.release) return CALVE_OK;
    const struct ArrowArray *texts = batch.children[0];
    const uint8_t *valid = texts->buffers[0];
    const int32_t *offsets = texts->buffers[1];
    const char *bytes = texts->buffers[2];
    for (int64_t i = texts->offset; i < texts->offset + texts->length; i++) {
      bool is_null = valid && !(valid[i / 8] >> (i % 8) & 1);
      if (is_null)
        rows_add(out, "NULL", 4);
      else
        rows_add(out, bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
    }
    batch.release(&batch);
  }
}

static calve_status query_texts(life *l, const char *text, rows *out, calve_error *err) {
  calve_result *result = NULL;
  struct ArrowArrayStream stream;
  calve_status status = calve_session_run(l->session, text, strlen(text), &result, err);
  if (status != CALVE_OK) return status;
  status = calve_result_take_rows(result, &stream, err);
  if (status == CALVE_OK) {
    status = read_texts(&stream, out, err);
    stream.release(&stream);
  }
  calve_result_free(result);
  return status;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static calve_status sorted_rows(life *l, const char *text, rows *out, calve_error *err) {
  calve_status status = query_texts(l, text, out, err);
  if (out->count) qsort(out->texts, out->count, sizeof *out->texts, by_text);
  return status;
}

static bool same_rows(const rows *a, const rows *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->texts[i], b->texts[i]) != 0) return false;
  return true;
}

/* ---- the law ------------------------------------------------------------------------------ */

static void report(life *l, const char *what, const rows *ours, const rows *theirs) {
  fprintf(stderr, "seed %llu, table %s: %s\n%s\n  query: %s\n", (unsigned long long)l->seed,
          l->table.name, what, getenv("CALVE_LAW_LIFE") ? l->log.data : "", l->ours.data);
  fprintf(stderr, "  rows: %zu, of the copy %zu\n", ours->count, theirs->count);
  size_t a = 0, b = 0, shown = 0;
  while ((a < ours->count || b < theirs->count) && shown < 6) {
    int order = a == ours->count     ? 1
                : b == theirs->count ? -1
                                     : strcmp(ours->texts[a], theirs->texts[b]);
    if (order != 0) shown++;
    if (order < 0) fprintf(stderr, "  more: %s\n", ours->texts[a]);
    if (order > 0) fprintf(stderr, "  lost: %s\n", theirs->texts[b]);
    a += order <= 0;
    b += order >= 0;
  }
}

/* Whether planning left something out: else the law would hold for nothing. */
static void count_pruning(life *l) {
  rows plan = {0};
  calve_error err;
  l->asked++;
  if (query_texts(l, l->theirs.data, &plan, &err) == CALVE_OK)
    for (size_t i = 0; i < plan.count; i++)
      if (strstr(plan.texts[i], "skipped by")) {
        l->pruned++;
        break;
      }
  rows_free(&plan);
}

static bool is_random(const law_text *query) {
  return strstr(query->data, "random()") != NULL;
}

static void check_query(life *l) {
  rows ours = {0}, theirs = {0};
  calve_error err, copy_err;
  char name[3 * LAW_NAME_MAX];
  law_clear(&l->query);
  law_clear(&l->ours);
  law_clear(&l->theirs);
  size_t at = l->past_count - 1;
  if (law_chance(&l->random, 20)) at = law_below(&l->random, l->past_count);
  law_query(&l->random, &l->past[at].table, &l->query);
  law_put(&l->ours, "SELECT q::VARCHAR FROM (");
  snprintf(name, sizeof name, "db.%s", l->table.name);
  if (at + 1 < l->past_count)
    snprintf(name, sizeof name, "db.%s VERSION AS OF %s", l->table.name, l->past[at].snapshot);
  law_query_on(&l->query, name, l->table.name, &l->ours);
  law_put(&l->ours, ") q");
  law_put(&l->theirs, "SELECT q::VARCHAR FROM (");
  snprintf(name, sizeof name, "x%zu_%s", at, l->table.name);
  law_query_on(&l->query, name, name, &l->theirs);
  law_put(&l->theirs, ") q");
  assert_false(l->ours.full || l->theirs.full);
  if (is_random(&l->query)) return;
  l->queries++;
  calve_status copy = sorted_rows(l, l->theirs.data, &theirs, &copy_err);
  calve_status status = sorted_rows(l, l->ours.data, &ours, &err);
  /* A cast that fails on a row may never meet that row: then only one of the two fails. */
  bool cast =
      status != CALVE_OK && (strstr(err.message, "cast") || strstr(err.message, "onver") ||
                             strstr(err.message, "out of range") || strstr(err.message, "nvalid") ||
                             strstr(err.message, "verflow"));
  if (status != CALVE_OK && copy == CALVE_OK && !cast) {
    report(l, err.message, &ours, &theirs);
    l->differing++;
  } else if (copy != CALVE_OK || status != CALVE_OK) {
    l->refused++;
    if (getenv("CALVE_LAW_REFUSED"))
      fprintf(stderr, "%s\n   %s\n", copy == CALVE_OK ? err.message : copy_err.message,
              l->theirs.data);
  } else if (!same_rows(&ours, &theirs)) {
    report(l, "not the same rows", &ours, &theirs);
    l->differing++;
  } else if (l->queries % 8 == 0) {
    law_clear(&l->theirs);
    law_put(&l->theirs, "EXPLAIN %s", l->ours.data);
    count_pruning(l);
  }
  rows_free(&ours);
  rows_free(&theirs);
}

static calve_status run_script(life *l, const char *script, calve_error *err) {
  for (;;) {
    const char *statement;
    size_t size;
    calve_result *result = NULL;
    assert_ok(calve_sql_split(&script, &statement, &size, NULL, err), err);
    if (size == 0) return CALVE_OK;
    law_put(&l->log, "  %.*s;\n", (int)size, statement);
    calve_status status = calve_session_run(l->session, statement, size, &result, err);
    calve_result_free(result);
    if (status != CALVE_OK) return status;
  }
}

static void evolve(life *l) {
  law_table after;
  calve_error err;
  law_clear(&l->query);
  law_evolve(&l->random, &l->table, &after, &l->query);
  if (run_script(l, l->query.data, &err) == CALVE_OK)
    l->table = after;
  else
    law_put(&l->log, "  -- refused: %s\n", err.message);
}

static void must_run(life *l, const char *script) {
  calve_error err;
  if (run_script(l, script, &err) == CALVE_OK) return;
  fprintf(stderr, "seed %llu: %s: %s\n%s", (unsigned long long)l->seed, err.where, err.message,
          l->log.data);
  fail();
}

static void copy_table(life *l) {
  calve_error err;
  rows snapshot = {0};
  struct past *now = &l->past[l->past_count];
  law_clear(&l->query);
  law_put(&l->query, "CREATE TEMP TABLE x%zu_%s AS SELECT * FROM db.%s", l->past_count,
          l->table.name, l->table.name);
  must_run(l, l->query.data);
  law_clear(&l->query);
  law_put(&l->query, "SELECT snapshot_id::VARCHAR FROM db.%s.refs WHERE name = 'main'",
          l->table.name);
  assert_ok(query_texts(l, l->query.data, &snapshot, &err), &err);
  assert_int_equal(snapshot.count, 1);
  now->table = l->table;
  snprintf(now->snapshot, sizeof now->snapshot, "%s", snapshot.texts[0]);
  rows_free(&snapshot);
  l->past_count++;
}

static bool insert(life *l) {
  calve_error err;
  law_clear(&l->query);
  law_insert(&l->random, &l->table, &l->query);
  calve_status status = run_script(l, l->query.data, &err);
  /* truncate of the least integer has no value */
  if (status == CALVE_OK) return true;
  if (strstr(err.message, "does not fit the partition field's type")) return false;
  fprintf(stderr, "seed %llu:\n%s", (unsigned long long)l->seed, l->log.data);
  assert_ok(status, &err);
  return false;
}

/* There is a snapshot with the columns of now to speak of. */
static void must_insert(life *l) {
  law_clear(&l->query);
  law_put(&l->query, "INSERT INTO db.%s BY NAME SELECT NULL AS %s", l->table.name,
          l->table.columns[0].self.name);
  must_run(l, l->query.data);
}

static void live(life *l) {
  static const char *const zones[] = {"UTC", "UTC", "America/New_York", "Asia/Kolkata", "Etc/UTC"};
  calve_error err;
  l->random.state = l->seed;
  l->table = (law_table){0};
  l->past_count = 0;
  law_clear(&l->log);
  snprintf(l->table.name, sizeof l->table.name, "t%llu", (unsigned long long)l->seed);
  for (int tries = 0;; tries++) { /* some partitionings are refused */
    law_clear(&l->query);
    law_create(&l->random, &l->table, &l->query);
    if (run_script(l, l->query.data, &err) == CALVE_OK) break;
    l->table = (law_table){.names_given = l->table.names_given};
    snprintf(l->table.name, sizeof l->table.name, "t%llu", (unsigned long long)l->seed);
    if (tries == 20) must_run(l, l->query.data);
  }
  for (int round = 0; round < ROUNDS; round++) {
    size_t inserts = 1 + law_below(&l->random, 3);
    bool inserted = false;
    for (size_t i = 0; i < inserts; i++) inserted |= insert(l);
    if (!inserted) must_insert(l);
    law_clear(&l->query);
    law_put(&l->query, "SET TimeZone = '%s'", LAW_PICK(&l->random, zones));
    must_run(l, l->query.data);
    copy_table(l);
    for (int i = 0; i < QUERIES_A_ROUND; i++) check_query(l);
    size_t changes = law_below(&l->random, 4);
    for (size_t i = 0; i < changes; i++) evolve(l);
  }
  law_clear(&l->query);
  law_put(&l->query, "DROP TABLE db.%s PURGE", l->table.name);
  must_run(l, l->query.data);
}

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_pruning_never_loses_a_row(void **state) {
  (void)state;
  const char *seconds = getenv("CALVE_LAW_SECONDS"), *seed = getenv("CALVE_LAW_SEED");
  double end = now_seconds() + (seconds ? atof(seconds) : 20.0);
  char dir[256];
  make_temp_dir(dir);
  calve_error err;
  life *l = calloc(1, sizeof *l);
  assert_non_null(l);
  calve_setting warehouse = {"warehouse", dir};
  calve_catalog_config catalog = {
      .struct_size = sizeof catalog, .properties = &warehouse, .property_count = 1};
  calve_session_config config = {
      .struct_size = sizeof config, .catalog = &catalog, .thread_count = 2};
  assert_ok(calve_session_open(&config, &l->session, &err), &err);
  assert_ok(run(l, "CREATE NAMESPACE db", &err), &err);
  const char *first = getenv("CALVE_LAW_FIRST");
  l->seed = seed ? strtoull(seed, NULL, 10) : first ? strtoull(first, NULL, 10) : 1;
  print_message("first seed %llu\n", (unsigned long long)l->seed);
  size_t lives = 0;
  do {
    live(l);
    lives++;
    l->seed++;
  } while (!seed && now_seconds() < end);
  print_message("%zu tables, %zu queries, %zu of them refused by the engine, %zu of %zu pruned\n",
                lives, l->queries, l->refused, l->pruned, l->asked);
  size_t differing = l->differing;
  bool some_pruned = seed || l->pruned * 20 > l->asked;
  calve_session_free(l->session);
  free(l);
  remove_temp_dir(dir);
  assert_int_equal(differing, 0);
  assert_true(some_pruned);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pruning_never_loses_a_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
