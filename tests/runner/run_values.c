/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/runner.h"

static const char *json_of(run *r, const calve_value *v, const calve_type *type) {
  calve_buffer out;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_value_write_json(v, type, &w);
  return take_text(r, &out);
}

static bool from_json(run *r, calve_str text, const calve_type *type, calve_value *out) {
  calve_json_reader reader;
  calve_json_open(&reader, text, "value", &r->row);
  return calve_value_read_json(&reader, type, out, &r->err) == CALVE_OK &&
         calve_json_end(&reader, &r->err) == CALVE_OK;
}

/* Nested values have no binary form: their JSON says what they are. */
static const char *content(run *r, const calve_value *v, const calve_type *type) {
  return calve_type_is_nested(type) ? json_of(r, v, type) : value_hex(r, v);
}

static void run_value(run *r, const calve_json *row) {
  calve_value v, back;
  calve_str bytes;
  const calve_type *type = member_type(r, row, "type");
  if (!type || !bytes_of_hex(r, member_str(row, "hex"), &bytes)) return;
  if (calve_value_from_bytes(type, bytes, &v, &r->err) != CALVE_OK) {
    expect(r, "from_bytes", "ok", error_text(r));
    return;
  }
  expect_bool(r, "bytes_round_trip", member_bool(row, "bytes_round_trip"),
              calve_str_equal_text(member_str(row, "hex"), value_hex(r, &v)));
  const char *json = json_of(r, &v, type);
  expect(r, "json_text", member_text(r, row, "json_text"), json);
  bool round_trip = from_json(r, calve_str_of(json), type, &back) && calve_value_equal(&v, &back);
  expect_bool(r, "json_round_trip", member_bool(row, "json_round_trip"), round_trip);
}

static void run_from_json(run *r, const calve_json *row) {
  calve_value v;
  const calve_type *type = member_type(r, row, "type");
  if (!type) return;
  bool ok = from_json(r, member_str(row, "json_text"), type, &v);
  const char *hex = member_text(r, row, "hex"), *text = member_text(r, row, "canonical_text");
  if (!member_bool(row, "ok")) {
    expect(r, "result", "error", ok ? content(r, &v, type) : "error");
  } else if (!ok) {
    expect(r, "result", "ok", error_text(r));
  } else {
    if (hex) expect(r, "hex", hex, value_hex(r, &v));
    expect(r, "canonical_text", text ? text : "null", json_of(r, &v, type));
  }
}

static void run_from_bytes(run *r, const calve_json *row) {
  calve_value v;
  calve_str bytes;
  const calve_type *type = member_type(r, row, "type");
  if (!type || !bytes_of_hex(r, member_str(row, "hex"), &bytes)) return;
  bool ok = calve_value_from_bytes(type, bytes, &v, &r->err) == CALVE_OK;
  if (member_bool(row, "ok"))
    expect(r, "value", member_text(r, row, "value_hex"), ok ? value_hex(r, &v) : error_text(r));
  else
    expect(r, "value", "error", ok ? value_hex(r, &v) : "error");
}

static void run_type_parse(run *r, const calve_json *row) {
  const calve_type *type;
  calve_buffer out;
  bool ok = calve_type_parse(member_str(row, "type"), &r->row, &type, &r->err) == CALVE_OK;
  expect_bool(r, "ok", member_bool(row, "ok"), ok);
  if (!ok || !member_bool(row, "ok")) return;
  calve_buffer_init(&out, NULL);
  calve_type_print(type, &out);
  expect(r, "canonical", member_text(r, row, "canonical"), take_text(r, &out));
}

void run_values(run *r, const calve_json *row) {
  calve_str kind = member_str(row, "kind");
  if (calve_str_equal_text(kind, "value"))
    run_value(r, row);
  else if (calve_str_equal_text(kind, "from_json"))
    run_from_json(r, row);
  else if (calve_str_equal_text(kind, "from_bytes"))
    run_from_bytes(r, row);
  else if (calve_str_equal_text(kind, "type_parse"))
    run_type_parse(r, row);
  else
    row_unusable(r, "the kind '%.*s' is not known", CALVE_STR_ARG(kind));
}
