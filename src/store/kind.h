#ifndef HF_STORE_KIND_H
#define HF_STORE_KIND_H

#include <stdbool.h>

#include <holdfast/holdfast.h>

#include "base/alloc.h"
#include "base/checkup.h"
#include "base/limits.h"

struct hf_module_name;
struct hf_store;
struct hf_store_kind;

/* A place: the URL of where locks are kept (holdfast.h, hf_client_open).  It
 * has no secret.  Plain values; nothing is allocated. */
struct hf_place {
    const struct hf_store_kind *kind; /* a row of the table in place.c */
    bool network;                     /* sqlite: ?network=1 */
    char path[HF_PLACE_MAX + 1];      /* sqlite: the file, absolute, decoded;
                                         memory: the table's name;
                                         postgresql: "" */
    char text[3 * HF_PLACE_MAX + 32]; /* as a URL that means the same in any
                                         folder; all that is shown of it */
};

/* Bytes of a place's log from which on people should be told. */
#define HF_STORE_LOG_LARGE (UINT64_C(16) * 1024 * 1024)

/* What of a served place was missing when it was opened [L6]. */
enum hf_store_loss {
    HF_STORE_WHOLE,
    HF_STORE_FILE_LOST, /* it was served, and has no head */
    HF_STORE_LOG_LOST,  /* a node leads it, and the log with its last commits
                          is gone */
    HF_STORE_COPIED,    /* its head was written in another place, or before the
                           last term that was secured: a backup */
    HF_STORE_VOLATILE,  /* it is in memory, and was just made */
};

/* The purpose of opening a place. */
enum hf_store_use {
    HF_STORE_TO_LOCK, /* HF_E_UNAVAILABLE where a lock server lost something */

    /* To look only: nothing is made or written, and a place that does not exist
     * is empty until it does.  Permission to read is enough.  Every group is
     * HF_UNAVAILABLE, and a purge HF_E_DENIED. */
    HF_STORE_TO_LOOK,
};

/*
 * A kind of store, which the URL's scheme names.  Each has one row in the table
 * of place.c.  Outside src/store nobody compares kinds: others ask what a kind
 * is able to do.  A row is all that must be linked: its functions may be
 * those of module.h.
 *
 * Any thread may call these functions.
 */
struct hf_store_kind {
    const char *scheme; /* with its colon: "sqlite:" */
    const char *also;   /* another spelling of it; NULL: none */

    /* What to do where it is slow: to have a quicker one, and to see why. */
    const char *quicker;
    const char *busy;

    /* What became of one that a server finds empty, finds to be another than it
     * served, or that changed while it served it; NULL: it keeps nothing. */
    const char *was_lost;
    const char *was_copied;
    const char *was_replaced;

    /* The contents end with the process, and no other process sees them. */
    bool keeps_nothing;

    /* The module that has the rest (module.h); NULL: none. */
    const struct hf_module_name *module;

    /* Read `rest`, which follows the scheme.  *place has its kind, and is zero
     * otherwise.  As hf_place_parse, but for *place, which may be changed on
     * failure. */
    enum hf_status (*parse)(const char *rest, struct hf_place *place,
                            struct hf_error *error);

    /* As hf_store_open_at. */
    enum hf_status (*open)(const struct hf_place *place, enum hf_store_use use,
                           const struct hf_alloc *alloc,
                           struct hf_store **store, struct hf_error *error);

    /* As hf_store_blame and hf_store_neighbours. */
    void (*blame)(const struct hf_place *place, const struct hf_error *error,
                  struct hf_checkup *checkup);
    void (*neighbours)(const struct hf_place *place,
                       struct hf_checkup *checkup);
};

#endif
