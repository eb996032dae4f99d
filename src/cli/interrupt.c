/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C: the statement that runs is cancelled, and the table stays whole. */
#include <signal.h>
#include <stddef.h>

#include "cli/cli.h"

static calve_session *volatile watched;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
  if (watched) calve_session_cancel(watched);
}

static void watch(calve_session *session, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  interrupted = 0;
  watched = session;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

void cli_watch_interrupts(calve_session *session) {
  watch(session, session ? on_interrupt : SIG_DFL);
}

void cli_note_interrupts(void) {
  watch(NULL, on_interrupt);
}

bool cli_was_interrupted(void) {
  return interrupted != 0;
}
