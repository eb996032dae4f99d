/* SPDX-License-Identifier: Apache-2.0 */
/* cache/image_format: how a manifest image lies in memory and in its file. Private to cache.
 *
 *   head         image_head, whose checksum covers head, key and directory
 *   key          image_key_head, then the manifest's path
 *   directory    image_section × section_count, by `place`: fields of the entry first, then the
 *                statistics column by column
 *   sections     each at a multiple of 8, with a checksum of its own
 *
 * A section has one item per entry. Numbers are kept as `base` and an unsigned distance of 0, 1, 2,
 * 4 or 8 bytes. Texts are all the same, all of one width, or have offsets (uint32, one more than
 * items). Where some items are absent, a bit per item tells which, behind the items at a multiple
 * of 8. Numbers are in the machine's order: a file from another machine is refused by its head. */
#ifndef CALVE_CACHE_IMAGE_FORMAT_H
#define CALVE_CACHE_IMAGE_FORMAT_H

#include "cache/image.h"

#define IMAGE_MAGIC      "CALVEIMG"
#define IMAGE_BYTE_ORDER UINT32_C(0x01020304)
#define IMAGE_VERSION    UINT32_C(1)
/* A place is a field id (shifted to be unsigned) and a kind; 0 stands for the entry's own. */
#define IMAGE_PLACE(column, kind) ((uint64_t)(column) << 8 | (uint64_t)(kind))
#define IMAGE_ENTRY               UINT64_C(0)

typedef enum image_kind {
  IMAGE_STATUS = 1, /* numbers of the entry                                                     */
  IMAGE_SNAPSHOT_ID,
  IMAGE_DATA_SEQUENCE,
  IMAGE_FILE_SEQUENCE,
  IMAGE_POSITION,
  IMAGE_CONTENT,
  IMAGE_RECORD_COUNT,
  IMAGE_FILE_SIZE,
  IMAGE_SORT_ORDER,
  IMAGE_FIRST_ROW_ID,
  IMAGE_CONTENT_OFFSET,
  IMAGE_CONTENT_SIZE,
  IMAGE_TUPLE, /* index into IMAGE_TUPLES                                                       */
  IMAGE_MAPS,  /* which of the six maps the entry has, a bit each, IMAGE_SIZES first            */
  IMAGE_PATH,  /* texts                                                                         */
  IMAGE_FORMAT,
  IMAGE_KEY_METADATA,
  IMAGE_REFERENCED,
  IMAGE_SPLIT_OFFSETS, /* lists: offsets, then int64 or int32 items at a multiple of 8          */
  IMAGE_EQUALITY_IDS,
  IMAGE_TUPLES, /* image_value × tuple_count × field_count, then their bytes                    */
  IMAGE_SIZES = 32, /* statistics of a column                                                   */
  IMAGE_VALUES,
  IMAGE_NULLS,
  IMAGE_NANS,
  IMAGE_LOWER,
  IMAGE_UPPER
} image_kind;

typedef enum image_form {
  IMAGE_NUMBERS = 1, /* width: bytes each                                                       */
  IMAGE_SAME_TEXT,   /* width: of the one text                                                  */
  IMAGE_WIDE_TEXTS,  /* width: of each                                                          */
  IMAGE_TEXTS,       /* offsets and bytes; width 0                                              */
  IMAGE_LISTS,       /* width: of an item of a list                                             */
  IMAGE_VALUE_TABLE
} image_form;

typedef struct image_head {
  char magic[8];
  uint32_t byte_order, version;
  uint64_t checksum; /* with 0 here                                                             */
  uint64_t size_bytes;
  uint32_t key_bytes, section_count;
  uint32_t entry_count, tuple_count;
  uint32_t field_count; /* of a tuple                                                           */
  int32_t spec_id;      /* of the spec it was written with                                      */
  uint64_t unknown_fields; /* bit i: the manifest lacks field i of the tuple                    */
  uint64_t reading;        /* calve_manifest_tuple_reading of that spec                         */
} image_head;

typedef struct image_key_head {
  uint8_t table_uuid[16];
  int64_t length_bytes, sequence_number, added_snapshot_id, first_row_id;
  uint64_t version; /* of the file, by its store                                                */
  int32_t spec_id, content;
} image_key_head;

typedef struct image_section {
  uint64_t place;
  uint64_t offset, size_bytes; /* in the image                                                  */
  int64_t base;
  uint64_t checksum;
  uint32_t form, width;
  uint32_t has_absent;
  uint32_t is_utf8; /* texts: each of them is valid UTF-8                                       */
} image_section;

typedef struct image_value {
  int32_t type;
  uint8_t is_null;
  uint8_t reserved;
  int16_t scale;
  uint64_t size_bytes; /* texts: of the bytes, which start at payload[0] behind the table       */
  uint64_t payload[2];
} image_value;

static inline uint64_t image_column_of(int32_t field_id) {
  return ((uint64_t)(uint32_t)field_id ^ UINT64_C(0x80000000)) + 1;
}

static inline int32_t image_field_id(uint64_t place) {
  return (int32_t)(uint32_t)(((place >> 8) - 1) ^ UINT64_C(0x80000000));
}

static inline uint64_t image_round_up(uint64_t size_bytes) {
  return (size_bytes + 7) & ~UINT64_C(7);
}

/* Bytes of the bits that tell which of `count` items are there. */
static inline uint64_t image_bits_size(uint64_t count) {
  return image_round_up((count + 7) / 8);
}

/* What of a key stands in the file before the manifest's path. */
image_key_head calve_cache__key_head(const calve_image_key *key);

/* The first section at that place or behind it; NULL: none. */
const image_section *calve_cache__section(const calve_image *image, uint64_t place);
/* How many sections there are from that one on. */
size_t calve_cache__section_count(const calve_image *image, const image_section *from);
/* Whether its bytes are what was written, and fit its form; looked at once. */
bool calve_cache__check(const calve_image *image, const image_section *s);

/* Writes the checksums of all sections and of the head. For the builder, and for tests that damage
 * images below their checksums. `bytes` must have a valid head and directory. */
void calve_cache__image_seal(void *bytes);

#endif
