#ifndef HF_CLI_SHARING_H
#define HF_CLI_SHARING_H

#include <holdfast/holdfast.h>

#include "target.h"

/*
 * Sharing: the sentences about who shares a place.  Each user has a default
 * place of his own; users who are denied access to the place of another need a
 * third.
 */

/* Say it when opening made a default place, which is once; never waits for the
 * reader of stderr. */
void hf_sharing_made_now(const struct hf_cli_target *target,
                         const struct hf_client *client);

/* The advice for a person who was denied access to a file, or to the tables of
 * a database; "": the error is another.  A static string, one clause. */
const char *hf_sharing_remedy(const struct hf_cli_target *target,
                              const struct hf_error *error);

/* Say why a call to the place failed, and that; the exit code. */
int hf_sharing_failure(const struct hf_cli_target *target,
                       const struct hf_error *error, enum hf_status status);

#endif
