/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transform.h"
#include "runner/runner.h"

static const char *printed(run *r, const calve_transform *t) {
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  calve_transform_print(t, &out);
  return take_text(r, &out);
}

static bool member_transform(run *r, const calve_json *row, const char *key, calve_transform *out) {
  if (calve_transform_parse(member_str(row, key), &r->row, out, &r->err) == CALVE_OK) return true;
  row_unusable(r, "%s: %s", key, r->err.message);
  return false;
}

static void run_parse(run *r, const calve_json *row) {
  static const struct {
    const char *class_name;
    calve_transform_kind kind;
  } classes[] = {{"Identity", CALVE_IDENTITY},
                 {"Bucket", CALVE_BUCKET},
                 {"Truncate", CALVE_TRUNCATE},
                 {"Years", CALVE_YEAR},
                 {"Months", CALVE_MONTH},
                 {"Days", CALVE_DAY},
                 {"Hours", CALVE_HOUR},
                 {"VoidTransform", CALVE_VOID},
                 {"UnknownTransform", CALVE_TRANSFORM_UNKNOWN}};
  calve_transform t;
  bool ok = calve_transform_parse(member_str(row, "transform"), &r->row, &t, &r->err) == CALVE_OK;
  expect_bool(r, "ok", member_bool(row, "ok"), ok);
  if (!ok || !member_bool(row, "ok")) return;
  expect(r, "canonical", member_text(r, row, "canonical"), printed(r, &t));
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (classes[i].kind == t.kind)
      expect(r, "class", member_text(r, row, "class"), classes[i].class_name);
}

/* The result of one value in hex, by the function for columns. */
static const char *column_hex(run *r, const calve_transform *t, const calve_type *type,
                              const calve_value *in) {
  const void *values = in->type == CALVE_BOOLEAN ? (const void *)&in->b : (const void *)&in->i128;
  uint8_t valid = in->is_null ? 0 : 1;
  calve_column column = {type, values, &valid, 1};
  const calve_type *result_type = calve_transform_result_type(t, type);
  calve_value out = {.type = result_type->id, .scale = (int16_t)result_type->scale};
  out.is_null = in->is_null || t->kind == CALVE_VOID;
  size_t bad_row = 1;
  if (calve_transform_apply_column(t, &column, &out.i128, &bad_row, &r->err) != CALVE_OK)
    return bad_row == 0 ? error_text(r) : "an error without its row";
  return value_hex(r, &out);
}

static void run_apply(run *r, const calve_json *row) {
  calve_transform t;
  calve_value in, out;
  const calve_type *type = member_type(r, row, "type");
  if (!type || !member_transform(r, row, "transform", &t)) return;
  if (!member_value(r, row, "input", type, &in)) return;
  const calve_type *result_type = calve_transform_result_type(&t, type);
  char text[CALVE_TYPE_TEXT_MAX];
  expect(r, "result_type", member_text(r, row, "result_type"), calve_type_text(result_type, text));
  const char *expected = member_text(r, row, "result_hex");
  if (!expected) expected = "null";
  bool ok = calve_transform_apply(&t, type, &in, &out, &r->err) == CALVE_OK;
  expect(r, "result", expected, ok ? value_hex(r, &out) : error_text(r));
  expect(r, "column", expected, column_hex(r, &t, type, &in));
  if (!ok) return;
  calve_buffer human;
  calve_buffer_init(&human, NULL);
  calve_transform_print_value(&t, type, &out, &human);
  expect(r, "human", member_text(r, row, "human"), take_text(r, &human));
}

/* Types without a string get a small one: only that they are nested counts. */
static const calve_type *source_of(run *r, const calve_json *row) {
  static const struct {
    const char *name, *text;
  } nested[] = {
      {"struct", "struct<2: a: optional int>"}, {"list", "list<int>"}, {"map", "map<int, int>"}};
  for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
    if (calve_str_equal_text(member_str(row, "type"), nested[i].name))
      return type_of_text(r, calve_str_of(nested[i].text));
  return member_type(r, row, "type");
}

static void run_can_transform(run *r, const calve_json *row) {
  calve_transform t;
  const calve_type *type = source_of(r, row);
  if (!type || !member_transform(r, row, "transform", &t)) return;
  expect_bool(r, "can_transform", member_bool(row, "can_transform"),
              calve_transform_accepts(&t, type));
  char text[CALVE_TYPE_TEXT_MAX];
  if (!calve_type_is_nested(type))
    expect(r, "result_type", member_text(r, row, "result_type"),
           calve_type_text(calve_transform_result_type(&t, type), text));
  expect_bool(r, "preserves_order", member_bool(row, "preserves_order"),
              calve_transform_preserves_order(&t));

  calve_value null = calve_value_null(type->id), out;
  expect_bool(r, "bind_ok", member_bool(row, "bind_ok"),
              calve_transform_apply(&t, type, &null, &out, &r->err) == CALVE_OK);

  calve_field column = {.id = 1, .name = CALVE_STR("c"), .type = type};
  calve_type root = {.id = CALVE_STRUCT, .field_count = 1, .fields = &column};
  const calve_schema *schema;
  if (calve_schema_make(0, &root, NULL, 0, &r->row, &schema, &r->err) != CALVE_OK) {
    row_unusable(r, "%s", r->err.message);
    return;
  }
  int32_t source_id = 1;
  calve_partition_field field = {1, 1000, CALVE_STR("p"), t, 1, &source_id};
  calve_spec spec = {0, 1, &field};
  bool spec_ok = calve_spec_check(&spec, schema, &r->err) == CALVE_OK;
  expect_bool(r, "spec_ok", member_bool(row, "spec_ok"), spec_ok);
}

static void run_satisfies(run *r, const calve_json *row) {
  calve_transform t, other;
  if (!member_transform(r, row, "transform", &t) || !member_transform(r, row, "other", &other))
    return;
  expect_bool(r, "result", member_bool(row, "result"),
              calve_transform_satisfies_order_of(&t, &other));
}

static void run_hash(run *r, const calve_json *row) {
  calve_value in;
  const calve_type *type = member_type(r, row, "type");
  if (!type || !member_value(r, row, "input", type, &in)) return;
  expect(r, "hash", text_of(r, "%lld", (long long)member_i64(row, "hash")),
         text_of(r, "%ld", (long)calve_bucket_hash(&in)));
}

void run_transforms(run *r, const calve_json *row) {
  calve_str kind = member_str(row, "kind");
  if (calve_str_equal_text(kind, "apply"))
    run_apply(r, row);
  else if (calve_str_equal_text(kind, "can_transform"))
    run_can_transform(r, row);
  else if (calve_str_equal_text(kind, "satisfies_order_of"))
    run_satisfies(r, row);
  else if (calve_str_equal_text(kind, "parse"))
    run_parse(r, row);
  else if (calve_str_equal_text(kind, "bucket_hash"))
    run_hash(r, row);
  else
    row_unusable(r, "the kind '%.*s' is not known", CALVE_STR_ARG(kind));
}
