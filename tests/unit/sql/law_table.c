/* SPDX-License-Identifier: Apache-2.0 */
#include "law_table.h"

#include <string.h>

/* ---- values ------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const bools[] = {
    "true", "false"};
static const char *const ints[] = {
    "0", "1", "-1", "2", "3", "5", "7", "10", "-7", "99", "34", "100", "2147483647",
    "-2147483648"};
static const char *const longs[] = {
    "0", "1", "-1", "2", "5", "10", "100", "16777217", "9007199254740993", "9223372036854775807",
    "-9223372036854775808", "2147483648"};
static const char *const floats[] = {
    "'0'", "'-0.0'", "'1'", "'1.5'", "'-1.5'", "'0.1'", "'nan'", "'inf'", "'-inf'", "'16777216'",
    "'2'", "'3.4e38'", "'1e-40'"};
static const char *const decimals[] = {
    "0", "0.01", "-0.01", "1.5", "1.50", "-1.5", "2", "2.49", "-99.99", "1234567.89",
    "-1234567.89", "5"};
static const char *const dates[] = {
    "1970-01-01", "1969-12-31", "1969-12-01", "2020-02-29", "2020-03-01", "1900-01-01",
    "2020-12-31", "2021-01-01", "0001-01-01", "2020-02-28"};
static const char *const clocks[] = {
    "00:00:00", "10:00:00", "23:59:59.999999", "00:00:00.000001", "12:30:00"};
static const char *const stamps[] = {
    "1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "1969-12-31 00:00:00",
    "2020-02-29 10:00:00", "2020-02-29 23:00:00", "2020-03-01 00:00:00", "2020-03-01 01:30:00",
    "2020-03-08 02:30:00", "1900-06-15 12:00:00", "2020-12-31 23:59:59.999999",
    "2021-01-01 00:00:00", "2020-02-29 10:00:00.000001"};
static const char *const strings[] = {
    "", "a", "ab", "abc", "abd", "b", "A", "é", "ünï", "日本語", "a_c", "a%c", "5", "1.5",
    "01", "true", "2020-02-29", "z", "''", "a\\c", "\xF0\x9F\x92\xA9x",
    "aaaaaaaaaaaaaaaaaaaaaaaa"};
static const char *const uuids[] = {
    "00000000-0000-0000-0000-000000000000", "11111111-2222-3333-4444-555555555555",
    "ffffffff-ffff-ffff-ffff-ffffffffffff", "80000000-0000-0000-0000-000000000001"};
static const char *const blobs[] = {
    "", "a", "ab", "\\x00", "\\xFF", "\\xFF\\xFF", "\\x5C", "''\"", "a\\x5Cb"};
/* clang-format on */

void law_value(law_random *r, const law_field *field, law_text *out) {
  switch (field->kind) {
    case LAW_BOOL:
      law_put(out, "%s", LAW_PICK(r, bools));
      break;
    case LAW_INT:
      law_put(out, "%s", LAW_PICK(r, ints));
      break;
    case LAW_LONG:
      law_put(out, "'%s'::BIGINT", LAW_PICK(r, longs));
      break;
    case LAW_FLOAT:
      law_put(out, "%s::FLOAT", LAW_PICK(r, floats));
      break;
    case LAW_DOUBLE:
      law_put(out, "%s::DOUBLE", LAW_PICK(r, floats));
      break;
    case LAW_DECIMAL:
      law_put(out, "'%s'::DECIMAL(9,2)", LAW_PICK(r, decimals));
      break;
    case LAW_DATE:
      law_put(out, "DATE '%s'", LAW_PICK(r, dates));
      break;
    case LAW_TIME:
      law_put(out, "TIME '%s'", LAW_PICK(r, clocks));
      break;
    case LAW_TSTZ:
      law_put(out, "TIMESTAMPTZ '%s+00'", LAW_PICK(r, stamps));
      break;
    case LAW_TS:
      law_put(out, "TIMESTAMP '%s'", LAW_PICK(r, stamps));
      break;
    case LAW_STRING:
      law_put(out, "'%s'", LAW_PICK(r, strings));
      break;
    case LAW_UUID:
      law_put(out, "UUID '%s'", LAW_PICK(r, uuids));
      break;
    case LAW_BINARY:
      law_put(out, "'%s'::BLOB", LAW_PICK(r, blobs));
      break;
    default:
      law_put(out, "[%s, NULL]", LAW_PICK(r, ints));
      break;
  }
}

static void nullable_value(law_random *r, const law_field *field, law_text *out) {
  if (law_chance(r, 15))
    law_put(out, "NULL");
  else
    law_value(r, field, out);
}

static void column_value(law_random *r, const law_column *column, law_text *out) {
  if (column->self.kind != LAW_STRUCT) {
    nullable_value(r, &column->self, out);
    return;
  }
  if (law_chance(r, 15)) {
    law_put(out, "NULL");
    return;
  }
  law_put(out, "{");
  for (size_t i = 0; i < column->field_count; i++) {
    law_put(out, i ? ", %s: " : "%s: ", column->fields[i].name);
    nullable_value(r, &column->fields[i], out);
  }
  law_put(out, "}");
}

/* ---- columns ------------------------------------------------------------------------------ */

static void put_type(const law_field *field, law_text *out) {
  static const char *const names[LAW_KINDS] = {
      "BOOLEAN",   "INT",           "BIGINT", "FLOAT", "DOUBLE", NULL,         "DATE", "TIME",
      "TIMESTAMP", "TIMESTAMP_NTZ", "STRING", "UUID",  "BINARY", "ARRAY<INT>", NULL};
  if (field->kind == LAW_DECIMAL)
    law_put(out, "DECIMAL(%d,2)", field->precision);
  else
    law_put(out, "%s", names[field->kind]);
}

static void put_column_type(const law_column *column, law_text *out) {
  if (column->self.kind != LAW_STRUCT) {
    put_type(&column->self, out);
    return;
  }
  law_put(out, "STRUCT<");
  for (size_t i = 0; i < column->field_count; i++) {
    law_put(out, i ? ", %s: " : "%s: ", column->fields[i].name);
    put_type(&column->fields[i], out);
  }
  law_put(out, ">");
}

/* Never twice the same in one table's life. */
static void name_field(law_random *r, law_table *table, char *name) {
  static const struct {
    const char *front, *back;
  } odd[] = {{"\"we.ird", "\""}, {"\"q\"\"uote", "\""}, {"\"Sp ace", "\""},
             {"\xC3\x9Cml", ""}, {"\"select", "\""},    {"_", ""},
             {"\"*", "\""},      {"\"'", "\""}};
  unsigned n = table->names_given++;
  size_t i = law_below(r, sizeof odd / sizeof *odd);
  if (law_chance(r, 20))
    snprintf(name, LAW_NAME_MAX, "%s%u%s", odd[i].front, n, odd[i].back);
  else
    snprintf(name, LAW_NAME_MAX, "c%u", n);
}

static law_field make_field(law_random *r, law_table *table, law_kind kind) {
  law_field field = {.kind = kind, .precision = 9};
  name_field(r, table, field.name);
  return field;
}

static law_column make_column(law_random *r, law_table *table, law_kind kind) {
  law_column column = {.self = make_field(r, table, kind)};
  if (kind != LAW_STRUCT) return column;
  column.field_count = 2 + law_below(r, 3);
  for (size_t i = 0; i < column.field_count; i++)
    column.fields[i] = make_field(r, table, (law_kind)law_below(r, LAW_LIST));
  return column;
}

/* ---- partition fields --------------------------------------------------------------------- */

static void put_term(law_random *r, const law_table *table, law_text *out) {
  const law_column *column = &table->columns[law_below(r, table->column_count)];
  const law_field *field = &column->self;
  char name[2 * LAW_NAME_MAX + 2];
  snprintf(name, sizeof name, "%s", field->name);
  if (column->self.kind == LAW_STRUCT) {
    field = &column->fields[law_below(r, column->field_count)];
    snprintf(name, sizeof name, "%s.%s", column->self.name, field->name);
  }
  /* clang-format off */
  static const char *const date_units[] = {
      "years", "months", "days"};
  static const char *const time_units[] = {
      "years", "months", "days", "hours"};
  /* clang-format on */
  bool wide = field->kind == LAW_FLOAT || field->kind == LAW_DOUBLE || field->kind == LAW_BOOL;
  if (field->kind == LAW_DATE && law_chance(r, 70))
    law_put(out, "%s(%s)", LAW_PICK(r, date_units), name);
  else if ((field->kind == LAW_TS || field->kind == LAW_TSTZ) && law_chance(r, 80))
    law_put(out, "%s(%s)", LAW_PICK(r, time_units), name);
  else if (!wide && law_chance(r, 40))
    law_put(out, "bucket(%zu, %s)", 1 + law_below(r, 8), name);
  else if (law_chance(r, 40))
    law_put(out, "truncate(%s, %zu)", name, 1 + law_below(r, 10));
  else
    law_put(out, "%s", name);
}

static void put_partitioning(law_random *r, const law_table *table, law_text *out) {
  size_t count = law_below(r, 3);
  for (size_t i = 0; i < count; i++) {
    law_put(out, i ? ", " : " PARTITIONED BY (");
    put_term(r, table, out);
  }
  if (count) law_put(out, ")");
}

void law_create(law_random *r, law_table *table, law_text *out) {
  table->column_count = 3 + law_below(r, 8);
  for (size_t i = 0; i < table->column_count; i++)
    table->columns[i] = make_column(r, table, (law_kind)law_below(r, LAW_KINDS));
  if (law_chance(r, 10)) strcpy(table->columns[0].self.name, "current_date");
  law_put(out, "CREATE TABLE db.%s (", table->name);
  for (size_t i = 0; i < table->column_count; i++) {
    law_put(out, i ? ", %s " : "%s ", table->columns[i].self.name);
    put_column_type(&table->columns[i], out);
  }
  law_put(out, ")");
  put_partitioning(r, table, out);
  law_put(out, " TBLPROPERTIES ('format-version' = '%zu'", 1 + law_below(r, 3));
  if (law_chance(r, 30)) law_put(out, ", 'write.metadata.metrics.default' = 'truncate(2)'");
  law_put(out, ")");
}

void law_insert(law_random *r, law_table *table, law_text *out) {
  size_t rows = 1 + law_below(r, 12);
  law_put(out, "INSERT INTO db.%s VALUES ", table->name);
  for (size_t i = 0; i < rows; i++) {
    law_put(out, i ? ", (" : "(");
    for (size_t c = 0; c < table->column_count; c++) {
      if (c) law_put(out, ", ");
      column_value(r, &table->columns[c], out);
    }
    law_put(out, ")");
  }
}

/* ---- evolution ---------------------------------------------------------------------------- */

static void add_column(law_random *r, law_table *after, law_text *out) {
  if (after->column_count == LAW_COLUMNS_MAX) return;
  law_column added = make_column(r, after, (law_kind)law_below(r, LAW_KINDS));
  size_t at = law_chance(r, 30) ? 0 : after->column_count;
  law_put(out, "ADD COLUMN %s ", added.self.name);
  put_column_type(&added, out);
  if (at == 0) law_put(out, " FIRST");
  memmove(&after->columns[at + 1], &after->columns[at],
          (after->column_count - at) * sizeof after->columns[0]);
  after->columns[at] = added;
  after->column_count++;
}

static void drop_column(law_random *r, law_table *after, law_text *out) {
  size_t at = law_below(r, after->column_count);
  if (after->column_count < 3) return;
  law_put(out, "DROP COLUMN %s", after->columns[at].self.name);
  memmove(&after->columns[at], &after->columns[at + 1],
          (after->column_count - at - 1) * sizeof after->columns[0]);
  after->column_count--;
}

static void rename_column(law_random *r, law_table *after, law_text *out) {
  law_field *field = &after->columns[law_below(r, after->column_count)].self;
  law_put(out, "RENAME COLUMN %s TO ", field->name);
  name_field(r, after, field->name);
  law_put(out, "%s", field->name);
}

/* A dropped name comes back for another column: ids must keep the two apart. */
static void swap_names(law_random *r, law_table *after, law_text *out) {
  law_column *column = &after->columns[law_below(r, after->column_count)];
  if (column->self.kind == LAW_STRUCT) return;
  law_put(out, "DROP COLUMN %s; ALTER TABLE db.%s ADD COLUMN %s ", column->self.name, after->name,
          column->self.name);
  law_column added = *column;
  added.self.kind = (law_kind)law_below(r, LAW_STRUCT);
  added.self.precision = 9;
  put_type(&added.self, out);
  memmove(column, column + 1,
          (size_t)(&after->columns[after->column_count] - column - 1) * sizeof *column);
  after->columns[after->column_count - 1] = added;
}

static void widen_field(law_field *field, const char *parent, law_text *out) {
  if (field->kind == LAW_INT)
    field->kind = LAW_LONG;
  else if (field->kind == LAW_FLOAT)
    field->kind = LAW_DOUBLE;
  else if (field->kind == LAW_DECIMAL && field->precision < 30)
    field->precision += 7;
  else
    return;
  law_put(out, "ALTER COLUMN %s%s TYPE ", parent, field->name);
  put_type(field, out);
}

static void move_column(law_random *r, law_table *after, law_text *out) {
  size_t at = law_below(r, after->column_count);
  law_column moved = after->columns[at];
  law_put(out, "ALTER COLUMN %s FIRST", moved.self.name);
  memmove(&after->columns[1], &after->columns[0], at * sizeof moved);
  after->columns[0] = moved;
}

static void change_struct(law_random *r, law_table *after, law_column *column, law_text *out) {
  char parent[LAW_NAME_MAX + 2];
  snprintf(parent, sizeof parent, "%s.", column->self.name);
  size_t at = law_below(r, column->field_count), choice = law_below(r, 4);
  if (choice == 0 && column->field_count < LAW_FIELDS_MAX) {
    law_field added = make_field(r, after, (law_kind)law_below(r, LAW_LIST));
    law_put(out, "ADD COLUMN %s%s ", parent, added.name);
    put_type(&added, out);
    column->fields[column->field_count++] = added;
  } else if (choice == 1 && column->field_count > 1) {
    law_put(out, "DROP COLUMN %s%s", parent, column->fields[at].name);
    memmove(&column->fields[at], &column->fields[at + 1],
            (column->field_count - at - 1) * sizeof column->fields[0]);
    column->field_count--;
  } else if (choice == 2) {
    law_put(out, "RENAME COLUMN %s%s TO ", parent, column->fields[at].name);
    name_field(r, after, column->fields[at].name);
    law_put(out, "%s", column->fields[at].name);
  } else {
    widen_field(&column->fields[at], parent, out);
  }
}

static void change_partitioning(law_random *r, law_table *after, law_text *out) {
  if (law_chance(r, 60)) {
    law_put(out, "ADD PARTITION FIELD ");
    put_term(r, after, out);
    law_put(out, " AS p%u", after->partition_fields++);
  } else if (after->partition_fields > 0 && law_chance(r, 50)) {
    law_put(out, "DROP PARTITION FIELD p%zu", law_below(r, after->partition_fields));
  } else if (after->partition_fields > 0) {
    law_put(out, "REPLACE PARTITION FIELD p%zu WITH ", law_below(r, after->partition_fields));
    put_term(r, after, out);
    law_put(out, " AS p%u", after->partition_fields++);
  }
}

void law_evolve(law_random *r, const law_table *table, law_table *after, law_text *out) {
  *after = *table;
  law_put(out, "ALTER TABLE db.%s ", table->name);
  size_t before = out->size;
  while (out->size == before) {
    law_column *column = &after->columns[law_below(r, after->column_count)];
    switch (law_below(r, 10)) {
      case 0:
        add_column(r, after, out);
        break;
      case 1:
        drop_column(r, after, out);
        break;
      case 2:
        rename_column(r, after, out);
        break;
      case 3:
        swap_names(r, after, out);
        break;
      case 4:
        move_column(r, after, out);
        break;
      case 5:
        widen_field(&column->self, "", out);
        break;
      case 6:
        if (column->self.kind == LAW_STRUCT) change_struct(r, after, column, out);
        break;
      default:
        change_partitioning(r, after, out);
        break;
    }
  }
}
