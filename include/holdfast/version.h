#ifndef HOLDFAST_VERSION_H
#define HOLDFAST_VERSION_H

#include <holdfast/words.h>

/* The version of these headers, and of the library at run time.  Before 1.0 a
 * program runs with any library of the same minor version: a change that breaks
 * callers changes it, and the library's soname, libholdfast.so.0.MINOR. */

#define HF_VERSION_MAJOR 0
#define HF_VERSION_MINOR 1
#define HF_VERSION_PATCH 0
#define HF_VERSION       "0.1.0"

/* For comparisons: 0.1.0 is 100, 1.2.3 is 10203. */
#define HF_VERSION_NUM                                                         \
    (HF_VERSION_MAJOR * 10000 + HF_VERSION_MINOR * 100 + HF_VERSION_PATCH)

HF_BEGIN_DECLS

/* The library's version: "0.1.0", and its number.  Static; cannot fail. */
HF_PUBLIC const char *hf_version(void);
HF_PUBLIC int hf_version_num(void);

HF_END_DECLS

#endif
