#include "lab/print.h"

#include <stdio.h>
#include <string.h>

#include "explore/verdict.h"
#include "lab/world/fair.h"
#include "lab/world/promise.h"
#include "lab/world/story.h"

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
print_json_words(void *ctx, unsigned number, const char *sentence)
{
    struct json_story *story = ctx;

    (void)number;
    verdict_json_string(story->out, story->first ? "" : ",", sentence);
    story->first = false;
}

static void
print_json_sentence(void *ctx, unsigned number, const struct model_step *step)
{
    char buffer[PRINT_SENTENCE_MAX];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    story_sentence(step, &text);
    print_json_words(ctx, number, buffer);
}

static void
print_json_story(struct json_story *story, struct subject *subject,
                 const struct explore_report *report)
{
    bool valid;
    size_t steps;

    if (subject->server.kind == NULL)
        model_replay(&subject->table, report->schedule, report->schedule_len,
                     print_json_sentence, story, &valid);
    else
        kind_replay(&subject->server, report->schedule, report->schedule_len,
                    print_json_words, story, &steps, &valid);
}

/* The calls to the store: of a server, its batches. */
static unsigned
operations_of(struct subject *subject, const struct explore_report *report)
{
    struct json_story story = {.out = NULL};
    bool valid;

    if (subject->server.kind == NULL)
        model_replay(&subject->table, report->schedule, report->schedule_len,
                     count_operations, &story, &valid);
    else
        for (size_t i = 0; i < report->schedule_len; i++)
            story.operations += kind_action_of(report->schedule[i]).act ==
                                subject->server.kind->batch;
    return story.operations;
}

/* The line that replays it; good until the next one is asked for. */
static const char *
line_of(const struct subject *subject, const uint16_t *schedule, size_t len)
{
    static char line[PRINT_SCHEDULE_MAX * 20];
    struct hf_text text;

    hf_text_init(&text, line, sizeof(line));
    subject_line(subject, schedule, len, &text);
    return line;
}

void
print_json(FILE *out, struct subject *subject,
           const struct explore_report *report)
{
    struct json_story story = {.out = out, .first = true};

    verdict_json_head(out, subject_name(subject), subject_workers(subject),
                      report);
    fprintf(out, ",\"expected\":%s",
            verdict_expected_word(report, subject_expect(subject)));
    verdict_json_figures(out, operations_of(subject, report), report);
    fputs(",\"schedule\":[", out);
    print_json_story(&story, subject, report);
    fputs("],\"replay\":", out);
    if (report->schedule_len == 0)
        fputs("null}\n", out);
    else
        fprintf(out, "\"%s\"}\n",
                line_of(subject, report->schedule, report->schedule_len));
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

/* The end of the story of a schedule that leads nowhere. */
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

static struct verdict_replay
tell_table(const struct print *how, const struct world_config *config,
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

static void
print_words(void *ctx, unsigned number, const char *sentence)
{
    fprintf(ctx, "%3u. %s.\n", number, sentence);
}

struct verdict_replay
print_story(const struct print *how, struct subject *subject,
            const uint16_t *schedule, size_t len)
{
    struct verdict_replay told = {0};

    if (subject->server.kind == NULL)
        return tell_table(how, &subject->table, schedule, len);
    subject->server.config = &subject->world;
    told.violated = kind_replay(&subject->server, schedule, len, print_words,
                                how->out, &told.steps, &told.possible);
    return told;
}

void
print_schedule(const struct print *how, struct subject *subject,
               const uint16_t *schedule, size_t len)
{
    print_story(how, subject, schedule, len);
    fprintf(how->out, "     holdfast-lab replay %s\n",
            line_of(subject, schedule, len));
}

void
print_table_head(FILE *out)
{
    fprintf(out, "%-18s %7s %6s  %-9s  %-9s %12s %12s %6s %8s %8s %7s\n",
            "world", "workers", "faults", "make", "verdict", "states",
            "transitions", "depth", "seconds", "M st./s", "B/state");
}

void
print_table_row(FILE *out, const struct subject *subject,
                const struct explore_report *report)
{
    double seconds = report->seconds > 0 ? report->seconds : 1e-9;
    double states = (double)report->states;
    const char *name = subject_name(subject);
    const char *expect = subject_expect(subject);
    unsigned workers = subject_workers(subject);
    const struct worlds_proof *proof =
        subject_find_proof(name, workers, report->faults);

    fprintf(
        out, "%-18s %7u %6u  %-9s  %-9s %12llu %12llu %6u %8.2f %8.2f %7.1f",
        name, workers, report->faults,
        proof == NULL ? "-" : worlds_target_word(proof->target),
        verdict_word(report->verdict), (unsigned long long)report->states,
        (unsigned long long)report->transitions, report->depth, report->seconds,
        states / seconds / 1e6, (double)report->bytes / states);
    if (report->violated != NULL)
        fprintf(out, "  %s", report->violated);
    if (verdict_is_expected(report, expect) && expect != NULL)
        fprintf(out, " (must be)");
    putc('\n', out);
    fflush(out);
}
