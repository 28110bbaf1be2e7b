#ifndef HF_BASE_ARGUMENTS_H
#define HF_BASE_ARGUMENTS_H

#include "base/options.h"

/*
 * Arguments: a command line, as getopt_long(3) reads it by a table of options:
 * --name VALUE, --name=VALUE, -l VALUE, and flags without one.  Once at a time,
 * for getopt has one state for all.
 */
struct hf_arguments {
    /* In. */
    const struct hf_options *options;
    bool bare_names; /* sentences name an option without its dashes, as a file
                        has it */
    const char *program;       /* whose --help says more: "holdfast run" */
    hf_option_set_fn *operand; /* gets each word that is no option, in their
                                  order; NULL: they are left, behind all */
    /* Out. */
    int rest;            /* argv's index of the words that are left */
    const char *unknown; /* what failed is that this is no option */
    bool unknown_letter; /* and so it is not --this */
};

/* Strings are borrowed from argv, whose order may change.  It stops at an
 * HF_OPTION_STOP, and at the first that is wrong.  Errors as hf_option_set;
 * HF_E_INVALID also of an option that is none, or lacks a value, or takes none.
 */
HF_MUST_USE enum hf_status hf_arguments_read(struct hf_arguments *arguments,
                                             int argc, char **argv,
                                             void *values,
                                             struct hf_error *error);

/* Add lines of 79 columns at most: the text begins at `column`, or behind the
 * `at` columns that its first line has already.  A newline is kept. */
void hf_arguments_wrap(struct hf_text *out, const char *text, size_t at,
                       size_t column);

/* Add the lines of the help that tell of the options, in 79 columns. */
void hf_arguments_help(const struct hf_options *options, struct hf_text *out);

#endif
