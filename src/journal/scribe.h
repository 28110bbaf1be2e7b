#ifndef HF_JOURNAL_SCRIBE_H
#define HF_JOURNAL_SCRIBE_H

#include "journal/journal.h"

/*
 * Scribe: a thread that makes the calls of one journal, and knows nothing else.
 *
 *   loop                                     the scribe's thread
 *    |  ask: read the head, or write a batch
 *    |  load: all rows, chunk by chunk
 *    |  audit: a page of it
 *    |  watch: say when the head has changed
 *    +---------------------------------------------------->  journal
 *    <----------------------------------------------------+
 *       told, and then hf_scribe_take: what became of it
 *
 * One question is under way, and one waits for it: what is asked meanwhile is
 * in the place of the one that waits, which is then never sent and never
 * answered, as the machine allows for.  So nothing here grows, and a journal
 * that does not answer costs one call.
 *
 * A journal whose calls take no time needs no thread: each is made at once.
 *
 * Threads: all functions are the loop's; `told` is called on the scribe's
 * thread, and only wakes the loop.
 */

struct hf_scribe;

/* As hf_journal_open. */
typedef enum hf_status hf_scribe_open_fn(const struct hf_place *place,
                                         const struct hf_alloc *alloc,
                                         struct hf_journal **journal,
                                         struct hf_error *error);

struct hf_scribe_config {
    struct hf_place place;
    hf_scribe_open_fn *open;      /* NULL: hf_journal_open */
    const struct hf_alloc *alloc; /* borrowed */
    void (*told)(void *ctx);
    void *ctx;
};

enum hf_scribe_kind {
    HF_SCRIBE_FOUND,     /* what a read of the head showed */
    HF_SCRIBE_VERDICT,   /* on a write */
    HF_SCRIBE_CHUNK,     /* of a load, or why it cannot be read */
    HF_SCRIBE_PAGE,      /* of the audit, or why it cannot be read */
    HF_SCRIBE_HINT,      /* the head has changed since it was watched */
    HF_SCRIBE_WENT_BACK, /* the journal has another place under that name */
};

struct hf_scribe_told {
    enum hf_scribe_kind kind;
    uint64_t number;               /* of the question, or the load */
    struct hf_error error;         /* HF_OK: nothing is wrong */
    struct hf_journal_found found; /* FOUND, as error.status allows */
    enum hf_verdict verdict;
    uint64_t version;                     /* VERDICT, applied: of the head */
    struct hf_journal_log log;            /* VERDICT */
    const struct hf_journal_chunk *chunk; /* until the next hf_scribe_load_on */
    const struct hf_journal_page *page;   /* until the next hf_scribe_audit */
};

/* Open the journal, and begin.  HF_E_UNAVAILABLE: also where the kernel gives
 * no thread.  Other errors as hf_journal_open. */
HF_MUST_USE enum hf_status hf_scribe_open(const struct hf_scribe_config *config,
                                          struct hf_scribe **scribe,
                                          struct hf_error *error);

/* Wait for the call that is under way, and close the journal.  NULL does
 * nothing. */
void hf_scribe_close(struct hf_scribe *scribe);

struct hf_journal_limits hf_scribe_limits(const struct hf_scribe *scribe);

struct hf_scribe_ask {
    uint64_t number;
    struct hf_instant until; /* its answer is of use until then */
    bool read;               /* or a write: */
    struct hf_head head;
    struct hf_journal_write write; /* without its head; the changes are
                                      borrowed while hf_scribe_uses them */
};
void hf_scribe_ask(struct hf_scribe *scribe, const struct hf_scribe_ask *ask);

/* Does a question that waits, or is under way, have these? */
bool hf_scribe_uses(struct hf_scribe *scribe,
                    const struct hf_journal_change *changes);

/* Secure the term (hf_journal_secure), and read the first chunk; and the next.
 */
void hf_scribe_load(struct hf_scribe *scribe, uint64_t number);
void hf_scribe_load_on(struct hf_scribe *scribe);

/* Read a page of the audit, one at a time. */
void hf_scribe_audit(struct hf_scribe *scribe, const char *prefix,
                     const char *after, size_t limit);

/* Say when the head is not of this version any more; 0: no need. */
void hf_scribe_watch(struct hf_scribe *scribe, uint64_t version);

/* Is there anything to be taken?  Of a journal that answers at once, nothing
 * else says so. */
bool hf_scribe_has_told(struct hf_scribe *scribe);

/* The oldest that was not taken yet; false: there is none. */
bool hf_scribe_take(struct hf_scribe *scribe, struct hf_scribe_told *told);

#endif
