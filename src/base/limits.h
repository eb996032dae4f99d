/* SPDX-License-Identifier: Apache-2.0 */
/* base/limits: caps on everything that is read from a file or typed by a user.
 * In: nothing. Out: constants. May be used by every room. Larger input is refused with an error
 * that names the cap, so that a hostile file can't take memory or stack without bound. */
#ifndef CALVE_BASE_LIMITS_H
#define CALVE_BASE_LIMITS_H

#define CALVE_DEPTH_MAX 64                       /* nesting of types, JSON, expressions          */
#define CALVE_JSON_DEPTH_MAX 200                 /* nesting of JSON text                         */
#define CALVE_CONDITION_DEPTH_MAX 200            /* parentheses in an SQL condition              */
#define CALVE_NAME_MAX 65535                     /* bytes of a column or field name              */
#define CALVE_FIELDS_MAX 100000                  /* fields of one schema, nested included        */
#define CALVE_SPECS_MAX 100000                   /* schemas, specs or sort orders of a table     */
#define CALVE_TABLE_METADATA_MAX (INT64_C(1) << 30) /* a *.metadata.json, also inflated          */
#define CALVE_TABLE_METADATA_ALWAYS (INT64_C(64) << 20) /* that a file of any size may inflate to */
#define CALVE_TABLE_METADATA_RATIO_MAX 256       /* of a larger one, inflated to stored          */
#define CALVE_METADATA_BYTES_MAX (INT64_C(4) << 30) /* a manifest or manifest list, as stored    */
#define CALVE_MANIFEST_BLOCK_MAX (INT64_C(1) << 30) /* one Avro block, inflated                  */
#define CALVE_MANIFEST_BLOCK_ALWAYS (INT64_C(64) << 20) /* that a block of any size may take     */
#define CALVE_MANIFEST_RATIO_MAX 64              /* of a larger block, inflated to stored        */
#define CALVE_MANIFEST_RECORD_MAX (INT64_C(1) << 20) /* of a larger block, inflated, to a record */
#define CALVE_MANIFEST_BATCH_MAX (INT64_C(2) << 30) /* what one block's entries decode to        */
#define CALVE_MANIFEST_ENTRIES_MAX (INT64_C(1) << 24) /* of one manifest                         */
#define CALVE_INFLATE_RATIO_MAX 1100             /* deflate can't expand more than 1032:1        */
/* of data files that are read to find the one that is damaged */
#define CALVE_DAMAGE_BYTES_MAX (INT64_C(8) << 30)
/* sequence numbers and row ids of a table: room is left to count on */
#define CALVE_COUNTER_MAX (INT64_C(1) << 62)
#define CALVE_DECIMAL_PRECISION_MAX 38           /* [spec: Primitive Types]                      */
/* ids above are reserved [spec: Reserved Field IDs] */
#define CALVE_FIELD_ID_MAX 2147483447

#endif
