/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that ask the command to stop: the statement that runs is cancelled, every table stays
 * whole, and what the statement had written goes again.
 *   SIGINT           ends a statement; the prompt goes on
 *   SIGTERM, SIGHUP  end the command; a second one kills it at once                             */
#include <signal.h>
#include <stddef.h>

#include "cli/cli.h"

static calve_session *volatile watched;
static volatile sig_atomic_t interrupted; /* SIGINT since it was last asked for                  */
static volatile sig_atomic_t ended_by;    /* SIGTERM or SIGHUP; 0: none                          */
static volatile sig_atomic_t pipe_closed;

static void on_signal(int number) {
  if (number == SIGINT)
    interrupted = 1;
  else
    ended_by = number;
  if (watched) calve_session_cancel(watched);
}

/* Who started the command may have asked that it outlives a hang-up (nohup). */
static void handle_end(int number) {
  struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL && !ended_by)
    sigaction(number, &action, NULL);
}

static void watch(calve_session *session, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  interrupted = 0;
  watched = session;
  sigaction(SIGINT, &action, NULL);
  handle_end(SIGTERM);
  handle_end(SIGHUP);
}

void cli_watch_interrupts(calve_session *session) {
  watch(session, session ? on_signal : SIG_DFL);
}

void cli_note_interrupts(void) {
  watch(NULL, on_signal);
}

bool cli_was_interrupted(void) {
  return interrupted || ended_by;
}

bool cli_was_ended(void) {
  return ended_by != 0;
}

int cli_interrupted_code(void) {
  return 128 + (ended_by ? ended_by : SIGINT);
}

static void on_pipe(int number) {
  (void)number;
  pipe_closed = 1;
}

void cli_survive_writes(void) {
  struct sigaction pipe = {.sa_handler = on_pipe}, ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&pipe.sa_mask);
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGPIPE, &pipe, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
}

bool cli_pipe_was_closed(void) {
  return pipe_closed != 0;
}
