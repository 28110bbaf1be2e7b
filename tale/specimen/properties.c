#include "tale/specimen/properties.h"

#include <stddef.h>
#include <string.h>

/* Before the promises.  That two overlap is said in the words of the tale. */
static const struct promise of_specimens[] = {
    {PROMISE_OVERLAP, "two workers process the data set at one time"},
    {SPECIMEN_NOBODY,
     "everybody has moved on, and the data set was processed by nobody; or "
     "the lock is left behind, and nobody will ever remove it"},
    {SPECIMEN_RESURRECTION, "a lock that was removed is there again"},
    {SPECIMEN_GHOST,
     "the lock is granted to a request on which nobody listens any more"},
    {SPECIMEN_BACKLOG,
     "a request is granted, and more are left at the server than there are "
     "workers"},
    {SPECIMEN_LEADER,
     "requests keep all threads of the leader, which answers no ping, and so "
     "loses its lead, and all locks"},
    {SPECIMEN_OVERTAKEN,
     "the lock is granted to a worker, while one whose request came before "
     "still waits"},
    {SPECIMEN_LATE, "a worker still waits after the time that it wanted to"},
    {SPECIMEN_FORGOTTEN, "a worker waits, and the server knows nothing of it"},
};

enum { OF_SPECIMENS = sizeof(of_specimens) / sizeof(of_specimens[0]) };

const struct promise *
properties_at(unsigned number)
{
    if (number < OF_SPECIMENS)
        return &of_specimens[number];
    number -= OF_SPECIMENS;
    for (unsigned i = 0; i < promises_count; i++)
        if (strcmp(promises[i].name, PROMISE_OVERLAP) != 0 && number-- == 0)
            return &promises[i];
    return NULL;
}

const char *
properties_broken(const char *name)
{
    const struct promise *property;

    for (unsigned i = 0; (property = properties_at(i)) != NULL; i++)
        if (strcmp(property->name, name) == 0)
            return property->broken;
    return NULL;
}
