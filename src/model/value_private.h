/* SPDX-License-Identifier: Apache-2.0 */
/* model/value_private: text of values that the files of model share.
 * In: values that are not null. Out: text. Private to model. */
#ifndef CALVE_MODEL_VALUE_PRIVATE_H
#define CALVE_MODEL_VALUE_PRIVATE_H

#include "base/buffer.h"
#include "base/calendar.h"
#include "model/value.h"

#define CALVE_VALUE_TEXT_MAX 64 /* any number, UUID, date, time or timestamp                    */

void calve_value__print_hex(calve_str bytes, calve_buffer *out); /* upper case                  */
/* ISO text of dates, times and timestamps; false for values of other types. */
bool calve_value__time_text(const calve_value *v, char text[CALVE_TIME_TEXT_MAX]);

#endif
