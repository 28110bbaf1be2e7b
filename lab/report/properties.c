#include <string.h>

#include "lab/report/chapters.h"
#include "lab/report/html.h"

/* What the workers of a specimen or of Holdfast itself must never do. */
static const struct {
    const char *name;
    const char *meaning;
} properties[] = {
    {PROMISE_OVERLAP, "two workers process the data set at one time"},
    {SPECIMEN_NOBODY,
     "everybody has moved on, and the data set was processed by nobody; or "
     "the lock is left behind, and nobody will ever remove it"},
    {SPECIMEN_RESURRECTION, "a lock that was removed is there again"},
    {SPECIMEN_GHOST,
     "the lock is granted to a request on which nobody listens any more"},
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

enum { PROPERTIES = sizeof(properties) / sizeof(properties[0]) };

const char *
chapters_meaning(const char *property)
{
    for (unsigned i = 0; i < PROPERTIES; i++)
        if (strcmp(properties[i].name, property) == 0)
            return properties[i].meaning;
    return NULL;
}

void
chapters_properties(FILE *out)
{
    fputs("<section id=\"properties\">\n<h2>What can break</h2>\n"
          "<p>Each search looks for these at every step, and stops at the "
          "first that it finds: the fewest faults, then the fewest steps.</p>\n"
          "<dl class=\"properties\">\n",
          out);
    for (unsigned i = 0; i < PROPERTIES; i++) {
        fputs("<div id=\"property-", out);
        for (const char *at = properties[i].name; *at != '\0'; at++)
            putc(*at == ' ' ? '-' : *at, out);
        fputs("\"><dt>", out);
        html_text(out, properties[i].name);
        fputs("</dt><dd>", out);
        html_sentence(out, properties[i].meaning);
        fputs(".</dd></div>\n", out);
    }
    fputs("</dl>\n</section>\n", out);
}
