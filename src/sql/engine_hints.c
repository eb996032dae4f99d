/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/engine_hints.h"

#include <string.h>

#include "base/text.h"
#include "model/schema.h"

/* What stands between two texts of the message, copied, as the error is written anew. */
static bool between(const calve_error *err, const char *before, const char *behind,
                    calve_arena *arena, calve_str *out) {
  const char *start = strstr(err->message, before);
  if (!start) return false;
  start += strlen(before);
  const char *end = strstr(start, behind);
  return end && end > start &&
         calve_arena_str(arena, (calve_str){start, (size_t)(end - start)}, out, NULL) == CALVE_OK;
}

static const char *is_meant(calve_exec *x, calve_str name, const calve_str *names, size_t count) {
  calve_str near = calve_nearest_name(name, names, count), text = {"", 0};
  if (near.data && calve_arena_printf(x->arena, &text, NULL, "; is \"%.*s\" meant?",
                                      CALVE_STR_ARG(near)) != CALVE_OK)
    return "";
  return text.data;
}

/* ANALYZE db.t, CALL db.p(), FROM db.t with a wrong db. */
static calve_status no_namespace(calve_exec *x, calve_str name, calve_error *err) {
  const calve_namespace space = {&name, 1};
  const calve_str *names = NULL;
  size_t count = 0;
  bool exists = false;
  if (calve_catalog_namespace_exists(x->session->catalog, &space, &exists, NULL) != CALVE_OK)
    return err->code;
  if (exists)
    return calve_fail(err, CALVE_EUNSUPPORTED, "SQL",
                      "this statement is the engine's, and can't name tables of the catalog");
  if (calve_catalog_list_namespaces(x->session->catalog, NULL, x->arena, &names, &count, NULL) !=
      CALVE_OK)
    return err->code;
  return calve_fail(err, CALVE_ENOTFOUND, "SQL",
                    "there is no namespace \"%.*s\" in catalog \"%.*s\"%s", CALVE_STR_ARG(name),
                    CALVE_STR_ARG(calve_catalog_name(x->session->catalog)),
                    is_meant(x, name, names, count));
}

static calve_status no_table(calve_exec *x, calve_str name, calve_error *err) {
  const calve_namespace *space = &x->session->space;
  const calve_str *names = NULL;
  size_t count = 0;
  if (space->count == 0)
    return calve_fail(err, CALVE_ENOTFOUND, "SQL",
                      "there is no table \"%.*s\" in this session; a table of the catalog is named "
                      "with its namespace (namespace.%.*s), or after USE namespace",
                      CALVE_STR_ARG(name), CALVE_STR_ARG(name));
  if (calve_catalog_list_tables(x->session->catalog, space, x->arena, &names, &count, NULL) !=
      CALVE_OK)
    return err->code;
  return calve_fail(err, CALVE_ENOTFOUND, "SQL",
                    "there is no table \"%.*s\" in the namespace in use (%.*s), nor in this "
                    "session%s",
                    CALVE_STR_ARG(name), CALVE_STR_ARG(space->levels[space->count - 1]),
                    is_meant(x, name, names, count));
}

calve_status calve_hint_about_names(calve_exec *x, calve_error *err) {
  calve_str name;
  calve_str words = calve_str_trim(x->statement->text);
  bool calls =
      words.size > 4 && calve_str_equal_nocase((calve_str){words.data, 4}, CALVE_STR("CALL"));
  if (between(err, "because schema \"", "\" does not exist", x->arena, &name))
    return no_namespace(x, name, err);
  if (calls && strstr(err->message, "Function with name"))
    return calve_fail(err, CALVE_EUNSUPPORTED, "SQL",
                      "CALL: Iceberg's procedures are not in this version");
  if (between(err, "Table with name ", " does not exist!", x->arena, &name))
    return no_table(x, name, err);
  return err->code;
}
