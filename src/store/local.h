/* SPDX-License-Identifier: Apache-2.0 */
/* store/local: the local file system, POSIX.
 * In: "/p", "file:/p", "file:///p". Out: calve_local_store (in calve.h). Files appear whole under
 * their name (a hidden temporary file, fsync, link, fsync of the folder) or not at all.
 * May be used by data for files that the engine writes by itself.                                */
#ifndef CALVE_STORE_LOCAL_H
#define CALVE_STORE_LOCAL_H

#include "store/path.h"

/* Makes a file that somebody else wrote durable: fsync of the file and of its folder. Call it
 * before metadata names the file. */
CALVE_MUST_USE calve_status calve_local_sync(calve_str path, calve_error *err);
/* Whether there is a file that can be read to an end: CALVE_ENOTFOUND; CALVE_EIO for a folder, and
 * for a pipe, where an engine would wait for a writer. */
CALVE_MUST_USE calve_status calve_local_check_file(calve_str path, calve_error *err);
/* Makes a folder and its parents, durable. */
CALVE_MUST_USE calve_status calve_local_make_folder(calve_str path, calve_error *err);
CALVE_MUST_USE calve_status calve_local_folder_exists(calve_str path, bool *exists,
                                                      calve_error *err);
/* Names of the folders in a folder (links to folders too); a folder that is not there has none. */
CALVE_MUST_USE calve_status calve_local_list_folders(
    calve_str path, calve_status (*visit)(void *ctx, const char *name, calve_error *err), void *ctx,
    calve_error *err);
/* Removes a folder and the empty folders below it; never a file: CALVE_EINVAL when there is one. */
CALVE_MUST_USE calve_status calve_local_remove_folder(calve_str path, calve_error *err);
/* Removes the folders that the removal of a file left empty, upwards from `file` and below `root`,
 * which stays. Both are local paths. Best effort: a folder that holds something or can't be removed
 * ends it. A writer that made one of these folders must be ready to make it again. */
void calve_local_remove_empty(calve_str file, calve_str root);

#endif
