/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the rows of a file that was written under one spec belong to a partition of another.
 * The partition is one condition per field, `transform(source) = value`; each is settled by the
 * file's own tuple where that says enough, else by its statistics, else it stays open. */
#include "base/calendar.h"
#include "commit/maker.h"
#include "track/file_metrics.h"

typedef enum relation { ALL_ROWS, NO_ROW, OPEN } relation;

static relation equal_or_not(const calve_value *a, const calve_value *b) {
  return calve_value_equal(a, b) ? ALL_ROWS : NO_ROW;
}

static bool is_time(calve_transform_kind kind) {
  return kind == CALVE_YEAR || kind == CALVE_MONTH || kind == CALVE_DAY || kind == CALVE_HOUR;
}

/* The first day of a year's, month's or day's partition value. */
static int64_t first_day(calve_transform_kind kind, int64_t value) {
  if (kind == CALVE_YEAR)
    return calve_day_of_civil((calve_civil){.year = 1970 + value, .month = 1, .day = 1});
  if (kind == CALVE_MONTH)
    return calve_day_of_civil((calve_civil){.year = 1970 + calve_floor_div(value, 12),
                                            .month = (int)calve_floor_mod(value, 12) + 1,
                                            .day = 1});
  return value;
}

/* A value of a time transform in the units of a coarser one (or of the same): hour 25 -> day 1. */
static int64_t coarser(calve_transform_kind from, int64_t value, calve_transform_kind to) {
  if (from == to) return value;
  int64_t day = from == CALVE_HOUR ? calve_floor_div(value, 24) : first_day(from, value);
  if (to == CALVE_DAY) return day;
  calve_civil civil = calve_civil_of_day(day);
  return to == CALVE_MONTH ? (civil.year - 1970) * 12 + civil.month - 1 : civil.year - 1970;
}

static int64_t number_of(const calve_value *v) {
  return v->type == CALVE_LONG ? v->i64 : v->i32; /* years to hours and dates are 32 bits wide  */
}

/* Two time transforms of one column: the finer value tells the coarser one. */
static relation relate_times(calve_transform_kind want, const calve_value *value,
                             calve_transform_kind have, const calve_value *in_file) {
  if (want <= have) /* the enum runs from year to hour: what the file has is finer, or the same */
    return coarser(have, number_of(in_file), want) == number_of(value) ? ALL_ROWS : NO_ROW;
  return coarser(want, number_of(value), have) == number_of(in_file) ? OPEN : NO_ROW;
}

static relation relate_tuple(const calve_partition_field *want, const calve_value *value,
                             const calve_type *source, const calve_spec *file_spec,
                             const calve_data_file *file) {
  for (int32_t i = 0; file_spec && i < file_spec->field_count && i < file->partition_count; i++) {
    const calve_partition_field *have = &file_spec->fields[i];
    const calve_value *in_file = &file->partition[i];
    if (have->source_id != want->source_id || have->source_count > 1 ||
        have->transform.kind == CALVE_VOID || have->transform.kind == CALVE_TRANSFORM_UNKNOWN)
      continue;
    /* All transforms but void keep null and nothing else as null. */
    if (in_file->is_null || value->is_null)
      return in_file->is_null && value->is_null ? ALL_ROWS : NO_ROW;
    if (calve_transform_equal(&have->transform, &want->transform)) {
      if (in_file->type == value->type) return equal_or_not(in_file, value);
      continue; /* stored before the column was promoted */
    }
    if (have->transform.kind == CALVE_IDENTITY && in_file->type == source->id) {
      calve_value result;
      if (calve_transform_apply(&want->transform, source, in_file, &result, NULL) == CALVE_OK)
        return equal_or_not(&result, value);
    }
    if (want->transform.kind == CALVE_IDENTITY && value->type == source->id) {
      calve_value result;
      if (calve_transform_apply(&have->transform, source, value, &result, NULL) == CALVE_OK &&
          result.type == in_file->type && !calve_value_equal(&result, in_file))
        return NO_ROW;
    }
    if (is_time(have->transform.kind) && is_time(want->transform.kind)) {
      relation r =
          relate_times(want->transform.kind, value, have->transform.kind, in_file);
      if (r != OPEN) return r;
    }
  }
  return OPEN;
}

/* `transform(column) = value`, of the file's statistics. Added files have values of the types that
 * the schema gives; one that hasn't can't be compared. */
static relation relate_metrics(const calve_partition_field *want, const calve_value *value,
                               const calve_schema_node *node, const calve_data_file *file) {
  const calve_type *source = node->field->type;
  bool is_nan = !value->is_null && calve_value_is_nan(value);
  calve_predicate condition = {.op = value->is_null ? CALVE_OP_IS_NULL
                                     : is_nan       ? CALVE_OP_IS_NAN
                                                    : CALVE_OP_EQ,
                               .term = {.has_transform = want->transform.kind != CALVE_IDENTITY,
                                        .transform = want->transform,
                                        .field_id = want->source_id,
                                        .node = node,
                                        .source_type = source}};
  condition.term.type = calve_transform_result_type(&want->transform, source);
  if (!value->is_null && value->type != condition.term.type->id) return OPEN;
  condition.literals = value;
  condition.count = condition.op == CALVE_OP_EQ;
  const calve_bound_column column = {.node = node};
  const calve_bound bound = {
      .root = &condition, .column_count = 1, .columns = &column, .exact = true};
  calve_column_metrics metrics;
  calve_file_metrics(file, &bound, NULL, &metrics);
  if (!calve_metrics_might_match(&bound, file->record_count, &metrics, NULL)) return NO_ROW;
  return calve_metrics_must_match(&bound, file->record_count, &metrics) ? ALL_ROWS : OPEN;
}

calve_commit__overlap calve_commit__overlap_of(const calve_schema *schema, const calve_spec *spec,
                                               const calve_value *tuple,
                                               const calve_spec *file_spec,
                                               const calve_data_file *file) {
  bool all = true;
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *want = &spec->fields[i];
    if (want->transform.kind == CALVE_VOID) continue;
    const calve_schema_node *node = calve_schema_find_id(schema, want->source_id);
    relation r = OPEN;
    if (node && want->source_count <= 1 && want->transform.kind != CALVE_TRANSFORM_UNKNOWN) {
      r = relate_tuple(want, &tuple[i], node->field->type, file_spec, file);
      if (r == OPEN) r = relate_metrics(want, &tuple[i], node, file);
    }
    if (r == NO_ROW) return CALVE_OVERLAP_NONE;
    if (r == OPEN) all = false;
  }
  return all ? CALVE_OVERLAP_WHOLE : CALVE_OVERLAP_OPEN;
}
