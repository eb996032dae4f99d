# SPDX-License-Identifier: Apache-2.0
#
# Compiler and linker settings, as two interface targets:
#   calve_flags    what every object needs: language, sanitizers, POSIX level
#   calve_strict   the warnings that product code is held to
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
if(NOT CALVE_ASSERTS)
  string(APPEND CMAKE_C_FLAGS_RELEASE " -DNDEBUG")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_C_COMPILER_LAUNCHER)
  # Paths are made relative, so that several checkouts share one cache.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=true
                                CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${CCACHE_PROGRAM})
endif()

add_library(calve_flags INTERFACE)
# _DEFAULT_SOURCE is empty and the POSIX level is spelled as POSIX does, so that a file may repeat
# either definition without a warning.
target_compile_definitions(calve_flags INTERFACE _POSIX_C_SOURCE=200809L "_DEFAULT_SOURCE=")
if(APPLE)
  target_compile_definitions(calve_flags INTERFACE _DARWIN_C_SOURCE)
endif()
target_compile_options(calve_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes
                       -Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings
                       -ffunction-sections -fdata-sections -fno-omit-frame-pointer)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # gcc cannot know that calve_fail() never gives CALVE_OK, so it takes every out parameter of an
  # inlined function that may fail for uninitialised.
  target_compile_options(calve_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(CALVE_WERROR)
  target_compile_options(calve_flags INTERFACE -Werror)
endif()
target_link_options(calve_flags INTERFACE -Wl,--gc-sections)

find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM)
  target_link_options(calve_flags INTERFACE -fuse-ld=lld)
endif()

if(CALVE_SANITIZE STREQUAL "address" OR CALVE_FUZZ)
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(CALVE_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread)
elseif(NOT CALVE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "CALVE_SANITIZE is '${CALVE_SANITIZE}'; it can be address, thread or empty")
endif()
if(CALVE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CALVE_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  target_compile_options(calve_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_compile_options(calve_flags INTERFACE ${sanitize})
target_link_options(calve_flags INTERFACE ${sanitize})

add_library(calve_strict INTERFACE)
target_compile_options(calve_strict INTERFACE -Wconversion)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  target_compile_options(calve_strict INTERFACE -Wno-string-conversion) # assert(!"why not")
endif()
