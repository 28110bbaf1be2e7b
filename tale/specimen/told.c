#include "tale/specimen/told.h"

#include <stdarg.h>
#include <stdio.h>

static bool
is_operation(enum told_kind kind)
{
    return kind == TOLD_READ || kind == TOLD_WRITE || kind == TOLD_REMOVE;
}

/* The read, write or remove of `worker` that was issued and has not arrived. */
static unsigned
open_issue(const struct told *told, unsigned worker)
{
    for (unsigned i = told->count; i > 0; i--) {
        const struct told_event *event = &told->events[i - 1];

        if (event->worker != worker)
            continue;
        if (event->kind == TOLD_ISSUE)
            return event->number;
        if (is_operation(event->kind))
            return 0;
    }
    return 0;
}

struct told_event *
told_add(struct told *told, enum told_kind kind, unsigned worker,
         const char *format, ...)
{
    struct told_event *event;
    va_list arguments;

    if (told->count == TOLD_EVENTS_MAX) {
        told->short_of_room = true;
        told->count--;
    }
    event = &told->events[told->count];
    *event = (struct told_event){
        .number = told->count + 1,
        .worker = worker,
        .kind = kind,
    };
    if (is_operation(kind) || kind == TOLD_ARRIVE)
        event->issue = open_issue(told, worker);
    told->operations += is_operation(kind);
    told->count++;
    va_start(arguments, format);
    vsnprintf(event->sentence, sizeof(event->sentence), format, arguments);
    va_end(arguments);
    return event;
}

const char *
told_kind_word(enum told_kind kind)
{
    static const char *const words[] = {
        [TOLD_READ] = "read",       [TOLD_ISSUE] = "issue",
        [TOLD_WRITE] = "write",     [TOLD_REMOVE] = "remove",
        [TOLD_ARRIVE] = "arrive",   [TOLD_SERVER] = "server",
        [TOLD_GRANT] = "grant",     [TOLD_DOWN] = "down",
        [TOLD_UP] = "up",           [TOLD_START] = "start",
        [TOLD_END] = "end",         [TOLD_WORK] = "work",
        [TOLD_PAUSE] = "pause",     [TOLD_WAKE] = "wake",
        [TOLD_CRASH] = "crash",     [TOLD_WORLD] = "world",
        [TOLD_CLOSING] = "closing",
    };

    return words[kind];
}

const char *
told_where_word(enum where where)
{
    static const char *const words[] = {
        [WHERE_OUTSIDE] = "outside",   [WHERE_INSIDE] = "inside",
        [WHERE_PAUSED] = "paused",     [WHERE_DONE] = "done",
        [WHERE_MOVED_ON] = "moved on", [WHERE_CRASHED] = "crashed",
    };

    return words[where];
}
