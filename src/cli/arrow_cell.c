/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/arrow_cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* ---- reaching into arrays ----------------------------------------------------------------- */

static const void *buffer(const struct ArrowArray *a, int64_t index) {
  return index < a->n_buffers ? a->buffers[index] : NULL;
}

static bool bit_at(const void *bits, int64_t i) {
  return (((const uint8_t *)bits)[i / 8] >> (i % 8)) & 1;
}

bool cli_cell_is_null(const struct ArrowArray *a, int64_t row) {
  if (a->n_buffers == 0) return true; /* the null type */
  const void *valid = buffer(a, 0);
  return a->null_count != 0 && valid && !bit_at(valid, row + a->offset);
}

/* A little-endian value of the array's width. */
static void load(const struct ArrowArray *a, int64_t row, void *out, size_t width) {
  memcpy(out, (const char *)buffer(a, 1) + (size_t)(row + a->offset) * width, width);
}

/* The number in a format such as "w:16". */
static int64_t format_number(const char *text) { return strtoll(text, NULL, 10); }

static int64_t load_signed(const struct ArrowArray *a, int64_t row, size_t width) {
  int8_t v8;
  int16_t v16;
  int32_t v32;
  int64_t v64;
  switch (width) {
    case 1: load(a, row, &v8, 1); return v8;
    case 2: load(a, row, &v16, 2); return v16;
    case 4: load(a, row, &v32, 4); return v32;
    default: load(a, row, &v64, 8); return v64;
  }
}

static uint64_t load_unsigned(const struct ArrowArray *a, int64_t row, size_t width) {
  uint64_t v = 0; /* little-endian: the low bytes come first */
  load(a, row, &v, width);
  return v;
}

/* Start and end of a row of a variable-width array. */
static void range(const struct ArrowArray *a, int64_t row, bool large, int64_t *start,
                  int64_t *end) {
  int64_t i = row + a->offset;
  const void *offsets = buffer(a, 1);
  *start = large ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
  *end = large ? ((const int64_t *)offsets)[i + 1] : ((const int32_t *)offsets)[i + 1];
}

/* The same of a list view, which has sizes beside offsets. */
static void list_view(const struct ArrowArray *a, int64_t row, bool large, int64_t *start,
                      int64_t *end) {
  int64_t i = row + a->offset;
  const void *offsets = buffer(a, 1), *sizes = buffer(a, 2);
  *start = large ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
  *end = *start + (large ? ((const int64_t *)sizes)[i] : ((const int32_t *)sizes)[i]);
}

/* The bytes of a string or blob. Views keep short ones in place. */
static const char *bytes_of(const char *format, const struct ArrowArray *a, int64_t row,
                            size_t *size) {
  if (format[0] == 'v') {
    const char *view = (const char *)buffer(a, 1) + (row + a->offset) * 16;
    int32_t head[4];
    memcpy(head, view, sizeof head);
    *size = (size_t)head[0];
    if (head[0] <= 12) return view + 4;
    return (const char *)buffer(a, 2 + head[2]) + head[3];
  }
  int64_t start, end;
  range(a, row, format[0] == 'U' || format[0] == 'Z', &start, &end);
  *size = (size_t)(end - start);
  return (const char *)buffer(a, 2) + start;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static void put_double(double v, int most_digits, bool json, cli_text *out) {
  char text[64];
  if (isnan(v) || isinf(v)) {
    const char *name = isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity";
    if (json)
      cli_text_printf(out, "\"%s\"", name);
    else
      cli_text_puts(out, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    return;
  }
  for (int digits = 1; digits <= most_digits; digits++) { /* the shortest that reads back */
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (most_digits <= 9 ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v) break;
  }
  cli_text_puts(out, text);
  if (!strpbrk(text, ".e")) cli_text_puts(out, ".0");
}

static void put_decimal(const struct ArrowArray *a, int64_t row, int scale, cli_text *out) {
  wide v;
  char digits[64];
  int count = 0;
  load(a, row, &v, sizeof v);
  bool negative = v < 0;
  do { /* digits from the last; the remainder has the sign of v */
    int digit = (int)(v % 10);
    digits[count++] = (char)('0' + (digit < 0 ? -digit : digit));
    v /= 10;
  } while (v != 0 || count <= scale);
  if (negative) cli_text_put(out, "-", 1);
  for (int i = count - 1; i >= 0; i--) {
    cli_text_put(out, &digits[i], 1);
    if (i == scale && i > 0) cli_text_put(out, ".", 1);
  }
}

/* ---- times -------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Gregorian date of a day since 1970-01-01, by 400-year eras that begin in March. */
static void put_day(int64_t day, cli_text *out) {
  int64_t z = day + 719468, era = floor_div(z, 146097), in_era = z - era * 146097;
  int64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  int64_t in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted = (5 * in_year + 2) / 153, month = shifted < 10 ? shifted + 3 : shifted - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2);
  cli_text_printf(out, year < 0 ? "%05" PRId64 : "%04" PRId64, year);
  cli_text_printf(out, "-%02d-%02d", (int)month, (int)(in_year - (153 * shifted + 2) / 5 + 1));
}

/* The engine has infinite dates. */
static void put_date(int64_t day, cli_text *out) {
  if (day == INT32_MAX || day == -INT32_MAX)
    cli_text_puts(out, day > 0 ? "infinity" : "-infinity");
  else
    put_day(day, out);
}

/* per_second: units of a second. The fraction loses its zeros at the end. */
static void put_time(int64_t units, int64_t per_second, cli_text *out) {
  int64_t seconds = units / per_second, fraction = units % per_second;
  cli_text_printf(out, "%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                  (int)(seconds % 60));
  if (fraction == 0) return;
  char text[16];
  int width = per_second == 1000 ? 3 : per_second == 1000000 ? 6 : 9;
  int size = snprintf(text, sizeof text, "%0*" PRId64, width, fraction);
  while (size > 1 && text[size - 1] == '0') size--;
  cli_text_printf(out, ".%.*s", size, text);
}

static int64_t units_per_second(char unit) {
  return unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1000000 : 1000000000;
}

/* "tsu:UTC": instants of a zoned type are shown in UTC. */
static void put_timestamp(const char *format, int64_t v, cli_text *out) {
  if (v == INT64_MAX || v == -INT64_MAX) { /* the engine's infinities */
    cli_text_puts(out, v > 0 ? "infinity" : "-infinity");
    return;
  }
  int64_t per_second = units_per_second(format[2]), per_day = per_second * 86400;
  int64_t day = floor_div(v, per_day);
  put_day(day, out);
  cli_text_put(out, " ", 1);
  put_time(v - day * per_day, per_second, out);
  if (format[3] == ':' && format[4]) cli_text_puts(out, "+00");
}

static void put_temporal(const char *format, const struct ArrowArray *a, int64_t row,
                         cli_text *out) {
  if (format[1] == 'd')
    put_date(format[2] == 'm' ? floor_div(load_signed(a, row, 8), 86400000)
                              : load_signed(a, row, 4),
             out);
  else if (format[1] == 't')
    put_time(load_signed(a, row, format[2] == 's' || format[2] == 'm' ? 4 : 8),
             units_per_second(format[2]), out);
  else
    put_timestamp(format, load_signed(a, row, 8), out);
}

/* ---- strings and bytes -------------------------------------------------------------------- */

/* Bytes as the engine prints a BLOB: printable ASCII as it is, the rest as \xNN. */
static void put_blob(const char *bytes, size_t size, cli_text *out) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c >= 0x20 && c < 0x7f && c != '\\' && c != '\'' && c != '"')
      cli_text_put(out, (const char *)&bytes[i], 1);
    else
      cli_text_printf(out, "\\x%02X", c);
  }
}

static bool is_extension(const struct ArrowSchema *s, const char *name) {
  /* metadata: count, then (size, key, size, value) each; enough to look for the extension's name */
  if (!s->metadata) return false;
  size_t length = strlen(name);
  const char *at = s->metadata;
  int32_t count, size;
  memcpy(&count, at, 4);
  at += 4;
  for (int32_t i = 0; i < 2 * count; i++) {
    memcpy(&size, at, 4);
    if ((size_t)size == length && memcmp(at + 4, name, length) == 0) return true;
    at += 4 + size;
  }
  return false;
}

static void put_uuid(const uint8_t *v, cli_text *out) {
  for (int i = 0; i < 16; i++)
    cli_text_printf(out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", v[i]);
}

static void put_bytes(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row,
                      bool text, bool json, cli_text *out) {
  size_t size;
  cli_text plain = {0};
  const char *bytes;
  if (s->format[0] == 'w') {
    size = (size_t)format_number(s->format + 2);
    bytes = (const char *)buffer(a, 1) + (size_t)(row + a->offset) * size;
  } else {
    bytes = bytes_of(s->format, a, row, &size);
  }
  if (strcmp(s->format, "w:16") == 0 && is_extension(s, "arrow.uuid"))
    put_uuid((const uint8_t *)bytes, &plain);
  else if (!text)
    put_blob(bytes, size, &plain);
  if (plain.size > 0 || !text) {
    bytes = plain.data;
    size = plain.size;
  }
  if (json && !(text && is_extension(s, "arrow.json"))) /* that is JSON already */
    cli_text_json_string(out, bytes, size);
  else
    cli_text_put(out, bytes, size);
  out->failed |= plain.failed;
  cli_text_free(&plain);
}

/* ---- nested ------------------------------------------------------------------------------- */

static void put_json(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row,
                     cli_text *out) {
  if (cli_cell_is_null(a, row))
    cli_text_puts(out, "null");
  else
    cli_cell_text(s, a, row, true, out);
}

static void put_struct(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row,
                       cli_text *out) {
  cli_text_put(out, "{", 1);
  for (int64_t i = 0; i < s->n_children; i++) {
    const char *name = s->children[i]->name;
    if (i > 0) cli_text_puts(out, ", ");
    cli_text_json_string(out, name, strlen(name));
    cli_text_puts(out, ": ");
    put_json(s->children[i], a->children[i], row + a->offset, out);
  }
  cli_text_put(out, "}", 1);
}

/* Keys of a JSON object are strings: other keys are written as their text. */
static void put_map(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row,
                    cli_text *out) {
  int64_t start, end;
  const struct ArrowSchema *pair = s->children[0];
  const struct ArrowArray *entries = a->children[0];
  range(a, row, false, &start, &end);
  cli_text_put(out, "{", 1);
  for (int64_t i = start; i < end; i++) {
    cli_text key = {0};
    if (i > start) cli_text_puts(out, ", ");
    cli_cell_text(pair->children[0], entries->children[0], i + entries->offset, false, &key);
    cli_text_json_string(out, key.data ? key.data : "", key.size);
    out->failed |= key.failed;
    cli_text_free(&key);
    cli_text_puts(out, ": ");
    put_json(pair->children[1], entries->children[1], i + entries->offset, out);
  }
  cli_text_put(out, "}", 1);
}

static void put_list(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row,
                     cli_text *out) {
  int64_t start, end;
  if (s->format[1] == 'w') { /* fixed size */
    int64_t size = format_number(s->format + 3);
    start = (row + a->offset) * size;
    end = start + size;
  } else if (s->format[1] == 'v') {
    list_view(a, row, s->format[2] == 'L', &start, &end);
  } else {
    range(a, row, s->format[1] == 'L', &start, &end);
  }
  cli_text_put(out, "[", 1);
  for (int64_t i = start; i < end; i++) {
    if (i > start) cli_text_puts(out, ", ");
    put_json(s->children[0], a->children[0], i, out);
  }
  cli_text_put(out, "]", 1);
}

/* ---- one cell ----------------------------------------------------------------------------- */

bool cli_cell_is_number(const struct ArrowSchema *s) {
  return !s->dictionary && (strchr("cCsSiIlLfg", s->format[0]) != NULL || s->format[0] == 'd');
}

static void put_number(const char *format, const struct ArrowArray *a, int64_t row, bool json,
                       cli_text *out) {
  static const char order[] = "cCsSiIlL"; /* width doubles every two */
  float f;
  double d;
  if (format[0] == 'f') {
    load(a, row, &f, sizeof f);
    put_double((double)f, 9, json, out);
  } else if (format[0] == 'g') {
    load(a, row, &d, sizeof d);
    put_double(d, 17, json, out);
  } else if (format[0] == 'd') {
    const char *scale = strchr(format, ',');
    put_decimal(a, row, scale ? (int)format_number(scale + 1) : 0, out);
  } else {
    size_t index = (size_t)(strchr(order, format[0]) - order), width = (size_t)1 << (index / 2);
    if (index % 2 == 0)
      cli_text_printf(out, "%" PRId64, load_signed(a, row, width));
    else
      cli_text_printf(out, "%" PRIu64, load_unsigned(a, row, width));
  }
}

/* Times are strings in JSON. */
static void put_quoted_temporal(const char *format, const struct ArrowArray *a, int64_t row,
                                bool json, cli_text *out) {
  if (json) cli_text_put(out, "\"", 1);
  put_temporal(format, a, row, out);
  if (json) cli_text_put(out, "\"", 1);
}

void cli_cell_text(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row, bool json,
                   cli_text *out) {
  const char *format = s->format;
  if (s->dictionary) {
    int64_t index = load_signed(a, row, format[0] == 'c' || format[0] == 'C'   ? 1
                                        : format[0] == 's' || format[0] == 'S' ? 2
                                        : format[0] == 'i' || format[0] == 'I' ? 4
                                                                               : 8);
    cli_cell_text(s->dictionary, a->dictionary, index, json, out);
  } else if (format[0] == 'b') {
    cli_text_puts(out, bit_at(buffer(a, 1), row + a->offset) ? "true" : "false");
  } else if (cli_cell_is_number(s)) {
    put_number(format, a, row, json, out);
  } else if (format[0] == 't') {
    put_quoted_temporal(format, a, row, json, out);
  } else if (strcmp(format, "+s") == 0) {
    put_struct(s, a, row, out);
  } else if (strcmp(format, "+m") == 0) {
    put_map(s, a, row, out);
  } else if (format[0] == '+') {
    put_list(s, a, row, out);
  } else {
    bool text = strchr("uU", format[0]) != NULL || strcmp(format, "vu") == 0;
    put_bytes(s, a, row, text, json, out);
  }
}
