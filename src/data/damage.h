/* SPDX-License-Identifier: Apache-2.0 */
/* data/damage: which file it is, where the engine says no more than that one is damaged.
 * In: the files that a statement reads, and the error that ended it. Out: the error with the file
 * and the column. May be used by sql. Never runs the statement again; opens no file before an error
 * tells of damage without a name. */
#ifndef CALVE_DATA_DAMAGE_H
#define CALVE_DATA_DAMAGE_H

#include "data/engine.h"

/* Remembers files of the statement that comes: items of a SQL list as read_parquet takes them,
 * patterns among them. */
CALVE_MUST_USE calve_status calve_damage_note(calve_engine *engine, calve_str items,
                                              calve_error *err);
/* No statement reads them any more. */
void calve_damage_forget(calve_engine *engine);

/* Leaves an error alone that names its file, or tells of something else. For the others it reads
 * the remembered files one by one until one can't be decoded, on a connection of its own, at most
 * CALVE_DAMAGE_BYTES_MAX of them; the engine's hook stops it. `where` of the error is that file
 * then. Where none is found the error stays as it is. */
void calve_damage_name(calve_engine *engine, calve_error *err);

#endif
