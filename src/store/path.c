/* SPDX-License-Identifier: Apache-2.0 */
#include "store/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

calve_status calve_path_c(calve_str path, char out[CALVE_PATH_MAX], calve_error *err) {
  if (path.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "a path is empty");
  if (path.size >= CALVE_PATH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the path \"%.*s...\" is longer than %d bytes",
                      CALVE_STR_ARG(path), CALVE_PATH_MAX - 1);
  if (memchr(path.data, 0, path.size))
    return calve_fail(err, CALVE_EINVAL, NULL, "the path \"%.*s\" has a zero byte in it",
                      CALVE_STR_ARG(path));
  memcpy(out, path.data, path.size);
  out[path.size] = '\0';
  return CALVE_OK;
}

static calve_str behind(calve_str s, size_t n) {
  return (calve_str){s.data + n, s.size - n};
}

/* Length of "scheme" when "scheme:" starts the path: a letter, then letters, digits, "+-.".
 * "a/b:c" has none; a lone letter before the colon is a file name as likely as a scheme. */
static size_t scheme_length(calve_str path) {
  for (size_t i = 0; i < path.size; i++) {
    char c = path.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (i > 0 && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) continue;
    return c == ':' && i > 1 ? i : 0;
  }
  return 0;
}

bool calve_path_local(calve_str path, calve_str *local) {
  size_t scheme = scheme_length(path);
  if (scheme == 0) {
    *local = path;
    return true;
  }
  if (!calve_str_equal_nocase((calve_str){path.data, scheme}, CALVE_STR("file"))) {
    /* "name:rest" without slashes behind the colon is a relative file name. */
    if (calve_str_starts_with(behind(path, scheme + 1), CALVE_STR("/"))) return false;
    *local = path;
    return true;
  }
  calve_str rest = behind(path, scheme + 1);
  if (!calve_str_starts_with(rest, CALVE_STR("//"))) {
    *local = rest;
    return true;
  }
  calve_str authority = behind(rest, 2);
  if (calve_str_starts_with(authority, CALVE_STR("localhost/")))
    authority = behind(authority, sizeof "localhost" - 1);
  if (!calve_str_starts_with(authority, CALVE_STR("/"))) return false;
  *local = authority;
  return true;
}

/* Walks the segments of a path, without empty ones and ".". */
typedef struct walk {
  calve_str rest;
} walk;

static bool next_segment(walk *w, calve_str *segment) {
  while (w->rest.size > 0) {
    const char *slash = memchr(w->rest.data, '/', w->rest.size);
    size_t length = slash ? (size_t)(slash - w->rest.data) : w->rest.size;
    calve_str found = {w->rest.data, length};
    w->rest = behind(w->rest, slash ? length + 1 : length);
    if (length == 0 || (length == 1 && found.data[0] == '.')) continue;
    *segment = found;
    return true;
  }
  return false;
}

/* What two paths must share before their segments are compared: "" for relative local paths, "/"
 * for absolute ones, "s3://" for others. *segments is the rest. */
static calve_str split_root(calve_str path, calve_str *segments) {
  calve_str local;
  if (calve_path_local(path, &local)) {
    bool absolute = local.size > 0 && local.data[0] == '/';
    *segments = behind(local, absolute ? 1 : 0);
    return absolute ? CALVE_STR("/") : CALVE_STR("");
  }
  size_t root = scheme_length(path) + 1;
  while (root < path.size && path.data[root] == '/') root++;
  *segments = behind(path, root);
  return (calve_str){path.data, root};
}

bool calve_path_equal(calve_str a, calve_str b) {
  walk wa, wb;
  if (!calve_str_equal(split_root(a, &wa.rest), split_root(b, &wb.rest))) return false;
  for (;;) {
    calve_str sa, sb;
    bool more_a = next_segment(&wa, &sa), more_b = next_segment(&wb, &sb);
    if (!more_a || !more_b) return more_a == more_b;
    if (!calve_str_equal(sa, sb)) return false;
  }
}

bool calve_path_has_dotdot(calve_str path) {
  walk w;
  split_root(path, &w.rest);
  for (calve_str segment; next_segment(&w, &segment);)
    if (calve_str_equal(segment, CALVE_STR(".."))) return true;
  return false;
}

/* Whether folder's segments lead path's; *rest is what path has behind them. */
static bool leads(calve_str folder, calve_str path, calve_str *rest) {
  walk wf, wp;
  if (!calve_str_equal(split_root(folder, &wf.rest), split_root(path, &wp.rest))) return false;
  for (calve_str sf; next_segment(&wf, &sf);) {
    calve_str sp;
    if (!next_segment(&wp, &sp) || !calve_str_equal(sf, sp)) return false;
  }
  *rest = wp.rest;
  return true;
}

bool calve_path_inside(calve_str path, calve_str folder) {
  calve_str rest;
  return !calve_path_has_dotdot(path) && leads(folder, path, &rest);
}

calve_status calve_path_key(calve_str path, calve_arena *arena, calve_str *out, calve_error *err) {
  walk w;
  calve_str root = split_root(path, &w.rest);
  char *key = calve_arena_alloc(arena, path.size + 2);
  if (!key) return calve_fail_oom(err);
  size_t size = root.size;
  memcpy(key, root.data, root.size);
  for (calve_str segment; next_segment(&w, &segment);) {
    if (size > root.size) key[size++] = '/';
    memcpy(key + size, segment.data, segment.size);
    size += segment.size;
  }
  key[size] = '\0';
  *out = (calve_str){key, size};
  return CALVE_OK;
}

/* Where a local path leads once links are followed; parts that are not there yet stay as they are.
 * False when that can't be found out. */
static bool real_place(calve_str local, char out[PATH_MAX]) {
  char part[CALVE_PATH_MAX];
  if (calve_path_c(local, part, NULL) != CALVE_OK) return false;
  for (size_t cut = local.size;;) {
    if (realpath(cut ? part : "/", out)) {
      size_t have = strlen(out), more = local.size - cut;
      if (have + more + 1 > PATH_MAX) return false;
      memcpy(out + have, local.data + cut, more);
      out[have + more] = '\0';
      return true;
    }
    if ((errno != ENOENT && errno != ENOTDIR) || cut == 0) return false;
    while (cut > 0 && part[cut - 1] == '/') cut--;
    while (cut > 0 && part[cut - 1] != '/') cut--;
    while (cut > 0 && part[cut - 1] == '/') cut--;
    part[cut] = '\0';
  }
}

calve_status calve_path_own(calve_str path, calve_arena *arena, calve_str *out, calve_error *err) {
  calve_str local, key;
  if (!calve_path_local(path, &local)) {
    while (path.size > 0 && path.data[path.size - 1] == '/') path.size--;
    return calve_arena_str(arena, path, out, err);
  }
  if (local.size == 0 || local.data[0] != '/') {
    char folder[CALVE_PATH_MAX];
    if (!getcwd(folder, sizeof folder)) return calve_fail_os(err, errno, ".", "no working folder");
    char c_path[CALVE_PATH_MAX];
    CALVE_TRY(calve_path_c(local.size ? local : CALVE_STR("."), c_path, err));
    CALVE_TRY(calve_path_join(calve_str_of(folder), c_path, arena, &local, err));
  }
  char real[PATH_MAX];
  if (calve_path_has_dotdot(local) && real_place(local, real)) local = calve_str_of(real);
  CALVE_TRY(calve_path_key(local, arena, &key, err));
  return calve_arena_printf(arena, out, err, "file://%s", key.data);
}

calve_status calve_path_join(calve_str folder, const char *name, calve_arena *arena,
                             calve_str *out, calve_error *err) {
  while (folder.size > 0 && folder.data[folder.size - 1] == '/') folder.size--;
  size_t name_size = strlen(name);
  char *joined = calve_arena_alloc(arena, folder.size + name_size + 2);
  if (!joined) return calve_fail_oom(err);
  memcpy(joined, folder.data, folder.size);
  joined[folder.size] = '/';
  memcpy(joined + folder.size + 1, name, name_size + 1);
  *out = (calve_str){joined, folder.size + 1 + name_size};
  return CALVE_OK;
}

calve_str calve_path_file_name(calve_str path) {
  size_t at = path.size;
  while (at > 0 && path.data[at - 1] != '/') at--;
  return behind(path, at);
}

/* The first map that leads the path replaces its leading segments; the rest stays byte for byte. */
static calve_status mapped(const calve_path_rules *rules, calve_str path, calve_arena *arena,
                           calve_str *out, calve_error *err) {
  for (size_t i = 0; i < rules->map_count; i++) {
    calve_str rest;
    if (!leads(rules->maps[i].from, path, &rest)) continue;
    char c_rest[CALVE_PATH_MAX] = "";
    if (rest.size > 0) CALVE_TRY(calve_path_c(rest, c_rest, err));
    return calve_path_join(rules->maps[i].to, c_rest, arena, out, err);
  }
  return calve_arena_str(arena, path, out, err);
}

static bool links_stay_inside(calve_str path, calve_str root) {
  calve_str local_path, local_root;
  if (!calve_path_local(path, &local_path) || !calve_path_local(root, &local_root)) return true;
  char real_path[PATH_MAX], real_root[PATH_MAX];
  return real_place(local_path, real_path) && real_place(local_root, real_root) &&
         calve_path_inside(calve_str_of(real_path), calve_str_of(real_root));
}

bool calve_path_is_relative(calve_str path) {
  calve_str local;
  return calve_path_local(path, &local) && (local.size == 0 || local.data[0] != '/');
}

static bool inside_roots(const calve_path_rules *rules, calve_str place) {
  for (size_t i = 0; i < rules->root_count; i++)
    if (calve_path_inside(place, rules->roots[i]) && links_stay_inside(place, rules->roots[i]))
      return true;
  return false;
}

calve_status calve_path_resolve(const calve_path_rules *rules, calve_str path, calve_arena *arena,
                                calve_str *out, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  calve_str place;
  CALVE_TRY(mapped(rules, path, arena, &place, err));
  bool checked = rules->confined || rules->absolute;
  if (checked && calve_path_has_dotdot(place))
    return calve_fail(err, CALVE_EDENIED, c_path, "the path has \"..\" in it");
  if (checked && calve_path_is_relative(place))
    return calve_fail(err, CALVE_EDENIED, c_path,
                      "the path is relative: it says nothing without a folder, which "
                      "--map-prefix can give it");
  if (rules->confined && !inside_roots(rules, place))
    return calve_fail(err, CALVE_EDENIED, c_path,
                      "the path is outside the table's location and the allowed roots; "
                      "allow its folder with --allow-root if you trust this table");
  *out = place;
  return CALVE_OK;
}
