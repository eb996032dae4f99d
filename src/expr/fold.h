/* SPDX-License-Identifier: Apache-2.0 */
/* expr/fold: conditions that contradict themselves, and those that always hold.
 * In: a bound predicate. Out: one that holds for the same rows, with constants where a part can't
 * be met or can't fail. May be used by every room below expr. Looks at no data; what it is not sure
 * about stays. [reference: none; binding keeps what others bind] */
#ifndef CALVE_EXPR_FOLD_H
#define CALVE_EXPR_FOLD_H

#include "expr/bind.h"

/* `id > 5 AND id < 3` becomes false, `a IS NULL OR a IS NOT NULL` true, for any column and through
 * years() … hours(). *out has the columns of `bound`; it is `bound` itself when nothing folds. */
CALVE_MUST_USE calve_status calve_fold(const calve_bound *bound, calve_arena *arena,
                                       const calve_bound **out, calve_error *err);

#endif
