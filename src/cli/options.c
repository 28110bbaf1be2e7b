#include "options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

bool
hf_options_take(struct hf_which *which, int option)
{
    switch (option) {
    case HF_OPTION_AT:
        which->at = optarg;
        return true;
    case HF_OPTION_SPACE:
        which->space = optarg;
        return true;
    case HF_OPTION_JSON:
        which->json = true;
        return true;
    case 'h':
    case HF_OPTION_HELP:
        which->help = true;
        return true;
    default:
        return false;
    }
}

int
hf_options_bad(const char *verb, int answer, char **argv)
{
    struct hf_text word = HF_PHRASE;
    char letter[3] = {'-', (char)optopt, '\0'};
    bool is_letter = optopt > 0 && optopt < 256;

    hf_phrase_quote(&word, is_letter ? letter : argv[optind - 1]);
    if (answer == ':')
        return hf_say_usage(verb, "option %s needs a value", word.at);
    if (optopt >= 256)
        return hf_say_usage(verb, "option %s takes no value", word.at);
    return hf_say_usage(verb, "unknown option %s (see holdfast %s --help)",
                        word.at, verb);
}

int
hf_options_duration(const char *verb, const char *option,
                    struct hf_duration *duration)
{
    struct hf_duration read;
    struct hf_error error;

    if (hf_duration_parse(optarg, &read, &error) != HF_OK)
        return hf_say_usage(verb, "%s: %s", option, error.text);
    if (read.ms == 0)
        return hf_say_usage(verb, "%s must be more than zero", option);
    *duration = read;
    return 0;
}

int
hf_options_name(const char *verb, int argc, char **argv, struct hf_which *which)
{
    if (optind == argc)
        return hf_say_usage(verb, "which lock? (see holdfast %s --help)", verb);
    if (argc - optind > 1) {
        struct hf_text word = HF_PHRASE;

        hf_phrase_quote(&word, argv[optind + 1]);
        return hf_say_usage(verb, "one name at a time: what is %s?", word.at);
    }
    which->name = argv[optind];
    return 0;
}

int
hf_options_check_at(const struct hf_which *which)
{
    static const char memory[] = "memory:";
    const char *at = which->at != NULL ? which->at : getenv("HOLDFAST_AT");

    if (which->at != NULL && at[0] == '\0')
        return hf_say_usage("", "--at is empty: write sqlite:/path/locks.db");
    if (at != NULL && strncmp(at, memory, sizeof(memory) - 1) == 0)
        return hf_say_usage("", "a memory place is seen by one process alone, "
                                "and keeps nobody out: write "
                                "sqlite:/path/locks.db");
    return 0;
}

static int
open_place(const struct hf_which *which, const char *name,
           const struct hf_open_options *how, struct hf_client **client)
{
    struct hf_acquire_options options = {.space = which->space};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct hf_error error = {0};
    enum hf_status status =
        hf_acquire_check(name != NULL ? name : "any", &options, &error);

    if (status != HF_OK)
        return hf_say_failure(&error, status);

    int wrong = hf_options_check_at(which);

    if (wrong != 0)
        return wrong;
    /* A limit on the size of files must not kill us: the write fails then, and
     * we say so. */
    (void)sigaction(SIGXFSZ, &ignore, NULL);
    status = hf_open(which->at, how, client, &error);
    return status == HF_OK ? 0 : hf_say_failure(&error, status);
}

int
hf_options_open(const struct hf_which *which, const char *name,
                struct hf_client **client)
{
    return open_place(which, name, NULL, client);
}

int
hf_options_look(const struct hf_which *which, const char *name,
                struct hf_client **client)
{
    static const struct hf_open_options to_look = {.look_only = true};

    return open_place(which, name, &to_look, client);
}

int
hf_options_help(const char *text)
{
    struct hf_text out = HF_PHRASE;

    hf_text_add(&out, text);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}
