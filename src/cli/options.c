#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
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

/* What others call it, of `run`. */
static const struct {
    const char *name;
    const char *meant;
} others[] = {
    {"--timeout", "-w"}, {"--nonblock", "-n"},           {"--nb", "-n"},
    {"--try", "-n"},     {"--conflict-exit-code", "-E"},
};

/* Add the option that was meant by `word`, if anybody knows. */
static void
add_meant(struct hf_text *out, const char *verb, const char *word,
          const struct option *options)
{
    size_t len = strcspn(word, "=");
    struct hf_nearest nearest;

    if (strncmp(word, "--", 2) != 0)
        return;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(verb, "run") == 0 && strlen(others[i].name) == len &&
            memcmp(others[i].name, word, len) == 0) {
            hf_text_addf(out, ": did you mean %s?", others[i].meant);
            return;
        }
    }
    hf_nearest_begin(&nearest, word + 2, len - 2);
    for (; options->name != NULL; options++)
        hf_nearest_try(&nearest, options->name);
    if (nearest.word != NULL)
        hf_text_addf(out, ": did you mean --%s?", nearest.word);
}

int
hf_options_bad(const char *verb, int answer, char **argv,
               const struct option *options)
{
    struct hf_text meant = HF_PHRASE;
    struct hf_text word = HF_PHRASE;
    char letter[3] = {'-', (char)optopt, '\0'};
    bool is_letter = optopt > 0 && optopt < 256;

    hf_phrase_quote(&word, is_letter ? letter : argv[optind - 1]);
    if (answer == ':')
        return hf_say_usage(verb, "option %s needs a value", word.at);
    if (optopt >= 256)
        return hf_say_usage(verb, "option %s takes no value", word.at);
    if (!is_letter)
        add_meant(&meant, verb, argv[optind - 1], options);
    return hf_say_usage(verb, "unknown option %s%s (see holdfast %s --help)",
                        word.at, meant.at, verb);
}

int
hf_options_duration(const char *verb, const char *option, const char **text)
{
    struct hf_duration read;
    struct hf_error error;

    if (hf_duration_parse(optarg, &read, &error) != HF_OK)
        return hf_say_usage(verb, "%s: %s", option, error.text);
    if (read.ms == 0)
        return hf_say_usage(verb, "%s must be more than zero", option);
    *text = optarg;
    return 0;
}

int
hf_options_wait(const char *verb, const char *option, const char **text)
{
    static char seconds[24]; /* of the one such option of a command line */
    size_t len = strlen(optarg);

    if (len > 0 && strspn(optarg, "0123456789") == len &&
        len + 2 <= sizeof(seconds)) {
        (void)snprintf(seconds, sizeof(seconds), "%ss", optarg);
        optarg = seconds;
    }
    return hf_options_duration(verb, option, text);
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

static const char *
place_of(const struct hf_which *which)
{
    return which->at != NULL ? which->at : getenv("HOLDFAST_AT");
}

bool
hf_options_at_server(const struct hf_which *which)
{
    const char *at = place_of(which);

    return at != NULL && (strncasecmp(at, "http:", 5) == 0 ||
                          strncasecmp(at, "https:", 6) == 0);
}

bool
hf_options_at_default(const struct hf_which *which)
{
    const char *at = place_of(which);

    return at == NULL || at[0] == '\0';
}

int
hf_options_check_at(const struct hf_which *which)
{
    static const char memory[] = "memory:";
    const char *at = place_of(which);

    if (which->at != NULL && at[0] == '\0')
        return hf_say_usage("", "--at is empty: write sqlite:/path/locks.db");
    if (at != NULL && strncmp(at, memory, sizeof(memory) - 1) == 0)
        return hf_say_usage("", "a memory place is seen by one process alone, "
                                "and keeps nobody out: write "
                                "sqlite:/path/locks.db");
    return 0;
}

int
hf_options_help(const char *text)
{
    struct hf_text out = HF_PHRASE;

    hf_text_add(&out, text);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}
