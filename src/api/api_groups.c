/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of a plan, shared out. */
#include <string.h>

#include "api/api_parts.h"
#include "base/text.h"
#include "expr/residual.h"
#include "plan/split.h"

/* A residual that outlives its batch; that of the task before, `last`, serves again. */
static calve_status copy_residual(calve_plan *p, const calve_predicate *from,
                                  const calve_predicate *last, const calve_predicate **out,
                                  calve_error *err) {
  *out = last;
  if (last && calve_residual_equal(last, from)) return CALVE_OK;
  return calve_residual_copy(from, &p->arena, out, err);
}

/* A task that outlives its batch. */
static calve_status copy_task(calve_plan *p, const calve_scan_task *from,
                              const calve_predicate *last_residual, calve_scan_task *out,
                              calve_error *err) {
  calve_scan_task copy = *from;
  CALVE_TRY(calve_data_file_copy(&from->file, &p->arena, &copy.file, err));
  CALVE_TRY(copy_residual(p, from->residual, last_residual, &copy.residual, err));
  copy.spec = calve_metadata_spec(p->params.metadata, from->file.spec_id);
  if (!copy.spec) { /* the manifest's own, which goes with it */
    calve_spec *unknown = CALVE_NEW(&p->arena, calve_spec);
    if (!unknown) return calve_fail_oom(err);
    unknown->spec_id = from->file.spec_id;
    copy.spec = unknown;
  }
  if (from->delete_count > 0) {
    size_t size = from->delete_count * sizeof *from->deletes;
    void *deletes = calve_arena_copy(&p->arena, from->deletes, size);
    if (!deletes) return calve_fail_oom(err);
    copy.deletes = deletes;
  }
  *out = copy;
  return CALVE_OK;
}

/* All tasks that are left, in `tasks`. */
static calve_status collect(calve_plan *p, calve_buffer *tasks, calve_error *err) {
  const calve_predicate *residual = NULL;
  for (;;) {
    const calve_scan_task *batch;
    size_t count;
    CALVE_TRY(calve_api__next(p, &batch, &count, err));
    if (count == 0) return calve_buffer_check(tasks, err);
    for (size_t i = 0; i < count; i++) {
      calve_scan_task task;
      CALVE_TRY(copy_task(p, &batch[i], residual, &task, err));
      residual = task.residual;
      calve_buffer_put(tasks, &task, sizeof task);
    }
  }
}

static calve_status choose_options(const calve_plan *p, const calve_group_config *c,
                                   calve_split_options *out, calve_error *err) {
  if (c->target_bytes < 0 || c->open_cost_bytes < 0 || c->lookback < 0)
    return calve_fail(err, CALVE_EINVAL, NULL, "sizes of groups and lookback can't be below 0");
  *out = calve_split_options_of(&calve_table_metadata(p->table)->properties);
  if (c->target_bytes > 0) out->target_bytes = c->target_bytes;
  if (c->open_cost_bytes > 0) out->open_cost_bytes = c->open_cost_bytes;
  if (c->lookback > 0) out->lookback = c->lookback;
  return CALVE_OK;
}

static calve_status show_groups(calve_plan *p, const calve_plan_task *shown,
                                const calve_split_group *groups, size_t count,
                                bool (*visit)(void *ctx, const calve_plan_piece *pieces,
                                              size_t count),
                                void *ctx, calve_error *err) {
  for (size_t g = 0; g < count; g++) {
    calve_plan_piece *pieces = CALVE_NEW_ARRAY(&p->arena, calve_plan_piece, groups[g].split_count);
    if (!pieces) return calve_fail_oom(err);
    for (size_t i = 0; i < groups[g].split_count; i++) {
      const calve_split *s = &groups[g].splits[i];
      pieces[i] = (calve_plan_piece){&shown[s->task_index], s->offset_bytes, s->length_bytes};
    }
    if (!visit(ctx, pieces, groups[g].split_count)) return CALVE_OK;
  }
  return CALVE_OK;
}

calve_status calve_plan_groups(calve_plan *p, const calve_group_config *config,
                               bool (*visit)(void *ctx, const calve_plan_piece *pieces,
                                             size_t count),
                               void *ctx, calve_error *err) {
  calve_group_config own = {.struct_size = sizeof own};
  calve_split_options options;
  if (config) CALVE_TRY(CALVE_STRUCT_READ(config, calve_group_config, lookback, &own, err));
  CALVE_TRY(choose_options(p, &own, &options, err));
  calve_buffer found;
  calve_buffer_init(&found, p->allocator);
  calve_status status = collect(p, &found, err);
  size_t count = CALVE_COUNT(&found, calve_scan_task), group_count = 0;
  const calve_split_group *groups = NULL;
  calve_scan_task *tasks = NULL;
  calve_plan_task *shown = NULL;
  if (status == CALVE_OK) {
    tasks = CALVE_NEW_ARRAY(&p->arena, calve_scan_task, count);
    shown = CALVE_NEW_ARRAY(&p->arena, calve_plan_task, count);
    if (!tasks || !shown) status = calve_fail_oom(err);
  }
  if (status == CALVE_OK && count > 0) memcpy(tasks, found.data, count * sizeof *tasks);
  calve_buffer_free(&found);
  CALVE_TRY(status);
  for (size_t i = 0; i < count; i++) shown[i] = calve_api__task(&tasks[i]);
  CALVE_TRY(calve_split_tasks(tasks, count, &options, &p->arena, &groups, &group_count, err));
  return show_groups(p, shown, groups, group_count, visit, ctx, err);
}
