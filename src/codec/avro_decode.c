/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "codec/avro_program.h"
#include "codec/avro_skip.h"

/* Where a program stands: the data left, and the memory that lists are made in. */
typedef struct cursor {
  const char *at, *end;
  calve_arena *arena;
  calve_error *err;
} cursor;

static calve_status run(const calve_avro_program *program, cursor *c, char *record);

static calve_status damaged(const cursor *c, const char *what) {
  return calve_fail(c->err, CALVE_ECORRUPT, NULL, "%s", what);
}

static calve_status cut_off(const cursor *c) {
  return damaged(c, "a value is cut off or has an impossible length");
}

static bool take_text(cursor *c, calve_str *out) {
  int64_t size;
  if (!calve_avro__read_long(&c->at, c->end, &size) || size < 0 || size > c->end - c->at) {
    return false;
  }
  *out = (calve_str){c->at, (size_t)size};
  c->at += size;
  return true;
}

static bool take_raw(cursor *c, uint64_t size, calve_str *out) {
  if (size > (uint64_t)(c->end - c->at)) return false;
  *out = (calve_str){c->at, (size_t)size};
  c->at += size;
  return true;
}

static bool take_prefixed(cursor *c, uint64_t size, calve_str *out) {
  calve_str text;
  if (!take_text(c, &text) || text.size != size) return false;
  *out = text;
  return true;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Items collected so far; grows in the arena, where old pieces stay until it is reset. */
typedef struct list {
  char *items;
  size_t count, capacity, item_size;
} list;

/* Room for `more` items behind the last; lists are never NULL once this succeeded. */
static calve_status list_reserve(cursor *c, list *l, size_t more) {
  if (more > CALVE_AVRO__LIST_MAX || l->count + more > CALVE_AVRO__LIST_MAX) {
    return damaged(c, "a list has more than 1048576 items");
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

/* The head of a list's next block: count items follow, 0 at its end. The data must be long enough
 * to hold them. */
static calve_status next_items(cursor *c, size_t item_min_bytes, int64_t *count) {
  int64_t size_bytes;
  if (!calve_avro__next_items(&c->at, c->end, count, &size_bytes)) return cut_off(c);
  size_t least = item_min_bytes > 0 ? item_min_bytes : 1;
  if ((uint64_t)*count > (uint64_t)(c->end - c->at) / least) {
    return damaged(c, "a list claims more items than its bytes can hold");
  }
  return CALVE_OK;
}

static calve_status decode_numbers(const calve_avro__op *op, cursor *c, char *target) {
  const calve_avro__numbers *numbers = op->more;
  list l = {.item_size = op->small};
  CALVE_TRY(list_reserve(c, &l, 0));
  for (;;) {
    int64_t count;
    CALVE_TRY(next_items(c, numbers->item_min_bytes, &count));
    if (count == 0) break;
    CALVE_TRY(list_reserve(c, &l, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
      int64_t number = 0;
      CALVE_TRY(run(numbers->item, c, (char *)&number));
      if (op->small == 4) {
        if (number < INT32_MIN || number > INT32_MAX) return damaged(c, "an int is out of range");
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

static calve_status decode_records(const calve_avro__op *op, cursor *c, char *target) {
  const calve_avro__records *records = op->more;
  list l = {.item_size = records->item_size};
  CALVE_TRY(list_reserve(c, &l, 0));
  for (;;) {
    int64_t count;
    CALVE_TRY(next_items(c, records->item_min_bytes, &count));
    if (count == 0) break;
    CALVE_TRY(list_reserve(c, &l, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
      char *item = l.items + l.count * l.item_size;
      if (records->blank) memcpy(item, records->blank, l.item_size);
      CALVE_TRY(run(records->item, c, item));
      l.count++;
    }
  }
  calve_record_list out = {.items = l.items, .count = l.count};
  memcpy(target, &out, sizeof out);
  return CALVE_OK;
}

/* One pair in either form; both structs start with the id. */
typedef union pair {
  calve_id_i64 number;
  calve_id_bytes text;
} pair;

static bool is_wanted(const calve_avro__pairs *pairs, int32_t id) {
  size_t low = 0, high = pairs->only_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (pairs->only_ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < pairs->only_count && pairs->only_ids[low] == id;
}

static int compare_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

static int32_t id_at(const list *l, size_t i) {
  int32_t id;
  memcpy(&id, l->items + i * l->item_size, sizeof id);
  return id;
}

/* Sorts by id and drops every id that comes twice. */
static void sort_pairs(list *l) {
  qsort(l->items, l->count, l->item_size, compare_ids);
  size_t kept = 0;
  for (size_t i = 0, next; i < l->count; i = next) {
    next = i + 1;
    while (next < l->count && id_at(l, next) == id_at(l, i)) next++;
    if (next > i + 1) continue;
    memmove(l->items + kept * l->item_size, l->items + i * l->item_size, l->item_size);
    kept++;
  }
  l->count = kept;
}

/* A map in the making. */
typedef struct pair_list {
  const calve_avro__pairs *pairs;
  bool is_text, sorted;
  int64_t last_id;
  list l;
} pair_list;

static calve_status keep_pair(cursor *c, pair_list *p, const pair *value) {
  if (p->l.count == p->l.capacity) CALVE_TRY(list_reserve(c, &p->l, 1));
  memcpy(p->l.items + p->l.count * p->l.item_size, value, p->l.item_size);
  int32_t id = id_at(&p->l, p->l.count++);
  p->sorted = p->sorted && id > p->last_id;
  p->last_id = id;
  return CALVE_OK;
}

/* All of `count` plain pairs, straight into the list: statistics of all columns are most of what a
 * manifest holds. */
static bool take_numbers(cursor *c, pair_list *p, int64_t count) {
  calve_id_i64 *to = (calve_id_i64 *)(void *)p->l.items + p->l.count;
  const char *at = c->at, *const end = c->end;
  int64_t id, last = p->last_id;
  bool sorted = p->sorted;
  for (const calve_id_i64 *stop = to + count; to < stop; to++) {
    if (!calve_avro__read_long(&at, end, &id) || id != (int32_t)id ||
        !calve_avro__read_number(&at, end, &to->value)) {
      return false;
    }
    to->id = (int32_t)id;
    sorted &= id > last;
    last = id;
  }
  c->at = at;
  p->sorted = sorted;
  p->last_id = last;
  p->l.count += (size_t)count;
  return true;
}

static bool take_texts(cursor *c, pair_list *p, int64_t count) {
  calve_id_bytes *to = (calve_id_bytes *)(void *)p->l.items + p->l.count;
  const char *at = c->at, *const end = c->end;
  int64_t id, size, last = p->last_id;
  bool sorted = p->sorted;
  for (const calve_id_bytes *stop = to + count; to < stop; to++) {
    if (!calve_avro__read_long(&at, end, &id) || id != (int32_t)id ||
        !calve_avro__read_long(&at, end, &size) || size < 0 || size > end - at) {
      return false;
    }
    to->id = (int32_t)id;
    to->value = (calve_str){at, (size_t)size};
    at += size;
    sorted &= id > last;
    last = id;
  }
  c->at = at;
  p->sorted = sorted;
  p->last_id = last;
  p->l.count += (size_t)count;
  return true;
}

static calve_status take_pairs(cursor *c, pair_list *p, int64_t count) {
  CALVE_TRY(list_reserve(c, &p->l, (size_t)count));
  if (p->pairs->plain) {
    return (p->is_text ? take_texts : take_numbers)(c, p, count) ? CALVE_OK : cut_off(c);
  }
  for (int64_t i = 0; i < count; i++) {
    pair value = {0};
    CALVE_TRY(run(p->pairs->item, c, (char *)&value));
    CALVE_TRY(keep_pair(c, p, &value));
  }
  return CALVE_OK;
}

static bool skip_values(cursor *c, const pair_list *p, int64_t count) {
  return p->is_text ? calve_avro__skip_text_items(&c->at, c->end, count)
                    : calve_avro__skip_varints(&c->at, c->end, (uint64_t)count * 2);
}

/* A plain pair, whatever its id; kept or not, a value costs the same. */
static bool take_pair(cursor *c, bool is_text, int64_t *id, pair *out) {
  return calve_avro__read_long(&c->at, c->end, id) &&
         (is_text ? take_text(c, &out->text.value)
                  : calve_avro__read_number(&c->at, c->end, &out->number.value));
}

/* Some ids of plain pairs; once all are found the rest is skipped in one go. Ids go upwards in the
 * data as they do in the list of wanted ones, nearly always. */
static calve_status pick_pairs(cursor *c, pair_list *p, int64_t count) {
  const int32_t *wanted = p->pairs->only_ids, *end = wanted + p->pairs->only_count;
  int64_t id, highest = INT64_MIN;
  for (; count > 0 && p->l.count < p->pairs->only_count; count--) {
    pair value = {0};
    if (!take_pair(c, p->is_text, &id, &value)) return cut_off(c);
    bool keeps;
    if (id >= highest) {
      highest = id;
      while (wanted < end && *wanted < id) wanted++;
      keeps = wanted < end && *wanted == id;
    } else {
      keeps = id == (int32_t)id && is_wanted(p->pairs, (int32_t)id);
    }
    if (!keeps) continue;
    if (p->is_text)
      value.text.id = (int32_t)id;
    else
      value.number.id = (int32_t)id;
    CALVE_TRY(keep_pair(c, p, &value));
  }
  return skip_values(c, p, count) ? CALVE_OK : cut_off(c);
}

static calve_status pick_odd_pairs(cursor *c, pair_list *p, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    pair value = {0};
    CALVE_TRY(run(p->pairs->item, c, (char *)&value));
    int32_t id = p->is_text ? value.text.id : value.number.id;
    if (is_wanted(p->pairs, id)) CALVE_TRY(keep_pair(c, p, &value));
  }
  return CALVE_OK;
}

static calve_status decode_pairs(const calve_avro__op *op, cursor *c, char *target) {
  const calve_avro__pairs *pairs = op->more;
  pair_list p = {.pairs = pairs, .is_text = op->small == 1, .sorted = true, .last_id = INT64_MIN};
  p.l.item_size = p.is_text ? sizeof(calve_id_bytes) : sizeof(calve_id_i64);
  CALVE_TRY(list_reserve(c, &p.l, pairs->only_ids ? pairs->only_count : 0));
  for (;;) {
    int64_t count;
    CALVE_TRY(next_items(c, pairs->item_min_bytes, &count));
    if (count == 0) break;
    if (!pairs->only_ids)
      CALVE_TRY(take_pairs(c, &p, count));
    else if (pairs->plain)
      CALVE_TRY(pick_pairs(c, &p, count));
    else
      CALVE_TRY(pick_odd_pairs(c, &p, count));
  }
  if (!p.sorted) sort_pairs(&p.l);
  calve_record_list out = {.items = p.l.items, .count = p.l.count};
  memcpy(target, &out, sizeof out);
  return CALVE_OK;
}

/* ---- single values -------------------------------------------------------------------------- */

static calve_status decode_scalar(const calve_avro__op *op, cursor *c, calve_avro_scalar *out) {
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
    case CALVE_AVRO_INT:
    case CALVE_AVRO_LONG:
    case CALVE_AVRO_ENUM:
      ok = calve_avro__read_long(&c->at, c->end, &s.i64);
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
  if (!ok) return cut_off(c);
  *out = s;
  return CALVE_OK;
}

/* The ops that move on without a jump. */
static calve_status step(const calve_avro__op *op, cursor *c, char *target) {
  calve_str text;
  int64_t number;
  switch ((calve_avro__code)op->code) {
    case CALVE_OP_SKIP_TYPE:
      if (!calve_avro__skip_type(op->more, &c->at, c->end, 0)) return cut_off(c);
      return CALVE_OK;
    case CALVE_OP_BOOL:
      if (!take_raw(c, 1, &text)) return cut_off(c);
      *target = text.data[0] != 0; /* a bool, or a byte with room for "unknown"                */
      return CALVE_OK;
    case CALVE_OP_I32:
      if (!calve_avro__read_long(&c->at, c->end, &number)) return cut_off(c);
      if (number < INT32_MIN || number > INT32_MAX) return damaged(c, "an int is out of range");
      *(int32_t *)(void *)target = (int32_t)number;
      return CALVE_OK;
    case CALVE_OP_FIXED:
      return take_raw(c, op->n, (calve_str *)(void *)target) ? CALVE_OK : cut_off(c);
    case CALVE_OP_PREFIXED:
      return take_prefixed(c, op->n, (calve_str *)(void *)target) ? CALVE_OK : cut_off(c);
    case CALVE_OP_SCALAR:
      return decode_scalar(op, c, (calve_avro_scalar *)(void *)target);
    case CALVE_OP_NUMBERS:
      return decode_numbers(op, c, target);
    case CALVE_OP_PAIRS:
      return decode_pairs(op, c, target);
    case CALVE_OP_RECORDS:
      return decode_records(op, c, target);
    case CALVE_OP_FAIL:
      return damaged(c, op->more);
    default:
      return CALVE_OK; /* SCALAR_NULL                                                    */
  }
}

static calve_status run(const calve_avro_program *program, cursor *c, char *record) {
  char *bases[CALVE_AVRO__BASES_MAX];
  size_t depth = 0;
  const char *at = c->at, *const end = c->end; /* here, not in *c: what is stored can't alias it */
  int64_t number;
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
        ok = calve_avro__read_long(&at, end, &number) && number >= 0 && number <= end - at;
        if (ok) at += number;
        break;
      case CALVE_OP_SKIP_NUMBER_ITEMS:
        ok = calve_avro__skip_number_items(&at, end, op->n);
        break;
      case CALVE_OP_SKIP_TEXT_PAIRS:
        ok = calve_avro__skip_text_pairs(&at, end);
        break;
      case CALVE_OP_OPTIONAL:
        if (!calve_avro__read_long(&at, end, &number)) return cut_off(c);
        if (number != 0 && number != 1) return damaged(c, "a union has no such branch");
        if (number == op->small) op = program->ops + op->n - 1;
        break;
      case CALVE_OP_BRANCHES:
        if (!calve_avro__read_long(&at, end, &number)) return cut_off(c);
        if (number < 0 || (uint64_t)number >= op->n) {
          return damaged(c, "a union has no such branch");
        }
        op = program->ops + ((const uint32_t *)op->more)[number] - 1;
        break;
      case CALVE_OP_JUMP:
        op = program->ops + op->n - 1;
        break;
      case CALVE_OP_I64:
        ok = calve_avro__read_number(&at, end, (int64_t *)(void *)(record + op->offset));
        break;
      case CALVE_OP_TEXT:
        ok = calve_avro__read_long(&at, end, &number) && number >= 0 && number <= end - at;
        if (!ok) break;
        *(calve_str *)(void *)(record + op->offset) = (calve_str){at, (size_t)number};
        at += number;
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
  return cut_off(c);
}

calve_status calve_avro_decode(const calve_avro_program *program, const char **at, const char *end,
                               void *record, calve_arena *arena, calve_error *err) {
  cursor c = {.at = *at, .end = end, .arena = arena, .err = err};
  calve_status status = run(program, &c, record);
  *at = c.at;
  return status;
}
