#include "base/arguments.h"

#include <getopt.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

enum {
    ROWS_MAX = 48,
    LONG = 256,     /* the number of the first row, beyond any letter */
    COLUMNS = 79,   /* of the help */
    LEFT_MAX = 18,  /* columns of an option and its value, or the text begins on
                       the next line */
    LINE_MAX = 160, /* bytes */
};

/* ---- Reading ------------------------------------------------------------- */

static bool
takes_value(const struct hf_option *option)
{
    if (option->kind == HF_OPTION_FLAG)
        return option->words != NULL;
    return option->kind != HF_OPTION_STOP;
}

/* The table in the words of getopt. */
struct getopt_table {
    struct option names[ROWS_MAX + 1];
    char letters[2 * ROWS_MAX + 4];
};

static void
fill(struct getopt_table *table, const struct hf_options *options,
     const char *mode)
{
    struct option *next = table->names;
    struct hf_text letters;

    HF_CHECK(options->count <= ROWS_MAX);
    hf_text_init(&letters, table->letters, sizeof(table->letters));
    hf_text_add(&letters, mode);
    for (size_t i = 0; i < options->count; i++) {
        const struct hf_option *option = &options->rows[i];
        bool value = takes_value(option);

        if (!hf_options_have(options, option))
            continue;
        if (option->letter != '\0')
            hf_text_addf(&letters, "%c%s", option->letter, value ? ":" : "");
        if (option->name != NULL)
            *next++ = (struct option){
                .name = option->name,
                .has_arg = value ? required_argument : no_argument,
                .val = LONG + (int)i,
            };
    }
    *next = (struct option){.name = NULL};
}

static const struct hf_option *
option_of(const struct hf_options *options, int answer)
{
    const struct hf_option *option = options->rows;

    if (answer >= LONG)
        return &options->rows[answer - LONG];
    while (option->letter != answer || !hf_options_have(options, option))
        option++;
    return option;
}

/* getopt has answered with '?' or ':'. */
static enum hf_status
refuse(struct hf_arguments *arguments, int answer, char **argv,
       struct hf_error *error)
{
    char letter[] = {'-', (char)optopt, '\0'};
    bool is_letter = optopt > 0 && optopt < LONG;
    const char *word = is_letter ? letter : argv[optind - 1];
    char shown[64];
    char hint[64];
    struct hf_text meant;

    hf_text_show(shown, sizeof(shown), word, strlen(word));
    if (answer == ':')
        return hf_fail(error, HF_E_INVALID, "option %s needs a value", shown);
    if (optopt >= LONG)
        return hf_fail(error, HF_E_INVALID, "option %s takes no value", shown);
    arguments->unknown = argv[optind - 1];
    arguments->unknown_letter = is_letter;
    hf_text_init(&meant, hint, sizeof(hint));
    if (strncmp(word, "--", 2) == 0)
        hf_options_add_meant(arguments->options, word + 2,
                             strcspn(word + 2, "="), "--", &meant);
    return hf_fail(error, HF_E_INVALID, "unknown option %s%s (see %s --help)",
                   shown, hint, arguments->program);
}

static enum hf_status
take(const struct hf_arguments *arguments, const struct hf_option *option,
     void *values, struct hf_error *error)
{
    char letter[] = {'-', option->letter, '\0'};
    char name[48];
    struct hf_text as;

    hf_text_init(&as, name, sizeof(name));
    if (option->letter == '\0')
        hf_text_addf(&as, "%s%s", arguments->bare_names ? "" : "--",
                     option->name);
    return hf_option_set(option, values,
                         &(struct hf_option_given){
                             .as = option->letter == '\0' ? name : letter,
                             .text = takes_value(option) ? optarg : "yes",
                         },
                         error);
}

enum hf_status
hf_arguments_read(struct hf_arguments *arguments, int argc, char **argv,
                  void *values, struct hf_error *error)
{
    const struct hf_option *option = NULL;
    enum hf_status status = HF_OK;
    struct getopt_table table;

    fill(&table, arguments->options, arguments->operand != NULL ? "-:" : ":");
    optind = 0; /* from the start, whatever was read before */
    while (status == HF_OK &&
           (option == NULL || option->kind != HF_OPTION_STOP)) {
        int answer = getopt_long(argc, argv, table.letters, table.names, NULL);

        if (answer == -1)
            break;
        if (answer == 1) {
            status = arguments->operand(
                values, &(struct hf_option_given){.text = optarg}, error);
            continue;
        }
        if (answer == '?' || answer == ':')
            return refuse(arguments, answer, argv, error);
        option = option_of(arguments->options, answer);
        status = take(arguments, option, values, error);
    }
    arguments->rest = optind;
    return status;
}

/* ---- Help ---------------------------------------------------------------- */

/* "-w, --wait DURATION". */
static size_t
write_left(const struct hf_option *option, char line[LINE_MAX])
{
    struct hf_text left;

    hf_text_init(&left, line, LINE_MAX);
    if (option->letter != '\0')
        hf_text_addf(&left, "-%c%s", option->letter,
                     option->name != NULL ? ", " : "");
    if (option->name != NULL)
        hf_text_addf(&left, "--%s", option->name);
    if (option->value != NULL)
        hf_text_addf(&left, " %s", option->value);
    return left.len;
}

/* How many bytes of the text go into a line of `columns`: whole words, and a
 * number together with what it is of. */
static size_t
fits(const char *text, size_t columns)
{
    size_t line = strcspn(text, "\n");
    size_t len = 0;

    if (line <= columns)
        return line;
    for (size_t i = 1; i <= columns; i++)
        if (text[i] == ' ' && strchr(" 0123456789", text[i - 1]) == NULL)
            len = i;
    return len == 0 ? line : len;
}

void
hf_arguments_wrap(struct hf_text *out, const char *text, size_t at,
                  size_t column)
{
    while (*text != '\0') {
        size_t begin = at > column ? at : column;
        size_t len = fits(text, COLUMNS - begin);

        if (len > 0)
            hf_text_addf(out, "%*s", (int)(begin - at), "");
        hf_text_addf(out, "%.*s\n", (int)len, text);
        text += len;
        text += *text == '\n' ? 1 : strspn(text, " ");
        at = 0;
    }
}

void
hf_arguments_help(const struct hf_options *options, struct hf_text *out)
{
    size_t widest = 0;
    char left[LINE_MAX];

    for (size_t i = 0; i < options->count; i++) {
        size_t len = write_left(&options->rows[i], left);

        if (hf_options_have(options, &options->rows[i]) && len > widest &&
            len <= LEFT_MAX)
            widest = len;
    }
    for (size_t i = 0; i < options->count; i++) {
        const struct hf_option *option = &options->rows[i];
        size_t len = write_left(option, left);

        if (!hf_options_have(options, option) || option->help == NULL)
            continue;
        hf_text_addf(out, "  %s%s", left, len > widest ? "\n" : "");
        hf_arguments_wrap(out, option->help, len > widest ? 0 : len + 2,
                          widest + 4);
    }
}
