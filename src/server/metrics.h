#ifndef HF_SERVER_METRICS_H
#define HF_SERVER_METRICS_H

#include "server/histogram.h"
#include "server/route.h"
#include "server/seat.h"

/*
 * Metrics: what a lock server counts, as Prometheus reads it (text format,
 * version 0.0.4): base units, no name of a lock or of a client in a label.
 *
 * Plain; cannot fail.  One thread.
 */

enum {
    HF_METRICS_ROUTES = HF_ROUTE_METRICS + 1,
    HF_METRICS_CODES = 600,
};

struct hf_metrics {
    int64_t started_ms; /* Unix time */
    uint64_t requests[HF_METRICS_ROUTES];
    uint64_t responses[HF_METRICS_CODES]; /* by status */
    uint64_t grants;
    uint64_t timeouts;            /* of the blocking limit */
    uint64_t deadlocks;           /* refused, for they would close a circle */
    uint64_t refused;             /* waits, for too many connections wait */
    struct hf_instant refused_at; /* the last of them */
    struct hf_histogram waits;
};

/* An answer of the machine's. */
void hf_metrics_answer(struct hf_metrics *metrics,
                       const struct hf_answer *answer);

/* A request that would have waited was refused, for too many connections do. */
void hf_metrics_refused(struct hf_metrics *metrics, struct hf_instant now);

/* For how long none was; negative: none was lately. */
int64_t hf_metrics_refused_ms(const struct hf_metrics *metrics,
                              struct hf_instant now);

/* A grant goes out now, to a request that came at `since_us`, of hf_now_us. */
void hf_metrics_grant(struct hf_metrics *metrics, int64_t since_us,
                      int64_t now_us);

void hf_metrics_write(const struct hf_metrics *metrics, struct hf_seat *seat,
                      struct hf_text *text);

#endif
