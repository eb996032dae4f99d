/* SPDX-License-Identifier: Apache-2.0 */
/* Runs statements and prints what they give. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

/* Seconds before progress is worth a line. */
#define PATIENCE_SECONDS 1.0

typedef struct progress {
  bool visible;
  struct timespec start;
  int shown; /* the last per cent that was written, -1: none                                    */
  bool json_here; /* rows come as JSON, on the same terminal                                    */
} progress;

/* On a terminal one line that is written over and taken away again. A signal that came just before
 * the statement began is seen here. */
static bool show_progress(void *ctx, double percent) {
  progress *p = ctx;
  struct timespec now;
  if (!p->visible) return cli_was_interrupted();
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds =
      (double)(now.tv_sec - p->start.tv_sec) + (double)(now.tv_nsec - p->start.tv_nsec) / 1e9;
  int whole = (int)percent;
  if (seconds >= PATIENCE_SECONDS && whole >= 0 && whole != p->shown) {
    fprintf(stderr, "\r%3d %%", whole);
    p->shown = whole;
  }
  return cli_was_interrupted();
}

static void end_progress(progress *p) {
  if (p->shown >= 0) fputs("\r     \r", stderr);
  p->shown = -1;
}

/* Rows of JSON end without a line: progress would be written over them. */
static void make_room(void *ctx) {
  progress *p = ctx;
  end_progress(p);
  if (p->json_here) p->visible = false;
}

static int print_result(calve_result *result, const cli_options *options, progress *p) {
  struct ArrowArrayStream rows;
  calve_error err;
  for (size_t i = 0; !options->quiet && i < calve_result_warning_count(result); i++)
    fprintf(stderr, "warning: %s\n", calve_result_warning(result, i));
  if (calve_result_has_rows(result)) {
    if (calve_result_take_rows(result, &rows, &err) != CALVE_OK) return cli_fail(&err, NULL, 0);
    return cli_print_rows(&rows, options, make_room, p);
  }
  /* csv and JSON on standard output are for programs: what is said to people goes elsewhere. */
  if (!options->quiet && calve_result_message(result)[0])
    fprintf(options->format == CLI_TABLE ? stdout : stderr, "%s\n", calve_result_message(result));
  return CLI_OK;
}

int cli_run_statement(calve_session *session, const cli_options *options, const char *script,
                      const char *statement, size_t size_bytes) {
  calve_result *result = NULL;
  calve_error err;
  progress p = {.shown = -1,
                .visible = !options->quiet && isatty(STDERR_FILENO),
                .json_here = options->format == CLI_JSON && isatty(STDOUT_FILENO)};
  clock_gettime(CLOCK_MONOTONIC, &p.start);
  calve_session_on_progress(session, show_progress, &p);
  calve_status status = calve_session_run(session, statement, size_bytes, &result, &err);
  end_progress(&p);
  int code = status == CALVE_OK ? print_result(result, options, &p)
                                : cli_fail(&err, script, (size_t)(statement - script));
  end_progress(&p);
  calve_session_on_progress(session, NULL, NULL);
  calve_result_free(result);
  return code;
}

static int run_statements(calve_session *session, const cli_options *options,
                          const char *script) {
  for (const char *rest = script;;) {
    const char *statement, *before = rest;
    size_t size;
    calve_error err;
    if (calve_sql_split(&rest, &statement, &size, NULL, &err) != CALVE_OK)
      return cli_fail(&err, script, (size_t)(before - script));
    if (size == 0) return CLI_OK;
    if (cli_was_interrupted()) {
      fputs("calve: interrupted; the statements that follow were not run\n", stderr);
      return cli_interrupted_code();
    }
    int code = cli_run_statement(session, options, script, statement, size);
    if (code != CLI_OK) return code;
  }
}

int cli_run_script(calve_session *session, const cli_options *options, const char *script) {
  cli_watch_interrupts(session);
  int code = run_statements(session, options, script);
  cli_watch_interrupts(NULL);
  return code;
}
