#ifndef HF_CLI_OPTIONS_H
#define HF_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include <holdfast/holdfast.h>

/*
 * What the verbs' command lines share.  Strings are borrowed from argv.
 */

/* Which lock, or which place, a command is about, and how it answers. */
struct hf_which {
    const char *at;    /* as given; NULL: HOLDFAST_AT, or the default place */
    const char *space; /* as given; NULL: "default" */
    const char *name;
    bool json;
    bool help; /* --help was given: print it, and do nothing else */
};

/* Values of long options that have no letter. */
enum hf_option {
    HF_OPTION_AT = 256,
    HF_OPTION_SPACE,
    HF_OPTION_JSON,
    HF_OPTION_HELP,
    HF_OPTION_IF_DEAD,
    HF_OPTION_IF_SUSPECTED,
    HF_OPTION_TTL,
    HF_OPTION_BEAT,
    HF_OPTION_GRACE,
    HF_OPTION_REASON,
    HF_OPTION_WATCH,
    HF_OPTION_FORCE,
    HF_OPTION_FENCE,
    HF_OPTION_PREFIX,
    HF_OPTION_SINCE,
    HF_OPTION_SHARED,
    HF_OPTION_LEAVE,
    HF_OPTION_HOLD_AT_LEAST,
    HF_OPTION_JSON_FD,
    HF_OPTION_SESSIONS,
};

/* Every verb's letters, and rows of its table, for getopt_long. */
#define HF_OPTIONS_LETTERS ":h"
#define HF_OPTIONS_SHARED                                                      \
    {"at", required_argument, NULL, HF_OPTION_AT},                             \
        {"space", required_argument, NULL, HF_OPTION_SPACE},                   \
        {"json", no_argument, NULL, HF_OPTION_JSON},                           \
    {                                                                          \
        "help", no_argument, NULL, HF_OPTION_HELP                              \
    }

/* Take a shared option; false when `option` is none. */
bool hf_options_take(struct hf_which *which, int option);

/*
 * Say what is wrong with the option that getopt_long answered with '?' or ':',
 * and return 64.  For a table whose short options begin with ':' or "-:"; with
 * that, what may have been meant.
 */
int hf_options_bad(const char *verb, int answer, char **argv,
                   const struct option *options);

/* Take the text of a duration above zero; 0, or 64 after having said what is
 * wrong. */
int hf_options_duration(const char *verb, const char *option,
                        const char **text);

/* The same of how long to wait, where a number alone is of seconds. */
int hf_options_wait(const char *verb, const char *option, const char **text);

/*
 * Take the one operand NAME of `verb` from argv[optind] on; 0, or 64 after
 * having said what is wrong.
 */
int hf_options_name(const char *verb, int argc, char **argv,
                    struct hf_which *which);

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

/* Print a help text to stdout; the exit code. */
int hf_options_help(const char *text);

#endif
