#include <stdio.h>
#include <stdlib.h>

#include "core/trace.h"
#include "unit/support/events.h"
#include "unit/support/world.h"

static void
print_line(const struct world_line *line)
{
    char text[HF_TRACE_MAX];
    const char *arrow = "<-";

    if (line->action != NULL) {
        printf("%10lld us  -- %s %zu\n", (long long)line->at_us, line->action,
               line->proc);
        return;
    }
    if (line->is_effect) {
        arrow = "->";
        hf_trace_effect(line->event.at, &line->effect, text, sizeof(text));
    } else {
        hf_trace_event(&line->event, text, sizeof(text));
    }
    printf("%10lld us  p%zu %s %s\n", (long long)line->at_us, line->proc, arrow,
           text);
}

void
world_note(struct world *w, struct world_line line)
{
    line.at_us = w->now_us;
    if (w->options.prints)
        print_line(&line);
    else
        w->lines[w->lines_count++ % WORLD_LINES] = line;
}

void
world_tell(const struct world *w)
{
    size_t first =
        w->lines_count > WORLD_LINES ? w->lines_count - WORLD_LINES : 0;

    for (size_t i = first; i < w->lines_count; i++)
        print_line(&w->lines[i % WORLD_LINES]);
    printf("in the world of seed %llu; HF_SEED=%llu prints all of it\n",
           (unsigned long long)w->options.seed,
           (unsigned long long)w->options.seed);
    fflush(stdout);
}

void
world_broken(struct world *w, const char *promise)
{
    printf("broken at %lld us: %s\n", (long long)w->now_us, promise);
    abort();
}
