/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "model/schema.h"
#include "model/schema_private.h"
#include "model/value.h"

calve_status calve_schema__check_identifiers(const calve_schema *s, calve_error *err) {
  for (int32_t i = 0; i < s->identifier_field_count; i++) {
    int32_t id = s->identifier_field_ids[i];
    const calve_schema_node *node = calve_schema_find_id(s, id);
    if (!node)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "identifier field id %" PRId32 " is not in the schema", id);
    const calve_type *type = node->field->type;
    const char *why = !calve_type_is_primitive(type)                        ? "is not primitive"
                      : type->id == CALVE_FLOAT || type->id == CALVE_DOUBLE ? "is a float"
                      : node->inside_repeated                               ? "is in a list or map"
                      : !node->field->required                              ? "is optional"
                      : node->can_be_missing ? "is in an optional struct"
                                             : NULL;
    if (why)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "column %" PRId32 " (%.*s) can't be an identifier field: it %s",
                        node->field->id, CALVE_STR_ARG(node->full_name), why);
  }
  return CALVE_OK;
}

bool calve_schema__defaults_equal(const calve_field *a, const calve_field *b) {
  const calve_value *pairs[2][2] = {{a->initial_default, b->initial_default},
                                    {a->write_default, b->write_default}};
  for (int i = 0; i < 2; i++) {
    if (!pairs[i][0] != !pairs[i][1]) return false;
    if (pairs[i][0] && !calve_value_equal(pairs[i][0], pairs[i][1])) return false;
  }
  return true;
}

static int version_of_type(calve_type_id id) {
  switch (id) {
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
    case CALVE_UNKNOWN:
    case CALVE_VARIANT:
    case CALVE_GEOMETRY:
    case CALVE_GEOGRAPHY:
      return 3;
    default:
      return 1;
  }
}

static calve_status check_node(const calve_schema_node *node, int format_version,
                               calve_error *err) {
  const calve_field *field = node->field;
  char type[CALVE_TYPE_TEXT_MAX];
  if (version_of_type(field->type->id) > format_version)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column '%.*s': type %s needs format version %d, the table has %d (property "
                      "'format-version' upgrades it)",
                      CALVE_STR_ARG(node->full_name), calve_type_text(field->type, type),
                      version_of_type(field->type->id), format_version);
  if (field->initial_default && format_version < 3)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column '%.*s': a default value for existing rows needs format version 3, "
                      "the table has %d (property 'format-version' upgrades it)",
                      CALVE_STR_ARG(node->full_name), format_version);
  if (field->id < 0 || field->id > CALVE_FIELD_ID_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column '%.*s': field id %" PRId32 " is reserved, ids go from 0 to %d",
                      CALVE_STR_ARG(node->full_name), field->id, CALVE_FIELD_ID_MAX);
  /* Queries and messages end at a NUL, so that such a name would mean another one. */
  if (field->name.size > 0 && memchr(field->name.data, '\0', field->name.size))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "the name of field id %" PRId32 " has a NUL character in it; rename the "
                      "column with the engine that made it",
                      field->id);
  if (field->name.size > CALVE_NAME_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a column's name is longer than %d bytes",
                      CALVE_NAME_MAX);
  return CALVE_OK;
}

calve_status calve_schema_check(const calve_schema *s, int format_version, calve_error *err) {
  for (int32_t i = 0; i < s->node_count; i++)
    CALVE_TRY(check_node(&s->nodes[i], format_version, err));
  return calve_schema__check_identifiers(s, err);
}

static bool is_reserved_name(calve_str name) {
  static const char *const names[] = {
      "_file",    "_pos",         "_deleted",        "_spec_id",
      "_partition", "_change_type", "_change_ordinal", "_commit_snapshot_id",
      "_row_id",  "_last_updated_sequence_number"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_nocase(name, calve_str_of(names[i]))) return true;
  return false;
}

calve_status calve_schema_check_new_names(const calve_schema *s, const calve_schema *before,
                                          calve_error *err) {
  for (int32_t i = 0; i < s->root->field_count; i++) {
    const calve_field *f = &s->root->fields[i];
    if (!is_reserved_name(f->name)) continue;
    const calve_schema_node *old = before ? calve_schema_find_id(before, f->id) : NULL;
    if (old && calve_str_equal(old->full_name, f->name)) continue;
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column '%.*s': the name is that of a metadata column, which engines put "
                      "beside the table's own: choose another name",
                      CALVE_STR_ARG(f->name));
  }
  return CALVE_OK;
}
