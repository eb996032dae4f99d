# SPDX-License-Identifier: Apache-2.0
#
# bench/bench_*.c -> BUILD/bench/bench_*: programs that make large tables and measure planning.
# They see the library's inside, as the unit tests do. `make bench` runs them.
add_custom_target(bench_programs)
file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/bench_*.c)
foreach(source ${programs})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                             ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE calve_flags calve_strict calve_static calve_dep_headers)
  add_dependencies(bench_programs ${name})
endforeach()
