/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"
#include "codec/avro_cursor.h"
#include "codec/avro_skip.h"

/* One pair in either form; both structs start with the id. */
typedef union pair {
  calve_id_i64 number;
  calve_id_bytes text;
} pair;

static int32_t id_at(const calve_avro__list *l, size_t i) {
  int32_t id;
  memcpy(&id, l->items + i * l->item_size, sizeof id);
  return id;
}

/* Sorts by id and drops every id that comes twice. */
static void sort_pairs(calve_avro__list *l) {
  qsort(l->items, l->count, l->item_size, calve_compare_i32);
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
  calve_avro__list l;
} pair_list;

static calve_status keep_pair(calve_avro__cursor *c, pair_list *p, const pair *value) {
  if (p->l.count == p->l.capacity) CALVE_TRY(calve_avro__list_reserve(c, &p->l, 1));
  memcpy(p->l.items + p->l.count * p->l.item_size, value, p->l.item_size);
  int32_t id = id_at(&p->l, p->l.count++);
  p->sorted = p->sorted && id > p->last_id;
  p->last_id = id;
  return CALVE_OK;
}

/* All of `count` plain pairs, straight into the list: statistics of all columns are most of what a
 * manifest holds. */
static bool take_numbers(calve_avro__cursor *c, pair_list *p, int64_t count) {
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

/* Item number `index` of a map of texts. */
static inline bool read_text_item(const char **at, const char *end, calve_avro__text_hint *hints,
                                  size_t index, int64_t *id, calve_str *text) {
  const char *p = *at;
  calve_avro__text_hint *hint =
      &hints[index < CALVE_AVRO__HINT_ITEMS ? index : CALVE_AVRO__HINT_ITEMS - 1];
  if (end - p >= CALVE_AVRO__TEXT_HINT_BYTES && calve_avro__text_hint_fits(hint, p)) {
    *id = hint->id;
    *text = (calve_str){p + 2 + hint->id_more, hint->text_bytes};
    *at = text->data + text->size;
    return true;
  }
  int64_t size;
  if (!calve_avro__read_long(&p, end, id) || !calve_avro__read_long(&p, end, &size) || size < 0 ||
      size > end - p) {
    return false;
  }
  *text = (calve_str){p, (size_t)size};
  *at = p + size;
  return true;
}

static bool take_texts(calve_avro__cursor *c, pair_list *p, int64_t count) {
  calve_id_bytes *items = (calve_id_bytes *)(void *)p->l.items;
  calve_avro__text_hint *hints = c->hints->texts[p->pairs->map];
  const char *at = c->at, *const end = c->end;
  int64_t id, last = p->last_id;
  bool sorted = p->sorted;
  for (size_t i = p->l.count, stop = i + (size_t)count; i < stop; i++) {
    if (!read_text_item(&at, end, hints, i, &id, &items[i].value) || id != (int32_t)id) {
      return false;
    }
    items[i].id = (int32_t)id;
    sorted &= id > last;
    last = id;
  }
  c->at = at;
  p->sorted = sorted;
  p->last_id = last;
  p->l.count += (size_t)count;
  return true;
}

static calve_status take_pairs(calve_avro__cursor *c, pair_list *p, int64_t count) {
  CALVE_TRY(calve_avro__list_reserve(c, &p->l, (size_t)count));
  if (p->pairs->plain) {
    return (p->is_text ? take_texts : take_numbers)(c, p, count) ? CALVE_OK
                                                                 : calve_avro__cut_off(c);
  }
  for (int64_t i = 0; i < count; i++) {
    pair value = {0};
    CALVE_TRY(calve_avro__run(p->pairs->item, c, (char *)&value));
    CALVE_TRY(keep_pair(c, p, &value));
  }
  return CALVE_OK;
}

/* Where each wanted id stood in the last record it most likely stands again. False, and nothing
 * done: it does not, or the data is damaged. */
static bool pick_known_numbers(calve_avro__cursor *c, pair_list *p, int64_t count) {
  const calve_avro__pairs *pairs = p->pairs;
  const uint32_t *places = c->hints->places[pairs->map];
  calve_id_i64 *to = (calve_id_i64 *)(void *)p->l.items;
  const char *at = c->at;
  uint64_t done = 0;
  if (p->l.count > 0 || pairs->only_count > CALVE_AVRO__HINT_PLACES) return false;
  for (size_t k = 0; k < pairs->only_count; k++) {
    int64_t id;
    if (places[k] < done || places[k] >= (uint64_t)count ||
        !calve_avro__skip_varints(&at, c->end, 2 * (places[k] - done)) ||
        !calve_avro__read_long(&at, c->end, &id) || id != pairs->only_ids[k] ||
        !calve_avro__read_number(&at, c->end, &to[k].value)) {
      return false;
    }
    to[k].id = (int32_t)id;
    done = places[k] + UINT64_C(1);
  }
  if (!calve_avro__skip_varints(&at, c->end, 2 * ((uint64_t)count - done))) return false;
  p->l.count = pairs->only_count;
  p->sorted = true;
  c->at = at;
  return true;
}

/* How far a walk over a map's pairs has come in the list of wanted ids. */
typedef struct progress {
  size_t from;       /* the first that was not passed                                           */
  int64_t low, high; /* none is wanted between these two                                        */
} progress;

static progress progress_at(const calve_avro__pairs *pairs, size_t from) {
  return (progress){.from = from,
                    .low = from > 0 ? pairs->only_ids[from - 1] : INT64_MIN,
                    .high = from < pairs->only_count ? pairs->only_ids[from] : INT64_MAX};
}

/* Which of the wanted ids this is; only_count: none. Ids go upwards in the data as they do in the
 * list of wanted ones, nearly always. */
static size_t find_wanted(const calve_avro__pairs *pairs, int64_t id, progress *at) {
  const int32_t *ids = pairs->only_ids;
  size_t k = at->from;
  if (id <= at->low) { /* an earlier one                                                        */
    while (k > 0 && ids[k - 1] > id) k--;
    return k > 0 && ids[k - 1] == id ? k - 1 : pairs->only_count;
  }
  while (k < pairs->only_count && ids[k] < id) k++;
  *at = progress_at(pairs, k);
  return k < pairs->only_count && ids[k] == id ? k : pairs->only_count;
}

static inline bool is_between(const progress *at, int64_t id) {
  return id > at->low && id < at->high;
}

/* Some ids of plain pairs; once all are found the rest is skipped in one go. */
static calve_status pick_numbers(calve_avro__cursor *c, pair_list *p, int64_t count) {
  if (pick_known_numbers(c, p, count)) return CALVE_OK;
  const calve_avro__pairs *pairs = p->pairs;
  uint32_t *places = c->hints->places[pairs->map];
  progress reached = progress_at(pairs, 0);
  for (int64_t i = 0; i < count; i++) {
    if (p->l.count >= pairs->only_count) {
      uint64_t left = (uint64_t)(count - i);
      return calve_avro__skip_varints(&c->at, c->end, 2 * left) ? CALVE_OK : calve_avro__cut_off(c);
    }
    int64_t id;
    pair value = {0};
    if (!calve_avro__read_long(&c->at, c->end, &id) ||
        !calve_avro__read_number(&c->at, c->end, &value.number.value)) {
      return calve_avro__cut_off(c);
    }
    if (is_between(&reached, id)) continue;
    size_t k = find_wanted(pairs, id, &reached);
    if (k == pairs->only_count) continue;
    if (k < CALVE_AVRO__HINT_PLACES) places[k] = (uint32_t)i;
    value.number.id = (int32_t)id;
    CALVE_TRY(keep_pair(c, p, &value));
  }
  return CALVE_OK;
}

/* The same of texts; `seen`: items of the map in earlier blocks. */
static calve_status pick_texts(calve_avro__cursor *c, pair_list *p, size_t seen, int64_t count) {
  const calve_avro__pairs *pairs = p->pairs;
  calve_avro__text_hint *hints = c->hints->texts[pairs->map];
  progress reached = progress_at(pairs, 0);
  const size_t stop = seen + (size_t)count;
  const char *at = c->at, *const end = c->end;
  for (size_t i = seen; i < stop; i++) {
    if (p->l.count >= pairs->only_count) {
      c->at = at;
      return calve_avro__skip_text_items(&c->at, end, hints, i, stop - i) ? CALVE_OK
                                                                          : calve_avro__cut_off(c);
    }
    int64_t id;
    pair value = {0};
    if (!read_text_item(&at, end, hints, i, &id, &value.text.value)) return calve_avro__cut_off(c);
    if (is_between(&reached, id) || find_wanted(pairs, id, &reached) == pairs->only_count) continue;
    value.text.id = (int32_t)id;
    CALVE_TRY(keep_pair(c, p, &value));
  }
  c->at = at;
  return CALVE_OK;
}

static calve_status pick_odd_pairs(calve_avro__cursor *c, pair_list *p, int64_t count) {
  progress reached = progress_at(p->pairs, 0);
  for (int64_t i = 0; i < count; i++) {
    pair value = {0};
    CALVE_TRY(calve_avro__run(p->pairs->item, c, (char *)&value));
    int32_t id = p->is_text ? value.text.id : value.number.id;
    if (find_wanted(p->pairs, id, &reached) < p->pairs->only_count) {
      CALVE_TRY(keep_pair(c, p, &value));
    }
  }
  return CALVE_OK;
}

/* One block of the map; `seen`: items in those before. */
static calve_status decode_pair_block(calve_avro__cursor *c, pair_list *p, size_t seen,
                                      int64_t count) {
  if (!p->pairs->only_ids) return take_pairs(c, p, count);
  if (!p->pairs->plain) return pick_odd_pairs(c, p, count);
  return p->is_text ? pick_texts(c, p, seen, count) : pick_numbers(c, p, count);
}

calve_status calve_avro__decode_pairs(const calve_avro__op *op, calve_avro__cursor *c,
                                      char *target) {
  const calve_avro__pairs *pairs = op->more;
  pair_list p = {.pairs = pairs, .is_text = op->small == 1, .sorted = true, .last_id = INT64_MIN};
  p.l.item_size = p.is_text ? sizeof(calve_id_bytes) : sizeof(calve_id_i64);
  CALVE_TRY(calve_avro__list_reserve(c, &p.l, pairs->only_ids ? pairs->only_count : 0));
  for (size_t seen = 0;;) {
    int64_t count;
    CALVE_TRY(calve_avro__list_next(c, pairs->item_min_bytes, &count));
    if (count == 0) break;
    CALVE_TRY(decode_pair_block(c, &p, seen, count));
    seen += (size_t)count;
  }
  if (!p.sorted) sort_pairs(&p.l);
  calve_record_list out = {.items = p.l.items, .count = p.l.count};
  memcpy(target, &out, sizeof out);
  return CALVE_OK;
}
