/* SPDX-License-Identifier: Apache-2.0 */
/* calve_vectors [--exceptions DIR] [--strict] [--failures FILE] DIR [NAME…]
 *
 * Runs the vectors in DIR (all kinds, or those named) against the library. Prints each failing row
 * with what was expected and what came, then `N passed, N failed`; exits with 1 if any failed.
 *   --exceptions DIR  where deliberate differences are listed; tests/vectors-exceptions of the
 *                     source tree if not given, "none" for none
 *   --strict          a kind that DIR lacks and an exception that fits no row are failures too
 *   --failures FILE   writes failing rows in the form of exceptions, to be given a reason */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/exceptions.h"
#include "runner/lines.h"
#include "runner/runner.h"

typedef struct kind {
  const char *name;
  run_row_function *row;       /* called for each line of NAME.jsonl, or                        */
  run_folder_function *folder; /* called once for the folder NAME                               */
} kind;

#define KNOWN(name) \
  { #name, run_##name, NULL }
#define KNOWN_FOLDER(name) \
  { #name, NULL, run_##name }
static const kind kinds[] = {
    KNOWN(compare),         KNOWN(expressions),  KNOWN(manifest_eval), KNOWN_FOLDER(manifests),
    KNOWN_FOLDER(metadata), KNOWN(metrics_eval), KNOWN(names),         KNOWN(projections),
    KNOWN(residuals),       KNOWN(row_eval),     KNOWN(schema_updates), KNOWN(spec_compat),
    KNOWN(spec_updates),    KNOWN(transforms),   KNOWN(values),
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

typedef struct options {
  const char *dir, *exceptions_dir, *failures_path;
  bool strict;
  char **names;
  int name_count;
} options;

static void run_line(void *ctx, calve_str line, long number) {
  run *r = ctx;
  const calve_json *row = NULL;
  char id[32];
  snprintf(id, sizeof id, "line %ld", number);
  calve_status status = calve_json_parse(line, id, &r->row, &row, &r->err);
  begin_row(r, id, row);
  for (const kind *k = kinds; k < kinds + KIND_COUNT; k++)
    if (status == CALVE_OK && strcmp(k->name, r->kind) == 0) k->row(r, row);
  if (status != CALVE_OK) row_unusable(r, "%s", r->err.message);
  end_row(r);
}

static void report_unused(run *r, const exceptions *list, bool strict) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].used_count > 0) continue;
    printf("%s %s: no row fits the exception %.*s\n", strict ? "FAIL" : "note", r->kind,
           (int)list->items[i].row->raw.size, list->items[i].row->raw.data);
    if (strict) r->failed_count++;
  }
}

static void run_kind(run *r, const kind *k, const options *o) {
  char path[4096];
  exceptions list = {0};
  r->kind = k->name;
  r->state = NULL;
  snprintf(path, sizeof path, "%s/%s.jsonl", o->exceptions_dir, k->name);
  if (!exceptions_read(&list, path)) r->failed_count++;
  r->exceptions = &list;
  long before = r->passed_count + r->failed_count;
  snprintf(path, sizeof path, "%s/%s%s", o->dir, k->name, k->row ? ".jsonl" : "");
  if (k->folder)
    k->folder(r);
  else if (!lines_each(&r->whole, path, run_line, r))
    r->failed_count++;
  if (before == r->passed_count + r->failed_count) {
    printf("FAIL %s: %s has no rows\n", k->name, path);
    r->failed_count++;
  }
  report_unused(r, &list, o->strict);
  exceptions_free(&list);
  calve_arena_reset(&r->whole);
}

static bool exists(const options *o, const kind *k) {
  char path[4096];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s%s", o->dir, k->name, k->row ? ".jsonl" : "");
  return stat(path, &info) == 0;
}

static bool wanted(const options *o, const kind *k) {
  for (int i = 0; i < o->name_count; i++)
    if (strcmp(o->names[i], k->name) == 0) return true;
  return o->name_count == 0 && (o->strict || exists(o, k));
}

static void report_unknown_names(run *r, const options *o) {
  for (int i = 0; i < o->name_count; i++) {
    bool known = false;
    for (size_t k = 0; k < KIND_COUNT; k++) known |= strcmp(kinds[k].name, o->names[i]) == 0;
    if (known) continue;
    printf("FAIL %s: this runner has no such kind\n", o->names[i]);
    r->failed_count++;
  }
}

static bool parse_options(int argc, char **argv, options *o) {
  *o = (options){.exceptions_dir = CALVE_SOURCE_DIR "/tests/vectors-exceptions"};
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
    if (strcmp(argv[i], "--strict") == 0)
      o->strict = true;
    else if (strcmp(argv[i], "--exceptions") == 0 && i + 1 < argc)
      o->exceptions_dir = argv[++i];
    else if (strcmp(argv[i], "--failures") == 0 && i + 1 < argc)
      o->failures_path = argv[++i];
    else
      return false;
  }
  if (i >= argc) return false;
  o->dir = argv[i++];
  o->names = argv + i;
  o->name_count = argc - i;
  return true;
}

int main(int argc, char **argv) {
  options o;
  run r = {0};
  if (!parse_options(argc, argv, &o)) {
    printf("usage: %s [--exceptions DIR] [--strict] [--failures FILE] DIR [NAME...]\n", argv[0]);
    return 2;
  }
  r.dir = o.dir;
  calve_arena_init(&r.row, NULL);
  calve_arena_init(&r.whole, NULL);
  calve_buffer_init(&r.expected, NULL);
  calve_buffer_init(&r.got, NULL);
  if (o.failures_path && !(r.failures = fopen(o.failures_path, "w"))) {
    printf("%s: can't be written\n", o.failures_path);
    return 2;
  }
  report_unknown_names(&r, &o);
  for (size_t k = 0; k < KIND_COUNT; k++)
    if (wanted(&o, &kinds[k])) run_kind(&r, &kinds[k], &o);
  if (r.passed_count + r.failed_count == 0) {
    printf("FAIL %s: holds no vectors\n", o.dir);
    r.failed_count++;
  }
  if (r.differing_count > 0)
    printf("%ld rows differ from the reference on purpose, as %s lists\n", r.differing_count,
           o.exceptions_dir);
  printf("%ld passed, %ld failed\n", r.passed_count, r.failed_count);
  if (r.failures) fclose(r.failures);
  calve_buffer_free(&r.expected);
  calve_buffer_free(&r.got);
  calve_arena_free(&r.row);
  calve_arena_free(&r.whole);
  return r.failed_count > 0;
}
