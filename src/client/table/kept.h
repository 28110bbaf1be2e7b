#ifndef HF_CLIENT_TABLE_KEPT_H
#define HF_CLIENT_TABLE_KEPT_H

#include "wire/record.h"

/*
 * Kept: the value of a record in about as many bytes as there is to it, half of
 * what it takes as JSON; for thousands of waiters keep their holders', and show
 * them to nobody.
 *
 * Bytes of any alignment; good in this process only.  Cannot fail.
 */

/* How many bytes this value takes. */
size_t hf_kept_len(const struct hf_value *value);

/* Write them. */
void hf_kept_pack(const struct hf_value *value, char *bytes);

/* Read them: unpack(pack(x)) = x. */
void hf_kept_unpack(const char *bytes, struct hf_value *value);

#endif
