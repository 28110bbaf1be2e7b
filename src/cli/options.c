#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "say.h"

enum hf_status
hf_options_wait(const char **limit, const struct hf_option_given *given,
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
