/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define PIECES_MAX 100000 /* of one file */

calve_split_options calve_split_options_of(const calve_properties *properties) {
  calve_split_options o = {
      .target_bytes =
          calve_properties_i64(properties, "read.split.target-size", INT64_C(128) << 20),
      .open_cost_bytes =
          calve_properties_i64(properties, "read.split.open-file-cost", INT64_C(4) << 20),
      .lookback = (int32_t)calve_properties_i64(properties, "read.split.planning-lookback", 10),
  };
  if (o.target_bytes < 1) o.target_bytes = INT64_C(128) << 20;
  if (o.open_cost_bytes < 0) o.open_cost_bytes = 0;
  if (o.lookback < 1) o.lookback = 1;
  return o;
}

/* ---- cutting -------------------------------------------------------------------------------- */

/* Offsets that can be trusted: rising, inside the file [spec: Data File Fields]. */
static bool offsets_usable(const calve_data_file *f) {
  const calve_i64_list *o = &f->split_offsets;
  if (o->count == 0) return false;
  for (size_t i = 0; i < o->count; i++) {
    if (o->items[i] < 0 || o->items[i] >= f->file_size_bytes) return false;
    if (i > 0 && o->items[i] <= o->items[i - 1]) return false;
  }
  return true;
}

static bool can_cut_anywhere(const calve_data_file *f) {
  return calve_data_file_is_format(f, "parquet") || calve_data_file_is_format(f, "orc") ||
         calve_data_file_is_format(f, "avro");
}

/* Pieces of all tasks, in order. */
static void cut_task(const calve_scan_task *task, size_t index, int64_t target,
                     calve_buffer *pieces) {
  const calve_data_file *f = &task->file;
  if (offsets_usable(f)) {
    for (size_t i = 0; i < f->split_offsets.count; i++) {
      /* Nothing to read stands before the first offset. */
      int64_t start = f->split_offsets.items[i];
      int64_t end =
          i + 1 < f->split_offsets.count ? f->split_offsets.items[i + 1] : f->file_size_bytes;
      CALVE_PUSH(pieces, calve_split, index, start, end - start);
    }
    return;
  }
  if (!can_cut_anywhere(f)) {
    CALVE_PUSH(pieces, calve_split, index, 0, f->file_size_bytes);
    return;
  }
  /* A size that nothing is behind must not make pieces without end. */
  if (f->file_size_bytes / PIECES_MAX >= target) target = f->file_size_bytes / PIECES_MAX + 1;
  int64_t at = 0;
  do {
    int64_t left = f->file_size_bytes - at, length = left < target ? left : target;
    CALVE_PUSH(pieces, calve_split, index, at, length);
    at += length;
  } while (at < f->file_size_bytes);
}

/* What reading a piece costs: its bytes and those of its deletes, but at least the opening of each
 * file. */
static int64_t weight_of(const calve_split *s, const calve_scan_task *task, int64_t open_cost) {
  int64_t bytes = s->length_bytes, files = 1;
  for (size_t i = 0; i < task->delete_count; i++) {
    const calve_data_file *f = &task->deletes[i]->file;
    bytes =
        calve_sum(bytes, f->content_size_bytes > 0 ? f->content_size_bytes : f->file_size_bytes);
    files++;
  }
  int64_t opening;
  if (__builtin_mul_overflow(files, open_cost, &opening)) opening = INT64_MAX;
  return bytes > opening ? bytes : opening;
}

/* ---- packing -------------------------------------------------------------------------------- */

typedef struct bin {
  int64_t weight;
  calve_buffer splits;
} bin;

typedef struct packer {
  const calve_split_options *options;
  calve_arena *arena;
  bin *open; /* at most lookback, oldest first; for a moment one more                           */
  int32_t open_count;
  calve_buffer groups; /* calve_split_group, finished                                           */
} packer;

static int by_place(const void *a, const void *b) {
  const calve_split *x = a, *y = b;
  if (x->task_index != y->task_index) return x->task_index < y->task_index ? -1 : 1;
  return x->offset_bytes < y->offset_bytes ? -1 : x->offset_bytes > y->offset_bytes;
}

/* Ends a bin: its pieces in order, neighbours of one file joined. */
static calve_status finish_bin(packer *p, int32_t index, calve_error *err) {
  bin *b = &p->open[index];
  CALVE_TRY(calve_buffer_check(&b->splits, err));
  size_t count = CALVE_COUNT(&b->splits, calve_split), kept = 0;
  calve_split *splits = CALVE_NEW_ARRAY(p->arena, calve_split, count);
  if (!splits) return calve_fail_oom(err);
  memcpy(splits, b->splits.data, b->splits.size);
  qsort(splits, count, sizeof *splits, by_place);
  for (size_t i = 0; i < count; i++) {
    calve_split *last = kept > 0 ? &splits[kept - 1] : NULL;
    if (last && last->task_index == splits[i].task_index &&
        last->offset_bytes + last->length_bytes == splits[i].offset_bytes) {
      last->length_bytes += splits[i].length_bytes;
    } else {
      splits[kept++] = splits[i];
    }
  }
  CALVE_PUSH(&p->groups, calve_split_group, kept, splits);
  calve_buffer_free(&b->splits);
  p->open_count--;
  memmove(b, b + 1, (size_t)(p->open_count - index) * sizeof *b);
  return calve_buffer_check(&p->groups, err);
}

static calve_status pack(packer *p, const calve_split *s, int64_t weight, calve_error *err) {
  int32_t index = 0;
  while (index < p->open_count && p->open[index].weight > p->options->target_bytes - weight) {
    index++;
  }
  if (index == p->open_count) {
    p->open[index].weight = 0;
    calve_buffer_init(&p->open[index].splits, p->arena->allocator);
    p->open_count++;
  }
  p->open[index].weight += weight;
  calve_buffer_put(&p->open[index].splits, s, sizeof *s);
  if (p->open_count <= p->options->lookback) return CALVE_OK;
  int32_t fullest = 0; /* may be the new one: it leaves room for those that wait for more        */
  for (int32_t i = 1; i < p->open_count; i++) {
    if (p->open[i].weight > p->open[fullest].weight) fullest = i;
  }
  return finish_bin(p, fullest, err);
}

static calve_status pack_all(packer *p, const calve_scan_task *tasks, const calve_buffer *pieces,
                             calve_error *err) {
  CALVE_TRY(calve_buffer_check(pieces, err));
  const calve_split *splits = CALVE_ITEMS(pieces, const calve_split);
  for (size_t i = 0; i < CALVE_COUNT(pieces, calve_split); i++) {
    int64_t weight =
        weight_of(&splits[i], &tasks[splits[i].task_index], p->options->open_cost_bytes);
    CALVE_TRY(pack(p, &splits[i], weight, err));
  }
  while (p->open_count > 0) CALVE_TRY(finish_bin(p, 0, err));
  return CALVE_OK;
}

calve_status calve_split_tasks(const calve_scan_task *tasks, size_t task_count,
                               const calve_split_options *options, calve_arena *arena,
                               const calve_split_group **out, size_t *out_count, calve_error *err) {
  packer p = {.options = options, .arena = arena};
  calve_buffer pieces;
  calve_buffer_init(&pieces, arena->allocator);
  calve_buffer_init(&p.groups, arena->allocator);
  for (size_t i = 0; i < task_count; i++) cut_task(&tasks[i], i, options->target_bytes, &pieces);
  size_t count = CALVE_COUNT(&pieces, calve_split); /* no more groups than pieces are open       */
  if (count > (size_t)options->lookback) count = (size_t)options->lookback;
  p.open = CALVE_NEW_ARRAY(arena, bin, count + 1);
  calve_status status = p.open ? pack_all(&p, tasks, &pieces, err) : calve_fail_oom(err);
  if (status == CALVE_OK) {
    void *groups = calve_arena_copy(arena, p.groups.data ? p.groups.data : "", p.groups.size);
    if (groups) {
      *out = groups;
      *out_count = CALVE_COUNT(&p.groups, calve_split_group);
    } else {
      status = calve_fail_oom(err);
    }
  }
  for (int32_t i = 0; i < p.open_count; i++) calve_buffer_free(&p.open[i].splits);
  calve_buffer_free(&p.groups);
  calve_buffer_free(&pieces);
  return status;
}
