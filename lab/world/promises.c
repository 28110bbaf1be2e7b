#include "lab/world/promises.h"

#include <stddef.h>
#include <string.h>

const struct promise promises[] = {
    {PROMISE_OVERLAP,
     "two workers believe, by their own clocks, that they hold the lock"},
    {PROMISE_STOLEN,
     "a record is overwritten while its holder rightly believes in it"},
    {PROMISE_LOST_LOCK,
     "a record is removed while its holder rightly believes in it"},
    {PROMISE_TWO_TAKERS, "one dead holder is taken over twice"},
    {PROMISE_FENCE,
     "a grant, or a write that a grant protects, comes with a fence that is "
     "not above all before it"},
    {PROMISE_RESOURCE,
     "what the lock protects takes a write of one who has lost it, or refuses "
     "that of the latest holder"},
    {PROMISE_REFUSE,
     "a lock that only a person may clear is overridden by a worker"},
    {PROMISE_ORPHAN,
     "a worker has ended, and a record of its claim is there or may yet come"},
    {PROMISE_LATE_ANSWER,
     "a worker is told that it holds the lock when its right to it is over"},
    {PROMISE_UNTOLD,
     "a worker's right is over, nothing is due by its clock any more, and it "
     "was not told that it has lost the lock"},
    {PROMISE_REVIVED, "a worker holds a lock again that it has lost"},
    {PROMISE_FALSE_DEATH,
     "a waiter is told that a holder is dead which is not"},
    {PROMISE_FOREIGN,
     "a worker writes on a record that somebody has put there by hand"},
    {PROMISE_UNHEARD,
     "a holder whose lock a person has cleared never learns of it"},
    {PROMISE_UNNOTICED,
     "a holder believes in a record that went with its place, although a beat "
     "was due since then"},
    {PROMISE_STUCK,
     "nobody is ever granted the lock again, though nothing goes wrong any "
     "more"},
    {PROMISE_BOTH_BELIEVE,
     "a frozen worker still believes that it holds the lock, and another is "
     "in the section: no lock without a fence can prevent it"},
};

const unsigned promises_count = sizeof(promises) / sizeof(promises[0]);

const char *
promises_broken(const char *name)
{
    for (unsigned i = 0; i < promises_count; i++)
        if (strcmp(promises[i].name, name) == 0)
            return promises[i].broken;
    return NULL;
}
