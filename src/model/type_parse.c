/* SPDX-License-Identifier: Apache-2.0 */
#include "model/type.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define DEFAULT_CRS       "OGC:CRS84"
#define DEFAULT_ALGORITHM "spherical"

static const char *const type_names[] = {
    [CALVE_BOOLEAN] = "boolean",
    [CALVE_INT] = "int",
    [CALVE_LONG] = "long",
    [CALVE_FLOAT] = "float",
    [CALVE_DOUBLE] = "double",
    [CALVE_DECIMAL] = "decimal",
    [CALVE_DATE] = "date",
    [CALVE_TIME] = "time",
    [CALVE_TIMESTAMP] = "timestamp",
    [CALVE_TIMESTAMPTZ] = "timestamptz",
    [CALVE_TIMESTAMP_NS] = "timestamp_ns",
    [CALVE_TIMESTAMPTZ_NS] = "timestamptz_ns",
    [CALVE_STRING] = "string",
    [CALVE_UUID] = "uuid",
    [CALVE_FIXED] = "fixed",
    [CALVE_BINARY] = "binary",
    [CALVE_UNKNOWN] = "unknown",
    [CALVE_VARIANT] = "variant",
    [CALVE_GEOMETRY] = "geometry",
    [CALVE_GEOGRAPHY] = "geography",
    [CALVE_STRUCT] = "struct",
    [CALVE_LIST] = "list",
    [CALVE_MAP] = "map",
};

static const char *const algorithms[] = {"spherical", "vincenty", "thomas", "andoyer", "karney"};

static calve_status bad_type(calve_str text, const char *why, calve_error *err) {
  return calve_fail(err, CALVE_EINVAL, NULL, "'%.*s' is not a type: %s", CALVE_STR_ARG(text), why);
}

/* The type whose name starts the text; *rest is what follows. */
static bool name_prefix(calve_str text, calve_type_id *id, calve_str *rest) {
  size_t length = 0;
  while (length < text.size &&
         (text.data[length] == '_' || (text.data[length] >= 'a' && text.data[length] <= 'z') ||
          (text.data[length] >= 'A' && text.data[length] <= 'Z')))
    length++;
  calve_str word = {text.data, length};
  for (size_t i = 0; i <= CALVE_GEOGRAPHY; i++)
    if (calve_str_equal_nocase(word, calve_str_of(type_names[i]))) {
      *id = (calve_type_id)i;
      *rest = (calve_str){text.data + length, text.size - length};
      return true;
    }
  return false;
}

/* The trimmed text between `open` and `close`, which must be all there is. */
static bool arguments(calve_str rest, char open, char close, calve_str *out) {
  if (rest.size < 2 || rest.data[0] != open || rest.data[rest.size - 1] != close) return false;
  *out = calve_str_trim((calve_str){rest.data + 1, rest.size - 2});
  return true;
}

/* Digits only: no sign, so that "decimal(9, -1)" is refused. */
static bool digits(calve_str text, int32_t *out) {
  int64_t value;
  if (text.size == 0 || text.data[0] < '0' || text.data[0] > '9') return false;
  if (!calve_str_to_i64(text, &value) || value > INT32_MAX) return false;
  *out = (int32_t)value;
  return true;
}

/* Cuts "a, b" at its last comma; false when there is none. */
static bool split_comma(calve_str text, calve_str *first, calve_str *second) {
  for (size_t i = text.size; i-- > 0;)
    if (text.data[i] == ',') {
      *first = calve_str_trim((calve_str){text.data, i});
      *second = calve_str_trim((calve_str){text.data + i + 1, text.size - i - 1});
      return true;
    }
  return false;
}

static calve_status parse_decimal(calve_str text, calve_str rest, calve_arena *arena,
                                  const calve_type **out, calve_error *err) {
  calve_str args, first, second;
  int32_t precision, scale;
  if (!arguments(rest, '(', ')', &args) || !split_comma(args, &first, &second) ||
      !digits(first, &precision) || !digits(second, &scale))
    return bad_type(text, "expected decimal(precision, scale)", err);
  return calve_type_decimal(precision, scale, arena, out, err);
}

static calve_status parse_fixed(calve_str text, calve_str rest, calve_arena *arena,
                                const calve_type **out, calve_error *err) {
  calve_str args;
  int32_t length;
  if (!arguments(rest, '[', ']', &args) || !digits(args, &length))
    return bad_type(text, "expected fixed[length]", err);
  return calve_type_fixed(length, arena, out, err);
}

/* The default is stored as "absent", so that both spellings are one type. */
static calve_status parse_algorithm(calve_str text, calve_str word, calve_str *out,
                                    calve_error *err) {
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
    if (calve_str_equal_nocase(word, calve_str_of(algorithms[i]))) {
      *out = i == 0 ? (calve_str){NULL, 0} : calve_str_of(algorithms[i]);
      return CALVE_OK;
    }
  return bad_type(text, "the algorithm is none of spherical, vincenty, thomas, andoyer, karney",
                  err);
}

static calve_status parse_geo(calve_type_id id, calve_str text, calve_str rest, calve_arena *arena,
                              const calve_type **out, calve_error *err) {
  calve_type type = {.id = id};
  calve_str args, crs, algorithm;
  if (!arguments(calve_str_trim(rest), '(', ')', &args))
    return bad_type(text, "expected a coordinate reference system in parentheses", err);
  crs = args;
  if (id == CALVE_GEOGRAPHY && split_comma(args, &crs, &algorithm))
    CALVE_TRY(parse_algorithm(text, algorithm, &type.algorithm, err));
  if (crs.size == 0) return bad_type(text, "the coordinate reference system is empty", err);
  if (!calve_str_equal(crs, CALVE_STR(DEFAULT_CRS)))
    CALVE_TRY(calve_arena_str(arena, crs, &type.crs, err));
  calve_type *copy = CALVE_NEW(arena, calve_type);
  if (!copy) return calve_fail_oom(err);
  *copy = type;
  *out = copy;
  return CALVE_OK;
}

calve_status calve_type_parse(calve_str text, calve_arena *arena, const calve_type **out,
                              calve_error *err) {
  calve_type_id id;
  calve_str rest;
  if (text.size > CALVE_NAME_MAX) return bad_type(text, "the text is too long", err);
  if (!name_prefix(text, &id, &rest)) return bad_type(text, "no such primitive type", err);
  if (id == CALVE_DECIMAL) return parse_decimal(text, rest, arena, out, err);
  if (id == CALVE_FIXED) return parse_fixed(text, rest, arena, out, err);
  if ((id == CALVE_GEOMETRY || id == CALVE_GEOGRAPHY) && rest.size > 0)
    return parse_geo(id, text, rest, arena, out, err);
  if (rest.size > 0) return bad_type(text, "nothing may follow the type's name", err);
  *out = calve_type_of(id);
  return CALVE_OK;
}

/* with_ids: the canonical form; without, for messages: an id may be provisional, and says
 * nothing to a reader. */
static void print_type(const calve_type *t, calve_buffer *out, bool with_ids, int depth);

static void print_struct(const calve_type *t, calve_buffer *out, bool with_ids, int depth) {
  calve_buffer_puts(out, "struct<");
  for (int32_t i = 0; i < t->field_count; i++) {
    const calve_field *f = &t->fields[i];
    if (i > 0) calve_buffer_puts(out, ", ");
    if (with_ids) calve_buffer_printf(out, "%" PRId32 ": ", f->id);
    calve_buffer_put_str(out, f->name);
    calve_buffer_puts(out, !with_ids ? ": " : f->required ? ": required " : ": optional ");
    print_type(f->type, out, with_ids, depth + 1);
  }
  calve_buffer_putc(out, '>');
}

static void print_geo(const calve_type *t, calve_buffer *out) {
  calve_buffer_puts(out, type_names[t->id]);
  calve_buffer_putc(out, '(');
  calve_buffer_put_str(out, t->crs.data ? t->crs : CALVE_STR(DEFAULT_CRS));
  if (t->id == CALVE_GEOGRAPHY) {
    calve_buffer_puts(out, ", ");
    calve_buffer_put_str(out, t->algorithm.data ? t->algorithm : CALVE_STR(DEFAULT_ALGORITHM));
  }
  calve_buffer_putc(out, ')');
}

static void print_type(const calve_type *t, calve_buffer *out, bool with_ids, int depth) {
  if (depth > CALVE_DEPTH_MAX) {
    calve_buffer_puts(out, "...");
    return;
  }
  switch (t->id) {
    case CALVE_DECIMAL:
      calve_buffer_printf(out, "decimal(%" PRId32 ", %" PRId32 ")", t->precision, t->scale);
      return;
    case CALVE_FIXED:
      calve_buffer_printf(out, "fixed[%" PRId32 "]", t->length);
      return;
    case CALVE_GEOMETRY:
    case CALVE_GEOGRAPHY:
      print_geo(t, out);
      return;
    case CALVE_STRUCT:
      print_struct(t, out, with_ids, depth);
      return;
    case CALVE_LIST:
    case CALVE_MAP:
      calve_buffer_puts(out, t->id == CALVE_LIST ? "list<" : "map<");
      for (int32_t i = 0; i < t->field_count; i++) {
        if (i > 0) calve_buffer_puts(out, ", ");
        print_type(t->fields[i].type, out, with_ids, depth + 1);
      }
      calve_buffer_putc(out, '>');
      return;
    default:
      calve_buffer_puts(out, type_names[t->id]);
  }
}

void calve_type_print(const calve_type *t, calve_buffer *out) {
  print_type(t, out, true, 0);
}

static void *no_memory(void *ctx, void *p, size_t old_size, size_t new_size) {
  (void)ctx, (void)p, (void)old_size, (void)new_size;
  return NULL;
}

/* Prints into memory of its own, because error messages must not need the heap. */
const char *calve_type_text(const calve_type *t, char out[CALVE_TYPE_TEXT_MAX]) {
  static const calve_allocator none = {.struct_size = sizeof none, .resize = no_memory};
  char bytes[4 * CALVE_TYPE_TEXT_MAX];
  calve_buffer full = {.allocator = &none, .data = bytes, .capacity = sizeof bytes};
  print_type(t, &full, false, 0);
  size_t size = full.size < CALVE_TYPE_TEXT_MAX ? full.size : CALVE_TYPE_TEXT_MAX - 1;
  memcpy(out, bytes, size);
  /* A cut inside a character would leave the message with invalid UTF-8. */
  while (size > 0 && !calve_utf8_valid((calve_str){out, size})) size--;
  out[size] = '\0';
  return out;
}
