/* SPDX-License-Identifier: Apache-2.0 */
/* Chance with a seed, and text that is put together piece by piece, for tests of laws. */
#ifndef CALVE_TESTS_LAW_RANDOM_H
#define CALVE_TESTS_LAW_RANDOM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct law_random {
  uint64_t state;
} law_random;

/* splitmix64: any seed will do. */
static inline uint64_t law_next(law_random *r) {
  uint64_t z = r->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static inline size_t law_below(law_random *r, size_t count) {
  return law_next(r) % count;
}
static inline bool law_chance(law_random *r, unsigned per_cent) {
  return law_below(r, 100) < per_cent;
}
#define LAW_PICK(r, array) ((array)[law_below((r), sizeof(array) / sizeof(array)[0])])

/* Text up to a cap that no test reaches; what does not fit is cut off and `full` tells it. */
#define LAW_TEXT_MAX 65536
typedef struct law_text {
  size_t size;
  bool full;
  char data[LAW_TEXT_MAX];
} law_text;

static inline void law_clear(law_text *t) {
  t->size = 0;
  t->full = false;
  t->data[0] = '\0';
}

__attribute__((format(printf, 2, 3))) static inline void law_put(law_text *t, const char *fmt,
                                                                 ...) {
  va_list args;
  va_start(args, fmt);
  int size = vsnprintf(t->data + t->size, LAW_TEXT_MAX - t->size, fmt, args);
  va_end(args);
  if (size < 0 || t->size + (size_t)size >= LAW_TEXT_MAX)
    t->full = true;
  else
    t->size += (size_t)size;
}

#endif
