#ifndef HF_CLIENT_STATE_H
#define HF_CLIENT_STATE_H

#include <stdatomic.h>
#include <stdio.h>

#include <holdfast/holdfast.h>

#include "base/alloc.h"
#include "base/monitor.h"
#include "client/handle.h"

struct hf_backend;

/* A client, for the files that it is made of; see client.h. */
struct hf_client {
    const struct hf_alloc *alloc; /* borrowed */
    unsigned forks;               /* of the process that made it */
    bool look_only;
    bool made_place;            /* when it was opened */
    struct hf_duration opening; /* of a table: for so long it took */
    struct hf_error served;     /* a lock server keeps the locks of this table;
                               HF_OK: none did when it was opened */
    hf_trace_fn *trace;         /* NULL: none */
    void *trace_ctx;
    bool trace_chosen; /* by the caller */
    FILE *trace_file;  /* owned; of HOLDFAST_TRACE, or NULL */
    char *place;       /* owned; NULL until it is open, constant then */
    int fd;            /* readable while there are notices */
    int wake_fd;       /* written to by signal handlers; the place's to read */

    struct hf_monitor monitor;  /* guards what follows, and every handle */
    struct hf_condition quiet;  /* a handle has ended while closing */
    struct hf_backend *backend; /* owned; NULL before it is open */
    size_t waiting;             /* callers, in hf_handle_wait */
    size_t references;          /* the caller's, one a handle */
    bool closing;
    struct hf_list handles;  /* all of them, by `link` */
    struct hf_list notices;  /* those with news, by `notice` */
    bool fd_set;             /* the descriptor is readable */
    struct hf_notice notice; /* the last one taken */
    struct hf_handle *taken; /* of `signalled`, not yet looked at */

    _Atomic(struct hf_handle *) signalled; /* cancelled by signal handlers */
};

#endif
