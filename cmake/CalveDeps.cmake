# SPDX-License-Identifier: Apache-2.0
#
# Third-party libraries, as interface targets:
#   calve_dep_headers   definitions and include folders for compiling
#   calve_deps_static   archives where they exist, for the command, the tests and libcalve.a
#   calve_deps_shared   shared objects, for libcalve.so
#   calve_edit          libedit, for the command
#   duckdb_headers      duckdb.h
#   duckdb_link         DuckDB for the command
#   duckdb_test_link    DuckDB for tests: one shared object, so that sixty megabytes are linked once
find_package(Threads REQUIRED)
add_library(calve_dep_headers INTERFACE)
add_library(calve_deps_static INTERFACE)
add_library(calve_deps_shared INTERFACE)

# The archive of a library if it is wanted and there, else the shared object.
function(calve_find_library out name)
  if(CALVE_STATIC_DEPS)
    find_library(CALVE_${name}_ARCHIVE lib${name}.a)
  endif()
  find_library(CALVE_${name}_SHARED ${name})
  mark_as_advanced(CALVE_${name}_ARCHIVE CALVE_${name}_SHARED)
  if(CALVE_STATIC_DEPS AND CALVE_${name}_ARCHIVE)
    set(${out} ${CALVE_${name}_ARCHIVE} PARENT_SCOPE)
  elseif(CALVE_${name}_SHARED)
    set(${out} ${CALVE_${name}_SHARED} PARENT_SCOPE)
  else()
    message(FATAL_ERROR "lib${name} is missing. `tools/install-deps build` installs it.")
  endif()
endfunction()

# libstdc++ by its archive, so that the command needs no C++ runtime where it runs.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a
                OUTPUT_VARIABLE libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT CALVE_STATIC_DEPS OR NOT EXISTS "${libstdcxx}")
  set(libstdcxx stdc++)
endif()

set(CALVE_DEP_NAMES deflate zstd sqlite3 yaml)
if(CALVE_SNAPPY)
  list(APPEND CALVE_DEP_NAMES snappy)
  target_compile_definitions(calve_dep_headers INTERFACE CALVE_HAVE_SNAPPY=1)
endif()
foreach(name ${CALVE_DEP_NAMES})
  calve_find_library(path ${name})
  target_link_libraries(calve_deps_static INTERFACE ${path})
  target_link_libraries(calve_deps_shared INTERFACE ${CALVE_${name}_SHARED})
endforeach()
if(CALVE_SNAPPY)
  target_link_libraries(calve_deps_static INTERFACE ${libstdcxx})
endif()
target_link_libraries(calve_deps_static INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
target_link_libraries(calve_deps_shared INTERFACE m Threads::Threads)

calve_find_library(edit edit)
add_library(calve_edit INTERFACE)
target_link_libraries(calve_edit INTERFACE ${edit})
if(edit MATCHES "\\.a$")
  foreach(name bsd md tinfo)
    calve_find_library(path ${name})
    target_link_libraries(calve_edit INTERFACE ${path})
  endforeach()
endif()

if(CALVE_DUCKDB STREQUAL "pinned")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/install-deps duckdb-dir
                  OUTPUT_VARIABLE duckdb_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS ${duckdb_dir}/duckdb.h)
    message(FATAL_ERROR "DuckDB is not in ${duckdb_dir}. `tools/install-deps build` fetches it; "
                        "-DCALVE_DUCKDB=system takes an installed one, "
                        "-DCALVE_DUCKDB=none builds libcalve only.")
  endif()
  file(GLOB duckdb_archives ${duckdb_dir}/*.a)
  list(FILTER duckdb_archives EXCLUDE REGEX jemalloc)
  add_library(duckdb_headers INTERFACE)
  target_include_directories(duckdb_headers SYSTEM INTERFACE ${duckdb_dir})
  target_compile_definitions(duckdb_headers INTERFACE DUCKDB_STATIC_BUILD)

  add_library(duckdb_link INTERFACE)
  target_link_options(duckdb_link INTERFACE -static-libgcc)
  target_link_libraries(duckdb_link INTERFACE -Wl,--start-group ${duckdb_archives} -Wl,--end-group
                        ${libstdcxx} m ${CMAKE_DL_LIBS} Threads::Threads)

  file(WRITE ${PROJECT_BINARY_DIR}/duckdb.map "{ global: duckdb_*; local: *; };\n")
  file(WRITE ${PROJECT_BINARY_DIR}/duckdb.c "#include <duckdb.h>\n")
  add_library(duckdb_test_link SHARED EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/duckdb.c)
  target_link_libraries(duckdb_test_link PUBLIC duckdb_headers PRIVATE -Wl,--whole-archive
                        ${duckdb_dir}/libduckdb_static.a -Wl,--no-whole-archive duckdb_link)
  target_link_options(duckdb_test_link PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/duckdb.map
                      -Wl,--gc-sections $<$<BOOL:${LLD_PROGRAM}>:-fuse-ld=lld>)
elseif(CALVE_DUCKDB STREQUAL "system")
  find_path(DUCKDB_INCLUDE duckdb.h REQUIRED)
  find_library(DUCKDB_LIBRARY duckdb REQUIRED)
  add_library(duckdb_headers INTERFACE)
  target_include_directories(duckdb_headers SYSTEM INTERFACE ${DUCKDB_INCLUDE})
  add_library(duckdb_link INTERFACE)
  target_link_libraries(duckdb_link INTERFACE duckdb_headers ${DUCKDB_LIBRARY})
  add_library(duckdb_test_link ALIAS duckdb_link)
elseif(NOT CALVE_DUCKDB STREQUAL "none")
  message(FATAL_ERROR "CALVE_DUCKDB is '${CALVE_DUCKDB}'; it can be pinned, system or none")
endif()
