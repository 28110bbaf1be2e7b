# One library a layer, which sees only the layers that its row names: this is
# the table of ARCHITECTURE.md ("Who may include whom"), and scripts/includes.py
# checks the same of every #include.

option(HF_WERROR "Treat warnings as errors" OFF)
set(HF_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

add_library(hf_flags INTERFACE)
target_compile_options(hf_flags INTERFACE
    -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wwrite-strings -Wcast-qual -Wundef -Wformat=2 -Wvla
    -Wimplicit-fallthrough -Wswitch-enum -Wnull-dereference
    -Wdouble-promotion -fvisibility=hidden -fPIC
    -ffunction-sections
    $<$<C_COMPILER_ID:Clang>:-Wno-string-conversion> # HF_CHECK(!"never")
    $<$<BOOL:${HF_WERROR}>:-Werror>)
target_compile_definitions(hf_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(hf_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
if(HF_SANITIZE)
    # They find the same with -O1 and -g1, and with -O0 in what is run once, the
    # tests; and most of their time is the compiler's.
    target_compile_options(hf_flags INTERFACE
        -fsanitize=${HF_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer -g1
        -O$<NOT:$<BOOL:$<TARGET_PROPERTY:HF_IS_TEST>>>)
    find_program(HF_LLD ld.lld)
    target_link_options(hf_flags INTERFACE -fsanitize=${HF_SANITIZE}
        $<$<BOOL:${HF_LLD}>:-fuse-ld=lld>)
endif()

# The shell, unlike the engine, may use what only Linux has: pidfd, timerfd.
add_library(hf_linux INTERFACE)
target_link_libraries(hf_linux INTERFACE hf_flags)
target_compile_definitions(hf_linux INTERFACE _GNU_SOURCE)

# hf_layer(NAME FLAGS flags SOURCES a.c ... LAYERS base ... LIBRARIES x ...)
function(hf_layer name)
    cmake_parse_arguments(L "" "FLAGS" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
    add_library(hf_${name} STATIC ${L_SOURCES})
    target_link_libraries(hf_${name} PRIVATE ${L_FLAGS})
    target_include_directories(hf_${name} PUBLIC
        ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    foreach(layer ${L_LAYERS})
        target_link_libraries(hf_${name} PUBLIC hf_${layer})
    endforeach()
    target_link_libraries(hf_${name} PUBLIC ${L_LIBRARIES})
endfunction()
