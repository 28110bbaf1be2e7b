#include "postgresql/transact.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "postgresql/pipeline.h"
#include "postgresql/sql.h"

enum { NUMBER = 1, STATEMENT = 2, COMMIT = 3 }; /* BEGIN is 0 */

static const struct hf_pg_statement begin = {
    .sql = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE",
};

/* The call's number, and instead of what others have set for their session, in
 * a pooler, or for this role: no time limit, and warnings. */
static const char no_limits[] =
    "SELECT $1::int8, set_config('statement_timeout', '0', true),"
    " set_config('client_min_messages', 'warning', true)";

static const struct hf_pg_statement commit = {.sql = "COMMIT"};
static const struct hf_pg_statement roll_back = {.sql = "ROLLBACK"};

/* COMMIT may reach the server as soon as libpq has it. */
static bool
queue(struct hf_pg_link *link, const struct hf_pg_call *call,
      struct hf_pg_report *report, struct hf_error *error)
{
    char digits[HF_PG_DIGITS_SIZE];
    const struct hf_pg_value nonce = hf_pg_pipeline_nonce(link, digits);
    const struct hf_pg_statement number = {
        .sql = no_limits,
        .values = &nonce,
        .count = 1,
    };

    if (!hf_pg_pipeline_send(link, &begin, error) ||
        !hf_pg_pipeline_send(link, &number, error) ||
        !hf_pg_pipeline_send(link, &call->statement, error))
        return false;
    report->commit_queued = true;
    return hf_pg_pipeline_send(link, &commit, error) &&
           hf_pg_pipeline_sync(link, error);
}

static void
take_error(struct hf_pg_link *link, const PGresult *result,
           struct hf_pg_report *report, struct hf_error *error)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    (void)hf_pg_pipeline_fail(link, result, error);
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
        if (!hf_pg_pipeline_next(link, call->until, &result, error))
            return;
        report->ready = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (PQresultStatus(result) == PGRES_FATAL_ERROR &&
            report->error[0] == '\0')
            take_error(link, result, report, error);
        else if (i == NUMBER && report->error[0] == '\0')
            report->ours = hf_pg_pipeline_is_ours(link, result, error);
        if (i == COMMIT && PQresultStatus(result) == PGRES_COMMAND_OK)
            report->tag = tag_of(result);
        if (i == STATEMENT) {
            link->warned = false; /* from here on, they are COMMIT's */
            *rows = result;
        } else {
            PQclear(result);
        }
        if (link->broken && !report->ours && i >= NUMBER)
            return;
    }
    report->warned = link->warned;
}

/* Another transaction behind it, whose answer is thrown away by the next call.
 * It is not queued before the first one is answered: pipeline.h says why. */
static void
send_after(struct hf_pg_link *link, const struct hf_pg_statement *statement)
{
    struct hf_error ignored;

    if (link->broken || link->syncs > 0 ||
        !hf_pg_pipeline_send(link, statement, &ignored) ||
        !hf_pg_pipeline_sync(link, &ignored))
        return;
    hf_pg_pipeline_flush(link);
}

void
hf_pg_transact(struct hf_pg_link *link, const struct hf_pg_call *call,
               PGresult **rows, struct hf_pg_report *report,
               struct hf_error *error)
{
    struct hf_error why = {.status = HF_E_UNAVAILABLE};

    *report = (struct hf_pg_report){.commit_queued = false};
    *rows = NULL;
    if (hf_pg_pipeline_settle(link, call->until, &why) &&
        queue(link, call, report, &why))
        collect(link, call, rows, report, &why);
    if (report->warned)
        (void)hf_fail(&why, HF_E_UNKNOWN,
                      "the server gave up waiting for its standby");
    /* The server keeps a transaction that has failed until it is told to end
     * it. */
    if (report->error[0] != '\0')
        send_after(link, &roll_back);
    else if (hf_pg_verdict(report) == HF_APPLIED && call->after != NULL)
        send_after(link, call->after);
    if (error != NULL && hf_pg_verdict(report) != HF_APPLIED)
        *error = why;
}
