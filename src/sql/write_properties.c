/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/write_properties.h"

#include "base/text.h"
#include "data/bounds.h"

#define COLUMN_MODE "write.metadata.metrics.column."

typedef enum value_kind { WHOLE_NUMBER, TRUE_OR_FALSE, METRICS_MODE, WORD } value_kind;

typedef enum verdict {
  GOOD,
  BAD,      /* nobody can obey it: the reference fails                                          */
  DEFAULTED /* the reference takes the default                                                  */
} verdict;

typedef struct known_property {
  const char *key;
  value_kind kind;
  int64_t least;       /* of a number                                                           */
  const char *allowed; /* in words; of a WORD each of them, between ", "                        */
} known_property;

#define FROM_ONE  "a whole number from 1 on"
#define FROM_ZERO "a whole number from 0 on"
#define BOOLEAN   "true, false"
#define MODES     "none, counts, truncate(N) with N from 1 on, full"

static const known_property known[] = {
    {"write.target-file-size-bytes", WHOLE_NUMBER, 1, FROM_ONE},
    {"write.parquet.row-group-size-bytes", WHOLE_NUMBER, 1, FROM_ONE},
    {"write.parquet.compression-level", WHOLE_NUMBER, INT32_MIN, "a whole number"},
    {"write.manifest.compression-level", WHOLE_NUMBER, INT32_MIN, "a whole number"},
    {"write.metadata.metrics.max-inferred-column-defaults", WHOLE_NUMBER, 0, FROM_ZERO},
    {"write.metadata.previous-versions-max", WHOLE_NUMBER, 1, FROM_ONE},
    {"commit.retry.num-retries", WHOLE_NUMBER, 0, FROM_ZERO},
    {"commit.retry.min-wait-ms", WHOLE_NUMBER, 0, FROM_ZERO},
    {"commit.retry.max-wait-ms", WHOLE_NUMBER, 0, FROM_ZERO},
    {"commit.retry.total-timeout-ms", WHOLE_NUMBER, 0, FROM_ZERO},
    {"commit.manifest.target-size-bytes", WHOLE_NUMBER, 1, FROM_ONE},
    {"commit.manifest.min-count-to-merge", WHOLE_NUMBER, 0, FROM_ZERO},
    {"commit.manifest-merge.enabled", TRUE_OR_FALSE, 0, BOOLEAN},
    {"write.metadata.delete-after-commit.enabled", TRUE_OR_FALSE, 0, BOOLEAN},
    {"gc.enabled", TRUE_OR_FALSE, 0, BOOLEAN},
    {"write.metadata.metrics.default", METRICS_MODE, 0, MODES},
    {"write.format.default", WORD, 0, "parquet, orc, avro"},
    {"write.parquet.compression-codec", WORD, 0,
     "zstd, snappy, gzip, brotli, lz4, lz4_raw, none, uncompressed"},
    {"write.manifest.compression-codec", WORD, 0,
     "gzip, snappy, zstd, uncompressed, deflate, zstandard, null"},
    {"write.metadata.compression-codec", WORD, 0, "none, gzip"},
};

static const known_property column_mode = {COLUMN_MODE "NAME", METRICS_MODE, 0, MODES};

static const known_property *find(calve_str key) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (calve_str_equal_text(key, known[i].key)) return &known[i];
  return calve_str_starts_with(key, CALVE_STR(COLUMN_MODE)) ? &column_mode : NULL;
}

/* Whether the words, between ", ", have the value. */
static bool has_word(const char *words, calve_str value) {
  calve_str left = calve_str_of(words);
  while (left.size > 0) {
    size_t size = 0;
    while (size < left.size && left.data[size] != ',') size++;
    if (calve_str_equal_nocase((calve_str){left.data, size}, value)) return true;
    size_t step = size + 2 < left.size ? size + 2 : left.size;
    left = (calve_str){left.data + step, left.size - step};
  }
  return false;
}

static verdict judge(const known_property *property, calve_str value) {
  int64_t number;
  calve_metrics_mode mode;
  switch (property->kind) {
    case WHOLE_NUMBER:
      if (!calve_str_to_i64(value, &number)) return BAD;
      return number >= property->least ? GOOD : DEFAULTED;
    case METRICS_MODE:
      return calve_metrics_mode_parse(value, &mode) ? GOOD : DEFAULTED;
    case TRUE_OR_FALSE:
      return has_word(property->allowed, value) ? GOOD : DEFAULTED;
    case WORD:
      break;
  }
  return has_word(property->allowed, value) ? GOOD : BAD;
}

static calve_status refuse(const known_property *property, const calve_property *p,
                           calve_error *err) {
  return calve_fail(err, CALVE_EINVAL, NULL, "property %.*s can't be '%.*s': it can be %s",
                    CALVE_STR_ARG(p->key), CALVE_STR_ARG(p->value), property->allowed);
}

/* ORC and Avro are good values for other writers. */
static calve_status warn_of_format(calve_exec *x, const calve_property *p, calve_error *err) {
  if (!calve_str_equal_text(p->key, "write.format.default") ||
      calve_str_equal_nocase(p->value, CALVE_STR("parquet")))
    return CALVE_OK;
  return calve_exec_warn(x, err, "write.format.default is %.*s, but this version writes Parquet",
                         CALVE_STR_ARG(p->value));
}

calve_status calve_check_set_properties(calve_exec *x, const calve_properties *set,
                                        calve_error *err) {
  for (size_t i = 0; i < set->count; i++) {
    const calve_property *p = &set->items[i];
    const known_property *property = find(p->key);
    if (property && judge(property, p->value) != GOOD) return refuse(property, p, err);
    CALVE_TRY(warn_of_format(x, p, err));
  }
  return CALVE_OK;
}

calve_status calve_check_write_properties(calve_exec *x, const calve_properties *properties,
                                          calve_error *err) {
  for (size_t i = 0; i < properties->count; i++) {
    const calve_property *p = &properties->items[i];
    const known_property *property = find(p->key);
    verdict v = property ? judge(property, p->value) : GOOD;
    if (v == BAD) return refuse(property, p, err);
    if (v == DEFAULTED)
      CALVE_TRY(calve_exec_warn(x, err,
                                "property %.*s is '%.*s', which no writer can obey: the default is "
                                "used (it can be %s)",
                                CALVE_STR_ARG(p->key), CALVE_STR_ARG(p->value),
                                property->allowed));
    if (v == GOOD) CALVE_TRY(warn_of_format(x, p, err));
  }
  return CALVE_OK;
}
