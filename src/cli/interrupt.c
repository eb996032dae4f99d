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

void cli_watch_interrupts(calve_session *session) {
  struct sigaction action = {.sa_handler = on_interrupt};
  interrupted = 0;
  watched = session;
  if (!session) action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

bool cli_was_interrupted(void) { return interrupted != 0; }
