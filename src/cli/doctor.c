#include <string.h>

#include "ask.h"
#include "report.h"
#include "say.h"
#include "sharing.h"
#include "verb.h"

static void
add_lines(struct hf_text *out, const char *grade, const char *check,
          const char *found, const char *remedy)
{
    hf_text_addf(out, "%-4s  %-12s  %s\n", grade, check, found);
    if (remedy[0] != '\0')
        hf_text_addf(out, "%-4s  %-12s  %s\n", "", "", remedy);
}

static bool
print_check(const struct hf_view *check, bool json)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (json) {
        hf_output_view(&out, check);
        hf_text_add(&out, "\n");
    } else {
        add_lines(&out, hf_view_text(check, HF_FIELD_GRADE),
                  hf_view_text(check, HF_FIELD_CHECK),
                  hf_view_text(check, HF_FIELD_FOUND),
                  hf_view_text(check, HF_FIELD_REMEDY));
    }
    return hf_say_output(&out);
}

static const char reachable[] = "reachable";

/* If the place does not open, this is the only check. */
static int
print_unreachable(const struct hf_cli_target *target,
                  const struct hf_error *error)
{
    const char *fail = hf_grade_word(HF_GRADE_FAIL);
    const char *remedy = hf_sharing_remedy(target, error);
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (target->json) {
        hf_text_addf(&out, "{\"check\":\"%s\",\"grade\":\"%s\",", reachable,
                     fail);
        hf_text_add(&out, "\"found\":");
        hf_output_json(&out, error->text);
        hf_text_add(&out, ",\"remedy\":");
        hf_output_json(&out, remedy);
        hf_text_add(&out, "}\n");
    } else {
        add_lines(&out, fail, reachable, error->text, remedy);
    }
    return hf_say_output(&out) ? hf_status_exit(HF_E_UNAVAILABLE)
                               : HF_EXIT_OURS;
}

static bool
is_unreachable(const struct hf_view *check)
{
    return hf_view_number(check, HF_FIELD_GRADE) == HF_GRADE_FAIL &&
           strcmp(hf_view_text(check, HF_FIELD_CHECK), reachable) == 0;
}

/* Print all, and return the exit code.  A server of which no node can be
 * reached counts as a place that does not open. */
static int
print_checks(struct hf_query *query, bool json)
{
    struct hf_view *check;
    bool well = true;
    bool was_reached = false;
    bool fine = true;

    while (fine && (check = hf_query_next(query)) != NULL) {
        well = well && hf_view_number(check, HF_FIELD_GRADE) == HF_GRADE_OK;
        was_reached = was_reached || !is_unreachable(check);
        fine = print_check(check, json);
        hf_view_free(check);
    }
    if (!fine)
        return HF_EXIT_OURS;
    if (!was_reached)
        return hf_status_exit(HF_E_UNAVAILABLE);
    return well ? 0 : HF_EXIT_NOT_WELL;
}

static struct hf_cli_target asked;

static int
examine(struct hf_ask *ask)
{
    const struct hf_cli_target *target = &asked;
    struct hf_error error = {0};
    int code = hf_ask_begin(ask, HF_DOCTOR, target);

    if (code == 0)
        code = hf_cli_target_check(target);
    if (code != 0)
        return code;
    if (hf_ask_try_open(ask, target, &error) != HF_OK)
        return print_unreachable(target, &error);
    code = hf_ask_wait(ask, NULL);
    return code == 0 ? print_checks(ask->query, target->json) : code;
}

static const struct hf_option options[] = {
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_JSON("one JSON object a check"),
    HF_VERB_HELP,
};

const struct hf_verb hf_doctor_verb = {
    .name = "doctor",
    .also = "check",
    .brief = "is the place sound, and this host? what to do if not",
    .usage =
        "usage: holdfast doctor [OPTION...]\n"
        "\n"
        "Is the place sound, and this host?  One line a check: ok, warn or "
        "fail, what was looked at, and what was found; below it what to do.  "
        "Opens the place as `run` does, which makes it when it is not there.",
    .exits =
        "0 all is well; 1 something warns or fails; 69 the place cannot be "
        "opened, 64 wrong usage.",
    .examples = "  holdfast doctor\n"
                "  holdfast doctor --json | jq -r 'select(.grade != \"ok\") | "
                ".remedy'\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_NO_NAME,
    .values = &asked,
    .run = examine,
};
