#ifndef HF_CLI_TARGET_H
#define HF_CLI_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "output.h"

/* Target: which lock, or which place, a command is about, and how it answers.
 * Strings are borrowed from argv. */
struct hf_cli_target {
    const char *at;    /* as given; NULL: HOLDFAST_AT, or the default place */
    const char *space; /* as given; NULL: "default" */
    const char *name;
    char **operands; /* words that are no options, behind whatever was before
                        them in argv; the first of them is `name` */
    size_t operands_count;
    bool json;
    bool help; /* --help was given: print it, and do nothing else */
};

/*
 * Can others use the same place?  0, or 64 after having said why not: a table
 * of this process alone excludes no other process, and an empty --at is a
 * variable that was not set.
 */
int hf_cli_target_check(const struct hf_cli_target *target);

/* Is it a lock server? */
bool hf_cli_target_is_server(const struct hf_cli_target *target);

/* Is it a file of this host's? */
bool hf_cli_target_is_file(const struct hf_cli_target *target);

/* Was none named, so that it is the default one? */
bool hf_cli_target_is_default(const struct hf_cli_target *target);

/* A whole line: that it takes long to open. */
void hf_cli_target_add_opening(struct hf_text *out,
                               const struct hf_cli_target *target);

#endif
