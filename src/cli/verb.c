#include "verb.h"

#include <stdio.h>
#include <string.h>

#include "output.h"
#include "say.h"

enum hf_status
hf_verb_set_wait(const char **limit, const struct hf_option_given *given,
                 struct hf_error *error)
{
    static const struct hf_option row = {.kind = HF_OPTION_DURATION_TEXT,
                                         .least = 1};
    static char seconds[24]; /* of the one such option of a command line */
    struct hf_option_given whole = *given;
    size_t len = strlen(given->text);

    if (len > 0 && strspn(given->text, "0123456789") == len &&
        len + 2 <= sizeof(seconds)) {
        (void)snprintf(seconds, sizeof(seconds), "%ss", given->text);
        whole.text = seconds;
    }
    return hf_option_set(&row, limit, &whole, error);
}

static int
print_help(const struct hf_verb *verb, const struct hf_options *options)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_arguments_wrap(&out, verb->usage, 0, 0);
    hf_text_add(&out, "\n");
    hf_arguments_help(options, &out);
    hf_text_add(&out, "\n");
    if (verb->notes != NULL) {
        hf_arguments_wrap(&out, verb->notes, 0, 0);
        hf_text_add(&out, "\n");
    }
    hf_text_add(&out, "Exit: ");
    hf_arguments_wrap(&out, verb->exits, strlen("Exit: "), 2);
    hf_text_addf(&out, "\n%s", verb->examples);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

/* 0, or 64 after having said which name is missing, or too many. */
static int
check_operands(const struct hf_verb *verb, const struct hf_cli_target *target)
{
    size_t most = verb->operands == HF_VERB_NO_NAME ? 0 : 1;
    struct hf_text word = HF_OUTPUT_BUFFER;

    if (verb->operands == HF_VERB_OTHERS)
        return 0;
    if (verb->operands == HF_VERB_ONE_NAME && target->operands_count == 0)
        return hf_say_usage(verb->name, "which lock? (see holdfast %s --help)",
                            verb->name);
    if (target->operands_count <= most)
        return 0;
    hf_output_quote(&word, target->operands[most]);
    return hf_say_usage(verb->name,
                        most == 0 ? "it looks at a place: what is %s?"
                                  : "one name at a time: what is %s?",
                        word.at);
}

int
hf_verb_execute(const struct hf_verb *verb, int argc, char **argv)
{
    const struct hf_options options = {.rows = verb->options,
                                       .count = verb->options_count};
    struct hf_cli_target *target = verb->values;
    struct hf_ask ask = {.client = NULL};
    struct hf_arguments arguments = {.options = &options,
                                     .operand = verb->operand};
    struct hf_error error = {0};
    char program[24];
    int code = 0;

    (void)snprintf(program, sizeof(program), "holdfast %s", verb->name);
    arguments.program = program;
    if (hf_arguments_read(&arguments, argc, argv, target, &error) != HF_OK) {
        if (arguments.unknown != NULL && verb->unknown != NULL)
            code = verb->unknown(&arguments);
        return code != 0 ? code : hf_say_usage(verb->name, "%s", error.text);
    }
    if (target->help)
        return print_help(verb, &options);
    target->operands = argv + arguments.rest;
    target->operands_count = (size_t)(argc - arguments.rest);
    code = check_operands(verb, target);
    if (code != 0)
        return code;
    if (verb->operands != HF_VERB_OTHERS && target->operands_count > 0)
        target->name = target->operands[0];
    code = verb->run(&ask);
    hf_ask_end(&ask);
    return code;
}
