#include "postgresql/transact.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "postgresql/sql.h"

/* BEGIN, NO_LIMITS, the statement, COMMIT. */
enum { STATEMENT = 2, COMMIT = 3 };

static const struct hf_pg_statement begin = {
    .sql = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE",
};

/* What others have set for their session, in a pooler, or for this role: a time
 * limit, and that warnings are not told. */
static const struct hf_pg_statement no_limits = {
    .sql = "SELECT set_config('statement_timeout', '0', true),"
           " set_config('client_min_messages', 'warning', true)",
};

static const struct hf_pg_statement commit = {.sql = "COMMIT"};
static const struct hf_pg_statement roll_back = {.sql = "ROLLBACK"};

/* COMMIT may reach the server as soon as libpq has it. */
static bool
queue(struct hf_pg_link *link, const struct hf_pg_call *call,
      struct hf_pg_report *report, struct hf_error *error)
{
    if (!hf_pg_link_send(link, &begin, error) ||
        !hf_pg_link_send(link, &no_limits, error) ||
        !hf_pg_link_send(link, &call->statement, error))
        return false;
    report->commit_queued = true;
    if (!hf_pg_link_send(link, &commit, error) || !hf_pg_link_sync(link, error))
        return false;
    return call->after == NULL || (hf_pg_link_send(link, call->after, error) &&
                                   hf_pg_link_sync(link, error));
}

static void
take_error(struct hf_pg_link *link, const PGresult *result,
           struct hf_pg_report *report, struct hf_error *error)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    (void)hf_pg_link_fail(link, result, error);
    if (code != NULL)
        (void)snprintf(report->error, sizeof(report->error), "%s", code);
}

static enum hf_pg_tag
tag_of(PGresult *result)
{
    const char *tag = PQcmdStatus(result);

    if (strcmp(tag, "COMMIT") == 0)
        return HF_PG_TAG_COMMIT;
    return strcmp(tag, "ROLLBACK") == 0 ? HF_PG_TAG_ROLLBACK : HF_PG_TAG_NONE;
}

/* Up to the ReadyForQuery of the first transaction. */
static void
collect(struct hf_pg_link *link, const struct hf_pg_call *call, PGresult **rows,
        struct hf_pg_report *report, struct hf_error *error)
{
    PGresult *result = NULL;

    for (int i = 0; !report->ready; i++) {
        if (!hf_pg_link_next(link, call->until, &result, error))
            return;
        report->ready = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (PQresultStatus(result) == PGRES_FATAL_ERROR &&
            report->error[0] == '\0')
            take_error(link, result, report, error);
        if (i == COMMIT && PQresultStatus(result) == PGRES_COMMAND_OK)
            report->tag = tag_of(result);
        if (i == STATEMENT) {
            link->warned = false; /* from here on, they are COMMIT's */
            *rows = result;
        } else {
            PQclear(result);
        }
    }
    report->warned = link->warned;
}

/* The server keeps a transaction that has failed until it is told to end it. */
static void
end_failed(struct hf_pg_link *link)
{
    struct hf_error ignored;

    if (link->broken || !hf_pg_link_send(link, &roll_back, &ignored) ||
        !hf_pg_link_sync(link, &ignored))
        return;
    hf_pg_link_flush(link);
}

void
hf_pg_transact(struct hf_pg_link *link, const struct hf_pg_call *call,
               PGresult **rows, struct hf_pg_report *report,
               struct hf_error *error)
{
    struct hf_error why = {.status = HF_E_UNAVAILABLE};

    *report = (struct hf_pg_report){.commit_queued = false};
    *rows = NULL;
    if (hf_pg_link_settle(link, call->until, &why) &&
        queue(link, call, report, &why))
        collect(link, call, rows, report, &why);
    if (report->warned)
        (void)hf_fail(&why, HF_E_UNKNOWN,
                      "the server gave up waiting for its standby");
    if (report->error[0] != '\0')
        end_failed(link);
    if (error != NULL && hf_pg_verdict(report) != HF_APPLIED)
        *error = why;
}
