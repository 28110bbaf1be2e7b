#include "server/metrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "core/lockspace/look.h"

/* A client that was refused asks again sooner. */
enum { LATELY_MS = 60 * 1000 };

static const char *const routes[HF_METRICS_ROUTES] = {
    [HF_ROUTE_OPEN] = "open",
    [HF_ROUTE_KEEP_ALIVE] = "keep-alive",
    [HF_ROUTE_KEEP_ALIVES] = "keep-alives",
    [HF_ROUTE_PAGE] = "page",
    [HF_ROUTE_END] = "end",
    [HF_ROUTE_ACQUIRE] = "acquire",
    [HF_ROUTE_WAIT] = "wait",
    [HF_ROUTE_RELEASE] = "release",
    [HF_ROUTE_CHANGE] = "change",
    [HF_ROUTE_CLEAR] = "clear",
    [HF_ROUTE_STREAM] = "stream",
    [HF_ROUTE_LIST] = "list",
    [HF_ROUTE_SESSIONS] = "sessions",
    [HF_ROUTE_SHOW] = "show",
    [HF_ROUTE_WHY] = "why",
    [HF_ROUTE_AUDIT] = "audit",
    [HF_ROUTE_INFO] = "info",
    [HF_ROUTE_HEALTH] = "healthz",
    [HF_ROUTE_READY] = "readyz",
    [HF_ROUTE_METRICS] = "metrics",
};

void
hf_metrics_answer(struct hf_metrics *metrics, const struct hf_answer *answer)
{
    if (answer->kind == HF_ANSWER_BLOCKING_TIMEOUT)
        metrics->timeouts++;
    else if (answer->kind == HF_ANSWER_OVER && answer->over == HF_OVER_DEADLOCK)
        metrics->deadlocks++;
}

void
hf_metrics_refused(struct hf_metrics *metrics, struct hf_instant now)
{
    metrics->refused++;
    metrics->refused_at = now;
}

int64_t
hf_metrics_refused_ms(const struct hf_metrics *metrics, struct hf_instant now)
{
    struct hf_duration since = hf_between(metrics->refused_at, now);

    return metrics->refused > 0 && since.ms < LATELY_MS ? since.ms : -1;
}

void
hf_metrics_grant(struct hf_metrics *metrics, int64_t since_us, int64_t now_us)
{
    metrics->grants++;
    hf_histogram_add(&metrics->waits, now_us - since_us);
}

static void
add_head(struct hf_text *text, const char *name, const char *type,
         const char *help)
{
    hf_text_addf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
add_one(struct hf_text *text, const char *name, const char *type,
        uint64_t value, const char *help)
{
    add_head(text, name, type, help);
    hf_text_addf(text, "%s %" PRIu64 "\n", name, value);
}

static void
add_requests(struct hf_text *text, const struct hf_metrics *metrics)
{
    add_head(text, "holdfast_requests_total", "counter",
             "Requests, by what they ask for.");
    for (size_t i = 0; i < HF_METRICS_ROUTES; i++)
        hf_text_addf(text,
                     "holdfast_requests_total{route=\"%s\"} %" PRIu64 "\n",
                     routes[i], metrics->requests[i]);
    add_head(text, "holdfast_responses_total", "counter",
             "Answers, by their status.");
    for (size_t i = 0; i < HF_METRICS_CODES; i++)
        if (metrics->responses[i] > 0)
            hf_text_addf(text,
                         "holdfast_responses_total{code=\"%zu\"} %" PRIu64 "\n",
                         i, metrics->responses[i]);
}

static void
add_locks(struct hf_text *text, const struct hf_metrics *metrics,
          const struct hf_lockspace *table)
{
    struct hf_look_totals totals = {0};

    if (table != NULL)
        totals = hf_look_totals(table);
    add_one(text, "holdfast_sessions", "gauge", totals.sessions,
            "Sessions that are open.");
    add_one(text, "holdfast_sessions_most", "gauge",
            table == NULL ? 0 : hf_look_room(table).most,
            "Sessions that may be open.");
    add_one(text, "holdfast_locks", "gauge", totals.locks,
            "Locks that are held or waited for.");
    add_one(text, "holdfast_holders", "gauge", totals.holders,
            "Holders of all locks together.");
    add_one(text, "holdfast_waiters", "gauge", totals.waiters,
            "Requests that wait.");
    add_one(text, "holdfast_grants_total", "counter", metrics->grants,
            "Answers that told of a grant.");
    add_one(text, "holdfast_blocking_timeouts_total", "counter",
            metrics->timeouts,
            "Requests that were told to ask again, their place kept.");
    add_one(text, "holdfast_deadlocks_total", "counter", metrics->deadlocks,
            "Requests that would have closed a circle.");
    add_one(text, "holdfast_waits_refused_total", "counter", metrics->refused,
            "Requests that were refused, for too many connections wait.");
    hf_histogram_write(&metrics->waits, "holdfast_wait_seconds",
                       "From a request to its grant.", text);
}

/* Its second number counts pages (proc_pid_statm(5)). */
static uint64_t
resident_bytes(void)
{
    char statm[128];
    const char *pages;

    if (!hf_proc_text("/proc/self/statm", statm, sizeof(statm)))
        return 0;
    pages = strchr(statm, ' ');
    if (pages == NULL)
        return 0;
    return strtoull(pages, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
add_node(struct hf_text *text, struct hf_seat *seat)
{
    const struct hf_node *node = hf_seat_node(seat);
    const struct hf_seat_counts *counts = hf_seat_counts(seat);
    struct hf_journal_log log = hf_seat_log(seat);
    struct hf_error trouble;

    add_one(text, "holdfast_leading", "gauge", node->state == HF_NODE_SERVING,
            "Whether this node leads and serves.");
    add_one(text, "holdfast_term", "gauge", node->term,
            "The term in which this node led last.");
    add_one(text, "holdfast_terms_total", "counter", counts->terms,
            "Terms that this node has led.");
    add_one(text, "holdfast_store_trouble", "gauge",
            hf_seat_trouble(seat, &trouble) != HF_OK,
            "Whether something is wrong with the store.");
    add_one(text, "holdfast_store_log_bytes", "gauge", log.bytes,
            "The store's log, as far as it is not folded into the store.");
    add_one(text, "holdfast_store_log_waits_total", "counter", log.waits,
            "Batches that waited until the store's log was folded.");
    add_one(text, "holdfast_batches_total", "counter", counts->batches,
            "Batches of changes that the store has applied.");
    hf_histogram_write(&counts->writes, "holdfast_write_seconds",
                       "Writes of the head, most with a batch, by the store.",
                       text);
}

void
hf_metrics_write(const struct hf_metrics *metrics, struct hf_seat *seat,
                 struct hf_text *text)
{
    add_requests(text, metrics);
    add_locks(text, metrics, hf_seat_table(seat));
    add_node(text, seat);
    add_head(text, "process_start_time_seconds", "gauge",
             "Unix time at which the process began.");
    hf_text_addf(text, "process_start_time_seconds %" PRId64 ".%03d\n",
                 metrics->started_ms / 1000, (int)(metrics->started_ms % 1000));
    add_one(text, "process_resident_memory_bytes", "gauge", resident_bytes(),
            "Memory that is in use.");
}
