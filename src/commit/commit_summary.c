/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/commit_summary.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"

void calve_commit__summary_init(calve_commit__summary *s, calve_arena *arena,
                                const calve_allocator *allocator) {
  *s = (calve_commit__summary){0};
  calve_map_init(&s->partitions, arena);
  calve_buffer_init(&s->path, allocator);
}

void calve_commit__summary_free(calve_commit__summary *s) {
  calve_buffer_free(&s->path);
}

static void count_file(calve_commit__counts *c, const calve_data_file *file) {
  bool dv = calve_data_file_is_deletion_vector(file);
  bool sized = dv && file->content_size_bytes >= 0;
  c->size_bytes =
      calve_sum(c->size_bytes, sized ? file->content_size_bytes : file->file_size_bytes);
  switch (file->content) {
    case CALVE_CONTENT_POSITION_DELETES:
      c->delete_files++;
      *(dv ? &c->dvs : &c->position_delete_files) += 1;
      c->position_deletes = calve_sum(c->position_deletes, file->record_count);
      break;
    case CALVE_CONTENT_EQUALITY_DELETES:
      c->delete_files++;
      c->equality_delete_files++;
      c->equality_deletes = calve_sum(c->equality_deletes, file->record_count);
      break;
    default:
      c->data_files++;
      c->records = calve_sum(c->records, calve_data_file_rows(file));
      break;
  }
}

calve_status calve_commit__summary_count(calve_commit__summary *s, bool added,
                                         const calve_metadata *base, const calve_data_file *file,
                                         calve_error *err) {
  count_file(added ? &s->added : &s->removed, file);
  const calve_spec *spec = calve_metadata_spec(base, file->spec_id);
  calve_buffer_clear(&s->path);
  if (spec) calve_spec_tuple_path(spec, base->schema, file->partition, &s->path);
  CALVE_TRY(calve_buffer_check(&s->path, err));
  calve_str path = {calve_buffer_cstr(&s->path), s->path.size};
  if (calve_map_get_str(&s->partitions, path)) return CALVE_OK;
  CALVE_TRY(calve_arena_str(s->partitions.arena, path, &path, err));
  return calve_map_put_str(&s->partitions, path, s, NULL, err);
}

typedef struct builder {
  calve_arena *arena;
  calve_buffer *out;
  calve_status status;
} builder;

static void put(builder *b, const char *key, int64_t value, calve_error *err) {
  if (b->status != CALVE_OK) return;
  calve_property p = {.key = calve_str_of(key)};
  b->status = calve_arena_printf(b->arena, &p.value, err, "%" PRId64, value);
  calve_buffer_put(b->out, &p, sizeof p);
}

static void put_positive(builder *b, const char *key, int64_t value, calve_error *err) {
  if (value > 0) put(b, key, value, err);
}

static void put_total(builder *b, const calve_properties *parent, const char *key, int64_t added,
                      int64_t removed, calve_error *err) {
  int64_t total = 0;
  if (parent && !calve_str_to_i64(calve_properties_get(parent, key), &total)) return;
  int64_t sum = calve_sum(total, added);
  if (total >= 0 && sum >= removed) put(b, key, sum - removed, err);
}

calve_status calve_commit__summary_build(const calve_commit__summary *s,
                                         const calve_commit__attempt *a, const char *operation,
                                         calve_properties *out, calve_error *err) {
  const calve_snapshot_update *u = a->maker->update;
  calve_properties before;
  if (a->parent) CALVE_TRY(calve_snapshot_summary(a->parent, a->arena, &before, err));
  const calve_commit__counts *add = &s->added, *rem = &s->removed;
  calve_buffer items;
  calve_buffer_init(&items, a->maker->target->allocator);
  CALVE_PUSH(&items, calve_property, CALVE_STR("operation"), calve_str_of(operation));
  if (u->replace_partitions)
    CALVE_PUSH(&items, calve_property, CALVE_STR("replace-partitions"), CALVE_STR("true"));
  calve_buffer_put(&items, u->summary.data, u->summary.size);

  builder b = {a->arena, &items, CALVE_OK};
  const struct {
    const char *key;
    int64_t value;
  } counts[] = {
      {"added-data-files", add->data_files},
      {"deleted-data-files", rem->data_files},
      {"added-equality-delete-files", add->equality_delete_files},
      {"removed-equality-delete-files", rem->equality_delete_files},
      {"added-position-delete-files", add->position_delete_files},
      {"removed-position-delete-files", rem->position_delete_files},
      {"added-delete-files", add->delete_files},
      {"removed-delete-files", rem->delete_files},
      {"added-dvs", add->dvs},
      {"removed-dvs", rem->dvs},
      {"added-records", add->records},
      {"deleted-records", rem->records},
      {"added-files-size", add->size_bytes},
      {"removed-files-size", rem->size_bytes},
      {"added-position-deletes", add->position_deletes},
      {"removed-position-deletes", rem->position_deletes},
      {"added-equality-deletes", add->equality_deletes},
      {"removed-equality-deletes", rem->equality_deletes},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    put_positive(&b, counts[i].key, counts[i].value, err);
  put(&b, "changed-partition-count", (int64_t)s->partitions.count, err);

  const calve_properties *p = a->parent ? &before : NULL;
  put_total(&b, p, "total-records", add->records, rem->records, err);
  put_total(&b, p, "total-files-size", add->size_bytes, rem->size_bytes, err);
  put_total(&b, p, "total-data-files", add->data_files, rem->data_files, err);
  put_total(&b, p, "total-delete-files", add->delete_files, rem->delete_files, err);
  put_total(&b, p, "total-position-deletes", add->position_deletes, rem->position_deletes, err);
  put_total(&b, p, "total-equality-deletes", add->equality_deletes, rem->equality_deletes, err);

  calve_status status = b.status == CALVE_OK ? calve_buffer_check(&items, err) : b.status;
  if (status == CALVE_OK) {
    const void *copy = calve_arena_copy(a->arena, items.data, items.size);
    if (copy) *out = (calve_properties){copy, CALVE_COUNT(&items, calve_property)};
    else status = calve_fail_oom(err);
  }
  calve_buffer_free(&items);
  return status;
}
