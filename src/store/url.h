#ifndef HF_STORE_URL_H
#define HF_STORE_URL_H

#include <holdfast/words.h>

#include "base/text.h"

/* What the URLs of all kinds of place have in common.  Plain calls, any
 * thread. */

/* Add what `text` says, with each %XX as the byte that it names.
 * HF_E_INVALID: an escape that is none, or a control character. */
HF_MUST_USE enum hf_status hf_url_decode(const char *text, size_t len,
                                         struct hf_text *out,
                                         struct hf_error *error);

/* Add it so that it is read as `path` again. */
void hf_url_encode(struct hf_text *out, const char *path);

#endif
