/* SPDX-License-Identifier: Apache-2.0 */
/* Names and bytes of metadata files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "base/uuid.h"
#include "catalog/backend.h"
#include "codec/compression.h"
#include "commit/locations.h"

calve_status calve_catalog__read_metadata(const calve_store *store, calve_str location,
                                          calve_arena *arena, const calve_metadata **out,
                                          calve_error *err) {
  char where[CALVE_PATH_MAX];
  calve_str bytes, text;
  CALVE_TRY(calve_path_c(location, where, err));
  CALVE_TRY(calve_store_read(store, location, CALVE_TABLE_METADATA_MAX, arena, &bytes, err));
  CALVE_TRY(calve_metadata_plain_text(bytes, where, arena, &text, err));
  return calve_metadata_parse(text, where, arena, out, err);
}

calve_status calve_catalog__encode_metadata(calve_str json, bool compressed, calve_buffer *out,
                                            calve_error *err) {
  if (compressed) {
    calve_codec codec;
    calve_codec_init(&codec, out->allocator);
    calve_status status = calve_compress(&codec, CALVE_CODEC_GZIP, -1, json, out, err);
    calve_codec_free(&codec);
    return status;
  }
  calve_buffer_put_str(out, json);
  return calve_buffer_check(out, err);
}

calve_status calve_catalog__wants_gzip(const calve_metadata *m, bool *out, calve_error *err) {
  calve_str codec = calve_properties_get(&m->properties, "write.metadata.compression-codec");
  *out = calve_str_equal_nocase(codec, CALVE_STR("gzip"));
  if (*out || codec.size == 0 || calve_str_equal_nocase(codec, CALVE_STR("none"))) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, "write.metadata.compression-codec",
                    "\"%.*s\" is no codec for metadata files; none and gzip are",
                    CALVE_STR_ARG(codec));
}

/* The digits that `text` starts with; -1 when there are none or too many. *size: how many. */
static int64_t leading_number(calve_str text, size_t *size) {
  size_t n = 0;
  while (n < text.size && text.data[n] >= '0' && text.data[n] <= '9') n++;
  int64_t number = -1;
  *size = n;
  return n > 0 && n <= 18 && calve_str_to_i64((calve_str){text.data, n}, &number) ? number : -1;
}

/* Plain, and compressed in the two spellings of the reference, old and new. */
static const char *const suffixes[] = {".metadata.json", ".gz.metadata.json",
                                       ".metadata.json.gz"};
#define SUFFIX_COUNT (sizeof suffixes / sizeof *suffixes)

static bool is_metadata_suffix(calve_str s) {
  for (size_t i = 0; i < SUFFIX_COUNT; i++)
    if (calve_str_equal_text(s, suffixes[i])) return true;
  return false;
}

static bool has_metadata_suffix(calve_str name) {
  for (size_t i = 0; i < SUFFIX_COUNT; i++)
    if (calve_str_ends_with(name, calve_str_of(suffixes[i]))) return true;
  return false;
}

int64_t calve_catalog__version_of(calve_str name) {
  size_t digits;
  if (name.size < 2 || name.data[0] != 'v') return -1;
  calve_str rest = {name.data + 1, name.size - 1};
  int64_t version = leading_number(rest, &digits);
  /* "v07" is not how anybody writes version 7: it would be found under two names. */
  if (version < 0 || (digits > 1 && rest.data[0] == '0')) return -1;
  return is_metadata_suffix((calve_str){rest.data + digits, rest.size - digits}) ? version : -1;
}

int64_t calve_catalog__number_of(calve_str name) {
  size_t digits;
  int64_t number = leading_number(name, &digits);
  if (number < 0 || digits >= name.size || name.data[digits] != '-') return -1;
  return has_metadata_suffix(name) ? number : -1;
}

calve_status calve_catalog__next_location(const calve_metadata *m, calve_str previous,
                                          bool compressed, calve_arena *arena, calve_str *out,
                                          calve_error *err) {
  uint8_t uuid[16];
  char text[CALVE_UUID_TEXT_SIZE], name[CALVE_UUID_TEXT_SIZE + 64];
  CALVE_TRY(calve_uuid_random(uuid, err));
  calve_uuid_format(uuid, text);
  int64_t number = calve_catalog__number_of(calve_path_file_name(previous)) + 1;
  snprintf(name, sizeof name, "%05" PRId64 "-%s%s.metadata.json", number, text,
           compressed ? ".gz" : "");
  calve_str folder;
  CALVE_TRY(calve_metadata_folder(m, arena, &folder, err));
  return calve_path_join(folder, name, arena, out, err);
}

/* ---- finding the current one without a catalog ---- */

calve_status calve_catalog__find_file(const calve_store *store, calve_str folder, int64_t version,
                                      calve_arena *arena, calve_catalog__pointer *out, bool *found,
                                      calve_error *err) {
  *found = false;
  for (size_t i = 0; i < SUFFIX_COUNT && !*found; i++) {
    char name[64];
    calve_str path;
    snprintf(name, sizeof name, "v%" PRId64 "%s", version, suffixes[i]);
    CALVE_TRY(calve_path_join(folder, name, arena, &path, err));
    CALVE_TRY(calve_store_exists(store, path, found, NULL, err));
    if (*found) *out = (calve_catalog__pointer){path, version};
  }
  return CALVE_OK;
}

typedef struct search {
  int64_t (*number_of)(calve_str file_name);
  calve_str folder;
  calve_arena *arena;
  int64_t best;
  calve_str best_path;
  bool twice; /* two files have that number                                                     */
} search;

static calve_status look(void *ctx, const calve_store_entry *entry, calve_error *err) {
  search *s = ctx;
  calve_str name = calve_path_file_name(calve_str_of(entry->path));
  int64_t number = s->number_of(name);
  if (number < s->best || number < 0) return CALVE_OK;
  s->twice = number == s->best;
  s->best = number;
  /* Spelled as the table's folder is, not as the store lists it. */
  char c_name[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(name, c_name, err));
  return calve_path_join(s->folder, c_name, s->arena, &s->best_path, err);
}

/* A hint may lag, be missing, garbled or point ahead: it only says where to start. */
static int64_t read_hint(const calve_store *store, calve_str folder, calve_arena *arena) {
  calve_str path, text;
  int64_t hint;
  calve_error ignored;
  if (calve_path_join(folder, "version-hint.text", arena, &path, &ignored) != CALVE_OK ||
      calve_store_read(store, path, 1024, arena, &text, &ignored) != CALVE_OK)
    return -1;
  const char *newline = memchr(text.data, '\n', text.size);
  if (newline) text.size = (size_t)(newline - text.data);
  return calve_str_to_i64(calve_str_trim(text), &hint) && hint >= 0 ? hint : -1;
}

calve_status calve_catalog__find_version(const calve_store *store, calve_str table_folder,
                                         calve_arena *arena, calve_catalog__pointer *out,
                                         calve_error *err) {
  calve_str folder;
  CALVE_TRY(calve_path_join(table_folder, "metadata", arena, &folder, err));
  int64_t hint = read_hint(store, folder, arena);
  bool found = false;
  calve_catalog__pointer at = {0};
  if (hint >= 0) CALVE_TRY(calve_catalog__find_file(store, folder, hint, arena, &at, &found, err));
  if (found) {
    for (bool more = true; more;) {
      calve_catalog__pointer next;
      CALVE_TRY(calve_catalog__find_file(store, folder, at.version + 1, arena, &next, &more, err));
      if (more) at = next;
    }
    *out = at;
    return CALVE_OK;
  }
  search s = {
      .number_of = calve_catalog__version_of, .folder = folder, .arena = arena, .best = -1};
  CALVE_TRY(calve_store_list(store, folder, look, &s, err));
  char where[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(folder, where, err));
  if (s.best < 0)
    return calve_fail(err, CALVE_ENOTFOUND, where, "there is no metadata file of a version");
  *out = (calve_catalog__pointer){s.best_path, s.best};
  return CALVE_OK;
}

calve_status calve_catalog__find_numbered(const calve_store *store, calve_str table_folder,
                                          calve_arena *arena, calve_catalog__pointer *out,
                                          calve_error *err) {
  search s = {.number_of = calve_catalog__number_of, .arena = arena, .best = -1};
  CALVE_TRY(calve_path_join(table_folder, "metadata", arena, &s.folder, err));
  CALVE_TRY(calve_store_list(store, s.folder, look, &s, err));
  char where[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(s.folder, where, err));
  if (s.best < 0) return calve_fail(err, CALVE_ENOTFOUND, where, "there is no metadata file");
  if (s.twice)
    return calve_fail(err, CALVE_EINVAL, where,
                      "several metadata files have number %" PRId64
                      "; only the catalog knows which is current: name the file",
                      s.best);
  *out = (calve_catalog__pointer){s.best_path, -1};
  return CALVE_OK;
}
