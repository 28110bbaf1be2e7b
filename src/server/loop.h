#ifndef HF_SERVER_LOOP_H
#define HF_SERVER_LOOP_H

#include "server/service.h"

/*
 * Loop: a lock server in one thread: connections, time, and signals (libuv).
 *
 * A turn reads what is there, a bounded amount from each connection, applies
 * it, and then writes all that is due, one write a connection.
 */

struct hf_loop_config {
    const struct hf_alloc *alloc; /* borrowed */
    const char *host;             /* to listen at: an address */
    uint16_t port;                /* 0: the kernel's choice */
    struct hf_http_limits limits;
    struct hf_service_config service; /* its http, log and peers are set here
                                         */
    void (*bound)(void *ctx, uint16_t port); /* it has that port: before the
                                                service is opened */
    void (*ready)(void *ctx);                /* it listens, and seeks to lead */
    void (*stopping)(void *ctx);             /* it was told to stop */
    void (*reload)(void *ctx);               /* SIGHUP */
    void *ctx;
    struct hf_log *log; /* borrowed */
};

/* Run until SIGTERM or SIGINT has drained it, or it cannot begin.  HF_E_INVALID
 * for a wrong address, HF_E_UNAVAILABLE where it cannot listen, else as
 * hf_service_open. */
HF_MUST_USE enum hf_status hf_loop_run(const struct hf_loop_config *config,
                                       struct hf_error *error);

#endif
