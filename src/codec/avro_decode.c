/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/limits.h"
#include "codec/avro_cursor.h"
#include "codec/avro_skip.h"

calve_status calve_avro__damaged(const calve_avro__cursor *c, const char *what) {
  return calve_fail(c->err, CALVE_ECORRUPT, NULL, "%s", what);
}

calve_status calve_avro__cut_off(const calve_avro__cursor *c) {
  return calve_avro__damaged(c, "a value is cut off or has an impossible length");
}

static inline bool read_text(const char **at, const char *end, calve_str *out) {
  int64_t size;
  if (!calve_avro__read_long(at, end, &size) || size < 0 || size > end - *at) return false;
  *out = (calve_str){*at, (size_t)size};
  *at += size;
  return true;
}

static bool take_text(calve_avro__cursor *c, calve_str *out) {
  return read_text(&c->at, c->end, out);
}

static bool take_raw(calve_avro__cursor *c, uint64_t size, calve_str *out) {
  if (size > (uint64_t)(c->end - c->at)) return false;
  *out = (calve_str){c->at, (size_t)size};
  c->at += size;
  return true;
}

static bool take_prefixed(calve_avro__cursor *c, uint64_t size, calve_str *out) {
  calve_str text;
  if (!take_text(c, &text) || text.size != size) return false;
  *out = text;
  return true;
}

/* ---- lists ---------------------------------------------------------------------------------- */

calve_status calve_avro__list_reserve(calve_avro__cursor *c, calve_avro__list *l, size_t more) {
  if (more > CALVE_AVRO__LIST_MAX || l->count + more > CALVE_AVRO__LIST_MAX) {
    return calve_avro__damaged(c, "a list has more than 1048576 items");
  }
  if (l->items && l->count + more <= l->capacity) return CALVE_OK;
  size_t capacity = l->count + more > 2 * l->capacity ? l->count + more : 2 * l->capacity;
  char *items = calve_arena_room(c->arena, capacity, l->item_size);
  if (!items) return calve_fail_oom(c->err);
  if (l->count > 0) memcpy(items, l->items, l->count * l->item_size);
  l->items = items;
  l->capacity = capacity;
  return CALVE_OK;
}

calve_status calve_avro__list_next(calve_avro__cursor *c, size_t item_min_bytes, int64_t *count) {
  int64_t size_bytes;
  if (!calve_avro__next_items(&c->at, c->end, count, &size_bytes)) return calve_avro__cut_off(c);
  size_t least = item_min_bytes > 0 ? item_min_bytes : 1;
  if ((uint64_t)*count > (uint64_t)(c->end - c->at) / least) {
    return calve_avro__damaged(c, "a list claims more items than its bytes can hold");
  }
  return CALVE_OK;
}

static calve_status decode_numbers(const calve_avro__op *op, calve_avro__cursor *c, char *target) {
  const calve_avro__numbers *numbers = op->more;
  calve_avro__list l = {.item_size = op->small};
  CALVE_TRY(calve_avro__list_reserve(c, &l, 0));
  for (;;) {
    int64_t count;
    CALVE_TRY(calve_avro__list_next(c, numbers->item_min_bytes, &count));
    if (count == 0) break;
    CALVE_TRY(calve_avro__list_reserve(c, &l, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
      int64_t number = 0;
      CALVE_TRY(calve_avro__run(numbers->item, c, (char *)&number));
      if (op->small == 4) {
        if (number < INT32_MIN || number > INT32_MAX)
          return calve_avro__damaged(c, "an int is out of range");
        ((int32_t *)(void *)l.items)[l.count++] = (int32_t)number;
      } else {
        ((int64_t *)(void *)l.items)[l.count++] = number;
      }
    }
  }
  calve_i64_list out = {.items = (const int64_t *)(const void *)l.items, .count = l.count};
  memcpy(target, &out, sizeof out); /* both list types are a pointer and a count                */
  return CALVE_OK;
}

static calve_status decode_records(const calve_avro__op *op, calve_avro__cursor *c, char *target) {
  const calve_avro__records *records = op->more;
  calve_avro__list l = {.item_size = records->item_size};
  CALVE_TRY(calve_avro__list_reserve(c, &l, 0));
  for (;;) {
    int64_t count;
    CALVE_TRY(calve_avro__list_next(c, records->item_min_bytes, &count));
    if (count == 0) break;
    CALVE_TRY(calve_avro__list_reserve(c, &l, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
      char *item = l.items + l.count * l.item_size;
      if (records->blank) memcpy(item, records->blank, l.item_size);
      CALVE_TRY(calve_avro__run(records->item, c, item));
      l.count++;
    }
  }
  calve_record_list out = {.items = l.items, .count = l.count};
  memcpy(target, &out, sizeof out);
  return CALVE_OK;
}

/* ---- single values -------------------------------------------------------------------------- */

static calve_status decode_scalar(const calve_avro__op *op, calve_avro__cursor *c,
                                  calve_avro_scalar *out) {
  const calve_avro_type *type = op->more;
  calve_avro_scalar s = {.is_set = true};
  calve_str raw;
  bool ok = false;
  float single;
  switch (type->id) {
    case CALVE_AVRO_BOOLEAN:
      ok = take_raw(c, 1, &raw);
      s.i64 = ok && raw.data[0] != 0;
      break;
    case CALVE_AVRO_FLOAT:
      ok = take_raw(c, 4, &raw);
      if (ok) memcpy(&single, raw.data, 4); /* little-endian, as this machine is                */
      if (ok) s.f64 = (double)single;
      break;
    case CALVE_AVRO_DOUBLE:
      ok = take_raw(c, 8, &raw);
      if (ok) memcpy(&s.f64, raw.data, 8);
      break;
    case CALVE_AVRO_BYTES:
    case CALVE_AVRO_STRING:
      ok = take_text(c, &s.bytes);
      break;
    case CALVE_AVRO_FIXED:
      ok = op->small == 1 ? take_prefixed(c, type->size_bytes, &s.bytes)
                          : take_raw(c, type->size_bytes, &s.bytes);
      break;
    default:
      break;
  }
  if (!ok) return calve_avro__cut_off(c);
  *out = s;
  return CALVE_OK;
}

/* The ops that move on without a jump. */
static calve_status step(const calve_avro__op *op, calve_avro__cursor *c, char *target) {
  calve_str text;
  switch ((calve_avro__code)op->code) {
    case CALVE_OP_SKIP_TYPE:
      if (!calve_avro__skip_type(op->more, &c->at, c->end, 0)) return calve_avro__cut_off(c);
      return CALVE_OK;
    case CALVE_OP_BOOL:
      if (!take_raw(c, 1, &text)) return calve_avro__cut_off(c);
      *target = text.data[0] != 0; /* a bool, or a byte with room for "unknown"                */
      return CALVE_OK;
    case CALVE_OP_FIXED:
      return take_raw(c, op->n, (calve_str *)(void *)target) ? CALVE_OK : calve_avro__cut_off(c);
    case CALVE_OP_PREFIXED:
      return take_prefixed(c, op->n, (calve_str *)(void *)target) ? CALVE_OK
                                                                  : calve_avro__cut_off(c);
    case CALVE_OP_SCALAR:
      return decode_scalar(op, c, (calve_avro_scalar *)(void *)target);
    case CALVE_OP_NUMBERS:
      return decode_numbers(op, c, target);
    case CALVE_OP_PAIRS:
      return calve_avro__decode_pairs(op, c, target);
    case CALVE_OP_RECORDS:
      return decode_records(op, c, target);
    case CALVE_OP_FAIL:
      return calve_avro__damaged(c, op->more);
    default:
      return CALVE_OK; /* SCALAR_NULL                                                    */
  }
}

static inline calve_status read_i32(calve_avro__cursor *c, const char **at, const char *end,
                                    int32_t *out) {
  int64_t number;
  if (!calve_avro__read_long(at, end, &number)) return calve_avro__cut_off(c);
  if (number != (int32_t)number) return calve_avro__damaged(c, "an int is out of range");
  *out = (int32_t)number;
  return CALVE_OK;
}

static inline calve_status read_branch(calve_avro__cursor *c, const char **at, const char *end,
                                       uint64_t count, uint64_t *out) {
  int64_t number;
  if (!calve_avro__read_long(at, end, &number)) return calve_avro__cut_off(c);
  if ((uint64_t)number >= count) return calve_avro__damaged(c, "a union has no such branch");
  *out = (uint64_t)number;
  return CALVE_OK;
}

static inline bool read_scalar_long(const char **at, const char *end, calve_avro_scalar *out) {
  int64_t number;
  if (!calve_avro__read_long(at, end, &number)) return false;
  *out = (calve_avro_scalar){.is_set = true, .i64 = number};
  return true;
}

calve_status calve_avro__run(const calve_avro_program *program, calve_avro__cursor *c,
                             char *record) {
  char *bases[CALVE_AVRO__BASES_MAX];
  size_t depth = 0;
  const char *at = c->at, *const end = c->end; /* here, not in *c: what is stored can't alias it */
  calve_str text;
  uint64_t branch;
  bool ok = true;
  for (const calve_avro__op *op = program->ops; ok; op++) {
    switch ((calve_avro__code)op->code) {
      case CALVE_OP_END:
        c->at = at;
        return CALVE_OK;
      case CALVE_OP_SKIP_VARINTS:
        ok = calve_avro__skip_varints(&at, end, op->n);
        break;
      case CALVE_OP_SKIP_RAW:
        ok = op->n <= (uint64_t)(end - at);
        if (ok) at += op->n;
        break;
      case CALVE_OP_SKIP_TEXT:
        ok = read_text(&at, end, &text);
        break;
      case CALVE_OP_SKIP_NUMBER_ITEMS:
        ok = calve_avro__skip_number_items(&at, end, op->n);
        break;
      case CALVE_OP_SKIP_TEXT_PAIRS:
        ok = calve_avro__skip_text_pairs(&at, end, c->hints->texts[op->n]);
        break;
      case CALVE_OP_OPTIONAL:
        CALVE_TRY(read_branch(c, &at, end, 2, &branch));
        if (branch == op->small) op = program->ops + op->n - 1;
        break;
      case CALVE_OP_BRANCHES:
        CALVE_TRY(read_branch(c, &at, end, op->n, &branch));
        op = program->ops + ((const uint32_t *)op->more)[branch] - 1;
        break;
      case CALVE_OP_JUMP:
        op = program->ops + op->n - 1;
        break;
      case CALVE_OP_I32:
        CALVE_TRY(read_i32(c, &at, end, (int32_t *)(void *)(record + op->offset)));
        break;
      case CALVE_OP_SCALAR_LONG:
        ok = read_scalar_long(&at, end, (calve_avro_scalar *)(void *)(record + op->offset));
        break;
      case CALVE_OP_I64:
        ok = calve_avro__read_number(&at, end, (int64_t *)(void *)(record + op->offset));
        break;
      case CALVE_OP_TEXT:
        ok = read_text(&at, end, (calve_str *)(void *)(record + op->offset));
        break;
      case CALVE_OP_ENTER:
        bases[depth++] = record;
        record = *(char **)(void *)(record + op->offset);
        break;
      case CALVE_OP_LEAVE:
        record = bases[--depth];
        break;
      default:
        c->at = at;
        CALVE_TRY(step(op, c, record + op->offset));
        at = c->at;
        break;
    }
  }
  return calve_avro__cut_off(c);
}

calve_avro_hints *calve_avro_hints_make(calve_arena *arena) {
  calve_avro_hints *hints = CALVE_NEW(arena, calve_avro_hints);
  if (hints) calve_avro_hints_restart(hints);
  return hints;
}

void calve_avro_hints_restart(calve_avro_hints *hints) {
  memset(hints->places, 0xff, sizeof hints->places);
}

calve_status calve_avro_decode(const calve_avro_program *program, const char **at, const char *end,
                               void *record, calve_avro_hints *hints, calve_arena *arena,
                               calve_error *err) {
  calve_avro__cursor c = {.at = *at, .end = end, .arena = arena, .hints = hints, .err = err};
  calve_status status = calve_avro__run(program, &c, record);
  *at = c.at;
  return status;
}
