#include "lab/print.h"

#include <stdio.h>
#include <string.h>

#include "explore/verdict.h"
#include "lab/world/fair.h"
#include "lab/world/promise.h"
#include "lab/world/story.h"
#include "lab/world/worlds.h"

void
print_sentence(void *ctx, unsigned number, const struct model_step *step)
{
    char buffer[PRINT_SENTENCE_MAX];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    story_sentence(step, &text);
    fprintf(ctx, "%3u. %s.\n", number, buffer);
}

void
print_row(void *ctx, unsigned number, const struct model_step *step)
{
    char buffer[128];
    struct hf_text text;
    unsigned workers = step->before.config->workers;

    fprintf(ctx, "%3u", number);
    for (unsigned i = 0; i <= workers; i++) {
        hf_text_init(&text, buffer, sizeof(buffer));
        story_cell(step, i == workers ? WORLD_WORKERS_MAX : i, &text);
        fprintf(ctx, " | %-28s", buffer);
    }
    fputs(step->action.act == ACT_TICK ? " | ----\n" : "\n", ctx);
}

struct json_story {
    FILE *out;
    unsigned operations; /* of the store */
    bool first;
};

static void
count_operations(void *ctx, unsigned number, const struct model_step *step)
{
    struct json_story *story = ctx;

    (void)number;
    story->operations += step->action.act == ACT_SERVE ||
                         step->action.act == ACT_LATE ||
                         step->action.act == ACT_CLEAR ||
                         step->action.act == ACT_UNKNOWN_APPLIED ||
                         step->action.act == ACT_PERSON_SERVE ||
                         step->action.act == ACT_PERSON_ANSWER_LOST;
}

static void
print_json_sentence(void *ctx, unsigned number, const struct model_step *step)
{
    struct json_story *story = ctx;
    char buffer[PRINT_SENTENCE_MAX];
    struct hf_text text;

    (void)number;
    hf_text_init(&text, buffer, sizeof(buffer));
    story_sentence(step, &text);
    verdict_json_string(story->out, story->first ? "" : ",", buffer);
    story->first = false;
}

/* The line that replays it; good until the next one is asked for. */
static const char *
line_of(const struct world_config *config, const uint16_t *schedule, size_t len)
{
    static char line[PRINT_SCHEDULE_MAX * 20];
    struct hf_text text;

    hf_text_init(&text, line, sizeof(line));
    story_line(config, schedule, len, &text);
    return line;
}

void
print_json(FILE *out, const struct world_config *config,
           const struct explore_report *report)
{
    struct json_story story = {.out = out, .first = true};
    bool valid;

    model_replay(config, report->schedule, report->schedule_len,
                 count_operations, &story, &valid);
    verdict_json_head(out, config->name, config->workers, report);
    fprintf(out, ",\"expected\":%s",
            verdict_expected_word(report, config->expect));
    verdict_json_figures(out, story.operations, report);
    fputs(",\"schedule\":[", out);
    model_replay(config, report->schedule, report->schedule_len,
                 print_json_sentence, &story, &valid);
    fputs("],\"replay\":", out);
    if (report->schedule_len == 0)
        fputs("null}\n", out);
    else
        fprintf(out, "\"%s\"}\n",
                line_of(config, report->schedule, report->schedule_len));
}

/* Who tells a story, and the last step of it. */
struct teller {
    const struct print *how;
    struct model_step last;
    unsigned steps;
};

static void
tell(void *ctx, unsigned number, const struct model_step *step)
{
    struct teller *teller = ctx;

    teller->last = *step;
    teller->steps = number;
    if (teller->how->trace)
        print_row(teller->how->out, number, step);
    else
        print_sentence(teller->how->out, number, step);
}

/* What comes after a schedule that leads nowhere. */
static void
tell_future(FILE *out, const struct world *last, const char *violated)
{
    unsigned first;

    fputs("     From here, though nothing goes wrong any more:\n", out);
    first = fair_show(last, print_sentence, out);
    if (strcmp(violated, PROMISE_STUCK) == 0)
        fprintf(out,
                "     ... and again from step %u of these: nobody gets the "
                "lock.\n",
                first);
}

struct verdict_replay
print_story(const struct print *how, const struct world_config *config,
            const uint16_t *schedule, size_t len)
{
    static struct teller teller; /* too large for a stack */
    struct verdict_replay told = {0};
    bool done;

    teller = (struct teller){.how = how};
    world_start(&teller.last.after, config);
    told.violated =
        model_replay(config, schedule, len, tell, &teller, &told.possible);
    told.steps = teller.steps;
    done = teller.last.check != NULL || teller.last.after.violated != NULL;
    if (told.violated != NULL && !done &&
        strcmp(told.violated, PROMISE_UNHEARD) != 0)
        tell_future(how->out, &teller.last.after, told.violated);
    return told;
}

void
print_schedule(const struct print *how, const struct world_config *config,
               const uint16_t *schedule, size_t len)
{
    print_story(how, config, schedule, len);
    fprintf(how->out, "     holdfast-lab replay %s\n",
            line_of(config, schedule, len));
}

void
print_table_head(FILE *out)
{
    fprintf(out, "%-18s %7s %6s  %-9s  %-9s %12s %12s %6s %8s %8s %7s\n",
            "world", "workers", "faults", "make", "verdict", "states",
            "transitions", "depth", "seconds", "M st./s", "B/state");
}

void
print_table_row(FILE *out, const struct world_config *config,
                const struct explore_report *report)
{
    double seconds = report->seconds > 0 ? report->seconds : 1e-9;
    double states = (double)report->states;
    const struct worlds_proof *proof =
        worlds_find_proof(config->name, config->workers, report->faults);

    fprintf(
        out, "%-18s %7u %6u  %-9s  %-9s %12llu %12llu %6u %8.2f %8.2f %7.1f",
        config->name, config->workers, report->faults,
        proof == NULL ? "-" : worlds_target_word(proof->target),
        verdict_word(report->verdict), (unsigned long long)report->states,
        (unsigned long long)report->transitions, report->depth, report->seconds,
        states / seconds / 1e6, (double)report->bytes / states);
    if (report->violated != NULL)
        fprintf(out, "  %s", report->violated);
    if (verdict_is_expected(report, config->expect) && config->expect != NULL)
        fprintf(out, " (must be)");
    putc('\n', out);
    fflush(out);
}
