#ifndef HOLDFAST_HOLDFAST_H
#define HOLDFAST_HOLDFAST_H

#include <sys/types.h>

#include <holdfast/describe.h>
#include <holdfast/version.h>
#include <holdfast/words.h>

/*
 * libholdfast: locks across processes, that tell the truth about themselves.
 *
 *     hf_open(place) --> client --> hf_acquire(name) --> lock --> hf_release
 *
 * A lock is advice; a fence is proof.  Every grant carries a fence, a number
 * that only grows for that lock: hand it to whatever the lock protects, and
 * let that refuse a write whose fence is below the highest it has seen.
 *
 * Threads: every function may be called from any thread, on the same client
 * and on the same lock at once, except that hf_close must be the last call on
 * a client and hf_release or hf_abandon the last on a lock.  A client runs two
 * threads of its own, for any number of locks: one beats and watches the
 * clock, one talks to the place.
 *
 * Memory: a client and a lock belong to the caller until closed or released.
 * Strings and structs given to a call are borrowed for that call only.
 *
 * Fork: in a forked child every call on the parent's handles answers
 * HF_NOT_HELD (or HF_E_INVALID where it has no outcome) and touches nothing;
 * the parent's locks stay the parent's.  A child that wants locks of its own
 * calls exec first: SQLite does not bear a fork under an open file, so hf_open
 * refuses a sqlite place (HF_E_INVALID) in a child whose parent had one open.
 *
 * Clocks: no decision compares two machines' clocks.  A waiter times an
 * unchanged record on its own CLOCK_BOOTTIME; a holder counts its right from
 * the sending of the last beat that was applied.
 */

HF_BEGIN_DECLS

struct hf_client;
struct hf_lock;
struct hf_cancel;

/* ---- A client of one place --------------------------------------------- */

struct hf_open_options {
    const struct hf_alloc *alloc; /* NULL: the C library's; must outlive it */
    bool look_only; /* to list and examine: nothing is made or written, a place
                       that is not there is empty, and it is enough to be
                       allowed to read it; hf_acquire and hf_clear are
                       HF_E_DENIED */
};

/*
 * Where memory comes from.  allocate returns zeroed memory or NULL; release
 * takes NULL.  Called from any thread.
 */
struct hf_alloc {
    void *(*allocate)(void *ctx, size_t count, size_t size);
    void (*release)(void *ctx, void *memory);
    void *ctx;
};

/*
 * Open the place that `place` names:
 *
 *     sqlite:/path/locks.db            one file on a local disk, created with
 *                                      its folder when absent
 *     sqlite:/path/locks.db?network=1  the same on a network file system: you
 *                                      vouch that one machine alone opens it,
 *                                      for SQLite shares memory beside it
 *     memory:NAME                      a table in this process, for tests
 *
 * NULL means $HOLDFAST_AT, or else the default: /var/lib/holdfast/locks.db for
 * root, $XDG_STATE_HOME/holdfast/locks.db (~/.local/state/…) for others.  What
 * runs with other rights than its caller's, as a setuid program, does not look
 * into the environment.
 * options may be NULL.  On HF_OK the caller owns *client.
 *
 * HF_E_INVALID: not a place.  HF_E_UNAVAILABLE: it cannot be reached, or is a
 * file that has two names.  HF_E_DENIED: no permission.  HF_E_CORRUPT: it is
 * there, and is not ours.  HF_E_LIMIT: no descriptor or thread is left.
 * HF_E_NOMEM.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_open(const char *place, const struct hf_open_options *options,
        struct hf_client **client, struct hf_error *error);

/*
 * Abandon what is still held (its records stay, unbeaten), wake every caller
 * that waits (HF_E_CANCELLED), stop the threads and free the client.  Locks
 * not yet released must still be released, which then only frees them.
 * hf_close(NULL) does nothing.  Cannot fail.
 */
HF_PUBLIC void hf_close(struct hf_client *client);

/* The place as a URL that means the same to any process in any folder, with
 * the default filled in; lives as long as client. */
HF_PUBLIC const char *hf_client_place(const struct hf_client *client);

/*
 * Why does the place not answer just now?  For messages: decide nothing by it.
 * HF_OK: it answered last, or nothing was asked, and *error is untouched.
 * Otherwise the status of what failed last, or HF_E_UNAVAILABLE for a call
 * that has been running for half a second, and *error says why, as far as is
 * known: the disk is full, other processes keep the file locked.  Also from a
 * callback, and while other threads call; touches no store.
 */
HF_PUBLIC enum hf_status hf_client_trouble(struct hf_client *client,
                                           struct hf_error *error);

/* ---- Acquire ------------------------------------------------------------ */

/* What a lock tells its holder while it is held. */
enum hf_news {
    HF_NEWS_IN_DOUBT, /* refuse: the right ran out before a beat was applied */
    HF_NEWS_CERTAIN,  /* refuse: a beat was applied, the doubt is over */
    HF_NEWS_LOST,     /* another process may hold the lock from now on */
};

/*
 * Runs on the client's beating thread, never before hf_acquire has stored the
 * lock in *acquired, and never after its hf_release or hf_abandon has
 * returned.  Must be brief: while it runs nothing beats.  It may call
 * hf_check, hf_fence and hf_lock_right_ms; any other call on the client
 * answers HF_E_INVALID.
 */
typedef void hf_news_fn(void *ctx, struct hf_lock *lock, enum hf_news news);

/*
 * Runs on the thread that called hf_acquire, whenever what is known of the
 * holder changes, and at least once a second until the call returns; also
 * while nothing is known because the place does not answer: then
 * seen->record.exists is false, and seen->error may say why.  `seen` is
 * borrowed for the call.  It must be brief: the lock may be granted, and is
 * beaten, while it runs.
 */
typedef void hf_waiting_fn(void *ctx, const struct hf_diagnosis *seen);

/* How long hf_acquire waits. */
enum hf_wait {
    HF_WAIT_LIMIT, /* until `limit`; the zero value: 10 minutes */
    HF_WAIT_TRY,   /* until the holder's first sign of life */
};

/* What hf_acquire does once a holder of HF_REFUSE is suspected dead. */
enum hf_if_suspected {
    HF_IF_SUSPECTED_WAIT, /* wait to the limit: it may beat again */
    HF_IF_SUSPECTED_FAIL, /* answer HF_SUSPECTED_DEAD at once */
};

struct hf_acquire_options {
    const char *space;        /* NULL: "default"; 1..128 bytes, not '!...' */
    enum hf_if_dead if_dead;  /* zero: HF_TAKEOVER */
    struct hf_duration ttl;   /* zero: 30 s, 60 s for HF_REFUSE */
    struct hf_duration beat;  /* zero: 2 s, less for a ttl too short for it */
    struct hf_duration grace; /* zero: min(10 s, ttl / 3) */
    enum hf_wait wait;        /* zero: to the limit */
    struct hf_duration limit; /* zero: 10 min; HF_FOREVER: none */
    enum hf_if_suspected if_suspected; /* zero: wait */
    const char *reason;                /* for people; may be NULL */
    const char *command;       /* for people; NULL: this process's own */
    const pid_t *processes;    /* whose end proves the holder gone; see below */
    size_t processes_count;    /* at most 8; zero: this process alone */
    hf_news_fn *on_news;       /* may be NULL */
    hf_waiting_fn *on_waiting; /* may be NULL */
    void *ctx;                 /* given to both */
    struct hf_cancel *cancel;  /* borrowed for the call; may be NULL */
};

struct hf_acquired {
    enum hf_outcome outcome;  /* HF_GRANTED, or why not */
    struct hf_lock *lock;     /* the caller's; NULL unless HF_GRANTED */
    struct hf_diagnosis seen; /* the last holder seen, if any */
};

/*
 * Wait for the lock `name` (1..512 bytes of UTF-8 without control characters
 * and without those that are not seen: of no width, or turning the direction
 * of the text) and hold it.  options may be NULL.  On HF_OK *acquired tells the
 * answer:
 *
 *   HF_GRANTED          *acquired.lock is held, beaten by the client
 *   HF_TIMED_OUT        not free within the limit
 *   HF_HELD_TOO_LONG    one holder beat all the time, past the limit
 *   HF_SUSPECTED_DEAD   HF_REFUSE: unchanged for its ttl, to the limit or, if
 *                       so wished, as soon as it was
 *   HF_GONE             HF_REFUSE: its processes are gone
 *
 * The holder's record binds: whoever meets a record of HF_REFUSE never
 * overrides it, whatever its own options say.  ttl must be at least
 * 3 * beat + grace + margin, margin = max(250 ms, ttl / 20): HF_E_INVALID.
 * The limit bounds waiting.  A claim whose answer was lost is settled before
 * the call returns, however long that takes; hf_cancel_abandon cuts it short.
 *
 * HF_E_UNAVAILABLE: the place could not be read at first or at the limit, or
 * not be written to until the limit; nothing is held.  HF_E_CORRUPT: the
 * record there is not Holdfast's.  HF_E_CANCELLED: by options->cancel; nothing
 * is held and nothing left behind.  HF_E_UNKNOWN: settling was abandoned; a
 * record may be left behind that nobody beats.  *acquired is untouched unless
 * HF_OK.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_acquire(struct hf_client *client, const char *name,
           const struct hf_acquire_options *options,
           struct hf_acquired *acquired, struct hf_error *error);

/*
 * Would hf_acquire take this name and these options?  HF_OK, or HF_E_INVALID
 * and why.  Needs no client and touches no place: for programs that want to
 * refuse bad input before they open one.  Looks at all but the processes.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_acquire_check(const char *name, const struct hf_acquire_options *options,
                 struct hf_error *error);

/*
 * A switch that ends waiting calls early; may serve several calls at once.
 * Both verbs are async-signal-safe and idempotent.  cancel: give up, settle
 * what is unsettled, return HF_E_CANCELLED.  abandon: return at once, even if
 * a claim is unsettled.  In a forked child they do nothing to the parent's.
 * Open: HF_E_NOMEM or HF_E_LIMIT (no descriptors).
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_cancel_open(struct hf_cancel **cancel);
HF_PUBLIC void hf_cancel(struct hf_cancel *cancel);
HF_PUBLIC void hf_cancel_abandon(struct hf_cancel *cancel);
HF_PUBLIC void hf_cancel_close(struct hf_cancel *cancel);

/* ---- While it is held ---------------------------------------------------- */

/*
 * Is it held now?  HF_GRANTED, HF_IN_DOUBT, HF_LOST, or HF_NOT_HELD in a
 * forked child and after hf_close.  Judged by the clock at the call, so a
 * process that was frozen past its right is told HF_LOST at its first call.
 * Touches no store; cannot fail.
 */
HF_PUBLIC enum hf_outcome hf_check(const struct hf_lock *lock);

/* The fence of the grant, at least 1; 0 in a forked child.  Cannot fail. */
HF_PUBLIC uint64_t hf_fence(const struct hf_lock *lock);

/*
 * The end of the right, in ms of CLOCK_BOOTTIME of this host, as far as it is
 * proved now; it moves with every applied beat.  0 in a forked child.  For
 * those who must end what they protect in time.  Cannot fail.
 */
HF_PUBLIC int64_t hf_lock_right_ms(const struct hf_lock *lock);

/* ---- Give it back -------------------------------------------------------- */

/*
 * Delete the lock's record and free `lock`, on every status but HF_E_INVALID
 * (a forked child's call, or a callback's).  Waits until the
 * delete is settled, or until `cancel` (may be NULL) is switched.  A lock that
 * was lost: HF_OK, nobody else's record is touched.  HF_E_CANCELLED or
 * HF_E_UNKNOWN: the record may be left behind, unbeaten; the client goes on
 * settling it while it is open.  NULL does nothing and is HF_OK.
 */
HF_PUBLIC enum hf_status hf_release(struct hf_lock *lock,
                                    struct hf_cancel *cancel,
                                    struct hf_error *error);

/*
 * Stop beating, leave the record as it stands, and free `lock`: for a refuse
 * lock whose work was cut short and which a person must look at.  Cannot fail.
 */
HF_PUBLIC void hf_abandon(struct hf_lock *lock);

/* ---- Look, and clear ----------------------------------------------------- */

enum { HF_CURSOR_MAX = 576 }; /* bytes of a cursor */

/*
 * How far a listing has come.  Zero is the start; the call moves it on.  The
 * bytes mean nothing to the caller, who may copy and keep them.  Every listing
 * ends: a cursor never moves back, whatever stands in the place.
 */
struct hf_cursor {
    size_t len; /* how many bytes there are; 0: at the start */
    unsigned char bytes[HF_CURSOR_MAX];
};

struct hf_list_query {
    const char *space;        /* NULL: "default" */
    const char *prefix;       /* NULL: every name */
    struct hf_cursor *cursor; /* borrowed for the call; NULL: the first page */
};

/*
 * Read up to `*count` locks in the order of their names' bytes into `rows`,
 * set *count to how many there were (0: no more), and move the cursor beyond
 * the last of them.  A record that is not Holdfast's is a row with `corrupt`
 * set; if its name is none that a lock can have, also `foreign_name`.
 *
 * HF_E_INVALID: the space is none of the callers', the cursor is of another
 * listing, or this is a forked child's call or a callback's.
 * HF_E_UNAVAILABLE, HF_E_DENIED, HF_E_CORRUPT: the place, as hf_open says.
 * HF_E_CANCELLED: the client is being closed.  HF_E_LIMIT, HF_E_NOMEM: no
 * descriptors, no memory.  Unless HF_OK, *count and the cursor are untouched.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_list(struct hf_client *client, const struct hf_list_query *query,
        struct hf_description *rows, size_t *count, struct hf_error *error);

struct hf_audit_query {
    const char *space;        /* NULL: every space */
    const char *name;         /* NULL: every lock */
    int64_t since_ms;         /* Unix time: nothing older; zero: all there is */
    struct hf_cursor *cursor; /* as in a hf_list_query */
};

/*
 * Read up to `*count` entries of the audit, the locks that were cleared by
 * hand, into `entries`, the oldest first by the place's wall clock; *count and
 * cursor as hf_list.  An entry that is not Holdfast's comes with `corrupt` set
 * unless the query names a space or a lock.  Nothing ever deletes an entry, and
 * every call reads through all of them: it is for people, and for a client that
 * holds no locks.  Statuses as hf_list.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_audit(struct hf_client *client, const struct hf_audit_query *query,
         struct hf_audit_entry *entries, size_t *count, struct hf_error *error);

struct hf_examine_options {
    const char *space;         /* NULL: "default" */
    struct hf_duration watch;  /* longest look for a sign of life; zero: read
                                  once; HF_FOREVER: up to the record's ttl */
    hf_waiting_fn *on_waiting; /* may be NULL */
    void *ctx;
    struct hf_cancel *cancel; /* may be NULL */
};

/*
 * Describe the lock `name` and say whether its holder is alive, by watching
 * its record for a beat and its processes, where they are this host's.  Ends
 * at the first proof either way.  An absent lock is HF_OK with
 * diagnosis->record.exists false; a record that is not ours is HF_OK with
 * record.corrupt set.
 *
 * HF_E_INVALID: the name, the space or the watch, or a forked child's call or a
 * callback's.  HF_E_UNAVAILABLE: the place does not answer.  HF_E_CANCELLED: by
 * options->cancel, or the client is being closed.  HF_E_LIMIT: no descriptors,
 * or too many locks in this client.  HF_E_NOMEM.  *diagnosis is untouched
 * unless HF_OK.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_examine(struct hf_client *client, const char *name,
           const struct hf_examine_options *options,
           struct hf_diagnosis *diagnosis, struct hf_error *error);

struct hf_clear_options {
    const char *space;         /* NULL: "default" */
    const char *reason;        /* required; kept in the audit */
    bool force;                /* do not watch for a sign of life first */
    uint64_t fence;            /* clear the holder of this fence, and no later
                                  one; 0: whoever has it */
    hf_waiting_fn *on_waiting; /* may be NULL */
    void *ctx;
    struct hf_cancel *cancel; /* may be NULL */
};

struct hf_cleared {
    bool cleared;             /* the record shown in `seen` was deleted */
    struct hf_diagnosis seen; /* what was there, and what is known of it */
};

/*
 * Delete the record of a dead holder by hand, whatever its if_dead: watches
 * for a sign of life for one ttl, unless its processes are gone or `force`;
 * deletes it at the very version it watched, and writes who, when and why
 * into the audit (see hf_audit) in the same transaction.  Not cleared: it
 * showed life, it changed, its fence is another, or there is no such lock: see
 * cleared->seen.
 *
 * HF_E_UNKNOWN: abandoned before the answer was settled.  HF_E_CORRUPT: the
 * record is not Holdfast's, and `force` was not given.  HF_E_INVALID: also
 * without a reason.  The others as hf_examine; *cleared likewise.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_clear(struct hf_client *client, const char *name,
         const struct hf_clear_options *options, struct hf_cleared *cleared,
         struct hf_error *error);

HF_END_DECLS

#endif
