#include "history/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/server/promises.h"

/* Those of two requests. */
#define LINES_MAX 12

struct lines {
    const struct history_event *events[LINES_MAX];
    size_t count;
};

static void
add_line(struct lines *lines, const struct history_event *event)
{
    if (event != NULL)
        lines->events[lines->count++] = event;
}

static void
add_word(struct hf_text *text, const struct history_name *name)
{
    hf_text_add_bytes(text, name->word.at, name->word.len);
}

static void
add_time(struct hf_text *text, int64_t ns)
{
    if (ns < 1000000)
        hf_text_addf(text, "%" PRId64 " ns", ns);
    else
        hf_text_addf(text, "%" PRId64 ".%03" PRId64 " ms", ns / 1000000,
                     ns / 1000 % 1000);
}

/* "c1/0/3 was granted it with the fence 7" */
static void
add_granted(struct hf_text *text, const struct history_request *request)
{
    add_word(text, &request->name);
    hf_text_addf(text, " was granted it with the fence %" PRIu64,
                 request->granted->fence);
}

/* ---- Promises ------------------------------------------------------------ */

/* What the client was told of its right, which the others ended too soon. */
static void
add_belief(struct lines *lines, const struct history_request *request)
{
    add_line(lines, request->granted);
    add_line(lines, request->extended);
}

static void
explain_overlap(const struct verdict *v, struct hf_text *text,
                struct lines *lines)
{
    int64_t left_ns = v->first->right_ns - v->at_ns;

    add_granted(text, v->first);
    if (left_ns > 0) {
        hf_text_add(text, ", and its right had ");
        add_time(text, left_ns);
        hf_text_add(text, " left when ");
    } else {
        hf_text_add(text, ", to be refused until it gives it back or somebody "
                          "clears it, when ");
    }
    add_granted(text, v->second);
    add_belief(lines, v->first);
    add_line(lines, v->second->granted);
}

/* Why it is the later one: it was asked for later; or it conflicts, and the
 * first was given back. */
static const struct history_event *
why_later(const struct verdict *v)
{
    if (v->first->granted->at_ns < v->second->ask->at_ns)
        return v->second->ask;
    return v->first->release;
}

static void
explain_fences(const struct verdict *v, struct hf_text *text,
               struct lines *lines)
{
    bool same = v->first->granted->fence == v->second->granted->fence;

    add_granted(text, v->first);
    hf_text_add(text, same ? ", and so was another: " : ", and after that ");
    add_granted(text, v->second);
    add_line(lines, v->first->granted);
    add_line(lines, same ? NULL : why_later(v));
    add_line(lines, v->second->granted);
}

static void
explain_lost(const struct verdict *v, struct hf_text *text, struct lines *lines)
{
    const struct history_event *loss = history_loss(v->first);

    add_granted(text, v->first);
    hf_text_addf(text, ", and was told \"%s\"", note_word(loss->kind));
    if (v->first->right_ns > loss->at_ns) {
        hf_text_add(text, " when its right had ");
        add_time(text, v->first->right_ns - loss->at_ns);
        hf_text_add(text, " left");
    }
    hf_text_add(text, ", though it had not given it back, and nobody had "
                      "cleared it");
    add_belief(lines, v->first);
    add_line(lines, loss);
}

static void
explain_twice(const struct verdict *v, struct hf_text *text,
              struct lines *lines)
{
    add_granted(text, v->first);
    hf_text_addf(text, ", and once more with %" PRIu64,
                 v->first->granted_again->fence);
    add_line(lines, v->first->granted);
    add_line(lines, v->first->granted_again);
}

static void
explain_ghost(const struct verdict *v, struct hf_text *text,
              struct lines *lines)
{
    const struct history_event *loss = history_loss(v->first);

    add_granted(text, v->first);
    hf_text_addf(text, " after it was told \"%s\"", note_word(loss->kind));
    add_line(lines, loss);
    if (loss < v->first->ask)
        add_line(lines, v->first->ask);
    add_line(lines, v->first->granted);
}

static void
explain_no(const struct verdict *v, struct hf_text *text, struct lines *lines)
{
    add_word(text, &v->first->name);
    hf_text_add(text, " was told that it is held, but all who had asked for it "
                      "by then were over before it asked");
    add_line(lines, v->first->ask);
    add_line(lines, v->first->settled);
}

static const struct {
    const char *promise;
    void (*explain)(const struct verdict *v, struct hf_text *text,
                    struct lines *lines);
} kinds[] = {
    {SERVER_OVERLAP, explain_overlap},   {SERVER_OVERRIDDEN, explain_overlap},
    {SERVER_FENCES, explain_fences},     {SERVER_GRANT_LOST, explain_lost},
    {SERVER_TWICE_GIVEN, explain_twice}, {SERVER_GHOST, explain_ghost},
    {SERVER_UNTRUE_NO, explain_no},
};

/* ---- Lines --------------------------------------------------------------- */

static int
compare(const void *left, const void *right)
{
    const struct history_event *const *a = left;
    const struct history_event *const *b = right;

    return *a < *b ? -1 : *a > *b;
}

static void
add_lines(struct hf_text *text, struct lines *lines)
{
    qsort(lines->events, lines->count, sizeof(lines->events[0]), compare);
    for (size_t i = 0; i < lines->count; i++) {
        const struct history_event *event = lines->events[i];

        hf_text_addf(text, "  %s:%u: ", event->text->name, event->number);
        hf_text_add_bytes(text, event->line.at, event->line.len);
        hf_text_add(text, "\n");
    }
}

void
explain(const struct verdict *verdict, struct hf_text *text)
{
    struct lines lines = {.count = 0};

    hf_text_addf(text, "%s: of ", verdict->promise);
    add_word(text, &verdict->lock->name);
    hf_text_add(text, ": ");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].promise, verdict->promise) == 0)
            kinds[i].explain(verdict, text, &lines);
    hf_text_add(text, ".\n");
    add_lines(text, &lines);
}
