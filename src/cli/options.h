#ifndef HF_CLI_OPTIONS_H
#define HF_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

/*
 * What the verbs' command lines share.  Strings are borrowed from argv.
 */

/* Which lock, or which place, a command is about, and how it answers. */
struct hf_which {
    const char *at;    /* as given; NULL: HOLDFAST_AT, or the default place */
    const char *space; /* as given; NULL: "default" */
    const char *name;
    char **operands; /* words that are no options, behind whatever was before
                        them in argv; the first of them is `name` */
    size_t operands_count;
    bool json;
    bool help; /* --help was given: print it, and do nothing else */
};

/* Set a limit of a wait, a text above zero, where a number alone is of seconds:
 * an hf_option_set_fn's part, which puts the text into *limit. */
HF_MUST_USE enum hf_status hf_options_wait(const char **limit,
                                           const struct hf_option_given *given,
                                           struct hf_error *error);

/*
 * Is the place one that others can meet in?  0, or 64 after having said why
 * not: a table of this process alone would keep nobody out, and an empty --at
 * is a variable that was not set.
 */
int hf_options_check_at(const struct hf_which *which);

/* Is it a lock server? */
bool hf_options_at_server(const struct hf_which *which);

/* Was none named, so that it is the default one? */
bool hf_options_at_default(const struct hf_which *which);

#endif
