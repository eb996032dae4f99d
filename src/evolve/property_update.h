/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/property_update: setting and removing table properties, and the format version.
 * In: metadata, keys and values. Out: changes to commit, or a refusal. May be used by commit and
 * sql. Never does IO. [spec: Table Metadata; Appendix E] */
#ifndef CALVE_EVOLVE_PROPERTY_UPDATE_H
#define CALVE_EVOLVE_PROPERTY_UPDATE_H

#include "model/change.h"

/* "format-version" in `set` upgrades the table and is not stored; reserved keys (uuid, counts,
 * current-snapshot-…) are refused; a name mapping must be one. Unsetting what is not set is fine.
 * A key both set and unset is refused. Nothing to do gives no changes at all. */
CALVE_MUST_USE calve_status calve_property_update_apply(const calve_metadata *base,
                                                        const calve_properties *set,
                                                        const calve_str *unset, size_t unset_count,
                                                        calve_arena *arena, calve_changes *out,
                                                        calve_error *err);

#endif
