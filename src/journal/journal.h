#ifndef HF_JOURNAL_JOURNAL_H
#define HF_JOURNAL_JOURNAL_H

#include "base/arena.h"
#include "core/lockspace.h"
#include "store/kind.h"
#include "wire/head.h"
#include "wire/name.h"
#include "wire/served.h"

/*
 * Journal: what a lock server keeps, and all that its leader needs of a place
 * (docs/protocol.md, "The journal").
 *
 * It has one *head*, which says who leads (wire/head.h), sessions by their ids,
 * grants by their fences, and an audit.  All of them change by one call:
 *
 *   write(head, the version it must have, changes)
 *
 * It is one durable transaction: if the head has that version, the new head is
 * put and all changes are made; if not, nothing happens.  So the head guards
 * its batch, and no row needs a version, nor to be found before it is written.
 *
 * The write protocol:
 *
 *   HF_APPLIED      all of it, durably
 *   HF_REFUSED      nothing: the head did not have that version
 *   HF_UNKNOWN      it may have happened, and may yet happen at any time
 *   HF_UNAVAILABLE  surely nothing, now or later
 *
 * Versions.  The head's version is the wall clock in us at its write, or one
 * above its version before, whichever is greater; so it is in a journal that
 * was just made, too, whose absent head has a version to expect.  A version
 * never comes back, also if the place is removed or restored meanwhile: so a
 * batch that is sent again, or that comes late, happens once at most.  Whether
 * a refusal is news or the batch's own doing is its sender's to find out, by
 * reading the head (core/leader.h).  The head's *term* is the version of the
 * write that began it.
 *
 * Which place it is.  Each call looks whether what is open is still the place
 * of that name, a write after its commit: what was written to a place that is
 * gone is HF_UNKNOWN.  A place that was lost, copied or restored says so when
 * it is read (`loss`), until something was written to it.
 *
 * A place keeps table locks or a journal.  While a head has an address, no
 * table lock is granted there; hf_journal_secure, after the head was written,
 * finds those that were granted before.
 *
 * A kind of journal may bound a write (hf_journal_limits), and each call may
 * take a second: nothing here is called by a thread that has clients.  A call
 * gives up at its `until`, and one of a file may do so before.
 *
 * Memory: texts given to a call are borrowed for the call.
 * Threads: one at a time on one journal.  Processes: any number; a forked child
 * neither uses its parent's nor closes it.
 */

struct hf_journal;

/* Open the journal of a place; made if there is none.  Errors as hf_store_open,
 * also in that what may pass is none. */
HF_MUST_USE enum hf_status hf_journal_open(const struct hf_place *place,
                                           const struct hf_alloc *alloc,
                                           struct hf_journal **journal,
                                           struct hf_error *error);
void hf_journal_close(struct hf_journal *journal); /* NULL does nothing */

/* Is there such a place, or a mark that it was served?  HF_E_UNAVAILABLE:
 * neither. */
HF_MUST_USE enum hf_status hf_journal_find(const struct hf_place *place,
                                           struct hf_instant until,
                                           struct hf_error *error);

/* Is no table lock held there?  HF_E_UNAVAILABLE: one is, and *error names it;
 * others as hf_store_get.  HF_OK also where the place has never answered:
 * hf_journal_secure will tell. */
HF_MUST_USE enum hf_status hf_journal_unlocked(struct hf_journal *journal,
                                               struct hf_instant until,
                                               struct hf_error *error);

struct hf_journal_limits {
    uint32_t changes; /* of one write */
    size_t bytes;     /* of their texts */
    bool at_once;     /* no call takes time: none needs a thread */
};
struct hf_journal_limits hf_journal_limits(const struct hf_journal *journal);

/* How often it has found that its place was another one: it "went back".  Grows
 * within calls only.  The call that notices answers *unavailable*, or a write
 * *unknown*; the next one opens the place anew. */
uint64_t hf_journal_generation(const struct hf_journal *journal);

/* Its log, if it has one, which is folded into the place while batches are
 * written: how many bytes of it are not, 0 for a few; and how many batches have
 * waited for that, since it had grown to a bound.  While something keeps it
 * from being folded, it grows beyond. */
struct hf_journal_log {
    uint64_t bytes;
    uint64_t waits;
};
struct hf_journal_log hf_journal_log(const struct hf_journal *journal);

/* ---- The head ------------------------------------------------------------ */

struct hf_journal_found {
    bool exists;
    uint64_t version; /* to expect, also where there is no head */
    uint64_t term;
    struct hf_head head;
    uint64_t store;          /* identity: a head that names another is a copy */
    enum hf_store_loss loss; /* of what was granted */
    struct hf_duration promised; /* where the head is lost: for how long, as far
                                    as is known; else 0 */
};

/* Shows every write that was answered before.  HF_E_CORRUPT: there is a head,
 * of which only found->version and term are set; others as hf_store_get, and
 * nothing is. */
HF_MUST_USE enum hf_status hf_journal_read(struct hf_journal *journal,
                                           struct hf_instant until,
                                           struct hf_journal_found *found,
                                           struct hf_error *error);

/* ---- Writing ------------------------------------------------------------- */

/* For whom an operator cleared a lock, as it is kept (wire/cleared.h). */
struct hf_journal_audit {
    const char *name; /* hf_name_companion of the lock and its fence */
    struct hf_bytes record;
};

struct hf_journal_change {
    enum hf_change_kind kind;
    union {
        uint64_t key; /* of a delete: the session's id, or the grant's fence */
        struct hf_loaded_session session;
        struct hf_served_row grant;
        struct hf_journal_audit audit;
    };
};

struct hf_journal_write {
    const struct hf_head *head; /* `store` is set here */
    uint64_t expect;            /* the version that is replaced */
    bool new_term;              /* the head's term is to be its new version */
    const struct hf_journal_change *changes; /* a row at most once, but that a
                                                delete may come before a put */
    size_t changes_count;
};

/* Gives up at `until`.  *version, if applied: the head's.  *error tells why it
 * is unknown or unavailable. */
enum hf_verdict hf_journal_write(struct hf_journal *journal,
                                 const struct hf_journal_write *write,
                                 struct hf_instant until, uint64_t *version,
                                 struct hf_error *error);

/* Before anything is granted in a term, and after its head was written: no
 * table lock is there, and a loss from here on will be noticed, with the
 * longest ttl that was promised.  HF_E_UNAVAILABLE: a table lock is; or that
 * cannot be made sure until then. */
HF_MUST_USE enum hf_status hf_journal_secure(struct hf_journal *journal,
                                             struct hf_duration promised,
                                             struct hf_instant until,
                                             struct hf_error *error);

/* It is served no more, and nothing is granted: forget that it was. */
HF_MUST_USE enum hf_status hf_journal_retire(struct hf_journal *journal,
                                             struct hf_instant until,
                                             struct hf_error *error);

/* ---- Reading rows -------------------------------------------------------- */

enum { HF_JOURNAL_CHUNK = 256 }; /* rows */

/* Some of the rows that a load reads: all sessions in any order, then all
 * grants in the order of their fences. */
enum hf_journal_rows {
    HF_JOURNAL_NONE, /* zero: before the first */
    HF_JOURNAL_SESSIONS,
    HF_JOURNAL_GRANTS,
    HF_JOURNAL_END, /* there are no more */
};

struct hf_journal_chunk {
    struct hf_arena arena; /* of their texts */
    enum hf_journal_rows rows;
    size_t count; /* perhaps 0 */
    union {
        struct hf_loaded_session sessions[HF_JOURNAL_CHUNK];
        struct hf_served_row grants[HF_JOURNAL_CHUNK];
    };
    uint64_t next; /* the journal's: where it goes on */
    bool more;     /* the same: of these rows */
};

/* The next chunk; a zeroed one, with arena.alloc set, is before the first.
 * HF_E_CORRUPT: a session is none; HF_E_NOMEM; others as hf_store_scan. */
HF_MUST_USE enum hf_status hf_journal_load(struct hf_journal *journal,
                                           struct hf_journal_chunk *chunk,
                                           struct hf_instant until,
                                           struct hf_error *error);

struct hf_journal_record {
    struct hf_bytes name; /* each with a NUL behind it */
    struct hf_bytes value;
};

/* A page of the audit: records whose names begin with `prefix`, beyond `after`,
 * in the order of their names' bytes. */
struct hf_journal_page {
    char prefix[HF_NAME_COMPANION_SIZE];
    char after[HF_NAME_COMPANION_SIZE]; /* "": from the start */
    size_t limit;
    struct hf_arena arena; /* of what was read: */
    size_t count;
    struct hf_journal_record records[HF_JOURNAL_CHUNK];
};

/* HF_E_NOMEM; others as hf_store_scan. */
HF_MUST_USE enum hf_status hf_journal_audit(struct hf_journal *journal,
                                            struct hf_journal_page *page,
                                            struct hf_instant until,
                                            struct hf_error *error);

/* ---- Waiting ------------------------------------------------------------- */

/* Wait until the head's version is another than this (0: nobody asks), until
 * then, or until wake_fd (or -1) is readable.  True: it may be another.  It may
 * return early, and does when the generation grows. */
bool hf_journal_wait(struct hf_journal *journal, uint64_t version,
                     struct hf_instant until, int wake_fd);

#endif
