# Write OUT: src/server/service.c (IN) with one wrong change, that of 2017: a
# request whose stream was cut stays in line, and is granted with nobody there.
file(READ ${IN} text)
set(right "    if (lost.settled || lost.kind == HF_MESSAGE_OPEN ||\n")
set(wrong "    if (lost.kind == HF_MESSAGE_ACQUIRE)\n        return;\n${right}")

string(FIND "${text}" "${right}" first)
string(FIND "${text}" "${right}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "ghosts.cmake: its change stands not once in ${IN}")
endif()
string(REPLACE "${right}" "${wrong}" text "${text}")
file(WRITE ${OUT} "${text}")
