# SPDX-License-Identifier: Apache-2.0
#
# The one entrance: `make help` lists what there is. CMake does the work; this file only names the
# usual ways to call it. Each target installs what it needs first (tools/install-deps).
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
TARGET ?=
SECONDS ?= 600
SEED   := $(or $(SEED),$(shell date +%s))
CMAKE_FLAGS ?=
peers  = CALVE=$(abspath $(BUILD))/calve CALVE_BUILD=$(abspath $(BUILD)) CALVE_SOURCE=$(CURDIR) \
         tools/python-env run tests/interop
configure = cmake -G Ninja -S . -DCALVE_WERROR=ON -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)

.PHONY: all everything check test interop histories soak demo install asan tsan fuzz fuzz-short \
        fuzz-build bench clean help
.NOTPARALLEL: # ninja and ctest run things side by side; installing twice at once would collide

all: $(BUILD)/build.ninja           ## build/calve, build/libcalve.a, .so and build/libcalve_sql.a
	@ninja -C $(BUILD) -j $(JOBS) products

everything: $(BUILD)/build.ninja    ## all, and the tests, examples and benchmarks
	@ninja -C $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja: | deps-build
	@$(configure) -B $(BUILD)

deps-%:
	@tools/install-deps $*

check: everything                   ## offline: units, vectors, the command, the tree; < 3 minutes
	@tools/run-tests $(BUILD) check

test: deps-interop everything fuzz-build  ## check, PyIceberg, Java, a short fuzz run; < 12 minutes
	@tools/run-tests $(BUILD) test

interop: deps-interop everything    ## Spark (900 MB on first use), Java, PyIceberg; < 12 minutes
	@tools/spark-env > /dev/null
	@tools/run-tests $(BUILD) interop

demo: all                           ## the lab: a table whose partitioning evolves
	@examples/lab/run.sh

install: all                        ## honours PREFIX and DESTDIR
	@cmake --install $(BUILD) --prefix $(PREFIX)

asan: deps-build                    ## the offline tests under AddressSanitizer and UBSan
	@$(configure) -B $(BUILD)-asan -DCALVE_SANITIZE=address
	@ninja -C $(BUILD)-asan -j $(JOBS)
	@tools/run-tests $(BUILD)-asan check

tsan: deps-build                    ## the library's tests under ThreadSanitizer
	@$(configure) -B $(BUILD)-tsan -DCALVE_SANITIZE=thread -DCALVE_DUCKDB=none
	@ninja -C $(BUILD)-tsan -j $(JOBS)
	@tools/run-tests $(BUILD)-tsan check

fuzz: fuzz-build                    ## long fuzz run: make fuzz [TARGET=fuzz_x] [SECONDS=600]
	@tools/fuzz $(BUILD)-fuzz $(SECONDS) $(TARGET)

fuzz-short: fuzz-build              ## ten seconds of each fuzz target
	@tools/fuzz $(BUILD)-fuzz 10

fuzz-build: deps-fuzz
	@test -f $(BUILD)-fuzz/build.ninja || $(configure) -B $(BUILD)-fuzz -DCMAKE_C_COMPILER=clang \
	  -DCALVE_FUZZ=ON -DCALVE_TESTS=OFF
	@ninja -C $(BUILD)-fuzz -j $(JOBS) fuzz_targets

histories: deps-interop everything  ## random tables from a fresh SEED: 3,000; 300 for Java
	@CALVE_HISTORIES=3000 CALVE_SEED=$(SEED) $(BUILD)/tests/test_exec_alter_histories
	@CALVE_HISTORIES=300 CALVE_SEED=$(SEED) $(peers)/test_histories.py
	@CALVE_HISTORIES=40 CALVE_SEED=$(SEED) $(peers)/test_spark_histories.py
	@CALVE_HISTORIES=100 CALVE_SEED=$(SEED) $(peers)/test_spark_ddl.py

soak: asan tsan fuzz histories      ## both sanitizers, SECONDS of every fuzz target, histories

bench: all                          ## planning large tables, against the floor of inflating them
	@ninja -C $(BUILD) -j $(JOBS) bench_programs
	@bench/run.sh $(BUILD)

clean:                              ## remove all build folders
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-mutants

help:                               ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
