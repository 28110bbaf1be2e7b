# embed.cmake: cmake -DIN=style.css -DOUT=style.c -DNAME=report_style
#     -DHEADER=tale/report/assets.h -P ...
# writes the bytes of a file as a C array, NAME, and their number, NAME_len, as
# the header declares them.
get_filename_component(of ${IN} NAME)
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes
       "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT}
    "/* The bytes of ${of}. */\n"
    "#include \"${HEADER}\"\n\n"
    "const unsigned char ${NAME}[] = {\n    ${bytes}};\n"
    "const size_t ${NAME}_len = sizeof(${NAME});\n")
