/* SPDX-License-Identifier: Apache-2.0 */
/* model/schema_private: pieces of schema that its files share.
 * In: schemas. Out: answers. Private to model. */
#ifndef CALVE_MODEL_SCHEMA_PRIVATE_H
#define CALVE_MODEL_SCHEMA_PRIVATE_H

#include "model/schema.h"

/* Identifier fields exist, are required primitives but no floats, and stand below required structs
 * only. [spec: Identifier Field IDs] */
CALVE_MUST_USE calve_status calve_schema__check_identifiers(const calve_schema *s,
                                                            calve_error *err);
bool calve_schema__defaults_equal(const calve_field *a, const calve_field *b);

#endif
