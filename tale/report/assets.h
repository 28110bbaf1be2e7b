#ifndef TALE_REPORT_ASSETS_H
#define TALE_REPORT_ASSETS_H

#include <stddef.h>

/* Assets: style.css and step.js, as the build puts them into the program. */

extern const unsigned char report_style[];
extern const size_t report_style_len;
extern const unsigned char report_script[];
extern const size_t report_script_len;

#endif
