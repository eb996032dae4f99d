/* SPDX-License-Identifier: Apache-2.0 */
/* Nested types as the vectors write them: "map<string, list<long>>", "struct<1: a: optional int>".
 * The library knows such text only as output. */
#include <stdlib.h>
#include <string.h>

#include "runner/runner.h"

static const calve_type *parse(run *r, calve_str *rest);

static bool take(calve_str *rest, const char *word) {
  size_t size = strlen(word);
  if (!calve_str_starts_with(*rest, calve_str_of(word))) return false;
  *rest = (calve_str){rest->data + size, rest->size - size};
  return true;
}

/* Bytes up to a delimiter that is outside parentheses. */
static calve_str take_until(calve_str *rest, const char *delimiters) {
  size_t size = 0, depth = 0;
  while (size < rest->size && (depth > 0 || !strchr(delimiters, rest->data[size]))) {
    if (rest->data[size] == '(') depth++;
    if (rest->data[size] == ')' && depth > 0) depth--;
    size++;
  }
  calve_str word = {rest->data, size};
  *rest = (calve_str){rest->data + size, rest->size - size};
  return word;
}

static const calve_type *make(run *r, calve_type_id id, const calve_field *fields, size_t count) {
  calve_field *copy = CALVE_NEW_ARRAY(&r->row, calve_field, count);
  calve_type *type = CALVE_NEW(&r->row, calve_type);
  if (!copy || !type) return NULL;
  if (count > 0) memcpy(copy, fields, count * sizeof *copy);
  *type = (calve_type){.id = id, .field_count = (int32_t)count, .fields = copy};
  return type;
}

static const calve_type *parse_struct(run *r, calve_str *rest) {
  calve_field fields[32] = {{0}};
  size_t count = 0;
  while (!take(rest, ">")) {
    int64_t id;
    if (count == 32 || (count > 0 && !take(rest, ", "))) return NULL;
    calve_field *f = &fields[count++];
    if (!calve_str_to_i64(take_until(rest, ":"), &id) || !take(rest, ": ")) return NULL;
    f->id = (int32_t)id;
    f->name = take_until(rest, ":");
    f->required = take(rest, ": required ");
    if (!f->required && !take(rest, ": optional ")) return NULL;
    if (!(f->type = parse(r, rest))) return NULL;
  }
  return make(r, CALVE_STRUCT, fields, count);
}

static const calve_type *parse(run *r, calve_str *rest) {
  calve_field fields[2] = {{.id = 101, .name = CALVE_STR("key"), .required = true},
                           {.id = 102, .name = CALVE_STR("value")}};
  if (take(rest, "struct<")) return parse_struct(r, rest);
  if (take(rest, "list<")) {
    fields[0] = (calve_field){.id = 103, .name = CALVE_STR("element"), .type = parse(r, rest)};
    return fields[0].type && take(rest, ">") ? make(r, CALVE_LIST, fields, 1) : NULL;
  }
  if (take(rest, "map<")) {
    if (!(fields[0].type = parse(r, rest)) || !take(rest, ", ")) return NULL;
    if (!(fields[1].type = parse(r, rest)) || !take(rest, ">")) return NULL;
    return make(r, CALVE_MAP, fields, 2);
  }
  const calve_type *type = NULL;
  if (calve_type_parse(take_until(rest, ",>"), &r->row, &type, &r->err) != CALVE_OK) return NULL;
  return type;
}

const calve_type *type_of_text(run *r, calve_str text) {
  const calve_type *type = NULL;
  if (!memchr(text.data ? text.data : "", '<', text.size)) {
    if (calve_type_parse(text, &r->row, &type, &r->err) != CALVE_OK) return NULL;
    return type;
  }
  calve_fail(&r->err, CALVE_EINVAL, NULL, "'%.*s' is not a nested type", CALVE_STR_ARG(text));
  type = parse(r, &text);
  return text.size == 0 ? type : NULL;
}
