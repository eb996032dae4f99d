# SPDX-License-Identifier: Apache-2.0
#
# What `make install` puts where: the command, headers, libraries, pkg-config files, a CMake
# package, the man page and shell completion.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/calve)
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})

if(TARGET calve_static)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

  # What a program that links an archive of ours has to link too.
  set(private_libraries ${CALVE_DEP_NAMES} m pthread)
  if(CALVE_SNAPPY)
    list(APPEND private_libraries stdc++)
  endif()
  target_link_libraries(calve_static INTERFACE "$<INSTALL_INTERFACE:${private_libraries}>")
  list(TRANSFORM private_libraries PREPEND -l)
  list(JOIN private_libraries " " pc_private)

  set(targets calve_shared calve_static)
  set_target_properties(calve_shared PROPERTIES EXPORT_NAME calve)
  set_target_properties(calve_static PROPERTIES EXPORT_NAME calve_static)
  configure_file(cmake/calve.pc.in ${PROJECT_BINARY_DIR}/calve.pc @ONLY)
  set(pc_files ${PROJECT_BINARY_DIR}/calve.pc)
  if(TARGET calve_sql)
    list(APPEND targets calve_sql)
    configure_file(cmake/calve_sql.pc.in ${PROJECT_BINARY_DIR}/calve_sql.pc @ONLY)
    list(APPEND pc_files ${PROJECT_BINARY_DIR}/calve_sql.pc)
  endif()
  install(FILES ${pc_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

  install(TARGETS ${targets} EXPORT calveTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT calveTargets NAMESPACE calve:: DESTINATION ${cmake_dir} FILE calveTargets.cmake)
  file(WRITE ${PROJECT_BINARY_DIR}/calveConfig.cmake
       "include(\"\${CMAKE_CURRENT_LIST_DIR}/calveTargets.cmake\")\n")
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/calveConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/calveConfig.cmake DESTINATION ${cmake_dir})
  install(FILES ${PROJECT_BINARY_DIR}/calveConfigVersion.cmake DESTINATION ${cmake_dir})
endif()

if(TARGET calve)
  install(TARGETS calve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES docs/calve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES packaging/calve.bash-completion RENAME calve OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
