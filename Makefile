# SPDX-License-Identifier: Apache-2.0
#
# The one entrance: `make help` lists what there is. CMake does the work; this file only names the
# usual ways to call it. Each target installs what it needs first (tools/install-deps).
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
CMAKE_FLAGS ?=
configure = cmake -G Ninja -S . -DCALVE_WERROR=ON -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)

.PHONY: all check test soak demo install asan tsan fuzz fuzz-short clean help deps-%

all: $(BUILD)/build.ninja           ## build/calve, build/libcalve.a, .so and build/libcalve_sql.a
	@ninja -C $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja: | deps-build
	@$(configure) -B $(BUILD)

deps-%:
	@tools/install-deps $*

check: all                          ## offline tests: units, vectors, the command, the tree; < 3 minutes
	@tools/run-tests $(BUILD) check

test: deps-interop deps-fuzz check-and-peers  ## check, and PyIceberg, Java and a short fuzz run; < 12 minutes

.PHONY: check-and-peers
check-and-peers: all
	@tools/run-tests $(BUILD) test

demo: all                           ## the lab: a table whose partitioning evolves, examples/lab/run.sh
	@examples/lab/run.sh

install: all                        ## honours PREFIX and DESTDIR
	@cmake --install $(BUILD) --prefix $(PREFIX)

asan: deps-build                    ## the offline tests under AddressSanitizer and UBSan
	@$(configure) -B $(BUILD)-asan -DCALVE_SANITIZE=address
	@ninja -C $(BUILD)-asan -j $(JOBS)
	@tools/run-tests $(BUILD)-asan check

tsan: deps-build                    ## the library's tests under ThreadSanitizer (not DuckDB: it is prebuilt)
	@$(configure) -B $(BUILD)-tsan -DCALVE_SANITIZE=thread -DCALVE_DUCKDB=none
	@ninja -C $(BUILD)-tsan -j $(JOBS)
	@tools/run-tests $(BUILD)-tsan check

clean:                              ## remove all build folders
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz

help:                               ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
