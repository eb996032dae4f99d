/* SPDX-License-Identifier: Apache-2.0 */
/* CREATE, DROP and SHOW NAMESPACE, USE, SHOW TABLES, SET and RESET. */
#include <string.h>

#include "data/sql_text.h"
#include "sql/listing.h"

static calve_status namespace_text(calve_exec *x, const calve_namespace *space, calve_str *out,
                                   calve_error *err) {
  return calve_namespace_text(space, x->arena, out, err);
}

/* DBPROPERTIES, COMMENT and LOCATION are properties of the namespace. */
static calve_status namespace_properties(calve_exec *x, calve_properties *out, calve_error *err) {
  const calve_statement *s = x->statement;
  calve_property *items = CALVE_NEW_ARRAY(x->arena, calve_property, s->property_count + 2);
  if (!items) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < s->property_count; i++)
    items[count++] = (calve_property){s->properties[i].key, s->properties[i].value};
  if (s->comment.data) items[count++] = (calve_property){CALVE_STR("comment"), s->comment};
  if (s->location.data) {
    calve_property *location = &items[count++];
    location->key = CALVE_STR("location");
    CALVE_TRY(calve_catalog_own_location(x->session->catalog, NULL, s->location, x->arena,
                                         &location->value, err));
  }
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

static calve_status would_create(calve_exec *x, const calve_namespace *space, calve_str text,
                                 calve_error *err) {
  bool exists;
  CALVE_TRY(calve_catalog_namespace_exists(x->session->catalog, space, &exists, err));
  if (!exists) return CALVE_OK;
  return calve_fail(err, CALVE_EEXISTS, text.data, "the namespace exists already");
}

static calve_status would_drop(calve_exec *x, const calve_namespace *space, calve_str text,
                               calve_error *err) {
  calve_catalog *catalog = x->session->catalog;
  const calve_str *names;
  size_t tables = 0, spaces = 0;
  CALVE_TRY(calve_catalog_list_tables(catalog, space, x->arena, &names, &tables, err));
  CALVE_TRY(calve_catalog_list_namespaces(catalog, space, x->arena, &names, &spaces, err));
  if (tables + spaces == 0) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, text.data,
                    "the namespace is not empty; drop its tables and namespaces first");
}

calve_status calve_exec_create_namespace(calve_exec *x, calve_error *err) {
  calve_namespace space;
  calve_properties properties;
  calve_str text;
  CALVE_TRY(calve_exec_namespace(x, &x->statement->name, &space, err));
  CALVE_TRY(namespace_text(x, &space, &text, err));
  CALVE_TRY(namespace_properties(x, &properties, err));
  calve_error failure = {0};
  bool dry = x->session->dry_run;
  calve_status status =
      dry ? would_create(x, &space, text, &failure)
          : calve_catalog_create_namespace(x->session->catalog, &space, &properties, &failure);
  if (status == CALVE_EEXISTS && x->statement->if_not_exists)
    return calve_exec_message(x, err, "namespace %s exists already", text.data);
  if (status != CALVE_OK) {
    if (err) *err = failure;
    return status;
  }
  calve_exec_done(x, dry ? "dry run: namespace %s would be created" : "namespace %s created",
                  text.data);
  return CALVE_OK;
}

calve_status calve_exec_drop_namespace(calve_exec *x, calve_error *err) {
  calve_namespace space;
  calve_str text;
  if (x->statement->cascade)
    return calve_fail(err, CALVE_EUNSUPPORTED, "SQL",
                      "DROP NAMESPACE never drops tables: drop them first, then leave out CASCADE");
  CALVE_TRY(calve_exec_namespace(x, &x->statement->name, &space, err));
  CALVE_TRY(namespace_text(x, &space, &text, err));
  calve_error failure = {0};
  bool dry = x->session->dry_run;
  calve_status status = dry ? would_drop(x, &space, text, &failure)
                            : calve_catalog_drop_namespace(x->session->catalog, &space, &failure);
  if (status == CALVE_ENOTFOUND && x->statement->if_exists)
    return calve_exec_message(x, err, "there is no namespace %s", text.data);
  if (status != CALVE_OK) {
    if (err) *err = failure;
    return status;
  }
  calve_exec_done(x, dry ? "dry run: namespace %s would be dropped" : "namespace %s dropped",
                  text.data);
  return CALVE_OK;
}

/* One column of names, each behind its parent's. */
static calve_status show_names(calve_exec *x, const char *columns, calve_str parent,
                               const calve_str *names, size_t count, calve_error *err) {
  calve_listing listing;
  bool two = strchr(columns, ',') != NULL;
  CALVE_TRY(calve_listing_begin(x, columns, two ? 2 : 1, &listing, err));
  for (size_t i = 0; i < count; i++) {
    if (two) {
      calve_listing_text(&listing, parent);
      calve_listing_text(&listing, names[i]);
      continue;
    }
    calve_str full = names[i];
    if (parent.data && calve_arena_printf(x->arena, &full, err, "%s.%.*s", parent.data,
                                          (int)names[i].size, names[i].data) != CALVE_OK) {
      calve_listing_free(&listing);
      return CALVE_ENOMEM;
    }
    calve_listing_text(&listing, full);
  }
  return calve_listing_show(&listing, err);
}

/* A file may hold several catalogs, and one that is asked for by another name looks empty. */
static calve_status warn_of_others(calve_exec *x, calve_error *err) {
  calve_str others;
  calve_catalog *catalog = x->session->catalog;
  CALVE_TRY(calve_catalog_others(catalog, x->arena, &others, err));
  if (others.size == 0) return CALVE_OK;
  return calve_exec_warn(x, err,
                         "there is nothing in catalog \"%s\"; the file holds catalogs: %s "
                         "(which one is meant, its name in the configuration tells)",
                         calve_catalog_name(catalog).data, others.data);
}

calve_status calve_exec_show_namespaces(calve_exec *x, calve_error *err) {
  calve_namespace parent = {0};
  calve_str text = {NULL, 0};
  const calve_str *names;
  size_t count;
  if (x->statement->name.part_count > 0) {
    CALVE_TRY(calve_exec_namespace(x, &x->statement->name, &parent, err));
    CALVE_TRY(namespace_text(x, &parent, &text, err));
  }
  CALVE_TRY(calve_catalog_list_namespaces(x->session->catalog, parent.count ? &parent : NULL,
                                          x->arena, &names, &count, err));
  if (count == 0 && parent.count == 0) CALVE_TRY(warn_of_others(x, err));
  return show_names(x, "namespace VARCHAR", text, names, count, err);
}

calve_status calve_exec_show_tables(calve_exec *x, calve_error *err) {
  calve_namespace space = x->session->space;
  calve_str text;
  const calve_str *names;
  size_t count;
  if (x->statement->name.part_count > 0)
    CALVE_TRY(calve_exec_namespace(x, &x->statement->name, &space, err));
  if (space.count == 0)
    return calve_fail(err, CALVE_EINVAL, "SQL",
                      "SHOW TABLES needs a namespace: SHOW TABLES IN db, or USE db first");
  CALVE_TRY(namespace_text(x, &space, &text, err));
  CALVE_TRY(calve_catalog_list_tables(x->session->catalog, &space, x->arena, &names, &count, err));
  return show_names(x, "namespace VARCHAR, table_name VARCHAR", text, names, count, err);
}

calve_status calve_exec_use(calve_exec *x, calve_error *err) {
  calve_session *s = x->session;
  calve_namespace space, kept;
  calve_str text;
  bool exists;
  CALVE_TRY(calve_exec_namespace(x, &x->statement->name, &space, err));
  CALVE_TRY(namespace_text(x, &space, &text, err));
  CALVE_TRY(calve_catalog_namespace_exists(s->catalog, &space, &exists, err));
  if (!exists) return calve_fail(err, CALVE_ENOTFOUND, text.data, "there is no such namespace");
  calve_str *levels = CALVE_NEW_ARRAY(&s->arena, calve_str, space.count);
  if (!levels) return calve_fail_oom(err);
  for (size_t i = 0; i < space.count; i++)
    CALVE_TRY(calve_arena_str(&s->arena, space.levels[i], &levels[i], err));
  kept = (calve_namespace){levels, space.count};
  s->space = kept;
  return calve_exec_message(x, err, "now in namespace %s", text.data);
}

/* ---- settings ----------------------------------------------------------------------------- */

static calve_status set_overwrite_mode(calve_exec *x, calve_str value, calve_error *err) {
  bool dynamic = calve_str_equal_nocase(value, CALVE_STR("dynamic"));
  if (!dynamic && !calve_str_equal_nocase(value, CALVE_STR("static")))
    return calve_fail(err, CALVE_EINVAL, "partition_overwrite_mode",
                      "%.*s is not known: static or dynamic", CALVE_STR_ARG(value));
  x->session->dynamic_overwrite = dynamic;
  return CALVE_OK;
}

/* Settings of ours have Spark's names too. */
static bool is_overwrite_mode(calve_str name) {
  return calve_str_equal_nocase(name, CALVE_STR("partition_overwrite_mode")) ||
         calve_str_equal_nocase(name, CALVE_STR("spark.sql.sources.partitionOverwriteMode"));
}

calve_status calve_exec_note_settings(calve_exec *x, calve_error *err) {
  int64_t answers[2] = {0, 0};
  CALVE_TRY(calve_engine_query_i64(
      x->session->engine,
      "SELECT (current_setting('TimeZone') IN ('UTC', 'Etc/UTC', 'GMT', 'Etc/GMT'))::BIGINT, "
      "(current_setting('default_collation') = '')::BIGINT",
      0, answers, 2, err));
  x->session->session_is_utc = answers[0] != 0;
  x->session->has_collation = answers[1] == 0;
  return CALVE_OK;
}

static calve_status engine_setting(calve_exec *x, calve_str name, const calve_str *value,
                                   calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, value ? "SET " : "RESET ");
  calve_sql_name(&sql, name);
  if (value) {
    calve_buffer_puts(&sql, " = ");
    calve_sql_string(&sql, *value);
  }
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK)
    status = calve_engine_run(x->session->engine, calve_buffer_cstr(&sql), err);
  calve_buffer_free(&sql);
  return status == CALVE_OK ? calve_exec_note_settings(x, err) : status;
}

calve_status calve_exec_set(calve_exec *x, calve_error *err) {
  const calve_statement *s = x->statement;
  if (is_overwrite_mode(s->setting))
    CALVE_TRY(set_overwrite_mode(x, s->setting_value, err));
  else
    CALVE_TRY(engine_setting(x, s->setting, &s->setting_value, err));
  return calve_exec_message(x, err, "%.*s set", CALVE_STR_ARG(s->setting));
}

calve_status calve_exec_reset(calve_exec *x, calve_error *err) {
  const calve_statement *s = x->statement;
  const calve_str utc = CALVE_STR("UTC"); /* the engine would take the environment's zone */
  bool zone = calve_str_equal_nocase(s->setting, CALVE_STR("TimeZone"));
  if (is_overwrite_mode(s->setting))
    x->session->dynamic_overwrite = false;
  else
    CALVE_TRY(engine_setting(x, s->setting, zone ? &utc : NULL, err));
  return calve_exec_message(x, err, "%.*s reset", CALVE_STR_ARG(s->setting));
}
