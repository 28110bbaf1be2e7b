#ifndef HF_SERVER_SCRIBE_H
#define HF_SERVER_SCRIBE_H

#include "base/self.h"
#include "server/bundle.h"
#include "server/page.h"
#include "wire/record.h"

/*
 * Scribe: the store of a lock server, and the thread that makes its calls.
 *
 *   loop                                     the scribe's thread
 *    |  ask: the head is to be read, or written with a batch
 *    |  load: all records, chunk by chunk
 *    |  audit: a page of it
 *    |  watch: say when the head has changed
 *    +---------------------------------------------------->  store
 *    <----------------------------------------------------+
 *       told, and then hf_scribe_take: what became of it
 *
 * One question is under way, and one waits for it: what is asked meanwhile is
 * in the place of the one that waits, which is then never sent and never
 * answered, as the machine allows for.  So nothing here grows, and a store that
 * does not answer costs one call.
 *
 * A place in memory keeps nothing: there is no store and no thread, every
 * question is answered at once, and what stood there ends with the process.
 *
 * Threads: all functions are the loop's; `told` is called on the scribe's
 * thread, and only wakes the loop.
 */

struct hf_scribe;

/* As hf_store_open_at, to serve. */
typedef enum hf_status hf_scribe_open_fn(const struct hf_place *place,
                                         const struct hf_alloc *alloc,
                                         struct hf_store **store,
                                         struct hf_error *error);

struct hf_scribe_config {
    struct hf_place place;
    hf_scribe_open_fn *open;      /* NULL: hf_store_open_at */
    const struct hf_alloc *alloc; /* borrowed */
    const struct hf_self *self;   /* borrowed: who leads, and the evidence */
    const char *node;             /* borrowed: its name */
    const char *address;          /* borrowed: where clients find it */
    bool forgot;   /* somebody says so: until the first write is applied */
    bool no_grace; /* of a place in memory: nobody holds anything there */
    void (*told)(void *ctx);
    void *ctx;
};

enum hf_scribe_kind {
    HF_SCRIBE_VERDICT,   /* on a write of the head */
    HF_SCRIBE_FOUND,     /* what a read of it showed */
    HF_SCRIBE_SESSIONS,  /* a chunk of the load: sessions, and then grants */
    HF_SCRIBE_GRANTS,    /* in the order of their names, the last being empty */
    HF_SCRIBE_UNLOADED,  /* they cannot be read: `error` says why */
    HF_SCRIBE_AUDIT,     /* a page of it, or why it cannot be read */
    HF_SCRIBE_HINT,      /* the head has changed since it was watched */
    HF_SCRIBE_WENT_BACK, /* another store stands in the place of the one that
                             was there */
};

/* Why what was granted in the place is forgotten [L6]. */
enum hf_scribe_cause {
    HF_SCRIBE_REMEMBERS,
    HF_SCRIBE_VOLATILE,  /* it is in memory, and this process begins */
    HF_SCRIBE_FILE_LOST, /* as in store.h */
    HF_SCRIBE_LOG_LOST,
    HF_SCRIBE_COPIED,   /* the head was written in another place */
    HF_SCRIBE_TOLD_SO,  /* by config.forgot */
    HF_SCRIBE_REPLACED, /* it was removed or replaced while it was open */
};

struct hf_scribe_told {
    enum hf_scribe_kind kind;
    uint64_t number; /* VERDICT, FOUND: of the question */
    enum hf_verdict verdict;
    uint64_t version;              /* VERDICT: of the head, when applied */
    uint64_t log_size;             /* VERDICT: as hf_store_log_size says */
    struct hf_sight sight;         /* FOUND */
    struct hf_head_state head;     /* FOUND, a lock */
    struct hf_owner leader;        /* FOUND, a lock: who leads */
    char address[HF_HOST_MAX + 1]; /* FOUND, a lock that is led: where */
    enum hf_scribe_cause cause;    /* FOUND: why what was granted is lost */
    bool holds;                    /* FOUND, a lock: something is, or may be,
                                      granted by whoever wrote the head */
    uint64_t term;                 /* of the load */
    const struct hf_page_record *records; /* borrowed until the next
                                              hf_scribe_load_on or _audit */
    size_t records_count;
    struct hf_error error; /* why it is unknown, unavailable, or was not read;
                              status HF_OK: nothing is wrong */
};

/* Open the store, and begin.  Errors as hf_store_open_at; HF_E_NOMEM, and
 * HF_E_UNAVAILABLE where the kernel gives no thread. */
HF_MUST_USE enum hf_status hf_scribe_open(const struct hf_scribe_config *config,
                                          struct hf_scribe **scribe,
                                          struct hf_error *error);

/* Wait for the call that is under way, and close the store.  NULL does
 * nothing. */
void hf_scribe_close(struct hf_scribe *scribe);

/* What the store bears in one group, for the node's config. */
struct hf_budget hf_scribe_budget(const struct hf_scribe *scribe);

/* After HF_NODE_COLLECT.  The bundle is the scribe's own: there are enough for
 * those that may be under way. */
void hf_scribe_collect(struct hf_scribe *scribe, struct hf_node *node);

/* A question of the node's leader; its answer is of use until then.  `holds`:
 * something is granted, so that the store is no table's when the leader leaves.
 */
void hf_scribe_ask(struct hf_scribe *scribe, const struct hf_leader_effect *ask,
                   bool holds, struct hf_instant until);

/* Read what that term is to begin with; and the next chunk of it. */
void hf_scribe_load(struct hf_scribe *scribe, uint64_t term);
void hf_scribe_load_on(struct hf_scribe *scribe);

/* Read a page of what was cleared by hand [S6]: of the names that begin with
 * `prefix`, beyond `after`.  One at a time; not of a place in memory, which
 * has none. */
struct hf_scribe_audit {
    char prefix[HF_NAME_COMPANION_SIZE];
    char after[HF_NAME_COMPANION_SIZE]; /* "": from the start */
    size_t limit;
};
void hf_scribe_audit(struct hf_scribe *scribe,
                     const struct hf_scribe_audit *audit);

/* Say when the head is not of this version any more; 0: no need. */
void hf_scribe_watch(struct hf_scribe *scribe, uint64_t version);

/* Is there anything to be taken?  Of a place in memory, nothing else says
 * so. */
bool hf_scribe_has_told(struct hf_scribe *scribe);

/* The oldest that was not taken yet; false: there is none. */
bool hf_scribe_take(struct hf_scribe *scribe, struct hf_scribe_told *told);

#endif
