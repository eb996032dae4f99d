#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs into an empty folder and uses the result as a stranger would: by pkg-config and by CMake,
# from C99 and C++, shared and static. In the environment: CALVE_BUILD, CALVE_SOURCE.
set -uo pipefail
here=$CALVE_SOURCE/tests/install
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
passed=0
failed=0
# check NAME COMMAND…: a case that passes if the command does.
check() {
  local name=$1
  shift
  if "$@" >"$root/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name: $*"
    cat "$root/log"
  fi
}

prefix=/opt/calve
installed=$root$prefix
check "install" env DESTDIR="$root" cmake --install "$CALVE_BUILD" --prefix "$prefix"
for file in include/calve.h lib/libcalve.a lib/libcalve.so lib/pkgconfig/calve.pc \
  lib/cmake/calve/calveConfig.cmake share/doc/calve/LICENSE; do
  check "$file is installed" test -s "$installed/$file"
done
soname=$(readelf -d "$installed/lib/libcalve.so" | grep SONAME)
check "libcalve.so has a soname" test -z "${soname##*libcalve.so.0*}"
if [ -x "$CALVE_BUILD/calve" ]; then
  check "the command runs" "$installed/bin/calve" --version
  check "the command needs the C library only" test -z \
    "$(ldd "$installed/bin/calve" | grep -vE 'linux-vdso|ld-linux|lib(c|m|dl|pthread)\.so')"
  check "calve_sql.h is installed" test -s "$installed/include/calve_sql.h"
  check "the man page is installed" test -s "$installed/share/man/man1/calve.1"
  if command -v man >/dev/null; then
    page=$installed/share/man/man1/calve.1
    check "the man page renders without a warning" test -z \
      "$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)"
  fi
  check "shell completion is installed" test -s "$installed/share/bash-completion/completions/calve"
fi

export PKG_CONFIG_PATH=$installed/lib/pkgconfig
export LD_LIBRARY_PATH=$installed/lib
check "pkg-config finds it" pkg-config --exists 'calve >= 0.1'
strict=(-Wall -Wextra -Werror -pedantic-errors)
read -ra flags <<<"$(pkg-config --cflags --libs calve)"
read -ra static_flags <<<"$(pkg-config --cflags --libs --static calve)"
# -l:libcalve.a beside the shared object: this asks for the archive.
static_flags=("${static_flags[@]/#-lcalve/-l:libcalve.a}")
check "C99, shared" gcc -std=c99 "${strict[@]}" "$here/version.c" "${flags[@]}" -o "$root/c_shared"
check "C99, shared, runs" "$root/c_shared"
check "C99, static" gcc -std=c99 "${strict[@]}" "$here/version.c" "${static_flags[@]}" \
  -o "$root/c_static"
check "C99, static, runs" env -u LD_LIBRARY_PATH "$root/c_static"
check "C++, shared" g++ -x c++ -std=c++11 "${strict[@]}" "$here/version.c" -x none "${flags[@]}" \
  -o "$root/cpp"
check "C++, shared, runs" "$root/cpp"

# SQL: libcalve_sql needs libcalve's archive, and DuckDB beside it. Linking the engine takes
# seconds, so that it is linked once each way.
duckdb=$("$CALVE_SOURCE/tools/install-deps" duckdb-dir)
if [ -x "$CALVE_BUILD/calve" ] && [ -e "$duckdb/duckdb.h" ]; then
  check "pkg-config finds calve_sql" pkg-config --exists 'calve_sql >= 0.1'
  read -ra sql_flags <<<"$(pkg-config --cflags --libs calve_sql)"
  mapfile -t engine < <(find "$duckdb" -name '*.a' ! -name '*jemalloc*')
  check "SQL, C99" gcc -std=c99 "${strict[@]}" "$CALVE_SOURCE/examples/c/read_rows.c" \
    "${sql_flags[@]}" -Wl,--start-group "${engine[@]}" -Wl,--end-group \
    -lstdc++ -lm -ldl -o "$root/sql"
  check "SQL, C99, runs" "$root/sql" "$root/w" "SELECT 42 AS answer"
fi

# What plain `make` builds is what is installed, and not the tests.
check "products are known" test -n "$(ninja -C "$CALVE_BUILD" -t commands products)"
check "products have no tests" test -z \
  "$(ninja -C "$CALVE_BUILD" -t commands products | grep -E ' (tests|bench|examples)/')"

check "CMake configures" cmake -S "$here" -B "$root/cmake" -DCMAKE_PREFIX_PATH="$installed"
check "CMake builds" cmake --build "$root/cmake"
check "CMake, shared, runs" "$root/cmake/with_shared"
check "CMake, static, runs" env -u LD_LIBRARY_PATH "$root/cmake/with_static"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
