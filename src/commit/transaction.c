/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/transaction.h"

#include "base/text.h"
#include "base/uuid.h"
#include "commit/maker.h"
#include "track/snapshot_manifests.h"

typedef struct step {
  const calve_changes *changes; /* one of the two                                               */
  calve_commit__maker *maker;
} step;

struct calve_transaction {
  const calve_commit_target *target;
  const calve_allocator *allocator;
  calve_arena arena;    /* until free                                                           */
  calve_arena attempt;  /* one attempt's base and what was made on it                           */
  calve_buffer steps;   /* step                                                                 */
  calve_buffer written; /* calve_commit__written                                                */
  calve_buffer json;
  bool creates, used, keep_files;

  calve_table_state base;        /* metadata NULL: to be loaded                                 */
  const calve_metadata *initial; /* of a table that is created                                  */
  const calve_metadata *now;     /* after steps_done steps; NULL: nothing done yet              */
  size_t steps_done;
  bool changed;
  calve_str tried_location; /* of the last swap; in `arena`                                     */
};

/* ---- making and freeing ---- */

static calve_status make(const calve_commit_target *target, calve_transaction **out,
                         calve_error *err) {
  const calve_allocator *allocator =
      target->allocator ? target->allocator : calve_default_allocator();
  calve_transaction *t = allocator->resize(allocator->ctx, NULL, 0, sizeof *t);
  if (!t) return calve_fail_oom(err);
  *t = (calve_transaction){.target = target, .allocator = allocator};
  calve_arena_init(&t->arena, allocator);
  calve_arena_init(&t->attempt, allocator);
  calve_buffer_init(&t->steps, allocator);
  calve_buffer_init(&t->written, allocator);
  calve_buffer_init(&t->json, allocator);
  *out = t;
  return CALVE_OK;
}

calve_status calve_transaction_begin(const calve_commit_target *target,
                                     const calve_table_state *start, calve_transaction **out,
                                     calve_error *err) {
  CALVE_TRY(make(target, out, err));
  if (start) (*out)->base = *start;
  return CALVE_OK;
}

calve_status calve_transaction_begin_create(const calve_commit_target *target,
                                            const calve_metadata *initial,
                                            calve_transaction **out, calve_error *err) {
  CALVE_TRY(make(target, out, err));
  (*out)->creates = true;
  (*out)->initial = initial;
  return CALVE_OK;
}

/* Removes files that this commit wrote and that nothing names; failures are left to the removal of
 * orphans. */
static void remove_written(calve_transaction *t, bool also_needed) {
  const calve_commit__written *items = CALVE_ITEMS(&t->written, calve_commit__written);
  size_t count = CALVE_COUNT(&t->written, calve_commit__written);
  for (size_t i = 0; i < count; i++) {
    if (items[i].needed && !also_needed) continue;
    calve_error ignored;
    calve_status status = calve_store_remove(t->target->store, items[i].path, &ignored);
    (void)status;
  }
  calve_buffer_clear(&t->written);
}

void calve_transaction_free(calve_transaction *t) {
  if (!t) return;
  if (!t->keep_files) remove_written(t, true); /* a preview that was never committed */
  step *steps = CALVE_ITEMS(&t->steps, step);
  size_t count = CALVE_COUNT(&t->steps, step);
  for (size_t i = 0; i < count; i++)
    if (steps[i].maker) calve_commit__maker_free(steps[i].maker);
  calve_buffer_free(&t->steps);
  calve_buffer_free(&t->written);
  calve_buffer_free(&t->json);
  calve_arena_free(&t->attempt);
  calve_arena_free(&t->arena);
  t->allocator->resize(t->allocator->ctx, t, sizeof *t, 0);
}

calve_status calve_transaction_add_changes(calve_transaction *t, const calve_changes *changes,
                                           calve_error *err) {
  CALVE_PUSH(&t->steps, step, .changes = changes);
  return calve_buffer_check(&t->steps, err);
}

calve_status calve_transaction_add_update(calve_transaction *t,
                                          const calve_snapshot_update *update, calve_error *err) {
  calve_commit__maker *maker = CALVE_NEW(&t->arena, calve_commit__maker);
  if (!maker || !calve_buffer_reserve(&t->steps, sizeof(step))) return calve_fail_oom(err);
  CALVE_TRY(calve_commit__maker_init(maker, t->target, update, &t->written, err));
  CALVE_PUSH(&t->steps, step, .maker = maker);
  return CALVE_OK;
}

/* ---- one attempt ---- */

static calve_status apply(calve_transaction *t, const calve_changes *changes, calve_error *err) {
  const calve_commit_clock *clock = &t->target->clock;
  /* Only the first step adds to the metadata log; later ones start from what was not written. */
  calve_str base_location = t->changed || t->creates ? (calve_str){0} : t->base.metadata_location;
  CALVE_TRY(calve_changes_apply(changes, t->now, base_location, clock->now_ms(clock->ctx),
                                &t->attempt, &t->now, err));
  t->changed = true;
  return CALVE_OK;
}

/* v1 tables may lack a uuid; the next commit gives them one. */
static calve_status ensure_uuid(calve_transaction *t, calve_error *err) {
  if (t->now->table_uuid.data) return CALVE_OK;
  uint8_t uuid[16];
  char text[CALVE_UUID_TEXT_SIZE];
  CALVE_TRY(calve_uuid_random(uuid, err));
  calve_uuid_format(uuid, text);
  calve_change *change = CALVE_NEW(&t->attempt, calve_change);
  if (!change) return calve_fail_oom(err);
  change->kind = CALVE_ASSIGN_UUID;
  CALVE_TRY(calve_arena_str(&t->attempt, calve_str_of(text), &change->text, err));
  const calve_changes changes = {.change_count = 1, .changes = change};
  return apply(t, &changes, err);
}

static calve_status run_step(calve_transaction *t, const step *s, calve_error *err) {
  const calve_commit_clock *clock = &t->target->clock;
  if (s->changes) {
    CALVE_TRY(calve_requirements_check(s->changes, t->now, err));
    return s->changes->change_count ? apply(t, s->changes, err) : CALVE_OK;
  }
  CALVE_TRY(ensure_uuid(t, err));
  calve_changes changes;
  CALVE_TRY(calve_commit__make(s->maker, t->now, clock->now_ms(clock->ctx), &t->attempt, &changes,
                               err));
  return apply(t, &changes, err);
}

static calve_status run_steps(calve_transaction *t, calve_error *err) {
  if (!t->now) {
    if (!t->creates && !t->base.metadata)
      CALVE_TRY(t->target->load(t->target->ctx, &t->attempt, &t->base, err));
    t->now = t->creates ? t->initial : t->base.metadata;
  }
  const step *steps = CALVE_ITEMS(&t->steps, step);
  for (size_t count = CALVE_COUNT(&t->steps, step); t->steps_done < count; t->steps_done++)
    CALVE_TRY(run_step(t, &steps[t->steps_done], err));
  return CALVE_OK;
}

calve_status calve_transaction_preview(calve_transaction *t, const calve_metadata **out,
                                       calve_error *err) {
  if (t->used) return calve_fail(err, CALVE_EINVAL, t->target->name, "the transaction is over");
  CALVE_TRY(run_steps(t, err));
  *out = t->now;
  return CALVE_OK;
}

/* The text that is about to be published must be readable: it is parsed again, and what the caller
 * gets is what was parsed. */
static calve_status publish(calve_transaction *t, calve_arena *out_arena, calve_table_state *out,
                            calve_error *err) {
  calve_json_writer w;
  calve_buffer_clear(&t->json);
  calve_json_write_init(&w, &t->json, 0);
  calve_metadata_write_json(t->now, &w);
  CALVE_TRY(calve_buffer_check(&t->json, err));
  calve_str text;
  calve_table_state made = {.version = -1};
  CALVE_TRY(calve_arena_str(out_arena, calve_buffer_view(&t->json), &text, err));
  CALVE_TRY(calve_metadata_parse(text, t->target->name, out_arena, &made.metadata, err));
  const calve_table_state *base = t->creates ? NULL : &t->base;
  calve_status status = t->target->swap(t->target->ctx, base, made.metadata, text, &t->arena,
                                        &t->tried_location, &made.version, err);
  if (status != CALVE_OK) return status;
  /* From here on it has happened: nothing may look as if it had not. */
  if (calve_arena_str(out_arena, t->tried_location, &made.metadata_location, err) != CALVE_OK)
    return calve_fail(err, CALVE_EUNKNOWN, t->target->name,
                      "the commit happened, but no memory is left to go on: load the table again");
  *out = made;
  return CALVE_OK;
}

/* ---- trying again ---- */

typedef struct retry {
  int64_t tries_left, wait_ms, max_wait_ms, deadline_ms;
} retry;

/* A number of tries or milliseconds, small enough to be added to and doubled: anybody may have
 * written the property. */
static int64_t positive(const calve_properties *p, const char *key, int64_t fallback) {
  int64_t value = calve_properties_i64(p, key, fallback);
  if (value < 0) return fallback;
  return value > INT32_MAX ? INT32_MAX : value;
}

static retry retry_of(const calve_transaction *t, const calve_metadata *m) {
  const calve_properties *p = &m->properties;
  const calve_commit_clock *clock = &t->target->clock;
  int64_t total_ms = positive(p, "commit.retry.total-timeout-ms", 30 * 60 * 1000);
  return (retry){
      .tries_left = positive(p, "commit.retry.num-retries", 4),
      .wait_ms = positive(p, "commit.retry.min-wait-ms", 100),
      .max_wait_ms = positive(p, "commit.retry.max-wait-ms", 60 * 1000),
      .deadline_ms = clock->now_ms(clock->ctx) + total_ms};
}

typedef enum turn { TRY_AGAIN, GIVE_UP, CANCELLED } turn;

/* Sleeps, twice as long each time, with jitter so that writers get out of step. */
static turn wait_for_turn(calve_transaction *t, retry *r) {
  const calve_commit_clock *clock = &t->target->clock;
  if (r->tries_left <= 0 || clock->now_ms(clock->ctx) >= r->deadline_ms) return GIVE_UP;
  r->tries_left--;
  int64_t jitter = 0, wait = r->wait_ms < r->max_wait_ms ? r->wait_ms : r->max_wait_ms;
  if (wait > 0 && calve_random_id(&jitter, NULL) == CALVE_OK) jitter %= wait;
  if (!clock->sleep_ms(clock->ctx, wait / 2 + jitter)) return CANCELLED;
  r->wait_ms = r->wait_ms > r->max_wait_ms / 2 ? r->max_wait_ms : r->wait_ms * 2;
  return TRY_AGAIN;
}

static calve_status start_over(calve_transaction *t, calve_error *err) {
  t->base = (calve_table_state){0};
  t->now = NULL;
  t->steps_done = 0;
  t->changed = false;
  calve_arena_reset(&t->attempt);
  calve_commit__written *items = CALVE_ITEMS(&t->written, calve_commit__written);
  size_t count = CALVE_COUNT(&t->written, calve_commit__written);
  for (size_t i = 0; i < count; i++) items[i].needed = false;
  CALVE_TRY(t->target->load(t->target->ctx, &t->attempt, &t->base, err));
  return CALVE_OK;
}

/* A conflict may be the echo of our own success whose answer was lost on the way. */
static bool is_ours(const calve_transaction *t, const calve_table_state *now) {
  const step *steps = CALVE_ITEMS(&t->steps, step);
  size_t count = CALVE_COUNT(&t->steps, step);
  for (size_t i = 0; i < count; i++)
    if (steps[i].maker) return calve_metadata_snapshot(now->metadata, steps[i].maker->snapshot_id);
  if (now->version >= 0) return false; /* names of versions are not ours alone */
  if (calve_str_equal(now->metadata_location, t->tried_location)) return true;
  for (size_t i = 0; i < now->metadata->metadata_log_count; i++)
    if (calve_str_equal(now->metadata->metadata_log[i].metadata_file, t->tried_location))
      return true;
  return false;
}

/* Asks until the outcome is known, at most commit.status-check.num-retries times. */
static calve_status settle(calve_transaction *t, calve_error *err) {
  const calve_properties *p = &t->now->properties;
  const calve_commit_clock *clock = &t->target->clock;
  int64_t tries = positive(p, "commit.status-check.num-retries", 3);
  int64_t wait = positive(p, "commit.status-check.min-wait-ms", 1000);
  int64_t max_wait = positive(p, "commit.status-check.max-wait-ms", 60 * 1000);
  calve_str text = calve_buffer_view(&t->json);
  for (;; tries--) {
    calve_status status = t->target->settle(t->target->ctx, t->creates ? NULL : &t->base,
                                            t->tried_location, text, err);
    if (status == CALVE_OK || status == CALVE_ECONFLICT || status == CALVE_EIO) return status;
    if (tries <= 0)
      return calve_fail(err, CALVE_EUNKNOWN, t->target->name,
                        "the commit was sent, but its outcome is not known; its files stay: load "
                        "the table to see whether it happened");
    if (wait > max_wait) wait = max_wait;
    if (!clock->sleep_ms(clock->ctx, wait)) tries = 1; /* cancelled: it is asked once more */
    wait *= 2;
  }
}

/* The state that the table has now, for the caller. */
static calve_status reload(calve_transaction *t, calve_arena *out_arena, calve_table_state *out,
                           calve_error *err) {
  calve_status status = t->target->load(t->target->ctx, out_arena, out, err);
  if (status == CALVE_OK) return status;
  return calve_fail(err, CALVE_EUNKNOWN, t->target->name,
                    "the commit happened, but the table could not be loaded again");
}

/* What was legal when it was made, and no longer is, is a conflict and no mistake of the caller. */
static calve_status as_conflict(calve_status status, calve_error *err) {
  if (status != CALVE_EINVAL) return status;
  calve_error_prefix(err, "somebody else changed the table meanwhile");
  if (err) err->code = CALVE_ECONFLICT;
  return CALVE_ECONFLICT;
}

static calve_status attempts(calve_transaction *t, calve_arena *out_arena, calve_table_state *out,
                             calve_error *err) {
  retry r = {0};
  for (bool first = true;; first = false) {
    calve_status done = run_steps(t, err);
    if (done != CALVE_OK) return first ? done : as_conflict(done, err);
    if (!t->changed && !t->creates) {
      calve_status status = t->target->load(t->target->ctx, out_arena, out, err);
      return status;
    }
    if (first) r = retry_of(t, t->now);
    calve_status status = publish(t, out_arena, out, err);
    bool in_vain = false; /* it did not happen, and nobody else was there                       */
    if (status == CALVE_EUNKNOWN) {
      calve_error sent = {0};
      if (err) sent = *err;
      status = settle(t, err);
      if (status == CALVE_OK) return reload(t, out_arena, out, err);
      in_vain = status == CALVE_EIO;
      if (in_vain)
        status = calve_fail(err, CALVE_EIO, sent.where, "the commit did not happen: %s",
                            sent.message);
    }
    if ((status != CALVE_ECONFLICT && !in_vain) || t->creates) return status;
    /* On the way here err says what is wrong, for the case that this was the last try. */
    turn next = wait_for_turn(t, &r);
    calve_error reload_err;
    calve_status reloaded = start_over(t, &reload_err);
    if (reloaded == CALVE_OK && is_ours(t, &t->base)) {
      calve_commit__written *items = CALVE_ITEMS(&t->written, calve_commit__written);
      for (size_t i = 0; i < CALVE_COUNT(&t->written, calve_commit__written); i++)
        items[i].needed = true;
      return reload(t, out_arena, out, err);
    }
    if (next == CANCELLED)
      return calve_fail(err, CALVE_ECANCELLED, t->target->name,
                        "the commit was cancelled while it waited for its next try; nothing was "
                        "changed");
    if (next == GIVE_UP) return status;
    if (reloaded != CALVE_OK) {
      if (err) *err = reload_err;
      return reloaded;
    }
  }
}

/* write.metadata.delete-after-commit.enabled: what fell out of the log goes. */
static void remove_old_metadata(calve_transaction *t, const calve_metadata *now) {
  if (t->creates || !t->base.metadata ||
      !calve_properties_bool(&now->properties, "write.metadata.delete-after-commit.enabled", false))
    return;
  const calve_metadata *before = t->base.metadata;
  for (size_t i = 0; i < before->metadata_log_count; i++) {
    calve_str file = before->metadata_log[i].metadata_file;
    bool kept = calve_str_equal(file, t->base.metadata_location);
    for (size_t k = 0; k < now->metadata_log_count && !kept; k++)
      kept = calve_str_equal(file, now->metadata_log[k].metadata_file);
    calve_error ignored;
    if (!kept && calve_store_remove(t->target->store, file, &ignored) != CALVE_OK) continue;
  }
}

calve_status calve_transaction_commit(calve_transaction *t, calve_arena *out_arena,
                                      calve_table_state *out, calve_error *err) {
  if (t->used) return calve_fail(err, CALVE_EINVAL, t->target->name, "the transaction is over");
  t->used = true;
  calve_table_state made;
  calve_status status = attempts(t, out_arena, &made, err);
  t->keep_files = true;
  if (status == CALVE_EUNKNOWN) return status;
  remove_written(t, status != CALVE_OK);
  if (status != CALVE_OK) {
    if (t->base.metadata)
      calve_snapshot_name_list(calve_metadata_current_snapshot(t->base.metadata), t->target->store,
                               t->allocator, err);
    calve_error_set_where(err, t->target->name);
    return status;
  }
  remove_old_metadata(t, made.metadata);
  *out = made;
  return CALVE_OK;
}
