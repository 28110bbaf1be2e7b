#include "postgresql/pipeline.h"

#include <inttypes.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "postgresql/sql.h"

enum { WORDS_SIZE = 400 };

static bool
is_of(const char *code, const char *class)
{
    return strncmp(code, class, strlen(class)) == 0;
}

/* Errors after which the server may be another, or the schema gone: what was
 * looked at when it was dialled is to be looked at again. */
static bool
is_of_place(const char *code)
{
    return is_of(code, "42") || is_of(code, "3F") || is_of(code, "57P") ||
           is_of(code, "25006") || is_of(code, "08");
}

/* What is in link->why. */
static enum hf_status
fail(const struct hf_pg_link *link, struct hf_error *error)
{
    if (error != NULL)
        *error = link->why;
    return link->why.status;
}

enum hf_status
hf_pg_pipeline_fail(struct hf_pg_link *link, const PGresult *result,
                    struct hf_error *error)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    char shown[WORDS_SIZE];

    if (words == NULL)
        words = PQerrorMessage(link->conn);
    hf_pg_link_show(shown, sizeof(shown), words);
    link->lasts = !hf_pg_link_passes(code == NULL ? "" : code, words);
    if (code == NULL || is_of_place(code))
        link->broken = true;
    if (code == NULL)
        (void)hf_fail(&link->why, HF_E_UNAVAILABLE, "%s", shown);
    else if (is_of(code, "HF001"))
        (void)hf_fail(&link->why, HF_E_UNAVAILABLE,
                      "the server's clock says %s, and fences are made of it: "
                      "set the clock",
                      shown);
    else
        (void)hf_fail(&link->why, hf_pg_link_status(code), "%s (SQLSTATE %s)",
                      shown, code);
    return fail(link, error);
}

/* ---- Statements ---------------------------------------------------------- */

static bool
fail_to_send(struct hf_pg_link *link, struct hf_error *error)
{
    char shown[WORDS_SIZE];

    link->broken = true;
    link->lasts = false;
    hf_pg_link_show(shown, sizeof(shown), PQerrorMessage(link->conn));
    (void)hf_fail(&link->why, HF_E_UNAVAILABLE, "%s", shown);
    (void)fail(link, error);
    return false;
}

bool
hf_pg_pipeline_send(struct hf_pg_link *link,
                    const struct hf_pg_statement *statement,
                    struct hf_error *error)
{
    Oid types[HF_PG_VALUES_MAX];
    const char *at[HF_PG_VALUES_MAX];
    int lens[HF_PG_VALUES_MAX];
    int formats[HF_PG_VALUES_MAX];
    char sql[HF_PG_SQL_SIZE];

    HF_CHECK(statement->count <= HF_PG_VALUES_MAX);
    for (unsigned i = 0; i < statement->count; i++) {
        const struct hf_pg_value *value = &statement->values[i];

        types[i] = value->type;
        at[i] = value->at;
        lens[i] = value->len < 0 ? 0 : value->len;
        formats[i] = value->len >= 0;
    }
    return PQsendQueryParams(
               link->conn, hf_pg_sql(sql, statement->sql, link->place->schema),
               (int)statement->count, types, at, lens, formats, 0) == 1 ||
           fail_to_send(link, error);
}

bool
hf_pg_pipeline_sync(struct hf_pg_link *link, struct hf_error *error)
{
    HF_CHECK(link->syncs == 0);
    if (PQpipelineSync(link->conn) != 1)
        return fail_to_send(link, error);
    link->syncs++;
    return true;
}

void
hf_pg_pipeline_flush(struct hf_pg_link *link)
{
    (void)PQflush(link->conn);
}

/* ---- Results ------------------------------------------------------------- */

static bool
fail_silent(struct hf_pg_link *link, struct hf_error *error)
{
    link->broken = true;
    link->lasts = false;
    (void)hf_fail(&link->why, HF_E_UNAVAILABLE,
                  "%s:%s: the server has said nothing for %" PRId64 " ms",
                  PQhost(link->conn), PQport(link->conn),
                  hf_between(link->heard, hf_now()).ms);
    (void)fail(link, error);
    return false;
}

/* Take all that has come.  What TLS has decrypted, and libpq did not take at
 * once, is not seen at the socket. */
static bool
consume(struct hf_pg_link *link)
{
    const SSL *ssl = PQsslStruct(link->conn, "OpenSSL");

    do
        if (PQconsumeInput(link->conn) != 1)
            return false;
    while (ssl != NULL && SSL_pending(ssl) > 0);
    return true;
}

/* Wait until something may be read, or sent.  What the server has ended with
 * can be read after the connection has ended. */
static bool
receive(struct hf_pg_link *link, struct hf_instant until,
        struct hf_error *error)
{
    struct hf_duration quiet;
    short events = POLLIN;

    if (PQflush(link->conn) == 1)
        events |= POLLOUT;
    switch (hf_pg_link_await(
        PQsocket(link->conn), events,
        hf_earlier(until, hf_after(link->heard, link->patience)),
        link->wake_fd)) {
    case HF_PG_WOKEN:
        return false;
    case HF_PG_LATE:
        return fail_silent(link, error);
    case HF_PG_READY:
        break;
    }
    quiet = hf_between(link->heard, hf_now());
    link->quiet = hf_longer(link->quiet, quiet);
    link->heard = hf_now();
    (void)consume(link);
    return true;
}

/* Until PQgetResult need not wait. */
static bool
await_result(struct hf_pg_link *link, struct hf_instant until,
             struct hf_error *error)
{
    while (PQstatus(link->conn) != CONNECTION_BAD && PQisBusy(link->conn) == 1)
        if (!receive(link, until, error))
            return false;
    return true;
}

bool
hf_pg_pipeline_next(struct hf_pg_link *link, struct hf_instant until,
                    PGresult **result, struct hf_error *error)
{
    PGresult *found = NULL;

    HF_CHECK(link->syncs > 0);
    for (int i = 0; i < 3 && found == NULL; i++) {
        if (!await_result(link, until, error))
            return false;
        found = PQgetResult(link->conn); /* NULL behind those of a statement */
    }
    if (found == NULL)
        return fail_to_send(link, error);
    if (PQresultStatus(found) == PGRES_PIPELINE_SYNC)
        link->syncs--;
    *result = found;
    return true;
}

/* The last words of a server, and the end behind them, are two reads. */
bool
hf_pg_pipeline_is_alive(struct hf_pg_link *link)
{
    for (int i = 0; i < 3; i++) {
        struct pollfd fd = {.fd = PQsocket(link->conn), .events = POLLIN};

        if (poll(&fd, 1, 0) == 0)
            return true;
        if (PQconsumeInput(link->conn) != 1)
            return false;
    }
    return PQstatus(link->conn) == CONNECTION_OK;
}

bool
hf_pg_pipeline_settle(struct hf_pg_link *link, struct hf_instant until,
                      struct hf_error *error)
{
    PGresult *result;

    link->heard = hf_now();
    link->warned = false;
    while (link->syncs > 0) {
        if (!hf_pg_pipeline_next(link, until, &result, error))
            return false;
        PQclear(result);
    }
    return true;
}

/* A call has ended before its answer came. */
static enum hf_status
status_of_end(const struct hf_pg_link *link)
{
    return link->broken ? HF_E_UNAVAILABLE : HF_E_CANCELLED;
}

struct hf_pg_value
hf_pg_pipeline_nonce(struct hf_pg_link *link, char digits[HF_PG_DIGITS_SIZE])
{
    (void)snprintf(digits, HF_PG_DIGITS_SIZE, "%" PRId64,
                   (int64_t)++link->nonce);
    return (struct hf_pg_value){.at = digits, .len = -1};
}

bool
hf_pg_pipeline_is_ours(struct hf_pg_link *link, const PGresult *result,
                       struct hf_error *error)
{
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1 &&
        strtoll(PQgetvalue(result, 0, 0), NULL, 10) == (int64_t)link->nonce)
        return true;
    link->broken = true;
    (void)hf_fail(&link->why, HF_E_UNAVAILABLE,
                  "what came on the connection was not the answer to what was "
                  "asked");
    (void)fail(link, error);
    return false;
}

static bool
queue(struct hf_pg_link *link, const struct hf_pg_statement *statement,
      struct hf_error *error)
{
    char digits[HF_PG_DIGITS_SIZE];
    const struct hf_pg_value nonce = hf_pg_pipeline_nonce(link, digits);
    const struct hf_pg_statement number = {
        .sql = "SELECT $1::int8",
        .values = &nonce,
        .count = 1,
    };

    return hf_pg_pipeline_send(link, &number, error) &&
           hf_pg_pipeline_send(link, statement, error) &&
           hf_pg_pipeline_sync(link, error);
}

/* The nonce, the statement's result, and the end. */
static enum hf_status
collect(struct hf_pg_link *link, struct hf_instant until, PGresult **rows,
        struct hf_error *error)
{
    enum hf_status status = HF_OK;
    PGresult *result;

    for (int i = 0; link->syncs > 0; i++) {
        bool good = hf_pg_pipeline_next(link, until, &result, error);

        if (!good)
            return status_of_end(link);
        if (PQresultStatus(result) == PGRES_FATAL_ERROR && status == HF_OK)
            status = hf_pg_pipeline_fail(link, result, error);
        else if (i == 0 && status == HF_OK)
            good = hf_pg_pipeline_is_ours(link, result, error);
        if (i == 1 && PQresultStatus(result) == PGRES_TUPLES_OK)
            *rows = result;
        else
            PQclear(result);
        if (!good)
            return HF_E_UNAVAILABLE;
    }
    return status;
}

enum hf_status
hf_pg_pipeline_ask(struct hf_pg_link *link,
                   const struct hf_pg_statement *statement,
                   struct hf_instant until, PGresult **rows,
                   struct hf_error *error)
{
    PGresult *found = NULL;
    enum hf_status status;

    if (!hf_pg_pipeline_settle(link, until, error) ||
        !queue(link, statement, error))
        return status_of_end(link);
    status = collect(link, until, &found, error);
    if (status == HF_OK)
        *rows = found;
    else
        PQclear(found);
    return status;
}

/* All results of a simple query. */
static enum hf_status
take_all(struct hf_pg_link *link, struct hf_instant until, char code[6],
         struct hf_error *error)
{
    enum hf_status status = HF_OK;
    PGresult *result;

    for (;;) {
        const char *found;

        if (!await_result(link, until, error))
            return HF_E_UNAVAILABLE;
        result = PQgetResult(link->conn);
        if (result == NULL)
            return status;
        if (status == HF_OK && PQresultStatus(result) == PGRES_FATAL_ERROR) {
            found = PQresultErrorField(result, PG_DIAG_SQLSTATE);
            (void)snprintf(code, 6, "%s", found == NULL ? "" : found);
            status = hf_pg_pipeline_fail(link, result, error);
        }
        PQclear(result);
    }
}

/* A simple query is none of a pipeline. */
enum hf_status
hf_pg_pipeline_run(struct hf_pg_link *link, const char *sql,
                   struct hf_instant until, char code[6],
                   struct hf_error *error)
{
    enum hf_status status;

    code[0] = '\0';
    if (!hf_pg_pipeline_settle(link, until, error))
        return HF_E_UNAVAILABLE;
    if (PQexitPipelineMode(link->conn) != 1 ||
        PQsendQuery(link->conn, sql) != 1) {
        (void)fail_to_send(link, error);
        return HF_E_UNAVAILABLE;
    }
    status = take_all(link, until, code, error);
    if (PQstatus(link->conn) == CONNECTION_BAD ||
        PQtransactionStatus(link->conn) != PQTRANS_IDLE ||
        PQenterPipelineMode(link->conn) != 1)
        link->broken = true;
    return status;
}

/* ---- Notifications ------------------------------------------------------- */

PGnotify *
hf_pg_pipeline_notified(struct hf_pg_link *link)
{
    if (!consume(link))
        link->broken = true;
    return PQnotifies(link->conn);
}

int
hf_pg_pipeline_fd(const struct hf_pg_link *link)
{
    return PQsocket(link->conn);
}
