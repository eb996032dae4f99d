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
/* Makes a folder and its parents, durable. */
CALVE_MUST_USE calve_status calve_local_make_folder(calve_str path, calve_error *err);

#endif
