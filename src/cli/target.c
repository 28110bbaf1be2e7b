#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "say.h"

static const char *
place_of(const struct hf_cli_target *target)
{
    return target->at != NULL ? target->at : getenv("HOLDFAST_AT");
}

bool
hf_cli_target_is_server(const struct hf_cli_target *target)
{
    const char *at = place_of(target);

    return at != NULL && (strncasecmp(at, "http:", 5) == 0 ||
                          strncasecmp(at, "https:", 6) == 0);
}

bool
hf_cli_target_is_file(const struct hf_cli_target *target)
{
    return hf_cli_target_is_default(target) ||
           strncmp(place_of(target), "sqlite:", 7) == 0;
}

bool
hf_cli_target_is_default(const struct hf_cli_target *target)
{
    const char *at = place_of(target);

    return at == NULL || at[0] == '\0';
}

void
hf_cli_target_add_opening(struct hf_text *out,
                          const struct hf_cli_target *target)
{
    const char *at = place_of(target);
    struct hf_text shown = HF_OUTPUT_BUFFER;

    hf_text_add_url(&shown, at != NULL ? at : "(the default)");
    hf_text_add(out, "holdfast: the place does not open yet: ");
    hf_output_quote(out, shown.at);
    hf_text_add(out, "\n");
}

int
hf_cli_target_check(const struct hf_cli_target *target)
{
    static const char memory[] = "memory:";
    const char *at = place_of(target);

    if (target->at != NULL && at[0] == '\0')
        return hf_say_usage("", "--at is empty: write sqlite:/path/locks.db");
    if (at != NULL && strncmp(at, memory, sizeof(memory) - 1) == 0)
        return hf_say_usage("", "a memory place is seen by one process alone, "
                                "and keeps nobody out: write "
                                "sqlite:/path/locks.db");
    return 0;
}
