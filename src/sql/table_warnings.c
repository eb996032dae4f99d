/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/table_warnings.h"

#include <inttypes.h>

#include "base/number.h"
#include "sql/ddl_text.h"
#include "track/snapshot_manifests.h"

typedef struct inspection {
  calve_exec *x;
  const calve_table *table;
  const calve_metadata *metadata;
  calve_buffer *out;
  bool all;     /* also what no file of the current snapshot is touched by                     */
  bool counted; /* manifests were looked for                                                    */
  const calve_manifest_file *manifests;
  size_t manifest_count;
} inspection;

static calve_status push(inspection *in, calve_buffer *text, calve_error *err) {
  calve_str line;
  calve_status status = calve_buffer_check(text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(in->x->arena, calve_buffer_view(text), &line, err);
  calve_buffer_free(text);
  if (status != CALVE_OK) return status;
  CALVE_PUSH(in->out, calve_str, line.data, line.size);
  return calve_buffer_check(in->out, err);
}

/* ---- files of a spec -------------------------------------------------------------------- */

/* Live files of the current snapshot by the counts of its manifest list; -1: not known. */
static int64_t count_files(inspection *in, int32_t spec_id) {
  calve_error ignored;
  if (!in->counted &&
      calve_snapshot_manifests(calve_metadata_current_snapshot(in->metadata),
                               calve_table_store(in->table), in->x->arena, &in->manifests,
                               &in->manifest_count, &ignored) != CALVE_OK)
    return -1;
  in->counted = true;
  int64_t count = 0;
  for (size_t i = 0; i < in->manifest_count; i++) {
    const calve_manifest_file *m = &in->manifests[i];
    if (m->spec_id != spec_id) continue;
    if (m->added_files_count == CALVE_UNSET || m->existing_files_count == CALVE_UNSET) return -1;
    count = calve_sum(count, calve_sum(m->added_files_count, m->existing_files_count));
  }
  return count;
}

static void put_files(inspection *in, int32_t spec_id, calve_buffer *text) {
  int64_t count = count_files(in, spec_id);
  if (count == 0) {
    calve_buffer_puts(text, "no file of the current snapshot has that spec");
    return;
  }
  if (count < 0)
    calve_buffer_puts(text, "the current snapshot may have files of that spec");
  else
    calve_buffer_printf(text, "the current snapshot has %" PRId64 " file%s of that spec", count,
                        count == 1 ? "" : "s");
  calve_buffer_printf(text,
                      ". Rows are read and planned right, but other engines may fail to list files "
                      "and partitions while there are such files (SELECT file_path FROM %s.files "
                      "WHERE spec_id = %" PRId32 ")",
                      calve_table_full_name(in->table).data, spec_id);
}

/* ---- sources that are gone -------------------------------------------------------------- */

static void put_lost(const inspection *in, const calve_spec *spec, const calve_partition_field *f,
                     calve_buffer *text) {
  const calve_schema_node *was = calve_metadata_find_field(in->metadata, f->source_id);
  calve_buffer_printf(text, "spec %" PRId32 ": partition field %" PRId32 " (", spec->spec_id,
                      f->field_id);
  calve_sql_name_print(f->name, text);
  calve_buffer_printf(text, ") was made of column %" PRId32, f->source_id);
  if (was) {
    calve_buffer_puts(text, " (");
    calve_ddl_column(was, text);
    calve_buffer_putc(text, ')');
  }
  calve_buffer_puts(text, ", which is gone");
}

static calve_status lost_source(inspection *in, const calve_spec *spec,
                                const calve_partition_field *f, calve_error *err) {
  calve_buffer text;
  bool is_old = spec->spec_id != in->metadata->default_spec_id;
  if (is_old && !in->all && count_files(in, spec->spec_id) == 0) return CALVE_OK;
  calve_buffer_init(&text, in->x->session->allocator);
  put_lost(in, spec, f, &text);
  if (is_old) {
    calve_buffer_puts(&text, "; ");
    put_files(in, spec->spec_id, &text);
  } else { /* void: metadata whose current spec lacks another source is refused when it is read */
    calve_buffer_puts(&text, ". Other engines can't write to the table until ");
    if (in->metadata->format_version == 1)
      calve_buffer_puts(&text, "it is upgraded to format version 2 and then ");
    calve_buffer_puts(&text, "ALTER TABLE ... DROP PARTITION FIELD ");
    calve_sql_name_print(f->name, &text);
  }
  return push(in, &text, err);
}

static bool has_source(const inspection *in, const calve_partition_field *f) {
  for (int32_t i = 0; i < f->source_count; i++)
    if (!calve_schema_find_id(in->metadata->schema, f->source_ids[i])) return false;
  return true;
}

/* ---- names and transforms of the current spec ------------------------------------------- */

static calve_status name_of_column(inspection *in, const calve_partition_field *f,
                                   calve_error *err) {
  const calve_schema_node *node = calve_schema_find(in->metadata->schema, f->name);
  calve_buffer text;
  if (!node || node->field->id == f->source_id) return CALVE_OK;
  calve_buffer_init(&text, in->x->session->allocator);
  calve_buffer_printf(&text, "partition field %" PRId32 " (", f->field_id);
  calve_sql_name_print(f->name, &text);
  calve_buffer_printf(&text, ") has the name of column %" PRId32
                             ", which it is not made of: other engines may refuse the table. "
                             "Rename one of the two",
                      node->field->id);
  return push(in, &text, err);
}

static calve_status unknown_transform(inspection *in, const calve_partition_field *f,
                                      calve_error *err) {
  calve_buffer text;
  if (f->transform.kind != CALVE_TRANSFORM_UNKNOWN && f->source_count == 1) return CALVE_OK;
  calve_buffer_init(&text, in->x->session->allocator);
  calve_buffer_printf(&text, "partition field %" PRId32 " (", f->field_id);
  calve_sql_name_print(f->name, &text);
  calve_buffer_puts(&text, ") has a transform that this version does not know: the table can be "
                           "read, but not written or partitioned anew");
  return push(in, &text, err);
}

/* ---- all of it -------------------------------------------------------------------------- */

static calve_status inspect(inspection *in, calve_error *err) {
  const calve_metadata *m = in->metadata;
  for (int32_t s = 0; s < m->spec_count; s++)
    for (int32_t i = 0; i < m->specs[s]->field_count; i++) {
      const calve_partition_field *f = &m->specs[s]->fields[i];
      bool is_current = m->specs[s]->spec_id == m->default_spec_id;
      bool matters = is_current || f->transform.kind != CALVE_VOID;
      if (matters && !has_source(in, f)) CALVE_TRY(lost_source(in, m->specs[s], f, err));
    }
  for (int32_t i = 0; i < m->spec->field_count; i++) {
    CALVE_TRY(name_of_column(in, &m->spec->fields[i], err));
    CALVE_TRY(unknown_transform(in, &m->spec->fields[i], err));
  }
  return CALVE_OK;
}

calve_status calve_table_warnings(calve_exec *x, const calve_table *table,
                                  const calve_metadata *metadata, bool all, calve_buffer *out,
                                  calve_error *err) {
  inspection in = {
      .x = x, .table = table, .metadata = metadata, .out = out, .all = all};
  return inspect(&in, err);
}

/* A table is warned of once; again when there is more to be told, as a statement that breaks more
 * must not be silent. */
static calve_status is_told(calve_exec *x, calve_str name, size_t count, bool *told,
                            calve_error *err) {
  calve_session *s = x->session;
  const size_t *before = calve_map_get_str(&s->warned, name);
  *told = before && *before >= count;
  if (*told || x->session->dry_run) return CALVE_OK;
  size_t *now = CALVE_NEW(&s->arena, size_t);
  if (!now) return calve_fail_oom(err);
  *now = count;
  CALVE_TRY(calve_arena_str(&s->arena, name, &name, err));
  return calve_map_put_str(&s->warned, name, now, NULL, err);
}

calve_status calve_exec_warn_of_metadata(calve_exec *x, const calve_table *table,
                                         const calve_metadata *metadata, calve_error *err) {
  calve_buffer lines;
  bool told = false;
  calve_str name = calve_table_full_name(table);
  calve_buffer_init(&lines, x->session->allocator);
  calve_status status = calve_table_warnings(x, table, metadata, false, &lines, err);
  size_t count = CALVE_COUNT(&lines, calve_str);
  if (status == CALVE_OK && count > 0) status = is_told(x, name, count, &told, err);
  for (size_t i = 0; i < count && status == CALVE_OK && !told; i++)
    status = calve_exec_warn(x, err, "table %s: %s", name.data,
                             CALVE_ITEMS(&lines, calve_str)[i].data);
  calve_buffer_free(&lines);
  return status;
}

calve_status calve_exec_warn_of_table(calve_exec *x, const calve_table *table, calve_error *err) {
  return calve_exec_warn_of_metadata(x, table, calve_table_metadata(table), err);
}
