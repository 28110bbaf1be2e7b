#include "postgresql/verdict.h"

#include <stddef.h>
#include <string.h>

/*
 * Errors, by their beginnings, after which the server has undone the
 * transaction, whatever becomes of the connection.  57P01 is none: a server
 * that is shut down may have committed before.  Neither is 08...: that is a
 * pooler's word about its own connection.
 */
static const char *const undone[] = {
    "40",    /* serialization, deadlock */
    "53",    /* disk full, out of memory, too many connections */
    "55",    /* lock not available */
    "57014", /* cancelled: statement_timeout */
    "57P03", /* cannot connect now */
    "25006", /* read only */
    "42501", /* no right */
    "42P01", /* no such table */
    "HF001", /* the server's clock */
};

static bool
is_undone(const char *error)
{
    for (size_t i = 0; i < sizeof(undone) / sizeof(undone[0]); i++)
        if (strncmp(error, undone[i], strlen(undone[i])) == 0)
            return true;
    return false;
}

/* A connection ends with these, or they say that another one did. */
static bool
is_of_connection(const char *error)
{
    return strncmp(error, "08", 2) == 0 || strncmp(error, "57P", 3) == 0;
}

enum hf_verdict
hf_pg_verdict(const struct hf_pg_report *report)
{
    if (!report->commit_queued)
        return HF_UNAVAILABLE;
    if (!report->ours)
        return HF_UNKNOWN;
    if (report->error[0] != '\0') {
        if (report->tag == HF_PG_TAG_COMMIT)
            return HF_UNKNOWN; /* it was raised behind the commit */
        if (is_undone(report->error))
            return HF_UNAVAILABLE;
        return report->ready && !is_of_connection(report->error)
                   ? HF_UNAVAILABLE
                   : HF_UNKNOWN;
    }
    if (!report->ready || report->warned)
        return HF_UNKNOWN;
    switch (report->tag) {
    case HF_PG_TAG_COMMIT:
        return HF_APPLIED;
    case HF_PG_TAG_ROLLBACK:
        return HF_UNAVAILABLE;
    case HF_PG_TAG_NONE:
        break;
    }
    return HF_UNKNOWN;
}

bool
hf_pg_verdict_again(const struct hf_pg_report *report)
{
    return strcmp(report->error, "40001") == 0 ||
           strcmp(report->error, "40P01") == 0;
}
