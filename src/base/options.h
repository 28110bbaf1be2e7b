#ifndef HF_BASE_OPTIONS_H
#define HF_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

#include "base/text.h"

/*
 * Options: values that are set by a name and a text.  The text may come from a
 * call of the public API, a line of a file, or a command line (arguments.h).
 *
 * A table has a row for each option: the kind of its value, and where that
 * goes in a struct of the caller's.  Tables are static, and never change.
 */
enum hf_option_kind {
    HF_OPTION_FLAG, /* bool: "no" or "yes", or the two of `words`; without those
                                a command line names it alone */
    HF_OPTION_WORD, /* an enum: which of `words` */
    HF_OPTION_NUMBER,        /* int64_t */
    HF_OPTION_DURATION,      /* struct hf_duration */
    HF_OPTION_DURATION_TEXT, /* const char *: checked, and kept as it is */
    HF_OPTION_TEXT,          /* const char *; or char *, see hf_option_given */
    HF_OPTION_OTHER,         /* `set` does it all */
    HF_OPTION_STOP, /* bool, of a command line: it ends there, as --help */
};

/* A text that was given for an option. */
struct hf_option_given {
    const char *as; /* the option, as sentences name it: "ttl", "--ttl" */
    const char *text;
    const struct hf_alloc *alloc; /* NULL: texts are borrowed; else each is a
                                     copy, and the one before is freed */
};

typedef enum hf_status hf_option_set_fn(void *values,
                                        const struct hf_option_given *given,
                                        struct hf_error *error);
typedef enum hf_status hf_option_check_fn(const char *text,
                                          struct hf_error *error);

struct hf_option {
    const char *name; /* NULL: a letter alone */
    char letter;      /* 0: none */
    enum hf_option_kind kind;
    unsigned scopes; /* a bit for each use of the table that has it; 0: all */
    size_t offset;   /* of the value */
    size_t given;    /* of a bool that is set with it; 0: none */
    int64_t least;   /* of a number, or of a duration in ms */
    int64_t most;    /* 0: none; of a duration INT64_MAX: also "forever" */
    const char *const *words; /* NULL at the end */
    hf_option_set_fn *set;
    hf_option_check_fn *check; /* of a text, before it is taken; may be NULL */
    const char *wants; /* said behind the name of any wrong text, as "is yes or
                          no"; NULL: a sentence is made */
    bool many;         /* may be given more than once, in a file */
    const char *also;  /* how others call it, blanks between; a hint alone */
    const char *value; /* of the help: "DURATION"; NULL: it takes none */
    const char *help;  /* is wrapped; a newline is kept */
};

/* The size of each kind: a field of another size does not compile. */
#define HF_OPTION_FLAG_SIZE          sizeof(bool)
#define HF_OPTION_WORD_SIZE          sizeof(unsigned)
#define HF_OPTION_NUMBER_SIZE        sizeof(int64_t)
#define HF_OPTION_DURATION_SIZE      sizeof(struct hf_duration)
#define HF_OPTION_DURATION_TEXT_SIZE sizeof(const char *)
#define HF_OPTION_TEXT_SIZE          sizeof(const char *)
#define HF_OPTION_STOP_SIZE          sizeof(bool)

#define HF_OPTION_OFFSET(of, member, size)                                     \
    (offsetof(of, member) +                                                    \
     0 * sizeof(char[sizeof(((of *)NULL)->member) == (size) ? 1 : -1]))

/* A row: HF_OPTION(TEXT, "reason", struct order, reason, HF_HELP("why")).
 * The names of what else it has are those of struct hf_option. */
#define HF_OPTION(row_kind, row_name, of, member, ...)                         \
    {                                                                          \
        .name = (row_name), .kind = HF_OPTION_##row_kind,                      \
        .offset = HF_OPTION_OFFSET(of, member, HF_OPTION_##row_kind##_SIZE),   \
        __VA_ARGS__                                                            \
    }

#define HF_OPTION_PLAIN(row_kind, row_name, of, member)                        \
    HF_OPTION(row_kind, row_name, of, member, .help = NULL)
#define HF_OPTION_SET(row_name, set_it, ...)                                   \
    {                                                                          \
        .name = (row_name), .kind = HF_OPTION_OTHER, .set = (set_it),          \
        __VA_ARGS__                                                            \
    }
#define HF_HELP(text) .help = (text)

/* A table, as one of its uses sees it. */
struct hf_options {
    const struct hf_option *rows;
    size_t count;
    unsigned scope;
};

#define HF_OPTIONS(table)                                                      \
    {                                                                          \
        .rows = (table), .count = sizeof(table) / sizeof((table)[0])           \
    }

/* Does that use of the table have it? */
bool hf_options_have(const struct hf_options *options,
                     const struct hf_option *option);

/* NULL: there is none of that name. */
const struct hf_option *hf_options_find(const struct hf_options *options,
                                        const char *name);

/* Add ": did you mean ttl?", with `dashes` before the name, if one is near. */
void hf_options_add_meant(const struct hf_options *options, const char *name,
                          size_t len, const char *dashes, struct hf_text *out);

/* HF_E_INVALID, with a sentence in *error; HF_E_NOMEM; what `set` returns.  The
 * value is then untouched. */
HF_MUST_USE enum hf_status hf_option_set(const struct hf_option *option,
                                         void *values,
                                         const struct hf_option_given *given,
                                         struct hf_error *error);

/* Set the option that is named given->as, or refuse it: "a lock has no option
 * 'tll': did you mean ttl?", for `owner` "a lock has".  Errors as above. */
HF_MUST_USE enum hf_status hf_options_set(const struct hf_options *options,
                                          void *values, const char *owner,
                                          const struct hf_option_given *given,
                                          struct hf_error *error);

/* Is `word` of `len` bytes one of `words`, which have blanks between them? */
bool hf_option_is_also(const char *words, const char *word, size_t len);

/* Digits alone, up to `most`; false, and *number is untouched: it is none. */
bool hf_option_number(const char *text, int64_t most, int64_t *number);

/* Replace *string by a copy.  HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_option_copy(char **string,
                                          const struct hf_alloc *alloc,
                                          const char *text,
                                          struct hf_error *error);

#endif
