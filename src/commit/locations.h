/* SPDX-License-Identifier: Apache-2.0 */
/* commit/locations: where a table's new files go.
 * In: metadata. Out: folders, as the table spells them (no slash at the end). May be used by data,
 * keep, catalog and sql. Does no IO. [reference: write.data.path, write.metadata.path]           */
#ifndef CALVE_COMMIT_LOCATIONS_H
#define CALVE_COMMIT_LOCATIONS_H

#include "model/metadata.h"

/* write.data.path (or its old names write.folder-storage.path, write.object-storage.path), else
 * location/data. */
CALVE_MUST_USE calve_status calve_data_folder(const calve_metadata *m, calve_arena *arena,
                                              calve_str *out, calve_error *err);
/* write.metadata.path, else location/metadata. */
CALVE_MUST_USE calve_status calve_metadata_folder(const calve_metadata *m, calve_arena *arena,
                                                  calve_str *out, calve_error *err);

/* The folders whose files are the table's own, to write and to remove: its location, and those of
 * its write paths that are set. Gives how many; borrowed from the metadata. */
#define CALVE_OWN_FOLDERS_MAX 5
size_t calve_own_folders(const calve_metadata *m, calve_str out[CALVE_OWN_FOLDERS_MAX]);

#endif
