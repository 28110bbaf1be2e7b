#include <inttypes.h>
#include <stdio.h>

#include "ask.h"
#include "say.h"
#include "verb.h"

/* The sessions of a lock server: the rows of `ls --sessions`. */

#define PAGE "1000"

static void
add_heads(struct hf_text *out)
{
    hf_text_addf(out, "%-16s  %5s  %5s  %8s  %8s  %-12s  %s\n", "SESSION",
                 "HOLDS", "WAITS", "SILENT", "TTL", "ENDS BY", "WHO");
}

static void
add_row(struct hf_text *out, const struct hf_view *session)
{
    struct hf_duration silent = {hf_view_number(session, HF_FIELD_SILENT_MS)};
    struct hf_duration ttl = {hf_view_number(session, HF_FIELD_TTL_MS)};
    bool by_acquire = hf_view_number(session, HF_FIELD_BY_ACQUIRE) != 0;
    char silent_text[32];
    char ttl_text[32];

    silent.ms -= silent.ms % 1000; /* a person needs no more */
    hf_text_addf(out,
                 "%-16s  %5" PRId64 "  %5" PRId64 "  %8s  %8s  %-12s  %s\n",
                 hf_view_text(session, HF_FIELD_SESSION),
                 hf_view_number(session, HF_FIELD_HOLDS),
                 hf_view_number(session, HF_FIELD_WAITS),
                 hf_duration_text(silent, silent_text, sizeof(silent_text)),
                 hf_duration_text(ttl, ttl_text, sizeof(ttl_text)),
                 by_acquire ? "last release" : "end or ttl",
                 hf_view_text(session, HF_FIELD_WHO));
}

struct session_list {
    bool json;
    bool begun; /* the heads were printed, or need not be */
};

static bool
begin(struct session_list *listing)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (listing->begun)
        return true;
    listing->begun = true;
    add_heads(&out);
    return hf_say_output(&out);
}

static int
print(void *ctx, const struct hf_view *session)
{
    struct session_list *listing = ctx;
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (listing->json)
        return hf_say_view(session) ? 0 : HF_EXIT_OURS;
    add_row(&out, session);
    return begin(listing) && hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

int
hf_ls_sessions(struct hf_ask *ask, const struct hf_cli_target *target)
{
    struct session_list listing = {.json = target->json, .begun = target->json};
    int code;

    if (target->space != NULL)
        return hf_say_usage(
            "", "a session is of no space: ls --sessions takes no --space");
    code = hf_ask_begin(ask, HF_SESSIONS, target);
    if (code == 0)
        code = hf_ask_set(ask, HF_LIMIT, PAGE);
    if (code == 0)
        code = hf_ask_open(ask, target);
    if (code == 0)
        code = hf_ask_each(ask, print, &listing);
    if (code == 0 && !begin(&listing))
        code = HF_EXIT_OURS;
    return code;
}
