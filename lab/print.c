#include "print.h"

#include <stdio.h>
#include <string.h>

#include "world/fair.h"
#include "world/promise.h"
#include "world/story.h"
#include "world/worlds.h"

const char *
print_verdict(enum lab_verdict verdict)
{
    static const char *const words[] = {
        [LAB_PROVED] = "proved",
        [LAB_VIOLATED] = "violated",
        [LAB_BOUNDED] = "bounded",
    };

    return words[verdict];
}

void
print_sentence(void *ctx, unsigned number, const struct model_step *step)
{
    char buffer[256];
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
    char buffer[256];
    char quoted[600];
    struct hf_text text;
    struct hf_text json;

    (void)number;
    hf_text_init(&text, buffer, sizeof(buffer));
    story_sentence(step, &text);
    hf_text_init(&json, quoted, sizeof(quoted));
    hf_text_add_json(&json, buffer, strlen(buffer));
    fprintf(story->out, "%s%s", story->first ? "" : ",", quoted);
    story->first = false;
}

void
print_json(FILE *out, const struct world_config *config,
           const struct lab_report *report)
{
    struct json_story story = {.out = out, .first = true};
    bool valid;

    model_replay(config, report->schedule, report->schedule_len,
                 count_operations, &story, &valid);
    fprintf(out,
            "{\"protocol\":\"%s\",\"workers\":%u,\"faults\":%u,\"verdict\":"
            "\"%s\",\"property\":",
            config->name, config->workers, report->faults,
            print_verdict(report->verdict));
    if (report->violated != NULL)
        fprintf(out, "\"%s\"", report->violated);
    else
        fprintf(out, "null");
    fprintf(out,
            ",\"store_operations\":%u,\"steps\":%zu,\"states\":%llu,"
            "\"transitions\":%llu,\"seconds\":%.3f,\"schedule\":[",
            story.operations, report->schedule_len,
            (unsigned long long)report->states,
            (unsigned long long)report->transitions, report->seconds);
    model_replay(config, report->schedule, report->schedule_len,
                 print_json_sentence, &story, &valid);
    fputs("]}\n", out);
}

static void
keep_last(void *ctx, unsigned number, const struct model_step *step)
{
    struct world *last = ctx;

    (void)number;
    *last = step->after;
}

/* What goes round and round after a schedule that leads nowhere. */
static void
print_loop(FILE *out, const struct world_config *config,
           const uint16_t *schedule, size_t len)
{
    struct world last;
    unsigned first;
    bool valid;

    world_start(&last, config);
    model_replay(config, schedule, len, keep_last, &last, &valid);
    fputs("     From here, though nothing goes wrong any more:\n", out);
    first = fair_show_loop(&last, print_sentence, out);
    fprintf(out,
            "     ... and again from step %u of these: nobody gets the lock.\n",
            first);
}

void
print_schedule(const struct print *how, const struct world_config *config,
               const uint16_t *schedule, size_t len, const char *violated)
{
    static char buffer[PRINT_SCHEDULE_MAX * 16];
    struct hf_text text;
    bool valid;

    model_replay(config, schedule, len, how->trace ? print_row : print_sentence,
                 how->out, &valid);
    if (violated != NULL && strcmp(violated, PROMISE_STUCK) == 0)
        print_loop(how->out, config, schedule, len);
    hf_text_init(&text, buffer, sizeof(buffer));
    story_line(config, schedule, len, &text);
    fprintf(how->out, "     holdfast-lab replay %s\n", buffer);
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
                const struct lab_report *report)
{
    double seconds = report->seconds > 0 ? report->seconds : 1e-9;
    double states = (double)report->states;
    const struct worlds_proof *proof =
        worlds_find_proof(config->name, config->workers, report->faults);

    fprintf(
        out, "%-18s %7u %6u  %-9s  %-9s %12llu %12llu %6u %8.2f %8.2f %7.1f",
        config->name, config->workers, report->faults,
        proof == NULL ? "-" : worlds_target_word(proof->target),
        print_verdict(report->verdict), (unsigned long long)report->states,
        (unsigned long long)report->transitions, report->depth, report->seconds,
        states / seconds / 1e6, (double)report->bytes / states);
    if (report->violated != NULL)
        fprintf(out, "  %s", report->violated);
    if (config->expect != NULL)
        fprintf(out, " (must be)");
    putc('\n', out);
    fflush(out);
}
