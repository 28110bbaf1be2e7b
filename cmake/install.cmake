# What `make install` lays down: program, man page, library, public headers,
# pkg-config file.  The library's SOVERSION changes with every release that
# breaks its callers.
install(DIRECTORY include/holdfast TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

if(TARGET holdfast)
    set_target_properties(holdfast PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    install(TARGETS holdfast LIBRARY)
    configure_file(packaging/holdfast.pc.in holdfast.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(TARGET holdfast_cli)
    install(TARGETS holdfast_cli RUNTIME)
    install(FILES man/holdfast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(TARGETS holdfast-lab RUNTIME)
install(FILES man/holdfast-lab.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
