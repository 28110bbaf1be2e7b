#ifndef HF_CLI_SHARING_H
#define HF_CLI_SHARING_H

#include <holdfast/holdfast.h>

#include "target.h"

/*
 * Who shares the locks of a place with whom, as far as a person must be told:
 * each user has a default place, and whom another's is closed to has a third.
 */

/* Say it when opening made a default place, which is once; never waits for the
 * reader of stderr. */
void hf_sharing_made_now(const struct hf_target *target,
                         const struct hf_client *client);

/* What a person who is denied can do; "": nothing is known, or it is not that.
 * A static string, one clause. */
const char *hf_sharing_remedy(const struct hf_target *target,
                              enum hf_status status);

/* Say why a call to the place failed, and that; the exit code. */
int hf_sharing_failure(const struct hf_target *target,
                       const struct hf_error *error, enum hf_status status);

#endif
