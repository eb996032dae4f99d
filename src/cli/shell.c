/* SPDX-License-Identifier: Apache-2.0 */
/* The interactive prompt: lines until a semicolon, history, completion. */
#include <editline/readline.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arrow_cell.h"
#include "cli/cli.h"

#define HISTORY_LINES 1000

/* readline's completer takes no context. */
static calve_session *completing;

typedef struct matches {
  char **names;
  size_t count, capacity;
} matches;

static bool add_match(void *ctx, const char *name) {
  matches *m = ctx;
  if (m->count == m->capacity) {
    size_t capacity = m->capacity ? 2 * m->capacity : 64;
    char **names = realloc(m->names, capacity * sizeof *names);
    if (!names) return false;
    m->names = names;
    m->capacity = capacity;
  }
  m->names[m->count] = strdup(name);
  if (m->names[m->count]) m->count++;
  return true;
}

/* readline asks with state 0 first, then for more until it gets NULL. */
static char *next_match(const char *prefix, int state) {
  static matches found;
  static size_t next;
  calve_error err;
  if (state == 0) {
    for (; next < found.count; next++) free(found.names[next]);
    found.count = next = 0;
    if (calve_session_complete(completing, prefix, add_match, &found, &err) != CALVE_OK)
      return NULL;
  }
  return next < found.count ? found.names[next++] : NULL;
}

static char **complete(const char *prefix, int start, int end) {
  (void)start, (void)end;
  rl_attempted_completion_over = 1; /* no file names */
  return rl_completion_matches(prefix, next_match);
}

/* ---- lines -------------------------------------------------------------------------------- */

/* readline hands a line over without a context, too. */
static char *taken;
static bool line_is_over;

static void take_line(char *line) {
  taken = line;
  line_is_over = true;
  rl_callback_handler_remove();
}

/* The next line, for free(); NULL at the end of the input, or when Ctrl-C took the line away.
 * SIGINT is let in only while waiting, so that it is neither missed nor in the editor's way. */
static char *read_line(const char *prompt, bool *interrupted) {
  sigset_t blocked, before;
  taken = NULL;
  line_is_over = *interrupted = false;
  cli_note_interrupts();
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGHUP);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  rl_callback_handler_install(prompt, take_line);
  while (!line_is_over) {
    fd_set input;
    FD_ZERO(&input);
    FD_SET(STDIN_FILENO, &input);
    if (pselect(STDIN_FILENO + 1, &input, NULL, NULL, NULL, &before) > 0) {
      rl_callback_read_char();
      continue;
    }
    *interrupted = cli_was_interrupted() && !cli_was_ended();
    if (!cli_was_interrupted() && errno == EINTR) continue; /* the window changed its size */
    rl_callback_handler_remove();
    break;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  cli_watch_interrupts(NULL);
  return taken;
}

static void history_path(char out[4096]) {
  const char *home = getenv("HOME");
  if (!home || snprintf(out, 4096, "%s/.calve_history", home) >= 4096) out[0] = '\0';
}

/* What was typed may hold what nobody else should read. */
static void keep_history(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  bool ours = fchmod(fd, 0600) == 0; /* an older one, too */
  close(fd);
  if (ours) write_history(path);
}

static bool wants_out(const char *line) {
  return strcmp(line, "\\q") == 0 || strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0 ||
         strcmp(line, "quit;") == 0 || strcmp(line, "exit;") == 0;
}

/* Runs the statements of the text that are whole; what is left stays. */
static void run_whole(calve_session *session, const cli_options *options, cli_text *text) {
  const char *rest = text->data;
  for (;;) {
    const char *statement, *before = rest;
    size_t size;
    bool whole;
    calve_error err;
    if (calve_sql_split(&rest, &statement, &size, &whole, &err) != CALVE_OK || !whole) {
      rest = before;
      break;
    }
    cli_watch_interrupts(session);
    cli_run_statement(session, options, text->data, statement, size);
    cli_watch_interrupts(NULL);
    if (cli_was_ended()) break;
  }
  size_t left = strlen(rest);
  memmove(text->data, rest, left + 1);
  text->size = strspn(text->data, " \t\n") == left ? 0 : left;
}

int cli_shell(calve_session *session, const cli_options *options) {
  char path[4096];
  cli_text text = {0};
  completing = session;
  rl_readline_name = "calve";
  rl_attempted_completion_function = complete;
  using_history();
  stifle_history(HISTORY_LINES);
  history_path(path);
  if (path[0]) read_history(path);
  printf("calve %s. A statement ends with a semicolon; \\q ends the session.\n", calve_version());
  for (bool interrupted;;) {
    char *line = read_line(text.size > 0 ? "   ...> " : "calve> ", &interrupted);
    if (interrupted) { /* the statement that was begun is given up, as in a shell */
      puts("^C");
      text.size = 0;
      continue;
    }
    if (!line) break;
    if (text.size == 0 && wants_out(line)) {
      free(line);
      break;
    }
    if (line[0]) add_history(line);
    cli_text_puts(&text, line);
    cli_text_puts(&text, "\n");
    free(line);
    if (text.failed) break;
    run_whole(session, options, &text);
    if (cli_was_ended()) break;
  }
  if (path[0]) keep_history(path);
  cli_text_free(&text);
  putchar('\n');
  return cli_was_ended() ? cli_interrupted_code() : CLI_OK;
}
