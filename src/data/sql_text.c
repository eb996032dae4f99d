/* SPDX-License-Identifier: Apache-2.0 */
#include "data/sql_text.h"

#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "base/uuid.h"
#include "data/types.h"

/* `text` between quotes, inner quotes doubled. */
static void put_quoted(calve_buffer *out, char quote, calve_str text) {
  calve_buffer_putc(out, quote);
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == quote) calve_buffer_putc(out, quote);
    calve_buffer_putc(out, text.data[i]);
  }
  calve_buffer_putc(out, quote);
}

void calve_sql_name(calve_buffer *out, calve_str name) {
  put_quoted(out, '"', name);
}

void calve_sql_string(calve_buffer *out, calve_str text) {
  if (text.size > 0 && memchr(text.data, '\0', text.size)) {
    /* A statement ends at a NUL, so such text travels as bytes. */
    calve_buffer_puts(out, "decode(");
    calve_sql_blob(out, text);
    calve_buffer_putc(out, ')');
    return;
  }
  put_quoted(out, '\'', text);
}

void calve_sql_blob(calve_buffer *out, calve_str bytes) {
  calve_buffer_putc(out, '\'');
  for (size_t i = 0; i < bytes.size; i++)
    calve_buffer_printf(out, "\\x%02X", (unsigned)(unsigned char)bytes.data[i]);
  calve_buffer_puts(out, "'::BLOB");
}

calve_status calve_sql_file(calve_buffer *out, calve_str path, calve_error *err) {
  bool globs = false, backslash = false;
  for (size_t i = 0; i < path.size; i++) {
    globs |= path.data[i] == '*' || path.data[i] == '?' || path.data[i] == '[';
    backslash |= path.data[i] == '\\';
  }
  if (globs && backslash)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "DuckDB can't open a file whose path has both a backslash and one of * ? [: "
                      "%.*s",
                      CALVE_STR_ARG(path));
  calve_buffer_putc(out, '\'');
  for (size_t i = 0; i < path.size; i++) {
    char c = path.data[i];
    if (c == '*' || c == '?' || c == '[') {
      calve_buffer_putc(out, '[');
      calve_buffer_putc(out, c);
      calve_buffer_putc(out, ']');
      continue;
    }
    if (c == '\'') calve_buffer_putc(out, '\'');
    calve_buffer_putc(out, c);
  }
  calve_buffer_putc(out, '\'');
  return CALVE_OK;
}

void calve_sql_error(calve_buffer *out, const char *type, const char *message) {
  calve_buffer_puts(out, "error(");
  calve_sql_string(out, calve_str_of(message));
  calve_buffer_printf(out, ")::%s", type ? type : "VARCHAR");
}

/* Text such as 'Infinity', which DuckDB reads back exactly: the shortest that round-trips. */
static void put_double(calve_buffer *out, double v, bool is_float) {
  char text[CALVE_DOUBLE_TEXT_MAX];
  if (is_float)
    calve_float_format((float)v, text);
  else
    calve_double_format(v, text);
  calve_buffer_printf(out, "'%s'::%s", text, is_float ? "FLOAT" : "DOUBLE");
}

static calve_status put_value(calve_buffer *out, const calve_value *v, calve_error *err) {
  char text[CALVE_TIME_TEXT_MAX > CALVE_DECIMAL_TEXT_MAX ? CALVE_TIME_TEXT_MAX
                                                         : CALVE_DECIMAL_TEXT_MAX];
  switch (v->type) {
    case CALVE_BOOLEAN:
      calve_buffer_puts(out, v->b ? "true" : "false");
      break;
    case CALVE_INT:
      calve_buffer_printf(out, "%d", (int)v->i32);
      break;
    case CALVE_LONG:
      calve_buffer_printf(out, "'%lld'", (long long)v->i64);
      break;
    case CALVE_FLOAT:
      put_double(out, (double)v->f32, true);
      break;
    case CALVE_DOUBLE:
      put_double(out, v->f64, false);
      break;
    case CALVE_DECIMAL:
      calve_decimal_format(v->i128, v->scale, text);
      calve_buffer_printf(out, "'%s'", text);
      break;
    case CALVE_DATE:
      calve_buffer_printf(out, "(DATE '1970-01-01' + (%d))", (int)v->i32);
      break;
    case CALVE_TIME:
      calve_time_format(v->i64, text);
      calve_buffer_printf(out, "'%s'::TIME", text);
      break;
    case CALVE_TIMESTAMP:
      calve_buffer_printf(out, "make_timestamp('%lld'::BIGINT)", (long long)v->i64);
      break;
    case CALVE_TIMESTAMPTZ:
      calve_buffer_printf(out, "make_timestamptz('%lld'::BIGINT)", (long long)v->i64);
      break;
    case CALVE_TIMESTAMP_NS:
      calve_buffer_printf(out, "make_timestamp_ns('%lld'::BIGINT)", (long long)v->i64);
      break;
    case CALVE_STRING:
      calve_sql_string(out, v->bytes);
      break;
    case CALVE_UUID: {
      char uuid[CALVE_UUID_TEXT_SIZE];
      calve_uuid_format(v->uuid, uuid);
      calve_buffer_printf(out, "'%s'", uuid);
      break;
    }
    case CALVE_FIXED:
    case CALVE_BINARY:
      calve_sql_blob(out, v->bytes);
      break;
    default:
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                        "a value of this type can't be put into a query");
  }
  return CALVE_OK;
}

calve_status calve_sql_value(calve_buffer *out, const calve_value *v, const calve_type *type,
                             calve_error *err) {
  if (v->is_null)
    calve_buffer_puts(out, "NULL");
  else
    CALVE_TRY(put_value(out, v, err));
  calve_buffer_puts(out, "::");
  calve_sql_type(out, type);
  return CALVE_OK;
}
