/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "codec/avro_cursor.h"

/* One program in the making. Sub-programs (list items) have a compiler of their own. */
typedef struct compiler {
  calve_buffer ops;
  calve_arena *arena;
  const char *where;
  int32_t prefixed_in; /* see calve_avro_options                                                */
  bool prefixed;       /* we are inside that record                                             */
  size_t barrier;      /* ops before this one are jumped over or to: never merged with          */
  size_t maps;         /* that have hints of their own                                          */
} compiler;

static calve_status compile_record(compiler *c, const calve_avro_type *record,
                                   const calve_avro_want *wants, size_t want_count,
                                   calve_error *err);
static calve_status compile_value(compiler *c, const calve_avro_type *type,
                                  const calve_avro_want *want, calve_error *err);

static size_t op_count(const compiler *c) {
  return CALVE_COUNT(&c->ops, calve_avro__op);
}

static size_t emit(compiler *c, calve_avro__op op) {
  calve_buffer_put(&c->ops, &op, sizeof op);
  return op_count(c) - 1;
}

/* Makes op `index` jump to what is emitted next. */
static void patch(compiler *c, size_t index) {
  c->barrier = op_count(c);
  if (!c->ops.oom) CALVE_ITEMS(&c->ops, calve_avro__op)[index].n = op_count(c);
}

static void emit_skip(compiler *c, calve_avro__code code, uint64_t n) {
  if (!c->ops.oom && op_count(c) > c->barrier) {
    calve_avro__op *last = &CALVE_ITEMS(&c->ops, calve_avro__op)[op_count(c) - 1];
    if (last->code == code) {
      last->n += n;
      return;
    }
  }
  emit(c, (calve_avro__op){.code = (uint8_t)code, .n = n});
}

/* The next map's own hints; when there are more maps they share. */
static size_t take_hints(compiler *c) {
  return c->maps++ % CALVE_AVRO__HINT_MAPS;
}

static bool is_varint(const calve_avro_type *t) {
  return t->id == CALVE_AVRO_INT || t->id == CALVE_AVRO_LONG;
}

static bool is_text(const calve_avro_type *t) {
  return t->id == CALVE_AVRO_BYTES || t->id == CALVE_AVRO_STRING;
}

/* A record of varints only: their number; else 0. */
static size_t varints_of(const calve_avro_type *t) {
  if (is_varint(t)) return 1;
  if (t->id != CALVE_AVRO_RECORD) return 0;
  for (size_t i = 0; i < t->field_count; i++) {
    if (!is_varint(t->fields[i].type)) return 0;
  }
  return t->field_count;
}

static bool is_text_pair(const calve_avro_type *t) {
  return t->id == CALVE_AVRO_RECORD && t->field_count == 2 && is_varint(t->fields[0].type) &&
         is_text(t->fields[1].type);
}

/* The branch of a two-branch union that is null, or -1. */
static int null_branch(const calve_avro_type *t) {
  if (t->id != CALVE_AVRO_UNION || t->field_count != 2) return -1;
  bool first = t->fields[0].type->id == CALVE_AVRO_NULL;
  bool second = t->fields[1].type->id == CALVE_AVRO_NULL;
  return first == second ? -1 : (first ? 0 : 1);
}

static void compile_skip(compiler *c, const calve_avro_type *t) {
  if (t->min_bytes == 0) return; /* takes no bytes at all                                       */
  switch (t->id) {
    case CALVE_AVRO_INT:
    case CALVE_AVRO_LONG:
    case CALVE_AVRO_ENUM:
      emit_skip(c, CALVE_OP_SKIP_VARINTS, 1);
      return;
    case CALVE_AVRO_BOOLEAN:
      emit_skip(c, CALVE_OP_SKIP_RAW, 1);
      return;
    case CALVE_AVRO_FLOAT:
      emit_skip(c, CALVE_OP_SKIP_RAW, 4);
      return;
    case CALVE_AVRO_DOUBLE:
      emit_skip(c, CALVE_OP_SKIP_RAW, 8);
      return;
    case CALVE_AVRO_FIXED: {
      bool prefixed = c->prefixed && t->logical == CALVE_AVRO_PLAIN;
      if (prefixed)
        emit(c, (calve_avro__op){.code = CALVE_OP_SKIP_TEXT});
      else
        emit_skip(c, CALVE_OP_SKIP_RAW, t->size_bytes);
      return;
    }
    case CALVE_AVRO_BYTES:
    case CALVE_AVRO_STRING:
      emit(c, (calve_avro__op){.code = CALVE_OP_SKIP_TEXT});
      return;
    default:
      break;
  }
  int null_at = null_branch(t);
  if (null_at >= 0) {
    size_t optional =
        emit(c, (calve_avro__op){.code = CALVE_OP_OPTIONAL, .small = (uint8_t)null_at});
    c->barrier = op_count(c);
    compile_skip(c, t->fields[1 - null_at].type);
    patch(c, optional);
    return;
  }
  if (t->id == CALVE_AVRO_ARRAY) {
    const calve_avro_type *item = t->fields[0].type;
    if (varints_of(item) > 0) {
      emit(c, (calve_avro__op){.code = CALVE_OP_SKIP_NUMBER_ITEMS, .n = varints_of(item)});
      return;
    }
    if (is_text_pair(item)) {
      emit(c, (calve_avro__op){.code = CALVE_OP_SKIP_TEXT_PAIRS, .n = take_hints(c)});
      return;
    }
  }
  emit(c, (calve_avro__op){.code = CALVE_OP_SKIP_TYPE, .more = t});
}

static calve_status mismatch(compiler *c, const calve_avro_want *want, calve_error *err) {
  return calve_fail(err, CALVE_ECORRUPT, c->where,
                    "field \"%s\" (id %d) has an Avro type that can't hold its values", want->name,
                    want->field_id);
}

/* Whether compile_plain takes this type, so that a union's other branches can be told apart. */
static bool fits(const calve_avro_type *t, const calve_avro_want *want) {
  bool is_array = t->id == CALVE_AVRO_ARRAY;
  switch (want->target) {
    case CALVE_AVRO_TO_BOOL:
      return t->id == CALVE_AVRO_BOOLEAN;
    case CALVE_AVRO_TO_I32:
    case CALVE_AVRO_TO_I64:
      return is_varint(t);
    case CALVE_AVRO_TO_STR:
      return is_text(t) || t->id == CALVE_AVRO_FIXED;
    case CALVE_AVRO_TO_SCALAR:
      return !is_array && t->id != CALVE_AVRO_RECORD && t->id != CALVE_AVRO_MAP &&
             t->id != CALVE_AVRO_UNION;
    case CALVE_AVRO_TO_RECORD:
    case CALVE_AVRO_TO_RECORD_AT:
      return t->id == CALVE_AVRO_RECORD;
    case CALVE_AVRO_TO_I32_LIST:
    case CALVE_AVRO_TO_I64_LIST:
      return is_array;
    case CALVE_AVRO_TO_ID_I64:
    case CALVE_AVRO_TO_ID_BYTES:
    case CALVE_AVRO_TO_RECORDS:
      return is_array && calve_avro_not_null(t->fields[0].type)->id == CALVE_AVRO_RECORD;
  }
  return false;
}

/* A program of its own for the items of a list. */
static calve_status compile_items(compiler *c, const calve_avro_type *item,
                                  const calve_avro_want *want, const calve_avro_program **out,
                                  calve_error *err) {
  compiler sub = {.arena = c->arena, .where = c->where};
  calve_buffer_init(&sub.ops, c->arena->allocator);
  calve_status status = compile_value(&sub, item, want, err);
  if (status == CALVE_OK) {
    emit(&sub, (calve_avro__op){.code = CALVE_OP_END});
    status = calve_buffer_check(&sub.ops, err);
  }
  calve_avro_program *p = NULL;
  if (status == CALVE_OK) {
    p = CALVE_NEW(c->arena, calve_avro_program);
    void *ops = calve_arena_copy(c->arena, sub.ops.data, sub.ops.size);
    if (p && ops)
      *p = (calve_avro_program){ops, op_count(&sub)};
    else
      status = calve_fail_oom(err);
  }
  calve_buffer_free(&sub.ops);
  if (status == CALVE_OK) *out = p;
  return status;
}

static calve_status compile_pairs(compiler *c, const calve_avro_type *item,
                                  const calve_avro_want *want, calve_error *err) {
  bool text = want->target == CALVE_AVRO_TO_ID_BYTES;
  calve_avro_want *wants = CALVE_NEW_ARRAY(c->arena, calve_avro_want, 2);
  calve_avro__pairs *pairs = CALVE_NEW(c->arena, calve_avro__pairs);
  if (!wants || !pairs) return calve_fail_oom(err);
  wants[0] =
      (calve_avro_want){.field_id = want->key_id,
                        .name = "key",
                        .target = CALVE_AVRO_TO_I32,
                        .required = true,
                        .offset = text ? offsetof(calve_id_bytes, id) : offsetof(calve_id_i64, id)};
  wants[1] = (calve_avro_want){
      .field_id = want->value_id,
      .name = "value",
      .target = text ? CALVE_AVRO_TO_STR : CALVE_AVRO_TO_I64,
      .required = true,
      .offset = text ? offsetof(calve_id_bytes, value) : offsetof(calve_id_i64, value)};
  const calve_avro_want pair = {.field_id = want->field_id,
                                .name = want->name,
                                .target = CALVE_AVRO_TO_RECORD,
                                .required = true,
                                .fields = wants,
                                .field_count = 2};
  CALVE_TRY(compile_items(c, item, &pair, &pairs->item, err));
  pairs->only_ids = want->only_ids;
  pairs->only_count = want->only_count;
  pairs->item_min_bytes = item->min_bytes;
  pairs->map = take_hints(c);
  pairs->plain = item->id == CALVE_AVRO_RECORD && item->field_count == 2 &&
                 is_varint(item->fields[0].type) &&
                 (text ? is_text(item->fields[1].type) : is_varint(item->fields[1].type)) &&
                 calve_avro_find_field(item, want->key_id, "key") == &item->fields[0] &&
                 calve_avro_find_field(item, want->value_id, "value") == &item->fields[1];
  emit(c,
       (calve_avro__op){
           .code = CALVE_OP_PAIRS, .small = text, .offset = (uint32_t)want->offset, .more = pairs});
  return CALVE_OK;
}

static calve_status compile_numbers(compiler *c, const calve_avro_type *item,
                                    const calve_avro_want *want, calve_error *err) {
  calve_avro_want *number = CALVE_NEW(c->arena, calve_avro_want);
  calve_avro__numbers *numbers = CALVE_NEW(c->arena, calve_avro__numbers);
  if (!number || !numbers) return calve_fail_oom(err);
  *number = (calve_avro_want){.field_id = want->field_id,
                              .name = want->name,
                              .target = CALVE_AVRO_TO_I64,
                              .required = true};
  CALVE_TRY(compile_items(c, item, number, &numbers->item, err));
  numbers->item_min_bytes = item->min_bytes;
  emit(c, (calve_avro__op){.code = CALVE_OP_NUMBERS,
                           .small = want->target == CALVE_AVRO_TO_I32_LIST ? 4 : 8,
                           .offset = (uint32_t)want->offset,
                           .more = numbers});
  return CALVE_OK;
}

static calve_status compile_records(compiler *c, const calve_avro_type *item,
                                    const calve_avro_want *want, calve_error *err) {
  calve_avro__records *records = CALVE_NEW(c->arena, calve_avro__records);
  if (!records) return calve_fail_oom(err);
  const calve_avro_want record = {.field_id = want->field_id,
                                  .name = want->name,
                                  .target = CALVE_AVRO_TO_RECORD,
                                  .fields = want->fields,
                                  .field_count = want->field_count};
  CALVE_TRY(compile_items(c, item, &record, &records->item, err));
  records->item_size = want->item_size;
  records->item_min_bytes = item->min_bytes;
  records->blank = want->item_blank;
  emit(c, (calve_avro__op){
              .code = CALVE_OP_RECORDS, .offset = (uint32_t)want->offset, .more = records});
  return CALVE_OK;
}

static calve_avro__op text_op(const compiler *c, const calve_avro_type *t) {
  if (t->id != CALVE_AVRO_FIXED) return (calve_avro__op){.code = CALVE_OP_TEXT};
  bool prefixed = c->prefixed && t->logical == CALVE_AVRO_PLAIN;
  return (calve_avro__op){.code = prefixed ? CALVE_OP_PREFIXED : CALVE_OP_FIXED,
                          .n = t->size_bytes};
}

/* A value that is no union and that fits. */
static calve_status compile_plain(compiler *c, const calve_avro_type *t,
                                  const calve_avro_want *want, calve_error *err) {
  calve_avro__op op = {.offset = (uint32_t)want->offset};
  switch (want->target) {
    case CALVE_AVRO_TO_BOOL:
      op.code = CALVE_OP_BOOL;
      break;
    case CALVE_AVRO_TO_I32:
      op.code = CALVE_OP_I32;
      break;
    case CALVE_AVRO_TO_I64:
      op.code = CALVE_OP_I64;
      break;
    case CALVE_AVRO_TO_STR:
      op = text_op(c, t);
      op.offset = (uint32_t)want->offset;
      break;
    case CALVE_AVRO_TO_SCALAR:
      op.code = t->id == CALVE_AVRO_NULL                   ? CALVE_OP_SCALAR_NULL
                : is_varint(t) || t->id == CALVE_AVRO_ENUM ? CALVE_OP_SCALAR_LONG
                                                           : CALVE_OP_SCALAR;
      op.small = c->prefixed && t->id == CALVE_AVRO_FIXED && t->logical == CALVE_AVRO_PLAIN;
      op.more = t;
      break;
    case CALVE_AVRO_TO_RECORD:
      return compile_record(c, t, want->fields, want->field_count, err);
    case CALVE_AVRO_TO_RECORD_AT:
      op.code = CALVE_OP_ENTER;
      emit(c, op);
      CALVE_TRY(compile_record(c, t, want->fields, want->field_count, err));
      emit(c, (calve_avro__op){.code = CALVE_OP_LEAVE});
      return CALVE_OK;
    case CALVE_AVRO_TO_I32_LIST:
    case CALVE_AVRO_TO_I64_LIST:
      return compile_numbers(c, t->fields[0].type, want, err);
    case CALVE_AVRO_TO_ID_I64:
    case CALVE_AVRO_TO_ID_BYTES:
      return compile_pairs(c, t->fields[0].type, want, err);
    case CALVE_AVRO_TO_RECORDS:
      return compile_records(c, t->fields[0].type, want, err);
  }
  emit(c, op);
  return CALVE_OK;
}

static calve_status emit_fail(compiler *c, const calve_avro_want *want, const char *why,
                              calve_error *err) {
  calve_str text;
  CALVE_TRY(calve_arena_printf(c->arena, &text, err, "field \"%s\" (id %d) %s", want->name,
                               want->field_id, why));
  emit(c, (calve_avro__op){.code = CALVE_OP_FAIL, .more = text.data});
  return CALVE_OK;
}

/* Any union: a jump table, the branches one after the other, each jumping behind the last. */
static calve_status compile_union(compiler *c, const calve_avro_type *t,
                                  const calve_avro_want *want, calve_error *err) {
  uint32_t *table = CALVE_NEW_ARRAY(c->arena, uint32_t, t->field_count);
  size_t *ends = CALVE_NEW_ARRAY(c->arena, size_t, t->field_count);
  if (!table || !ends) return calve_fail_oom(err);
  bool any = false;
  emit(c, (calve_avro__op){.code = CALVE_OP_BRANCHES, .n = t->field_count, .more = table});
  for (size_t i = 0; i < t->field_count; i++) {
    const calve_avro_type *branch = t->fields[i].type;
    c->barrier = op_count(c);
    table[i] = (uint32_t)op_count(c);
    if (branch->id == CALVE_AVRO_NULL) {
      if (want->required) CALVE_TRY(emit_fail(c, want, "is null, but must not be", err));
    } else if (fits(branch, want)) {
      any = true;
      CALVE_TRY(compile_plain(c, branch, want, err));
    } else {
      CALVE_TRY(emit_fail(c, want, "has a value of a type that does not fit", err));
    }
    ends[i] = emit(c, (calve_avro__op){.code = CALVE_OP_JUMP});
  }
  for (size_t i = 0; i < t->field_count; i++) patch(c, ends[i]);
  return any || !want->required ? CALVE_OK : mismatch(c, want, err);
}

static calve_status compile_value(compiler *c, const calve_avro_type *type,
                                  const calve_avro_want *want, calve_error *err) {
  int null_at = null_branch(type);
  if (null_at >= 0 && !want->required && fits(type->fields[1 - null_at].type, want)) {
    size_t optional =
        emit(c, (calve_avro__op){.code = CALVE_OP_OPTIONAL, .small = (uint8_t)null_at});
    c->barrier = op_count(c);
    CALVE_TRY(compile_plain(c, type->fields[1 - null_at].type, want, err));
    patch(c, optional);
    return CALVE_OK;
  }
  if (type->id == CALVE_AVRO_UNION) return compile_union(c, type, want, err);
  if (type->id == CALVE_AVRO_NULL && !want->required) return CALVE_OK;
  if (!fits(type, want)) return mismatch(c, want, err);
  return compile_plain(c, type, want, err);
}

static calve_status compile_record(compiler *c, const calve_avro_type *record,
                                   const calve_avro_want *wants, size_t want_count,
                                   calve_error *err) {
  const calve_avro_want **by_field =
      CALVE_NEW_ARRAY(c->arena, const calve_avro_want *, record->field_count + 1);
  if (!by_field) return calve_fail_oom(err);
  for (size_t i = 0; i < want_count; i++) {
    const calve_avro_field *f = calve_avro_find_field(record, wants[i].field_id, wants[i].name);
    if (f) {
      const calve_avro_want **taken = &by_field[f - record->fields];
      if (*taken) {
        return calve_fail(err, CALVE_ECORRUPT, c->where,
                          "the field id %d stands for both \"%s\" and \"%s\"", wants[i].field_id,
                          (*taken)->name, wants[i].name);
      }
      *taken = &wants[i];
    } else if (wants[i].required) {
      return calve_fail(err, CALVE_ECORRUPT, c->where,
                        "the required field \"%s\" (id %d) is missing", wants[i].name,
                        wants[i].field_id);
    }
  }
  for (size_t i = 0; i < record->field_count; i++) {
    const calve_avro_want *want = by_field[i];
    bool was_prefixed = c->prefixed;
    if (c->prefixed_in > 0 && record->fields[i].field_id == c->prefixed_in) c->prefixed = true;
    if (want)
      CALVE_TRY(compile_value(c, record->fields[i].type, want, err));
    else
      compile_skip(c, record->fields[i].type);
    c->prefixed = was_prefixed;
  }
  return CALVE_OK;
}

calve_status calve_avro_compile(const calve_avro_type *schema, const calve_avro_want *wants,
                                size_t want_count, const calve_avro_options *options,
                                const char *where, calve_arena *arena,
                                const calve_avro_program **out, calve_error *err) {
  assert(schema->id == CALVE_AVRO_RECORD);
  compiler c = {.arena = arena, .where = where};
  if (options) c.prefixed_in = options->prefixed_fixed_in;
  calve_buffer_init(&c.ops, arena->allocator);
  calve_status status = compile_record(&c, schema, wants, want_count, err);
  if (status == CALVE_OK) {
    emit(&c, (calve_avro__op){.code = CALVE_OP_END});
    status = calve_buffer_check(&c.ops, err);
  }
  if (status == CALVE_OK) {
    calve_avro_program *p = CALVE_NEW(arena, calve_avro_program);
    void *ops = calve_arena_copy(arena, c.ops.data, c.ops.size);
    if (p && ops) {
      *p = (calve_avro_program){ops, op_count(&c)};
      *out = p;
    } else {
      status = calve_fail_oom(err);
    }
  }
  calve_buffer_free(&c.ops);
  return status;
}
