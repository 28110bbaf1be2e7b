# What `make install` lays down: program, man page, library, public headers, and
# what finds them: for pkg-config, and for CMake's find_package(holdfast).  The
# library's SOVERSION changes with every release that breaks its callers: before
# 1.0 that is the minor version.
install(DIRECTORY include/holdfast TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

if(TARGET holdfast)
    set_target_properties(holdfast PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_include_directories(holdfast INTERFACE
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    install(TARGETS holdfast EXPORT holdfast LIBRARY)
    install(TARGETS holdfast_static ARCHIVE)

    # A folder may be absolute, and is then not below the prefix.
    foreach(folder LIBDIR INCLUDEDIR)
        set(PC_${folder} "\${prefix}")
        cmake_path(APPEND PC_${folder} "${CMAKE_INSTALL_${folder}}")
    endforeach()
    configure_file(packaging/holdfast.pc.in holdfast.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

    include(CMakePackageConfigHelpers)
    write_basic_package_version_file(holdfastConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(EXPORT holdfast FILE holdfastConfig.cmake NAMESPACE holdfast::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
    install(FILES ${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
endif()

if(TARGET holdfast_http)
    install(TARGETS holdfast_http
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/holdfast)
endif()

# A component of its own, for a package of its own (holdfast-postgresql): it needs
# libpq, which draws in Kerberos and LDAP.
if(TARGET place_postgresql)
    install(TARGETS place_postgresql LIBRARY
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/holdfast COMPONENT postgresql)
endif()

if(TARGET holdfast_cli)
    install(TARGETS holdfast_cli RUNTIME)
    install(FILES man/holdfast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# The unit is for whoever wants it: nothing is started by installing it.
if(TARGET holdfastd)
    install(TARGETS holdfastd RUNTIME)
    install(FILES man/holdfastd.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
    install(FILES man/holdfastd.conf.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
    configure_file(packaging/holdfastd.service.in holdfastd.service @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/holdfastd.service
        DESTINATION lib/systemd/system)
endif()

if(TARGET holdfast-lab)
    install(TARGETS holdfast-lab RUNTIME)
    install(FILES man/holdfast-lab.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# A component of its own: whoever only locks needs no tale.
if(TARGET holdfast-tale)
    install(TARGETS holdfast-tale RUNTIME COMPONENT tale)
    install(FILES man/holdfast-tale.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tale)
endif()

# Python finds it there when it is told to, whatever its version:
# PYTHONPATH=PREFIX/share/holdfast/python.
if(TARGET holdfast)
    install(DIRECTORY bindings/python/holdfast
        DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast/python COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE)
endif()
