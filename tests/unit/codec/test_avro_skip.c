/* SPDX-License-Identifier: Apache-2.0 */
/* The fast ways over varints, pairs and maps agree with simple ones on random data, whole and cut
 * off. The seed is fixed; a failure prints the round. */
#include "codec/avro_skip.h"

#include <string.h>

#include "codec/avro_writer.h"
#include "harness.h"

#define ROUNDS 4000

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* Small and large numbers of both signs. */
static int64_t random_number(uint64_t *state) {
  uint64_t r = next_random(state), bits = r % 65;
  if (r & 0x100) bits %= 8;
  return bits == 0 ? 0 : (int64_t)(next_random(state) >> (64 - bits));
}

/* ---- the simple ways ------------------------------------------------------------------------ */

static bool simple_long(const char **at, const char *end, int64_t *out) {
  unsigned __int128 value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (*at == end) return false;
    uint8_t byte = (uint8_t) * (*at)++;
    value |= (unsigned __int128)(byte & 0x7f) << shift;
    if (byte & 0x80) continue;
    if (value >> 64) return false;
    *out = (int64_t)((uint64_t)value >> 1) ^ -(int64_t)((uint64_t)value & 1);
    return true;
  }
  return false;
}

static bool simple_text(const char **at, const char *end, calve_str *out) {
  int64_t size;
  if (!simple_long(at, end, &size) || size < 0 || size > end - *at) return false;
  *out = (calve_str){*at, (size_t)size};
  *at += size;
  return true;
}

/* Varints without a look at their values. */
static bool simple_skip(const char **at, const char *end, uint64_t count) {
  for (; count > 0; (*at)++) {
    if (*at == end) return false;
    if (!(**at & 0x80)) count--;
  }
  return true;
}

typedef struct simple_pair {
  int64_t id, number;
  calve_str text;
} simple_pair;

/* All pairs of a map in all its blocks, in the order of the file. */
static bool simple_map(const char **at, const char *end, bool is_text, simple_pair *pairs,
                       size_t *count) {
  *count = 0;
  for (;;) {
    int64_t n, size;
    if (!simple_long(at, end, &n)) return false;
    if (n == 0) return true;
    if (n < 0) {
      n = -n;
      if (!simple_long(at, end, &size) || size < 0 || size > end - *at) return false;
    }
    for (; n > 0; n--) {
      simple_pair *p = &pairs[(*count)++];
      if (!simple_long(at, end, &p->id) || p->id != (int32_t)p->id) return false;
      if (!(is_text ? simple_text(at, end, &p->text) : simple_long(at, end, &p->number)))
        return false;
    }
  }
}

/* ---- numbers and skipping ------------------------------------------------------------------- */

static void test_numbers_read_as_the_simple_way_reads_them(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int round = 0; round < 10 * ROUNDS; round++) {
    char bytes[24];
    size_t size = next_random(&seed) % sizeof bytes;
    for (size_t i = 0; i < size; i++) {
      bytes[i] = (char)(next_random(&seed) >> (next_random(&seed) % 3 ? 56 : 60));
      if (next_random(&seed) % 4) bytes[i] = (char)(bytes[i] | 0x80);
    }
    char *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const char *simple = exact, *fast = exact, *number = exact, *end = exact + size;
    int64_t want = 0, got = 0, other = 0;
    bool ok = simple_long(&simple, end, &want);
    if (calve_avro__read_long(&fast, end, &got) != ok ||
        calve_avro__read_number(&number, end, &other) != ok ||
        (ok && (got != want || other != want || fast != simple || number != simple))) {
      fail_msg("round %d: %lld, %lld and %lld", round, (long long)want, (long long)got,
               (long long)other);
    }
    free(exact);
  }
}

static void test_varints_are_skipped_as_one_by_one(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int round = 0; round < ROUNDS; round++) {
    size_t size = next_random(&seed) % 200;
    unsigned ends = (unsigned)(next_random(&seed) % 100);
    char *bytes = malloc(size ? size : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
      bytes[i] = (char)(next_random(&seed) & 0x7f);
      if (next_random(&seed) % 100 < ends) bytes[i] = (char)(bytes[i] | 0x80);
    }
    uint64_t count = next_random(&seed) % (size + 2);
    const char *simple = bytes, *fast = bytes, *end = bytes + size;
    bool ok = simple_skip(&simple, end, count);
    if (calve_avro__skip_varints(&fast, end, count) != ok || (ok && fast != simple)) {
      fail_msg("round %d: %zu bytes, %llu varints", round, size, (unsigned long long)count);
    }
    free(bytes);
  }
}

/* ---- maps ----------------------------------------------------------------------------------- */

typedef struct target {
  calve_id_i64_list numbers;
  calve_id_bytes_list texts;
} target;

static const char map_schema[] =
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"m\",\"field-id\":1,\"type\":"
    "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"p\",\"fields\":["
    "{\"name\":\"key\",\"type\":\"int\",\"field-id\":2},"
    "{\"name\":\"value\",\"type\":\"%s\",\"field-id\":3}]}}}]}";

static const calve_avro_program *compile(calve_arena *arena, bool is_text, const int32_t *ids,
                                         size_t id_count) {
  calve_error err;
  calve_str json;
  const calve_avro_type *schema;
  const calve_avro_program *program;
  const calve_avro_want want = {
      .field_id = 1,
      .name = "m",
      .target = is_text ? CALVE_AVRO_TO_ID_BYTES : CALVE_AVRO_TO_ID_I64,
      .offset = is_text ? offsetof(target, texts) : offsetof(target, numbers),
      .key_id = 2,
      .value_id = 3,
      .only_ids = ids,
      .only_count = id_count};
  assert_ok(calve_arena_printf(arena, &json, &err, map_schema, is_text ? "bytes" : "long"), &err);
  assert_ok(calve_avro_schema_parse(json, "t.avro", arena, &schema, &err), &err);
  assert_ok(calve_avro_compile(schema, &want, 1, NULL, "t.avro", arena, &program, &err), &err);
  return program;
}

/* A map of a few blocks; ids mostly go upwards, and some come twice. */
static void put_map(calve_buffer *b, bool is_text, uint64_t *seed) {
  int64_t id = 0;
  char text[300];
  memset(text, 'x', sizeof text);
  for (uint64_t blocks = next_random(seed) % 3; blocks > 0; blocks--) {
    calve_buffer items;
    calve_buffer_init(&items, NULL);
    int64_t count = 1 + (int64_t)(next_random(seed) % 40);
    for (int64_t i = 0; i < count; i++) {
      uint64_t r = next_random(seed);
      id = r % 20 ? id + 1 + (int64_t)(r >> 8) % (r % 7 ? 3 : 200) : (int64_t)(r >> 8) % 60;
      calve_avro_put_long(&items, id);
      size_t size = next_random(seed) % (r % 9 ? 12 : sizeof text);
      if (is_text)
        calve_avro_put_bytes(&items, (calve_str){text, size});
      else
        calve_avro_put_long(&items, random_number(seed));
    }
    bool sized = next_random(seed) % 3 == 0;
    calve_avro_put_long(b, sized ? -count : count);
    if (sized) calve_avro_put_long(b, (int64_t)items.size);
    calve_buffer_put(b, items.data, items.size);
    calve_buffer_free(&items);
  }
  calve_avro_put_long(b, 0);
}

static bool is_among(const int32_t *ids, size_t count, int64_t id) {
  for (size_t i = 0; i < count; i++)
    if (ids[i] == id) return true;
  return count == 0; /* none named: all are wanted                                              */
}

/* How often the id stands in the map. */
static size_t occurs(const simple_pair *pairs, size_t count, int64_t id, size_t *where) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (pairs[i].id == id && n++ == 0) *where = i;
  return n;
}

/* Whether the map has item i of the list. */
static bool has_value(const target *t, bool is_text, size_t i, const simple_pair *pairs,
                      size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (is_text
            ? pairs[k].id == t->texts.items[i].id &&
                  pairs[k].text.data == t->texts.items[i].value.data &&
                  pairs[k].text.size == t->texts.items[i].value.size
            : pairs[k].id == t->numbers.items[i].id && pairs[k].number == t->numbers.items[i].value)
      return true;
  }
  return false;
}

/* Every id that stands there once and is wanted is in the list, in order, with its value; ids that
 * come twice are not, or (where some ids are wanted) one of them is and others may lack. */
static void check_list(const target *t, bool is_text, const simple_pair *pairs, size_t count,
                       const int32_t *ids, size_t id_count, int round) {
  size_t length = is_text ? t->texts.count : t->numbers.count, singles = 0, found = 0;
  bool repeats = false;
  for (size_t i = 0, where; i < count; i++) {
    if (!is_among(ids, id_count, pairs[i].id)) continue;
    bool single = occurs(pairs, count, pairs[i].id, &where) == 1;
    singles += single;
    repeats = repeats || !single;
  }
  for (size_t i = 0, where = 0; i < length; i++) {
    int32_t id = is_text ? t->texts.items[i].id : t->numbers.items[i].id;
    int32_t before = INT32_MIN;
    if (i > 0) before = is_text ? t->texts.items[i - 1].id : t->numbers.items[i - 1].id;
    size_t n = occurs(pairs, count, id, &where);
    if (n == 0 || id <= before || !is_among(ids, id_count, id) || (n > 1 && id_count == 0))
      fail_msg("round %d: id %d should not be there", round, id);
    found += n == 1;
    if (!has_value(t, is_text, i, pairs, count))
      fail_msg("round %d: id %d has another value", round, id);
  }
  if (found != singles && !(repeats && id_count > 0))
    fail_msg("round %d: %zu of %zu ids", round, found, singles);
}

/* Twice with the same hints: what the first time and earlier maps left there changes nothing. */
static void check_map(bool is_text, calve_avro_hints *hints, uint64_t *seed, int round) {
  static simple_pair pairs[4096];
  static const int32_t some[] = {3, 7, 8, 41, 70, 500};
  calve_arena arena = {0};
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  put_map(&b, is_text, seed);
  size_t size = next_random(seed) % 4 ? b.size : next_random(seed) % (b.size + 1);
  char *exact = malloc(size ? size : 1); /* so that reading over the end shows                  */
  assert_non_null(exact);
  memcpy(exact, b.data, size);
  size_t count, id_count = next_random(seed) % (ARRAY_COUNT(some) + 1);
  const char *simple = exact, *fast = exact, *skipped = exact, *end = exact + size;
  bool ok = simple_map(&simple, end, is_text, pairs, &count);
  const calve_avro_program *program = compile(&arena, is_text, id_count ? some : NULL, id_count);
  bool skips = is_text ? calve_avro__skip_text_pairs(&skipped, end, hints->texts[round % 2])
                       : calve_avro__skip_number_items(&skipped, end, 2);
  for (int time = 0; time < 2; time++) {
    target t = {0};
    fast = exact;
    calve_status status = calve_avro_decode(program, &fast, end, &t, hints, &arena, NULL);
    if ((status == CALVE_OK) != ok || skips != ok || (ok && (fast != simple || skipped != simple)))
      fail_msg("round %d: one takes it for damaged, or ends elsewhere", round);
    if (ok) check_list(&t, is_text, pairs, count, some, id_count, round);
  }
  free(exact);
  calve_buffer_free(&b);
  calve_arena_free(&arena);
}

static void test_maps_of_numbers_decode_as_the_simple_way_does(void **state) {
  (void)state;
  uint64_t seed = 3;
  calve_arena lasting = {0};
  calve_avro_hints *hints = calve_avro_hints_make(&lasting);
  assert_non_null(hints);
  for (int round = 0; round < ROUNDS; round++) check_map(false, hints, &seed, round);
  calve_arena_free(&lasting);
}

static void test_maps_of_texts_decode_as_the_simple_way_does(void **state) {
  (void)state;
  uint64_t seed = 4;
  calve_arena lasting = {0};
  calve_avro_hints *hints = calve_avro_hints_make(&lasting);
  assert_non_null(hints);
  for (int round = 0; round < ROUNDS; round++) check_map(true, hints, &seed, round);
  calve_arena_free(&lasting);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_read_as_the_simple_way_reads_them),
      cmocka_unit_test(test_varints_are_skipped_as_one_by_one),
      cmocka_unit_test(test_maps_of_numbers_decode_as_the_simple_way_does),
      cmocka_unit_test(test_maps_of_texts_decode_as_the_simple_way_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
