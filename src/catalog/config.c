/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/config.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/text.h"

#define PREFIX "pyiceberg_"

typedef struct entry {
  calve_str catalog; /* absent: a setting of the top level                                      */
  calve_str key, value;
} entry;

typedef struct builder {
  calve_arena *arena;
  const char *where;
  calve_buffer entries;
} builder;

static calve_status lower(calve_arena *arena, calve_str s, calve_str *out, calve_error *err) {
  char *text = calve_arena_copy(arena, s.data, s.size);
  if (!text) return calve_fail_oom(err);
  for (size_t i = 0; i < s.size; i++)
    if (text[i] >= 'A' && text[i] <= 'Z') text[i] = (char)(text[i] - 'A' + 'a');
  *out = (calve_str){text, s.size};
  return CALVE_OK;
}

/* Later entries win over earlier ones. */
static calve_status put(builder *b, calve_str catalog, calve_str key, calve_str value,
                        calve_error *err) {
  entry *items = CALVE_ITEMS(&b->entries, entry);
  size_t count = CALVE_COUNT(&b->entries, entry);
  for (size_t i = 0; i < count; i++) {
    if ((items[i].catalog.data != NULL) != (catalog.data != NULL)) continue;
    if (!calve_str_equal(items[i].catalog, catalog) || !calve_str_equal(items[i].key, key))
      continue;
    items[i].value = value;
    return CALVE_OK;
  }
  CALVE_PUSH(&b->entries, entry, catalog, key, value);
  return calve_buffer_check(&b->entries, err);
}

/* ---- the file ---- */

static calve_status bad_yaml(const builder *b, const yaml_mark_t *mark, const char *what,
                             calve_error *err) {
  return calve_fail(err, CALVE_EINVAL, b->where, "line %zu: %s", mark->line + 1, what);
}

static calve_status scalar(builder *b, const yaml_node_t *node, calve_str *out,
                           calve_error *err) {
  if (!node || node->type != YAML_SCALAR_NODE)
    return bad_yaml(b, node ? &node->start_mark : &(yaml_mark_t){0}, "a plain text is expected",
                    err);
  calve_str text = {(const char *)node->data.scalar.value, node->data.scalar.length};
  return calve_arena_str(b->arena, text, out, err);
}

static calve_status join_key(builder *b, calve_str prefix, calve_str key, calve_str *out,
                             calve_error *err) {
  CALVE_TRY(lower(b->arena, key, &key, err));
  if (prefix.size > 0)
    return calve_arena_printf(b->arena, out, err, "%s.%s", prefix.data, key.data);
  *out = key;
  return CALVE_OK;
}

/* "catalog:" with nothing behind it is a file without catalogs. */
static bool has_content(const yaml_node_t *value) {
  return value && (value->type != YAML_SCALAR_NODE || value->data.scalar.length > 0);
}

/* A mapping at depth 0 is the file, at depth 1 (without a catalog) it holds catalogs by name, below
 * it holds properties; nested properties are joined with dots. */
static calve_status mapping(builder *b, yaml_document_t *doc, const yaml_node_t *node,
                            calve_str catalog, calve_str prefix, int depth, calve_error *err) {
  if (!node || node->type != YAML_MAPPING_NODE)
    return bad_yaml(b, node ? &node->start_mark : &(yaml_mark_t){0}, "`key: value` is expected",
                    err);
  if (depth > CALVE_DEPTH_MAX) return bad_yaml(b, &node->start_mark, "nested too deeply", err);
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
       pair < node->data.mapping.pairs.top; pair++) {
    const yaml_node_t *value = yaml_document_get_node(doc, pair->value);
    calve_str key, text;
    CALVE_TRY(scalar(b, yaml_document_get_node(doc, pair->key), &key, err));
    CALVE_TRY(join_key(b, prefix, key, &key, err));
    bool nested = value && value->type == YAML_MAPPING_NODE;
    if (nested && depth == 0 && calve_str_equal(key, CALVE_STR("catalog")))
      CALVE_TRY(mapping(b, doc, value, (calve_str){0}, (calve_str){0}, 1, err));
    else if (nested && depth == 1 && !catalog.data)
      CALVE_TRY(mapping(b, doc, value, key, (calve_str){0}, 2, err));
    else if (nested)
      CALVE_TRY(mapping(b, doc, value, catalog, key, depth + 2, err));
    else if (depth == 1 && !catalog.data)
      return bad_yaml(b, &node->start_mark, "below a catalog's name its properties are expected",
                      err);
    else if (depth == 0 && calve_str_equal(key, CALVE_STR("catalog")) && has_content(value))
      return bad_yaml(b, &value->start_mark, "below \"catalog\", names of catalogs are expected",
                      err);
    else if (value && value->type == YAML_SCALAR_NODE) {
      CALVE_TRY(scalar(b, value, &text, err));
      CALVE_TRY(put(b, catalog, key, text, err));
    }
  }
  return CALVE_OK;
}

static calve_status read_document(builder *b, yaml_parser_t *parser, calve_error *err) {
  yaml_document_t doc;
  if (!yaml_parser_load(parser, &doc)) {
    if (parser->error == YAML_MEMORY_ERROR) return calve_fail_oom(err);
    return bad_yaml(b, &parser->problem_mark, parser->problem ? parser->problem : "no YAML", err);
  }
  const yaml_node_t *root = yaml_document_get_root_node(&doc);
  calve_status status =
      root ? mapping(b, &doc, root, (calve_str){0}, (calve_str){0}, 0, err) : CALVE_OK;
  yaml_document_delete(&doc);
  return status;
}

static calve_status read_file(builder *b, calve_str yaml, calve_error *err) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return calve_fail_oom(err);
  yaml_parser_set_input_string(&parser, (const unsigned char *)yaml.data, yaml.size);
  calve_status status = read_document(b, &parser, err);
  yaml_parser_delete(&parser);
  return status;
}

/* ---- the environment ---- */

/* PYICEBERG_CATALOG__PROD__S3__ACCESS_KEY_ID: at most three parts at "__"; in each, further "__"
 * are dots and "_" are dashes, as PyIceberg reads it. */
static calve_status split_variable(builder *b, calve_str name, calve_str parts[3], size_t *count,
                                   calve_error *err) {
  CALVE_TRY(lower(b->arena, name, &name, err));
  char *text = (char *)(uintptr_t)name.data; /* our own copy */
  char *at = text + sizeof PREFIX - 1, *end = text + name.size;
  for (*count = 0; *count < 3; at += 2) {
    char *cut = *count < 2 ? strstr(at, "__") : NULL;
    char *part_end = cut ? cut : end, *to = at;
    for (char *from = at; from < part_end; from++) {
      if (*from != '_') *to++ = *from;
      else if (from + 1 < part_end && from[1] == '_') *to++ = '.', from++;
      else *to++ = '-';
    }
    parts[(*count)++] = (calve_str){at, (size_t)(to - at)};
    at = part_end;
    if (to < part_end) *to = '\0';
    if (!cut) break;
  }
  return CALVE_OK;
}

static calve_status read_environment(builder *b, const calve_properties *environment,
                                     calve_error *err) {
  for (size_t i = 0; environment && i < environment->count; i++) {
    calve_str name = environment->items[i].key, value, parts[3];
    size_t count;
    if (name.size < sizeof PREFIX - 1 ||
        !calve_str_equal_nocase((calve_str){name.data, sizeof PREFIX - 1}, CALVE_STR(PREFIX)))
      continue;
    CALVE_TRY(split_variable(b, name, parts, &count, err));
    CALVE_TRY(calve_arena_str(b->arena, environment->items[i].value, &value, err));
    if (count == 3 && calve_str_equal(parts[0], CALVE_STR("catalog")))
      CALVE_TRY(put(b, parts[1], parts[2], value, err));
    else if (count == 1)
      CALVE_TRY(put(b, (calve_str){0}, parts[0], value, err));
  }
  return CALVE_OK;
}

/* ---- together ---- */

static calve_status properties_of(const builder *b, calve_str catalog, calve_properties *out,
                                  calve_error *err) {
  const entry *items = CALVE_ITEMS(&b->entries, entry);
  size_t count = CALVE_COUNT(&b->entries, entry), kept = 0;
  calve_property *list = CALVE_NEW_ARRAY(b->arena, calve_property, count);
  if (!list) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++)
    if ((items[i].catalog.data != NULL) == (catalog.data != NULL) &&
        calve_str_equal(items[i].catalog, catalog))
      list[kept++] = (calve_property){items[i].key, items[i].value};
  *out = (calve_properties){list, kept};
  return CALVE_OK;
}

static calve_status build(builder *b, const calve_config **out, calve_error *err) {
  const entry *items = CALVE_ITEMS(&b->entries, entry);
  size_t count = CALVE_COUNT(&b->entries, entry);
  calve_config *config = CALVE_NEW(b->arena, calve_config);
  calve_config_catalog *catalogs = CALVE_NEW_ARRAY(b->arena, calve_config_catalog, count);
  if (!config || !catalogs) return calve_fail_oom(err);
  config->catalogs = catalogs;
  for (size_t i = 0; i < count; i++) {
    if (!items[i].catalog.data || calve_config_find(config, items[i].catalog)) continue;
    calve_config_catalog *c = &catalogs[config->catalog_count];
    c->name = items[i].catalog;
    CALVE_TRY(properties_of(b, c->name, &c->properties, err));
    config->catalog_count++;
  }
  CALVE_TRY(properties_of(b, (calve_str){0}, &config->settings, err));
  config->default_catalog = calve_properties_get(&config->settings, "default-catalog");
  *out = config;
  return CALVE_OK;
}

calve_status calve_config_read(calve_str yaml, const char *where,
                               const calve_properties *environment, calve_arena *arena,
                               const calve_config **out, calve_error *err) {
  builder b = {.arena = arena, .where = where};
  calve_buffer_init(&b.entries, arena->allocator);
  calve_status status = yaml.data ? read_file(&b, yaml, err) : CALVE_OK;
  if (status == CALVE_OK) status = read_environment(&b, environment, err);
  if (status == CALVE_OK) status = build(&b, out, err);
  calve_buffer_free(&b.entries);
  return status;
}

const calve_config_catalog *calve_config_find(const calve_config *config, calve_str name) {
  for (size_t i = 0; i < config->catalog_count; i++)
    if (calve_str_equal_nocase(config->catalogs[i].name, name)) return &config->catalogs[i];
  return NULL;
}
