# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/fuzz_*.c -> BUILD/fuzz/fuzz_*: libFuzzer targets, with AddressSanitizer and UBSan. The
# library is compiled with coverage as well (see CalveFlags). Build `fuzz_targets`, run tools/fuzz.
add_custom_target(fuzz_targets)
file(GLOB targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${targets})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                             ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE calve_flags calve_dep_headers)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  file(STRINGS ${source} sql_includes REGEX "#include \"(sql|data)/")
  if(sql_includes)
    target_link_libraries(${name} PRIVATE calve_sql duckdb_test_link)
  endif()
  target_link_libraries(${name} PRIVATE calve_static)
  add_dependencies(fuzz_targets ${name})
endforeach()
