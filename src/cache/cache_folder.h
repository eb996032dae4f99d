/* SPDX-License-Identifier: Apache-2.0 */
/* cache/cache_folder: images as files, FOLDER/<table uuid>/<hash>.image. Private to cache.
 * In: names and bytes. Out: mappings. Files appear whole under their name (written under another,
 * then renamed) and are never changed, only replaced or removed, so that processes may share a
 * folder. Never follows a link inside the folder, never trusts what others could write, never
 * removes what it did not make. Used under a lock by who owns it, but for map and the steps of a
 * put that say so, which any thread may call. */
#ifndef CALVE_CACHE_CACHE_FOLDER_H
#define CALVE_CACHE_CACHE_FOLDER_H

#include <stdio.h>

#include "base/buffer.h"
#include "base/uuid.h"

#define CALVE_IMAGE_NAME_SIZE (CALVE_UUID_TEXT_SIZE + 39) /* "uuid/32 digits.image", NUL         */

typedef struct calve_cache__folder {
  int fd;
  int64_t max_bytes;
  int64_t known_bytes; /* of all files when they were last counted, and put since; -1: not yet  */
  int64_t put_bytes;   /* since then                                                            */
  int64_t fresh_s;     /* what was used so lately is not evicted                                */
} calve_cache__folder;

/* Makes it when it is not there. CALVE_EDENIED when others can reach into it. */
CALVE_MUST_USE calve_status calve_cache__folder_open(const char *path, int64_t max_bytes,
                                                     calve_cache__folder *out, calve_error *err);
void calve_cache__folder_close(calve_cache__folder *folder);

void calve_cache__name(const uint8_t table_uuid[16], const uint8_t hash[16],
                       char out[CALVE_IMAGE_NAME_SIZE]);
/* Maps a file to read, and notes, if `used`, that it was. False when there is none that is ours;
 * *foreign when there is one that is not. */
bool calve_cache__map(const calve_cache__folder *folder, const char *name, bool used,
                      void **bytes, size_t *size_bytes, bool *foreign);
void calve_cache__unmap(void *bytes, size_t size_bytes);
/* Puts a file in three steps, of which only the second needs the lock: the disk may take long. */
typedef struct calve_cache__unfinished {
  int fd;
  int64_t now_s; /* the file system's own clock tells what is fresh on it                       */
  char name[CALVE_IMAGE_NAME_SIZE];
} calve_cache__unfinished;
/* False when it can't. Else the file is ended or dropped. */
bool calve_cache__begin_file(const calve_cache__folder *folder, const char *name,
                             calve_cache__unfinished *out);
/* Makes room, and counts it as taken: when the file is then not ended, until all are counted again.
 * False when it can't, or when what is fresh takes all. */
bool calve_cache__reserve(calve_cache__folder *folder, const calve_cache__unfinished *u,
                          size_t size_bytes);
/* Writes it and gives it its name. False: it is dropped. */
bool calve_cache__end_file(const calve_cache__folder *folder, calve_cache__unfinished *u,
                           const char *name, calve_str bytes);
void calve_cache__drop_file(const calve_cache__folder *folder, calve_cache__unfinished *u);
void calve_cache__drop(const calve_cache__folder *folder, const char *name);

/* One file of ours. `name` is as above, or that of a file that was never finished. */
typedef struct calve_cache__file {
  char name[CALVE_IMAGE_NAME_SIZE];
  bool finished;
  int64_t size_bytes, used_s, used_ms;
} calve_cache__file;
/* Appends all of them, of one table (text of its uuid) or of all (NULL). */
CALVE_MUST_USE calve_status calve_cache__files(const calve_cache__folder *folder,
                                               const char *table_uuid, calve_buffer *out,
                                               calve_error *err);
/* Removes them; gives the bytes. */
int64_t calve_cache__clear(calve_cache__folder *folder, const calve_buffer *files);

#endif
