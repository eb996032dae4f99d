/* SPDX-License-Identifier: Apache-2.0 */
/* cache/image: a manifest's live entries, decoded once, in columns.
 * In: the bytes of a manifest; later the bytes of an image. Out: an image; its entries as structs,
 * its statistics as columns. May be used by plan. Does no IO. Never believes an image: its head is
 * checked when it is opened, a section when somebody first asks for it; what is damaged, of another
 * key, version or machine is refused. [spec: Manifests] */
#ifndef CALVE_CACHE_IMAGE_H
#define CALVE_CACHE_IMAGE_H

#include "track/manifest.h"

/* What an image is of. All but the version has to be the same for an image to be of a manifest. */
typedef struct calve_image_key {
  uint8_t table_uuid[16];
  calve_str path;        /* as the manifest list says it                                        */
  int64_t length_bytes;  /* from here on: as listed; what entries inherit is among it           */
  int64_t sequence_number, added_snapshot_id, first_row_id;
  int32_t spec_id, content;
  uint64_t version; /* of the manifest's file, as its store tells; 0: it does not               */
} calve_image_key;

calve_image_key calve_image_key_of(const uint8_t table_uuid[16], const calve_manifest_file *m,
                                   uint64_t version);
/* 128 bits of everything but the version. */
void calve_image_key_hash(const calve_image_key *key, uint8_t out[16]);

/* ---- making one ----------------------------------------------------------------------------- */

#define CALVE_IMAGE_BYTES_MAX (INT64_C(256) << 20)

/* Decodes the manifest, whose bytes are given, and appends its image to `out`. An image is not made
 * (*made false, no failure) of a manifest whose spec the metadata lacks, of one with files
 * whose rows nobody counted, and of one that would be too large or mostly holes. */
CALVE_MUST_USE calve_status calve_image_build(const calve_image_key *key, calve_str manifest_bytes,
                                              const calve_manifest_file *m,
                                              const calve_metadata *metadata,
                                              const calve_cancel *cancel, calve_buffer *out,
                                              bool *made, calve_error *err);

/* ---- opening one ---------------------------------------------------------------------------- */

typedef struct calve_image {
  const uint8_t *bytes;
  size_t size_bytes;
  size_t section_count;
  /* Of each section: 0 not looked at, 1 good, 2 damaged. Shared by threads. */
  uint8_t *checked;
} calve_image;

/* Whether the head is whole, and how many bytes `checked` needs then. `bytes` are aligned to 8 and
 * stay as they are as long as the image is used. */
bool calve_image_look(const void *bytes, size_t size_bytes, size_t *checked_bytes);
/* After a look; `checked` is zeroed memory of the caller. */
void calve_image_open(const void *bytes, size_t size_bytes, uint8_t *checked, calve_image *out);
/* Whether it is of that manifest and file, read as this metadata says tuples are to be read. */
bool calve_image_fits(const calve_image *image, const calve_image_key *key,
                      const calve_metadata *metadata);
calve_str calve_image_path(const calve_image *image); /* of the manifest                        */

/* ---- reading it ----------------------------------------------------------------------------- */

/* Numbers, one per entry; data NULL: all are `base`. */
typedef struct calve_image_numbers {
  const uint8_t *data;
  int64_t base;
  uint32_t width;        /* bytes of each, an unsigned distance from the base                   */
  bool exists;           /* else all are absent                                                 */
  const uint8_t *absent; /* a bit per entry, 1: it is not there; NULL: all are                  */
} calve_image_numbers;

/* Texts, one per entry. */
typedef struct calve_image_texts {
  const char *data;
  const uint32_t *offsets; /* NULL: all are `width` bytes                                       */
  size_t stride;           /* 0: all are the same                                               */
  uint32_t width;
  bool exists;
  bool is_utf8; /* each of them is valid                                                        */
  const uint8_t *absent;
} calve_image_texts;

static inline bool calve_image_is_absent(const uint8_t *absent, size_t row) {
  return absent && absent[row >> 3] >> (row & 7) & 1;
}

/* Of a row where it is not absent. */
int64_t calve_image_number(const calve_image_numbers *numbers, size_t row);
calve_str calve_image_text(const calve_image_texts *texts, size_t row);
/* All of them into out[0 … count - 1]; those that are absent are anything. */
void calve_image_unpack(const calve_image_numbers *numbers, size_t count, int64_t *out);

/* What is known of one column, for all entries. */
typedef struct calve_image_column {
  int32_t field_id;
  calve_image_numbers sizes, values, nulls, nans;
  calve_image_texts lower, upper;
} calve_image_column;

/* An image opened for some columns: a view that is made for one user, and borrows the image. */
typedef struct calve_image_rows {
  const calve_image *image;
  size_t count;
  int32_t spec_id;
  uint64_t unknown_fields; /* of the tuple: bit i says that the manifest lacks field i          */
  uint32_t columns;        /* as asked for                                                      */
  size_t tuple_count, field_count;
  const calve_value *tuples; /* tuple_count × field_count: the distinct ones                    */
  calve_image_numbers tuple; /* which one an entry has                                          */
  calve_image_numbers record_counts, statuses;
  calve_image_numbers snapshot_ids; /* may be absent                                            */
  size_t column_count;
  const calve_image_column *stats; /* of the columns asked for that are there, by field id      */
  struct calve_cache__fields *fields; /* private                                                */
} calve_image_rows;

/* options as for calve_manifest_open; keep_deleted must be false. CALVE_ECORRUPT when a section
 * that is needed for it is damaged: the image is of no use then. All in the arena. */
CALVE_MUST_USE calve_status calve_image_read(const calve_image *image,
                                             const calve_manifest_options *options,
                                             calve_arena *arena, calve_image_rows *out,
                                             calve_error *err);
/* One entry, the same as calve_manifest_next gives it: strings point into the image, lists are made
 * in the arena. */
CALVE_MUST_USE calve_status calve_image_entry(const calve_image_rows *rows, size_t row,
                                              calve_arena *arena, calve_manifest_entry *out,
                                              calve_error *err);
/* NULL when nothing is known of that field. */
const calve_image_column *calve_image_find(const calve_image_rows *rows, int32_t field_id);

#endif
