/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int cli_plan(const cli_options *options) {
  (void)options;
  return cli_usage("plan waits for the public scan API");
}
