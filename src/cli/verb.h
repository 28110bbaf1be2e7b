#ifndef HF_CLI_VERB_H
#define HF_CLI_VERB_H

#include "ask.h"
#include "base/arguments.h"
#include "target.h"

/*
 * Verb: what a command line of `holdfast` may begin with.  main.c has the table
 * of them.
 */

/* The words of a command line that are no options. */
enum hf_verb_operands {
    HF_VERB_NO_NAME,
    HF_VERB_MAY_NAME, /* one name, or none */
    HF_VERB_ONE_NAME,
    HF_VERB_OTHERS, /* `run` looks at them */
};

struct hf_verb {
    const char *name;
    const char *also;  /* how others call it, for "did you mean" */
    const char *brief; /* of the help of holdfast itself */
    const char *usage; /* of its own help, which is wrapped: before the options,
                           and behind them; the exit codes; examples */
    const char *notes; /* may be NULL */
    const char *exits;
    const char *examples; /* as they are */
    const struct hf_option *options;
    size_t options_count;
    enum hf_verb_operands operands;
    void *values; /* of the options: a struct that begins with a struct
                     hf_cli_target, as it is when none is given */
    hf_option_set_fn *operand; /* as of hf_arguments */
    /* An option is unknown: the exit code, after it has said why; 0: no more
     * than that is to be said.  May be NULL. */
    int (*unknown)(const struct hf_arguments *arguments);
    /* `ask` is zeroed, and ended afterwards.  The exit code, after it has said
     * on stderr why, if that is not 0. */
    int (*run)(struct hf_ask *ask);
};

#define HF_VERB_OPTIONS(table)                                                 \
    .options = (table), .options_count = sizeof(table) / sizeof((table)[0])

/* Rows that the verbs share. */
#define HF_VERB_AT(text)                                                       \
    HF_OPTION(TEXT, "at", struct hf_cli_target, at, .value = "PLACE",          \
              HF_HELP(text))
#define HF_VERB_SPACE(text)                                                    \
    HF_OPTION(TEXT, "space", struct hf_cli_target, space, .value = "SPACE",    \
              HF_HELP(text))
#define HF_VERB_JSON(text)                                                     \
    HF_OPTION(FLAG, "json", struct hf_cli_target, json, HF_HELP(text))
#define HF_VERB_HELP                                                           \
    HF_OPTION(STOP, "help", struct hf_cli_target, help, .letter = 'h',         \
              HF_HELP("this text"))

/* Read its command line, of which argv[0] is the verb, and do it: the exit
 * code. */
int hf_verb_execute(const struct hf_verb *verb, int argc, char **argv);

/* For an hf_option_set_fn: put the text of a wait's limit into *limit.  It is
 * above zero, and a number alone is of seconds. */
HF_MUST_USE enum hf_status hf_verb_set_wait(const char **limit,
                                            const struct hf_option_given *given,
                                            struct hf_error *error);

extern const struct hf_verb hf_run_verb;
extern const struct hf_verb hf_ls_verb;
extern const struct hf_verb hf_show_verb;
extern const struct hf_verb hf_why_verb;
extern const struct hf_verb hf_watch_verb;
extern const struct hf_verb hf_clear_verb;
extern const struct hf_verb hf_audit_verb;
extern const struct hf_verb hf_doctor_verb;

/* ls --sessions. */
int hf_ls_sessions(struct hf_ask *ask, const struct hf_cli_target *target);

#endif
