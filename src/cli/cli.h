/* SPDX-License-Identifier: Apache-2.0 */
/* cli: what the files of the command share.
 * In: argv, the environment, standard input. Out: rows and messages on standard output, errors,
 * warnings and progress on standard error, an exit code. Stands on the public headers alone. */
#ifndef CALVE_CLI_CLI_H
#define CALVE_CLI_CLI_H

#include <stdio.h>

#include "calve_sql.h"
#include "cli/arrow_cell.h"

/* Exit codes, as the manual has them. */
enum {
  CLI_OK = 0,
  CLI_FAILED = 1,   /* a statement failed: wrong, not found, exists, unsupported, refused        */
  CLI_USAGE = 2,    /* the command line is wrong                                                 */
  CLI_CONFLICT = 3, /* somebody else committed first                                             */
  CLI_UNKNOWN = 4,  /* whether the commit happened is not known                                  */
  CLI_STORAGE = 5,  /* a file is damaged or missing, or the storage failed or gave no permission */
  CLI_MEMORY = 6    /* 128 + N: ended by signal N, such as 130 for Ctrl-C                        */
};

typedef enum cli_format { CLI_TABLE, CLI_CSV, CLI_JSON } cli_format;

#define CLI_SETTINGS_MAX 64

typedef struct cli_options {
  const char *warehouse, *catalog;
  cli_format format;
  bool quiet, read_only, dry_run;
  const char *temp_dir;
  int32_t threads;
  int64_t memory_bytes;
  calve_setting map_prefixes[CLI_SETTINGS_MAX];
  size_t map_prefix_count;
  const char *allow_roots[CLI_SETTINGS_MAX];
  size_t allow_root_count;
  const char *cache; /* folder of the planning cache                                            */
  int64_t cache_bytes;
  /* of single commands */
  const char *file;                        /* sql -f                                            */
  const char *wheres[CLI_SETTINGS_MAX];    /* plan; all of them must hold                       */
  size_t where_count;
  const char *snapshot, *ref, *at, *why;   /* plan                                              */
  const char *from_snapshot, *to_snapshot; /* plan, of appends                                  */
  int64_t limit;
  bool count, explain, groups;             /* plan                                              */
  const char *arguments[CLI_SETTINGS_MAX]; /* what is no option; [0] is the command             */
  size_t argument_count;
} cli_options;

/* False after a message on standard error, also when an option is none of the command's. Help and
 * version end the process's work: *done. */
bool cli_parse_options(int argc, char **argv, cli_options *out, bool *done);
/* command NULL: the whole; false when there is no such command. */
bool cli_print_help(FILE *out, const char *command);

/* Says "calve: where: message" and, when a statement is at fault that begins `at` in a script, its
 * line there with a caret. Gives the exit code for the error. script NULL: there is none. */
int cli_fail(const calve_error *err, const char *script, size_t at);
int cli_usage(const char *fmt, ...) CALVE_PRINTF(1, 2);

/* The properties of a catalog; strings are the configuration's. */
typedef struct cli_configuration {
  calve_setting settings[CLI_SETTINGS_MAX];
  size_t count;
  bool overflow;
} cli_configuration;
/* Which catalog the options and the user's configuration ask for; an exit code. A warehouse that is
 * not there is made by statements alone. Free it always. */
int cli_configure(const cli_options *options, cli_configuration *out);
void cli_free_configuration(cli_configuration *configuration);
/* How that catalog is opened; it borrows from both. */
calve_catalog_config cli_catalog_config(const cli_options *options,
                                        const cli_configuration *configuration);
/* The session on that catalog; an exit code. cache may be NULL. */
int cli_open_session(const cli_options *options, calve_cache *cache, calve_session **out);
/* A metadata file, a table's folder, or a name in the catalog, for reading; an exit code. *catalog
 * may be set when it fails. */
int cli_open_table(const cli_options *options, const char *what, calve_catalog **catalog,
                   calve_table **table);
/* The folder that options or $CALVE_PLAN_CACHE name; NULL: none. */
const char *cli_cache_folder(const cli_options *options);
/* The planning cache in it, NULL when there is none. One that can't be used is told, and done
 * without. */
calve_cache *cli_open_cache(const cli_options *options);

/* Prints the rows of a stream and releases it. Calls `before` each time before it writes. */
int cli_print_rows(struct ArrowArrayStream *stream, const cli_options *options,
                   void (*before)(void *ctx), void *before_ctx);
/* Runs all statements of a script and prints what they give; stops at the first failure. */
int cli_run_script(calve_session *session, const cli_options *options, const char *script);
int cli_run_statement(calve_session *session, const cli_options *options, const char *script,
                      const char *statement, size_t size_bytes);

int cli_sql(const cli_options *options);
int cli_shell(calve_session *session, const cli_options *options);
int cli_plan(const cli_options *options);
int cli_describe(const cli_options *options);
int cli_ls(const cli_options *options);
int cli_cache(const cli_options *options);

/* The tasks or groups of a plan as they are printed; plan_print.c. */
typedef struct cli_plan_printer {
  const cli_options *options;
  calve_plan *plan;
  cli_text *line;         /* where a row is made                                                 */
  int64_t rows, groups;  /* printed so far                                                      */
} cli_plan_printer;
void cli_plan_print_head(const cli_plan_printer *p);
/* piece NULL: a whole task. */
calve_status cli_plan_print_task(cli_plan_printer *p, const calve_plan_task *task,
                                 const calve_plan_piece *piece, calve_error *err);
/* All groups of what the plan has not given yet. */
calve_status cli_plan_print_groups(cli_plan_printer *p, calve_error *err);
void cli_plan_print_tail(const cli_plan_printer *p);

/* Ctrl-C cancels the session's statement while one runs; NULL: it ends the command again. Signals
 * that end the command (SIGTERM, SIGHUP) cancel the statement too, from the first call on. */
void cli_watch_interrupts(calve_session *session);
/* Ctrl-C is noted, and nothing else, until the next cli_watch_interrupts. */
void cli_note_interrupts(void);
/* By Ctrl-C since the last call of these two, or by a signal that ends the command. */
bool cli_was_interrupted(void);
/* By a signal that ends the command. */
bool cli_was_ended(void);
/* The exit code that goes with it: 128 + the signal's number. */
int cli_interrupted_code(void);
/* From here on a closed pipe and a limit on the size of files are errors of a write, not the end of
 * the process. */
void cli_survive_writes(void);
bool cli_pipe_was_closed(void);

#endif
