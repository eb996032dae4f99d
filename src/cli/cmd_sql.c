/* SPDX-License-Identifier: Apache-2.0 */
/* calve sql, describe, ls: commands that are statements. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/arrow_cell.h"
#include "cli/cli.h"

/* A whole file, or standard input for "-". */
static int read_script(const char *path, cli_text *out) {
  bool standard = strcmp(path, "-") == 0;
  FILE *file = standard ? stdin : fopen(path, "rb");
  if (!file) {
    char reason[128] = "";
    if (strerror_r(errno, reason, sizeof reason) != 0) reason[0] = '\0';
    fprintf(stderr, "calve: %s: %s\n", path, reason);
    return CLI_FAILED;
  }
  char piece[65536];
  for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
    cli_text_put(out, piece, size);
  bool failed = ferror(file) != 0;
  if (!standard) fclose(file);
  if (failed || out->failed) {
    fprintf(stderr, "calve: %s: can't be read whole\n", path);
    return CLI_FAILED;
  }
  if (out->data && memchr(out->data, '\0', out->size)) {
    fprintf(stderr, "calve: %s: a NUL byte is no SQL\n", path);
    return CLI_FAILED;
  }
  return CLI_OK;
}

static int run_text(const cli_options *options, const char *text) {
  calve_session *session = NULL;
  calve_cache *cache = cli_open_cache(options);
  int code = cli_open_session(options, cache, &session);
  if (code == CLI_OK) code = cli_run_script(session, options, text);
  calve_session_free(session);
  calve_cache_free(cache);
  return code;
}

static int run_prompt(const cli_options *options) {
  calve_session *session = NULL;
  calve_cache *cache = cli_open_cache(options);
  int code = cli_open_session(options, cache, &session);
  if (code == CLI_OK) code = cli_shell(session, options);
  calve_session_free(session);
  calve_cache_free(cache);
  return code;
}

int cli_sql(const cli_options *options) {
  cli_text script = {0};
  if (options->argument_count > 2)
    return cli_usage("sql takes one text: put the statements in quotes");
  if (options->argument_count == 2 && options->file)
    return cli_usage("give a text or -f, not both");
  if (options->argument_count == 2) return run_text(options, options->arguments[1]);
  if (!options->file && isatty(STDIN_FILENO)) return run_prompt(options);
  int code = read_script(options->file ? options->file : "-", &script);
  if (code == CLI_OK) code = run_text(options, script.data ? script.data : "");
  cli_text_free(&script);
  return code;
}

/* One part of a dotted name, in back quotes. Gives what follows it; NULL when it is no name: a part
 * is quoted wholly or not at all. */
static const char *put_part(cli_text *out, const char *name) {
  char quote = *name == '`' || *name == '"' ? *name++ : '\0';
  const char *start = name;
  cli_text_put(out, "`", 1);
  for (; *name && (quote || *name != '.'); name++) {
    if (quote && *name == quote && *++name != quote) break; /* doubled, it stands for itself */
    if (!quote && (*name == '`' || *name == '"')) return NULL;
    cli_text_put(out, "``", *name == '`' ? 2 : 0);
    if (*name != '`') cli_text_put(out, name, 1);
  }
  cli_text_put(out, "`", 1);
  bool closed = !quote || name[-1] == quote;
  return closed && name > start + (quote ? 1 : 0) && (*name == '\0' || *name == '.') ? name : NULL;
}

/* False when it is no name. */
static bool put_name(cli_text *out, const char *name) {
  for (;; name++, cli_text_put(out, ".", 1)) {
    name = put_part(out, name);
    if (!name || *name == '\0') return name != NULL;
  }
}

static int run_about(const cli_options *options, const char *words, const char *name) {
  cli_text statement = {0};
  cli_text_puts(&statement, words);
  int code = CLI_MEMORY;
  if (name && !put_name(&statement, name))
    code = cli_usage("%s is no name: it is written a.b, or with quotes around each part that has "
                     "dots or quotes in it: \"a.x\".b", name);
  else if (!statement.failed)
    code = run_text(options, statement.data);
  cli_text_free(&statement);
  return code;
}

int cli_describe(const cli_options *options) {
  if (options->argument_count != 2) return cli_usage("describe takes the name of a table");
  return run_about(options, "DESCRIBE TABLE EXTENDED ", options->arguments[1]);
}

int cli_ls(const cli_options *options) {
  if (options->argument_count > 2) return cli_usage("ls takes one namespace at most");
  if (options->argument_count == 1) return run_about(options, "SHOW NAMESPACES", NULL);
  return run_about(options, "SHOW TABLES IN ", options->arguments[1]);
}
