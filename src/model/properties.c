/* SPDX-License-Identifier: Apache-2.0 */
#include "model/reading.h"
#include "model/snapshot.h"

calve_str calve_properties_get(const calve_properties *p, const char *key) {
  size_t size = strlen(key);
  for (size_t i = 0; i < p->count; i++)
    if (p->items[i].key.size == size && memcmp(p->items[i].key.data, key, size) == 0)
      return p->items[i].value;
  return (calve_str){0};
}

int64_t calve_properties_i64(const calve_properties *p, const char *key, int64_t fallback) {
  int64_t value;
  calve_str text = calve_properties_get(p, key);
  return text.data && calve_str_to_i64(text, &value) ? value : fallback;
}

bool calve_properties_bool(const calve_properties *p, const char *key, bool fallback) {
  calve_str text = calve_properties_get(p, key);
  if (!text.data) return fallback;
  if (calve_str_equal_nocase(text, CALVE_STR("true"))) return true;
  if (calve_str_equal_nocase(text, CALVE_STR("false"))) return false;
  return fallback;
}

typedef struct pairs {
  calve_property *items;
  size_t count, capacity;
  uint64_t seen;      /* a bit per key: a cheap first answer to "was it here before?"           */
  bool maybe_doubles; /* too many pairs to look back at each doubtful key                       */
} pairs;

enum { LOOK_BACK_MAX = 64 };

static uint64_t key_bit(calve_str key) {
  if (key.size == 0) return 1;
  size_t mixed = key.size * 7u + (unsigned char)key.data[key.size / 2] * 5u +
                 (unsigned char)key.data[0] + (unsigned char)key.data[key.size - 1] * 3u;
  return UINT64_C(1) << (mixed & 63);
}

static calve_status add_pair(pairs *p, calve_str key, calve_str value, calve_arena *arena,
                             calve_error *err) {
  uint64_t bit = key_bit(key);
  if (p->seen & bit) {
    if (p->count > LOOK_BACK_MAX) p->maybe_doubles = true;
    for (size_t i = 0; i < p->count && !p->maybe_doubles; i++)
      if (calve_str_equal(p->items[i].key, key)) {
        p->items[i].value = value; /* the last one counts, as in other readers */
        return CALVE_OK;
      }
  }
  p->seen |= bit;
  calve_property *items =
      calve_model__grown(arena, p->items, p->count, &p->capacity, sizeof *items);
  if (!items) return calve_fail_oom(err);
  items[p->count++] = (calve_property){key, value};
  p->items = items;
  return CALVE_OK;
}

/* Keeps one pair of each key: the place of the first, the value of the last. */
static calve_status drop_doubles(pairs *p, calve_arena *arena, calve_error *err) {
  calve_map first;
  calve_map_init(&first, arena);
  size_t kept = 0;
  for (size_t i = 0; i < p->count; i++) {
    calve_property *seen = calve_map_get_str(&first, p->items[i].key);
    if (seen) {
      seen->value = p->items[i].value;
      continue;
    }
    p->items[kept] = p->items[i];
    CALVE_TRY(calve_map_put_str(&first, p->items[kept].key, &p->items[kept], NULL, err));
    kept++;
  }
  p->count = kept;
  return CALVE_OK;
}

calve_status calve_properties_read_json(calve_json_reader *r, calve_properties *out,
                                        calve_error *err) {
  pairs p = {0};
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    bool more;
    calve_str key, value;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(calve_json_str(r, &value, err));
    CALVE_TRY(add_pair(&p, key, value, r->arena, err));
  }
  if (p.maybe_doubles) CALVE_TRY(drop_doubles(&p, r->arena, err));
  /* Metadata has a summary for each snapshot: what they do not need is given back. */
  calve_arena_resize(r->arena, p.items, p.capacity * sizeof *p.items, p.count * sizeof *p.items);
  *out = (calve_properties){p.items, p.count};
  return CALVE_OK;
}

void calve_properties_write_json(const calve_properties *p, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  for (size_t i = 0; i < p->count; i++) {
    calve_json_write_key_str(w, p->items[i].key);
    calve_json_write_str(w, p->items[i].value);
  }
  calve_json_write_end(w, '}');
}
