// SPDX-License-Identifier: Apache-2.0
// The yardstick for loading metadata: the time simdjson takes to build its DOM of a file.
//   simdjson_dom FILE [REPEATS]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <simdjson.h>

static double cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  int repeats = argc > 2 ? std::atoi(argv[2]) : 20;
  simdjson::padded_string text;
  if (simdjson::padded_string::load(argv[1]).get(text)) return 1;
  double best = 1e300;
  for (int i = 0; i < repeats; i++) {
    simdjson::dom::parser parser; // fresh, as a fresh load is what it is compared with
    simdjson::dom::element root;
    double start = cpu_ms();
    if (parser.parse(text).get(root)) return 1;
    double ms = cpu_ms() - start;
    if (ms < best) best = ms;
  }
  std::printf("simdjson DOM: %.2f ms\n", best);
}
