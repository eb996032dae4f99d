# SPDX-License-Identifier: Apache-2.0
#
# tests/unit/<room>/test_*.c   one executable and one ctest each; other .c files of the folder are
#                              helpers, linked to each test of that room
# tests/runner/*.c             build/tests/calve_vectors, run on tests/vectors
# tests/<suite>/test_*.{sh,py} scripts that drive the command and the libraries from outside
# tests/fuzz/fuzz_*.c          a short run of each target of the fuzz build beside this one
# The label of a test is `unit`, `vectors` or the name of its suite.
find_library(CMOCKA_LIBRARY cmocka)
if(NOT CMOCKA_LIBRARY)
  message(FATAL_ERROR "cmocka is missing. `tools/install-deps build` installs it; "
                      "-DCALVE_TESTS=OFF builds without tests.")
endif()
find_library(JANSSON_LIBRARY jansson REQUIRED)
set(test_dir ${PROJECT_BINARY_DIR}/tests)

# `link` names the libraries of ours that the program is linked with.
function(calve_test_program name link)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${test_dir})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                             ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE CALVE_VECTORS_DIR="${PROJECT_SOURCE_DIR}/tests/vectors"
                                             CALVE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE calve_flags ${link} calve_dep_headers
                                        ${CMOCKA_LIBRARY} ${JANSSON_LIBRARY})
endfunction()

if(TARGET calve_static)
  foreach(room ${CALVE_LIB_ROOMS} ${CALVE_SQL_ROOMS})
    set(link calve_static)
    if(room IN_LIST CALVE_SQL_ROOMS)
      if(NOT TARGET calve_sql)
        continue()
      endif()
      set(link calve_sql calve_static duckdb_test_link)
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${room}/*.c)
    set(helpers ${sources})
    list(FILTER helpers EXCLUDE REGEX "/test_[^/]*$")
    list(FILTER sources INCLUDE REGEX "/test_[^/]*$")
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      calve_test_program(${name} "${link}" ${source} ${helpers})
      add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${test_dir})
      set_tests_properties(${name} PROPERTIES LABELS "unit" TIMEOUT 300)
    endforeach()
  endforeach()

  file(GLOB runner CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/runner/*.c)
  if(runner)
    calve_test_program(calve_vectors calve_static ${runner})
    add_test(NAME vectors COMMAND calve_vectors --strict ${PROJECT_SOURCE_DIR}/tests/vectors)
    set_tests_properties(vectors PROPERTIES LABELS "vectors" TIMEOUT 300)
  endif()
endif()

# The tree itself; once, in the plain build.
if(CALVE_SANITIZE STREQUAL "")
  add_test(NAME tree/rooms COMMAND ${PROJECT_SOURCE_DIR}/tools/check-rooms)
  add_test(NAME tree/tidy COMMAND ${PROJECT_SOURCE_DIR}/tools/tidy ${PROJECT_BINARY_DIR})
  add_test(NAME tree/field_reports COMMAND ${PROJECT_SOURCE_DIR}/tools/field-reports)
  set_tests_properties(tree/rooms tree/tidy tree/field_reports PROPERTIES LABELS tree)
  if(EXISTS ${PROJECT_SOURCE_DIR}/docs/acceptance.md)
    add_test(NAME tree/acceptance
             COMMAND ${PROJECT_SOURCE_DIR}/tools/check-acceptance ${PROJECT_BINARY_DIR})
    set_tests_properties(tree/acceptance PROPERTIES LABELS tree)
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/docs/spec-map.md)
    add_test(NAME tree/specmap COMMAND ${PROJECT_SOURCE_DIR}/tools/specmap --check)
    set_tests_properties(tree/specmap PROPERTIES LABELS tree)
  endif()
endif()

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.sh
                                    ${PROJECT_SOURCE_DIR}/tests/*/test_*.py)
foreach(script ${scripts})
  get_filename_component(name ${script} NAME_WE)
  get_filename_component(suite ${script} DIRECTORY)
  get_filename_component(suite ${suite} NAME)
  set(label ${suite})
  set(timeout 900)
  if(name MATCHES "^test_spark") # Spark is large and slow: `make interop` alone runs these
    set(label spark)
    set(timeout 1800)
  endif()
  if(suite MATCHES "^(install|perf)$" AND NOT CALVE_SANITIZE STREQUAL "")
    continue() # a stranger's program is not built with sanitizers; counts are of the plain build
  endif()
  if(CALVE_DUCKDB STREQUAL "none" AND NOT suite MATCHES "^(runner|examples)$")
    continue() # these drive the command, which needs the engine
  endif()
  if(script MATCHES "\\.sh$")
    set(interpreter bash)
  elseif(suite STREQUAL "interop")
    set(interpreter ${PROJECT_SOURCE_DIR}/tools/python-env run)
  else()
    set(interpreter python3)
  endif()
  add_test(NAME ${suite}/${name} COMMAND ${interpreter} ${script})
  set(environment CALVE=${PROJECT_BINARY_DIR}/calve CALVE_BUILD=${PROJECT_BINARY_DIR}
                  CALVE_SOURCE=${PROJECT_SOURCE_DIR})
  set_tests_properties(${suite}/${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
                       SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endforeach()

file(GLOB targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${targets})
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME fuzz/${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tools/fuzz ${PROJECT_BINARY_DIR}-fuzz 10 ${name})
  set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz)
endforeach()

# Each mutant of tests/mutations must turn a test red; in the plain build only, as it takes long.
file(GLOB mutations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/mutations/*.txt)
if(mutations AND CALVE_SANITIZE STREQUAL "")
  add_test(NAME mutations COMMAND ${PROJECT_SOURCE_DIR}/tools/mutate ${PROJECT_BINARY_DIR})
  set_tests_properties(mutations PROPERTIES LABELS mutations RUN_SERIAL ON TIMEOUT 900)
endif()
