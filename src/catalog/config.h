/* SPDX-License-Identifier: Apache-2.0 */
/* catalog/config: catalogs as users configure them: .pyiceberg.yaml and PYICEBERG_… variables.
 * In: the text of a file, environment entries; nothing is read from the process itself. Out: the
 * properties of one catalog. May be used by sql; the command reads file and environment. Values may
 * be secrets: they never go into a message. Keys are lower-cased as PyIceberg does.              */
#ifndef CALVE_CATALOG_CONFIG_H
#define CALVE_CATALOG_CONFIG_H

#include "base/arena.h"
#include "model/snapshot.h"

typedef struct calve_config_catalog {
  calve_str name;
  calve_properties properties; /* nested mappings are joined with dots: "s3.endpoint"           */
} calve_config_catalog;

typedef struct calve_config {
  calve_str default_catalog; /* absent when not set                                             */
  calve_properties settings; /* top-level scalars, default-catalog among them                   */
  const calve_config_catalog *catalogs;
  size_t catalog_count;
} calve_config;

/* yaml: the file's text, absent when there is none; where: its path, for errors.
 * environment: entries with names such as PYICEBERG_CATALOG__PROD__S3__ENDPOINT (others are
 * ignored), which win over the file. CALVE_EINVAL names line and reason, never a value. */
CALVE_MUST_USE calve_status calve_config_read(calve_str yaml, const char *where,
                                              const calve_properties *environment,
                                              calve_arena *arena, const calve_config **out,
                                              calve_error *err);
/* NULL when no catalog has that name (without case). */
const calve_config_catalog *calve_config_find(const calve_config *config, calve_str name);

#endif
