#ifndef HF_CLI_ASK_H
#define HF_CLI_ASK_H

#include <holdfast/holdfast.h>

#include "base/clock.h"
#include "cli/waiting_line.h"
#include "target.h"

/*
 * One question to a place, as every verb but `run` asks it:
 *
 *     begin -> set* -> open -> wait -> (wait, for the next page)* -> end
 *                               ^----- again -> set*
 *
 * A wrong question is refused before the place is opened, so that nothing is
 * written.  Each step returns 0, or an exit code after it has said why.  Then
 * only `end` is left, which also takes a zeroed struct.
 */
struct hf_ask {
    struct hf_client *client; /* owned */
    struct hf_query *query;   /* owned */
    bool silent; /* while it waits it says nothing: a program asks, or it is
                    doctor's to say */
};

/* A question about the lock that `target` names, or the locks.  Only a clear
 * and a doctor may write. */
int hf_ask_begin(struct hf_ask *ask, enum hf_query_kind kind,
                 const struct hf_cli_target *target);

/* Another one, of the same client, in the place of the last. */
int hf_ask_again(struct hf_ask *ask, enum hf_query_kind kind,
                 const struct hf_cli_target *target);

/* Set an option of it; a text that is NULL leaves it as it is. */
int hf_ask_set(struct hf_ask *ask, const char *option, const char *text);

int hf_ask_open(struct hf_ask *ask, const struct hf_cli_target *target);

/* The same, but the caller says why it failed, and has checked the place. */
enum hf_status hf_ask_try_open(struct hf_ask *ask,
                               const struct hf_cli_target *target,
                               struct hf_error *error);

/* Ask, and wait for the answer; `line` tells what is seen meanwhile, or, if it
 * is NULL, a line that says once that the place does not answer. */
int hf_ask_wait(struct hf_ask *ask, struct hf_waiting_line *line);

/* Ask for page after page, and call `each` for every row, which it may not
 * keep.  A code of its own other than 0 ends it, and is returned. */
typedef int hf_ask_row_fn(void *ctx, const struct hf_view *row);
int hf_ask_each(struct hf_ask *ask, hf_ask_row_fn *each, void *ctx);

/* The same as hf_ask_wait, but the caller says why it failed; it waits until
 * then at most: HF_E_UNAVAILABLE. */
enum hf_status hf_ask_try(struct hf_ask *ask, struct hf_instant until,
                          struct hf_error *error);

void hf_ask_end(struct hf_ask *ask);

#endif
