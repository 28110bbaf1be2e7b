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
    hf_text_addf(out, "%-16s  %5s  %5s  %8s  %8s  %-9s  %s\n", "SESSION",
                 "HOLDS", "WAITS", "SILENT", "TTL", "OPENED BY", "WHO");
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
    hf_text_addf(out, "%-16s  %5" PRId64 "  %5" PRId64 "  %8s  %8s  %-9s  %s\n",
                 hf_view_text(session, HF_FIELD_SESSION),
                 hf_view_number(session, HF_FIELD_HOLDS),
                 hf_view_number(session, HF_FIELD_WAITS),
                 hf_duration_text(silent, silent_text, sizeof(silent_text)),
                 hf_duration_text(ttl, ttl_text, sizeof(ttl_text)),
                 by_acquire ? "acquire" : "itself",
                 hf_view_text(session, HF_FIELD_WHO));
}

/* One page; how many rows it had. */
static bool
print_page(struct hf_ask *ask, bool json, size_t *count)
{
    bool fine = true;

    for (*count = 0; fine; ++*count) {
        struct hf_view *session = hf_query_next(ask->query);
        struct hf_text out = HF_OUTPUT_BUFFER;

        if (session == NULL)
            return true;
        if (json) {
            hf_output_view(&out, session);
            hf_text_add(&out, "\n");
        } else {
            add_row(&out, session);
        }
        fine = hf_say_output(&out);
        hf_view_free(session);
    }
    return false;
}

static int
print_all(struct hf_ask *ask, bool json)
{
    struct hf_text out = HF_OUTPUT_BUFFER;
    size_t count = 1;

    for (bool first = true; count > 0; first = false) {
        int code = hf_ask_wait(ask, NULL);

        if (code != 0)
            return code;
        if (first && !json) {
            add_heads(&out);
            if (!hf_say_output(&out))
                return HF_EXIT_OURS;
        }
        if (!print_page(ask, json, &count))
            return HF_EXIT_OURS;
    }
    return 0;
}

int
hf_ls_sessions(struct hf_ask *ask, const struct hf_target *target)
{
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
        code = print_all(ask, target->json);
    return code;
}
