/* SPDX-License-Identifier: Apache-2.0 */
/* sql/write_properties: values of table properties that a writer can't obey.
 * In: properties as somebody wants to set them, or as a table has them. Out: a refusal that says
 * what is allowed, or warnings. Used by the exec_*.c files. Knows only what this version's writer
 * reads; other properties pass. */
#ifndef CALVE_SQL_WRITE_PROPERTIES_H
#define CALVE_SQL_WRITE_PROPERTIES_H

#include "sql/session.h"

/* For CREATE TABLE and SET TBLPROPERTIES: CALVE_EINVAL names the property and what it can be. Warns
 * where the value is good and this version does otherwise. */
CALVE_MUST_USE calve_status calve_check_set_properties(calve_exec *x, const calve_properties *set,
                                                       calve_error *err);
/* For a write into a table that somebody else may have configured: CALVE_EINVAL where Iceberg's
 * Java library would fail, a warning where it takes the default instead. */
CALVE_MUST_USE calve_status calve_check_write_properties(calve_exec *x,
                                                         const calve_properties *properties,
                                                         calve_error *err);

#endif
