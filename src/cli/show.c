#include <inttypes.h>

#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

static const char help[] =
    "usage: holdfast show [OPTION...] NAME\n"
    "\n"
    "Show the whole record of the lock NAME, as it stands now.\n"
    "\n"
    "  --at PLACE     where the locks are kept\n"
    "  --space SPACE  default `default`\n"
    "  --json         as one JSON object\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit: 0; 1 no such lock; 69 the place is unavailable, 77 permission\n"
    "  denied, 64 wrong usage, 65 the record is not ours.\n"
    "\n"
    "  holdfast show migrate\n"
    "  holdfast show --json migrate | jq .fence\n";

static void
add_owner(struct hf_text *out, const struct hf_description *lock)
{
    char text[32];

    hf_text_add(out, "holder     ");
    hf_report_who(out, lock);
    hf_text_add(out, "\nprocesses  ");
    hf_report_processes(out, lock);
    hf_text_addf(out, "\nruns       %s\n", lock->command);
    if (lock->reason[0] != '\0')
        hf_text_addf(out, "reason     %s\n", lock->reason);
    hf_text_add(out, "since      ");
    hf_report_moment(out, lock->since_ms, "");
    hf_text_addf(out, "\nclaim      %" PRIu64 "\n", lock->id);
    hf_text_addf(out, "if dead    %s\n", hf_if_dead_word(lock->if_dead));
    hf_text_addf(out, "ttl        %s\n",
                 hf_duration_text(lock->ttl, text, sizeof(text)));
    hf_text_addf(out, "beats      %" PRIu64 " so far, every %s\n", lock->beat,
                 hf_duration_text(lock->beat_every, text, sizeof(text)));
}

static void
add_record(struct hf_text *out, const struct hf_diagnosis *seen,
           const char *place)
{
    const struct hf_description *lock = &seen->record;
    const char *why = seen->error.text;

    hf_text_addf(out, "name       %s\n", lock->name);
    hf_text_addf(out, "space      %s\n", lock->space);
    hf_text_addf(out, "place      %s\n", place);
    hf_text_addf(out, "fence      %" PRIu64 "\n", lock->fence);
    hf_text_addf(out, "version    %" PRIu64 "\n", lock->version);
    if (lock->corrupt)
        hf_text_addf(out, "value      not Holdfast's%s%s\n",
                     why[0] != '\0' ? ": " : "", why);
    else
        add_owner(out, lock);
    hf_text_add(out, "last beat  ");
    hf_report_moment(out, lock->stamp_ms, " ago");
    hf_text_add(out, "\n");
}

static int
print(struct hf_client *client, const struct hf_which *which)
{
    struct hf_examine_options options = {.space = which->space};
    struct hf_diagnosis seen;
    struct hf_error error = {0};
    struct hf_text out = HF_PHRASE;
    enum hf_status status =
        hf_examine(client, which->name, &options, &seen, &error);

    if (status != HF_OK)
        return hf_say_failure(&error, status);
    if (!seen.record.exists)
        return hf_report_none(which, hf_client_place(client));
    if (which->json) {
        hf_phrase_description(&out, &seen.record);
        hf_text_add(&out, "\n");
    } else {
        add_record(&out, &seen, hf_client_place(client));
    }
    if (!hf_say_output(&out))
        return HF_EXIT_OURS;
    return seen.record.corrupt ? hf_status_exit(HF_E_CORRUPT) : 0;
}

static int
read_line(struct hf_which *which, int argc, char **argv)
{
    static const struct option options[] = {HF_OPTIONS_SHARED,
                                            {NULL, 0, NULL, 0}};

    for (;;) {
        int option = getopt_long(argc, argv, HF_OPTIONS_LETTERS, options, NULL);

        if (option < 0)
            break;
        if (option == '?' || option == ':')
            return hf_options_bad("show", option, argv);
        (void)hf_options_take(which, option);
    }
    return which->help ? 0 : hf_options_name("show", argc, argv, which);
}

int
hf_show_verb(int argc, char **argv)
{
    struct hf_which which = {.name = NULL};
    struct hf_client *client;
    int code = read_line(&which, argc, argv);

    if (code != 0)
        return code;
    if (which.help)
        return hf_options_help(help);
    code = hf_options_look(&which, which.name, &client);
    if (code != 0)
        return code;
    code = print(client, &which);
    hf_close(client);
    return code;
}
