#include <inttypes.h>

#include "base/clock.h"
#include "moment.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

static const char help[] =
    "usage: holdfast audit [OPTION...] [NAME]\n"
    "\n"
    "List the locks that were cleared by hand, the oldest first: when, by "
    "whom\n"
    "and why, and whose they were.  With NAME, this lock alone.\n"
    "\n"
    "  --since DURATION  nothing that is longer ago\n"
    "  --at PLACE        where the locks are kept\n"
    "  --space SPACE     this space alone; every space when not given\n"
    "  --json            one JSON object a line\n"
    "  -h, --help        this text\n"
    "\n"
    "Exit: 0, also when there is none; 69 the place is unavailable,\n"
    "  77 permission denied, 64 wrong usage, 65 the place is not ours.\n"
    "\n"
    "  holdfast audit --since 24h\n"
    "  holdfast audit --json migrate | jq -r .reason\n";

enum { PAGE = 16 }; /* entries read at once */

struct reading {
    struct hf_which which;
    struct hf_duration since; /* zero: all there is */
};

static void
add_holder(struct hf_text *out, const struct hf_description *holder)
{
    char date[64];

    if (holder->corrupt) {
        hf_text_add(out, "  its record was not Holdfast's\n");
        return;
    }
    hf_text_add(out, "  holder: ");
    hf_report_who(out, holder);
    hf_text_addf(out, ", since %s\n",
                 hf_moment_date(holder->since_ms, date, sizeof(date)));
    hf_text_addf(out, "  runs: %s\n", hf_report_known(holder->command));
    if (holder->reason[0] != '\0')
        hf_text_addf(out, "  reason: %s\n", holder->reason);
    hf_text_addf(out, "  last beat: %s; fence %" PRIu64 "; if dead: %s\n",
                 hf_moment_date(holder->stamp_ms, date, sizeof(date)),
                 holder->fence, hf_if_dead_word(holder->if_dead));
}

static void
add_cleared(struct hf_text *out, const struct hf_audit_entry *entry)
{
    const struct hf_description *cleared = &entry->cleared;
    char date[64];

    hf_text_addf(out,
                 "%s: ", hf_moment_date(entry->stamp_ms, date, sizeof(date)));
    if (entry->corrupt) {
        hf_text_addf(out, "(not ours) %s\n", cleared->name);
        return;
    }
    hf_phrase_quote(out, cleared->name);
    hf_text_add(out, " in space ");
    hf_phrase_quote(out, cleared->space);
    hf_text_addf(out, " was cleared by %s@%s%s: %s\n",
                 hf_report_known(entry->user), hf_report_known(entry->host),
                 entry->forced ? " with --force" : "", entry->reason);
    add_holder(out, cleared);
}

static bool
print_page(const struct hf_audit_entry *entries, size_t count, bool json)
{
    for (size_t i = 0; i < count; i++) {
        struct hf_text out = HF_PHRASE;

        if (json) {
            hf_phrase_entry(&out, &entries[i]);
            hf_text_add(&out, "\n");
        } else {
            add_cleared(&out, &entries[i]);
        }
        if (!hf_say_output(&out))
            return false;
    }
    return true;
}

static int
list(struct hf_client *client, const struct reading *r)
{
    struct hf_cursor cursor = {.len = 0};
    struct hf_audit_query query = {
        .space = r->which.space,
        .name = r->which.name,
        .cursor = &cursor,
    };

    if (r->since.ms > 0)
        query.since_ms = hf_wall_ms() - r->since.ms;
    for (;;) {
        struct hf_audit_entry entries[PAGE];
        struct hf_error error = {0};
        size_t count = PAGE;
        enum hf_status status =
            hf_audit(client, &query, entries, &count, &error);

        if (status != HF_OK)
            return hf_say_failure(&error, status);
        if (count == 0)
            return 0;
        if (!print_page(entries, count, r->which.json))
            return HF_EXIT_OURS;
    }
}

static int
read_line(struct reading *r, int argc, char **argv)
{
    static const struct option options[] = {
        {"since", required_argument, NULL, HF_OPTION_SINCE},
        HF_OPTIONS_SHARED,
        {NULL, 0, NULL, 0},
    };

    for (;;) {
        int option = getopt_long(argc, argv, HF_OPTIONS_LETTERS, options, NULL);
        int wrong = 0;

        if (option < 0)
            break;
        if (option == '?' || option == ':')
            return hf_options_bad("audit", option, argv);
        if (option == HF_OPTION_SINCE)
            wrong = hf_options_duration("audit", "--since", &r->since);
        else
            (void)hf_options_take(&r->which, option);
        if (wrong != 0)
            return wrong;
    }
    return r->which.help || optind == argc
               ? 0
               : hf_options_name("audit", argc, argv, &r->which);
}

int
hf_audit_verb(int argc, char **argv)
{
    struct reading r = {.since = {0}};
    struct hf_client *client;
    int code = read_line(&r, argc, argv);

    if (code != 0)
        return code;
    if (r.which.help)
        return hf_options_help(help);
    code = hf_options_look(&r.which, r.which.name, &client);
    if (code != 0)
        return code;
    code = list(client, &r);
    hf_close(client);
    return code;
}
