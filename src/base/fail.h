#ifndef HF_BASE_FAIL_H
#define HF_BASE_FAIL_H

#include <holdfast/words.h>

#include "base/attrs.h"

/*
 * Fill *error (may be NULL) once, at the place that knows the most, and return
 * `status`:
 *
 *     return hf_fail(error, HF_E_UNAVAILABLE, "open %s: %s", path, why);
 *
 * Text: lower case, no full stop, names the object; cut when too long.
 */
HF_PRINTF(3, 4)
enum hf_status hf_fail(struct hf_error *error, enum hf_status status,
                       const char *format, ...);

#endif
