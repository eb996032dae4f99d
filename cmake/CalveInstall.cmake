# SPDX-License-Identifier: Apache-2.0
#
# What `make install` puts where.
include(GNUInstallDirs)
if(TARGET calve_static)
  install(TARGETS calve_static calve_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET calve)
  install(TARGETS calve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
