/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static int no_command(const char *name) {
  return cli_usage("there is no command %s: sql, plan, describe, ls, cache or help", name);
}

static int help(const cli_options *options) {
  const char *command = options->argument_count > 1 ? options->arguments[1] : NULL;
  return cli_print_help(stdout, command) ? CLI_OK : no_command(command);
}

/* What could not be written must not look like an answer: a full disk. Who closed the pipe has had
 * enough, and is told what a shell would say of a process that the signal ended. */
static int finish(int code) {
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (cli_pipe_was_closed()) return 128 + SIGPIPE;
  if (written) return code;
  fputs("calve: standard output can't be written\n", stderr);
  return code == CLI_OK ? CLI_STORAGE : code;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(const cli_options *options);
  } commands[] = {{"sql", cli_sql},           {"plan", cli_plan}, {"describe", cli_describe},
                  {"ls", cli_ls},             {"cache", cli_cache}, {"help", help}};
  cli_options options;
  bool done;
  cli_survive_writes();
  setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters; numbers stay as they are */
  if (!cli_parse_options(argc, argv, &options, &done)) return CLI_USAGE;
  if (done) return finish(CLI_OK);
  if (options.argument_count == 0) {
    cli_print_help(stderr, NULL);
    return CLI_USAGE;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(options.arguments[0], commands[i].name) == 0)
      return finish(commands[i].run(&options));
  return no_command(options.arguments[0]);
}
