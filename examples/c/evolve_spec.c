/* SPDX-License-Identifier: Apache-2.0 */
/* Changes how a table is partitioned, without touching a data file: what was written stays under
 * the old spec, what comes is written under the new one, and queries see both.
 *
 *   evolve_spec WAREHOUSE TABLE add TERM            evolve_spec wh db.visits add "bucket(16, id)"
 *   evolve_spec WAREHOUSE TABLE drop FIELD
 *   evolve_spec WAREHOUSE TABLE replace FIELD TERM
 *   cc evolve_spec.c $(pkg-config --cflags --libs calve)
 */
#include <stdio.h>
#include <string.h>

#include <calve.h>

static int fail(const calve_error *err) {
  fprintf(stderr, "evolve_spec: %s%s%s\n", err->where, err->where[0] ? ": " : "", err->message);
  return 1;
}

static calve_status record(calve_evolution *e, int argc, char **argv, calve_error *err) {
  if (strcmp(argv[3], "add") == 0)
    return calve_evolution_add_partition(e, argv[4], argc > 5 ? argv[5] : NULL, err);
  if (strcmp(argv[3], "drop") == 0) return calve_evolution_drop_partition(e, argv[4], err);
  return calve_evolution_replace_partition(e, argv[4], argv[5], NULL, err);
}

/* Somebody else may evolve the table at the same time: then the change is judged anew on what the
 * table has become, here twice at most. */
static calve_status evolve(calve_table *table, int argc, char **argv, calve_error *err) {
  for (int tries = 0;; tries++) {
    calve_evolution *e;
    calve_status status = calve_evolution_begin(table, &e, err);
    if (status != CALVE_OK) return status;
    status = record(e, argc, argv, err);
    if (status == CALVE_OK) status = calve_evolution_run(e, err);
    calve_evolution_free(e);
    if (status != CALVE_ECONFLICT || tries == 2) return status;
    status = calve_table_refresh(table, err);
    if (status != CALVE_OK) return status;
  }
}

int main(int argc, char **argv) {
  bool replaces = argc > 3 && strcmp(argv[3], "replace") == 0;
  if (argc < 5 || (replaces && argc < 6)) {
    fprintf(stderr, "usage: evolve_spec WAREHOUSE TABLE add TERM|drop FIELD|replace FIELD TERM\n");
    return 2;
  }
  calve_error err;
  calve_catalog *catalog;
  calve_table *table;
  const calve_setting properties[] = {{"warehouse", argv[1]}};
  const calve_catalog_config config = {
      .struct_size = sizeof config, .properties = properties, .property_count = 1};
  if (calve_catalog_open(&config, &catalog, &err) != CALVE_OK) return fail(&err);
  calve_status status = calve_table_open(catalog, argv[2], &table, &err);
  if (status == CALVE_OK) {
    calve_str spec;
    status = evolve(table, argc, argv, &err);
    if (status == CALVE_OK) status = calve_table_spec_json(table, -1, &spec, &err);
    if (status == CALVE_OK) printf("%.*s\n", (int)spec.size, spec.data);
    calve_table_free(table);
  }
  calve_catalog_free(catalog);
  return status == CALVE_OK ? 0 : fail(&err);
}
