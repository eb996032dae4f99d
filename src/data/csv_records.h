/* SPDX-License-Identifier: Apache-2.0 */
/* data/csv_records: the records of a CSV file with the line each begins on, for messages.
 * In: a local file and its dialect. Out: per record its line, its number of fields and how it
 * begins. May be used by sql. Never gives values: reading CSV files is the engine's. */
#ifndef CALVE_DATA_CSV_RECORDS_H
#define CALVE_DATA_CSV_RECORDS_H

#include "store/store.h"

#define CALVE_CSV_SHOWN 100 /* bytes of a record that a message shows                            */

typedef struct calve_csv_dialect {
  char delimiter, quote, escape, comment; /* '\0': there is none                                */
} calve_csv_dialect;

typedef struct calve_csv_record {
  int64_t line; /* of its first byte, from 1                                                    */
  size_t field_count;
  bool is_comment;
  size_t shown_size; /* of its first line                                                       */
  char shown[CALVE_CSV_SHOWN];
} calve_csv_record;

typedef struct calve_csv_records {
  calve_csv_dialect dialect;
  calve_store_file file;
  int64_t offset; /* of what comes behind `bytes`                                               */
  size_t at, size;
  int64_t line;
  char bytes[16384];
} calve_csv_records;

/* CALVE_EUNSUPPORTED for a compressed file; the errors of calve_store_open. */
CALVE_MUST_USE calve_status calve_csv_open(calve_str path, const calve_csv_dialect *dialect,
                                           calve_csv_records *out, calve_error *err);
/* *more is false behind the last record. */
CALVE_MUST_USE calve_status calve_csv_next(calve_csv_records *r, calve_csv_record *out, bool *more,
                                           calve_error *err);
void calve_csv_close(calve_csv_records *r);

#endif
