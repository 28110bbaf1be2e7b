#ifndef HOLDFAST_HOLDFAST_H
#define HOLDFAST_HOLDFAST_H

#include <holdfast/version.h>
#include <holdfast/view.h>
#include <holdfast/words.h>

/*
 * libholdfast: locks across processes, that tell the truth about themselves.
 *
 *     struct hf_client *client;
 *     struct hf_lock *lock;
 *
 *     hf_client_new(NULL, &client, &error);
 *     hf_client_open(client, NULL, &error);
 *     hf_lock_new(client, "report", &lock, &error);
 *     hf_lock_set(lock, HF_WAIT, "20s", &error);
 *     hf_lock_start(lock, &error);
 *     if (hf_lock_wait(lock, HF_FOREVER) == HF_STATE_HELD)
 *         work(hf_lock_fence(lock));
 *     hf_lock_free(lock);
 *     hf_client_close(client, HF_FOREVER);
 *
 * A lock is a handle from before it is asked for until it is freed.  Everything
 * is started and nothing is waited for: a client has one descriptor and one
 * queue of notices, for any number of locks.  The calls that block, hf_*_wait
 * and hf_client_close, are for those who would do nothing else meanwhile.
 *
 * A lock is advice; a fence is proof.  Every grant carries a fence, a number
 * that only grows for that lock: hand it to whatever the lock protects, and
 * let that refuse a write whose fence is below the highest it has seen.
 *
 * Threads: every function may be called from any thread, on one handle by many
 * at once, except that a client is set, traced and opened by one thread before
 * others use it, that hf_client_next is for one thread at a time, and that no
 * call may run on a handle that is being freed or closed, or was.  A client
 * runs two threads of its own: one tells the time, one talks to the place; of a
 * lock server's, one does both.
 *
 * Signals: hf_lock_cancel, hf_query_cancel and hf_lock_abandon may be called
 * from a signal handler, and nothing else.
 *
 * Memory: handles and views belong to the caller until closed or freed.
 * Strings given to a call are borrowed for that call.
 *
 * Fork: in a forked child every call on the parent's handles answers "not
 * held", HF_E_INVALID, -1, NULL or HF_STATE_ENDED, and touches nothing; the
 * parent's locks stay the parent's.  A child may open clients of its own.  But
 * SQLite does not bear a fork under an open file: hf_client_open refuses a
 * sqlite place (HF_E_INVALID) in a child whose parent had one open at the fork.
 * So the parent closes its clients before it forks, or the child calls exec.
 *
 * Clocks: no decision compares two machines' clocks.  A waiter times an
 * unchanged record on its own CLOCK_BOOTTIME; a holder counts its right from
 * the sending of the last beat that was applied.
 *
 * Every call with an `error` (which may be NULL) may also answer HF_E_INVALID,
 * for a forked child's call or one in the wrong state, and HF_E_NOMEM; what
 * else it answers stands with it.  Unless HF_OK, outputs are untouched.
 */

HF_BEGIN_DECLS

struct hf_client;
struct hf_lock;
struct hf_query;
struct hf_notice;

/* ---- A client of one place ----------------------------------------------- */

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
 * A client that is not open yet: it has no thread and no descriptor, and its
 * locks and queries may be made, set and verified, so that bad input can be
 * refused before anything is touched.  alloc: NULL is the C library's; it must
 * outlive the client, its handles and its views.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_client_new(const struct hf_alloc *alloc,
                                                   struct hf_client **client,
                                                   struct hf_error *error);

/*
 * Options of a client, before it is opened:
 *
 *   HF_LOOK_ONLY  "yes" or "no": to list and examine; nothing is made or
 *                 written, a place that is not there is empty, and it is enough
 *                 to be allowed to read it; hf_lock_start and a clear are
 *                 HF_E_DENIED
 */
#define HF_LOOK_ONLY "look_only"
HF_PUBLIC HF_MUST_USE enum hf_status hf_client_set(struct hf_client *client,
                                                   const char *option,
                                                   const char *text,
                                                   struct hf_error *error);

/*
 * Told of every event and effect of every lock, as one line of text without a
 * newline: for debugging.  Neither reasons, commands nor passwords are in it.
 * Called before hf_client_open, with NULL to end it.  It runs on any thread,
 * while the client can do nothing else: it must be brief, and call nothing of
 * the client's.  HOLDFAST_TRACE=FILE in the environment does the same, at the
 * end of that file, unless this is called.
 */
typedef void hf_trace_fn(void *ctx, const char *line);
HF_PUBLIC void hf_client_trace(struct hf_client *client, hf_trace_fn *trace,
                               void *ctx);

/*
 * Open the place that `place` names:
 *
 *     sqlite:/path/locks.db            one file on a local disk, created with
 *                                      its folder when absent
 *     sqlite:/path/locks.db?network=1  the same on a network file system: you
 *                                      vouch that one machine alone opens it,
 *                                      for SQLite shares memory beside it
 *     memory:NAME                      a table in this process, for tests
 *     http://host:7420[,host:7421…]    a lock server, by its nodes, which serve
 *                                      one file, on one machine: of servers
 *                                      with a file each nothing is granted,
 *                                      HF_E_UNAVAILABLE; it is not waited for
 *
 * A relative path is refused: it would be another place in each folder.
 *
 * NULL means $HOLDFAST_AT, or else the default: /var/lib/holdfast/locks.db for
 * root, $XDG_STATE_HOME/holdfast/locks.db (~/.local/state/…) for others.  What
 * runs with other rights than its caller's, as a setuid program, does not look
 * into the environment.  This call may take as long as the place does.
 *
 * HF_E_INVALID: not a place, or the client is open.  HF_E_UNAVAILABLE: it
 * cannot be reached, or is a file that has two names.  HF_E_DENIED: no
 * permission.  HF_E_CORRUPT: it is there, and is not ours.  HF_E_LIMIT: no
 * descriptor or thread is left.  Unless HF_OK it can be tried again.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_client_open(struct hf_client *client,
                                                    const char *place,
                                                    struct hf_error *error);

/*
 * Give back what is held, give up what is waited for, wait up to `limit` until
 * that is settled, then abandon the rest and free the client.  Callers that
 * wait are woken: what they waited for has ended.  Its handles stay, and must
 * still be freed.  HF_OK: nothing was left behind.  HF_E_UNKNOWN: a record may
 * be, unbeaten.  A call to the place that is under way is waited for, however
 * long it takes.  HF_E_INVALID: a forked child's call, which frees nothing.
 * NULL is HF_OK.
 */
HF_PUBLIC enum hf_status hf_client_close(struct hf_client *client,
                                         struct hf_duration limit);

/* The place as a URL that means the same to any process in any folder, with the
 * default filled in; lives as long as the client.  "" before it is open; also
 * in a forked child. */
HF_PUBLIC const char *hf_client_place(const struct hf_client *client);

/* Was the file of the place not there, and did hf_client_open make it?  Then
 * nobody has held a lock there before; they may do so elsewhere. */
HF_PUBLIC bool hf_client_made_place(const struct hf_client *client);

/*
 * Why does the place not answer just now?  For messages: decide nothing by it.
 * HF_OK: it answered last, or nothing was asked, and *error is untouched.
 * Otherwise the status of what failed last, or HF_E_UNAVAILABLE for a call
 * that has been running for half a second, and *error says why, as far as is
 * known: the disk is full, other processes keep the file locked.  A write that
 * failed is told until one is answered, for what is locked can still be read.
 * Touches no store.
 */
HF_PUBLIC enum hf_status hf_client_trouble(struct hf_client *client,
                                           struct hf_error *error);

/* ---- Notices ------------------------------------------------------------- */

/*
 * A notice is a state to look at, and no message: a handle stands in the queue
 * once at most, inside itself, with all its news since the last time.  So
 * telling needs no memory, and a program that takes no notices loses nothing
 * but the news.
 */
enum hf_news {
    HF_NEWS_HOLDER = 1,    /* somebody else holds it: the first sight */
    HF_NEWS_SUSPECTED = 2, /* its refuse holder stood unchanged for its ttl */
    HF_NEWS_GRANTED = 4,   /* held from now on */
    HF_NEWS_ENDED = 8,     /* see its outcome; a query's rows are there */
    HF_NEWS_AT_RISK = 16,  /* `grace` is left of the right; nothing is lost */
    HF_NEWS_CERTAIN = 32,  /* confirmed again: neither risk nor doubt */
    HF_NEWS_IN_DOUBT = 64, /* refuse: the right ran out unconfirmed */
    HF_NEWS_LOST = 128,    /* another process may hold it from now on */
    HF_NEWS_CHANGED = 256, /* what is known of the holder has changed */
};

/* Readable while there are notices; the client's.  Wait for it, then take until
 * there is none; never read it.  -1 in a forked child and before it is open. */
HF_PUBLIC int hf_client_fd(const struct hf_client *client);

/* The next notice, good until the next call; NULL: none.  Never blocks. */
HF_PUBLIC const struct hf_notice *hf_client_next(struct hf_client *client);

/* The id of its handle, HF_USER of its handle, bits of enum hf_news, and the
 * state the handle was in when it was taken (HF_STATE_WAITING or
 * HF_STATE_ENDED for a query). */
HF_PUBLIC uint64_t hf_notice_id(const struct hf_notice *notice);
HF_PUBLIC void *hf_notice_user(const struct hf_notice *notice);
HF_PUBLIC unsigned hf_notice_news(const struct hf_notice *notice);
HF_PUBLIC enum hf_state hf_notice_state(const struct hf_notice *notice);

/* ---- A lock -------------------------------------------------------------- */

/*
 *   NEW --start--> WAITING --> HELD <--> IN_DOUBT      (refuse)
 *                     |          |  \       |
 *                     |          |   +--> LOST
 *             release |  release |          |
 *                     v          v          v
 *                   ENDED <-- RELEASING <---+
 *
 * Once it has ended nothing of it is in the place, nor can come there, unless
 * it was abandoned.
 */

/*
 * A handle for `name` (1..512 bytes of UTF-8 without control characters and
 * without those that are not seen: of no width, or turning the direction of the
 * text), for one request.  HF_E_INVALID: no such name.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_new(struct hf_client *client,
                                                 const char *name,
                                                 struct hf_lock **lock,
                                                 struct hf_error *error);

/*
 * Options of a lock, before it is started; text as on the command line:
 *
 *   HF_SPACE         1..128 bytes, not "!..."; default: "default"
 *   HF_IF_DEAD       "takeover" (default) or "refuse": what a waiter may do
 *                    when this holder is dead
 *   HF_TTL           a duration; default: 30s, 60s for refuse
 *   HF_BEAT          default: 2s, less for a ttl too short for it
 *   HF_GRACE         default: 10s, or a third of a shorter ttl's
 *   HF_WAIT          a duration, "forever", or "try": to the holder's first
 *                    sign of life; default: 10m
 *   HF_IF_SUSPECTED  "wait" (default) to the limit for a suspected holder of
 *                    refuse, which may beat again, or "fail" at once
 *   HF_REASON        for people
 *   HF_COMMAND       for people; default: this process's own command line
 *   HF_PROCESSES     pids, whose end proves the holder gone: "812 813", at most
 *                    8; default: this process
 *   HF_LANE          requests under one label are one thread of control, which
 *                    does not wait for itself; default: a lane of its own
 *   HF_MODE          "exclusive" (default); of a lock server also "shared"
 *                    and "until-free"
 *
 * ttl must be at least 3 * beat + grace + margin, margin = max(250 ms, ttl /
 * 20).  HF_E_INVALID: no such option, not such a text, or it was started.
 */
#define HF_SPACE        "space"
#define HF_IF_DEAD      "if_dead"
#define HF_TTL          "ttl"
#define HF_BEAT         "beat"
#define HF_GRACE        "grace"
#define HF_WAIT         "wait"
#define HF_IF_SUSPECTED "if_suspected"
#define HF_REASON       "reason"
#define HF_COMMAND      "command"
#define HF_PROCESSES    "processes"
#define HF_LANE         "lane"
#define HF_MODE         "mode"
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_set(struct hf_lock *lock,
                                                 const char *option,
                                                 const char *text,
                                                 struct hf_error *error);

/*
 * How long HF_TTL, HF_BEAT, HF_GRACE or HF_WAIT is, as it was set or by
 * default; HF_FOREVER for a wait without a limit, 0 for "try", for any other
 * option, and for terms that hf_lock_verify refuses.  Cannot fail.
 */
HF_PUBLIC struct hf_duration hf_lock_duration(const struct hf_lock *lock,
                                              const char *option);

/* What hf_notice_user will say; the caller's. */
HF_PUBLIC void hf_lock_set_user(struct hf_lock *lock, void *user);

/* Another name, all or none with the first, HF_EXCLUSIVE or HF_SHARED; at most
 * 64 in all.  HF_E_INVALID where the place does not keep several names under
 * one grant: no table of records does; before the client is open, the start
 * says so. */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_add(struct hf_lock *lock,
                                                 const char *name,
                                                 enum hf_mode mode,
                                                 struct hf_error *error);

/*
 * Would hf_lock_start take these options?  Touches no place.  HF_E_INVALID, and
 * why.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_verify(const struct hf_lock *lock,
                                                    struct hf_error *error);

/*
 * Ask for it.  HF_E_INVALID: the options, a process of the list is not there,
 * or the place does not keep such locks.  HF_E_DENIED: the client looks only.
 * HF_E_LIMIT: more than 100,000 locks and looks at one in one client.
 * HF_E_CANCELLED: the client is being closed.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_start(struct hf_lock *lock,
                                                   struct hf_error *error);

/*
 * Block until it is neither waiting nor releasing, or `limit` is over, and
 * return its state then.  This lock alone: others take its notices or do not.
 */
HF_PUBLIC enum hf_state hf_lock_wait(struct hf_lock *lock,
                                     struct hf_duration limit);

/* Its state now, by the clock of this call.  Cannot fail. */
HF_PUBLIC enum hf_state hf_lock_state(const struct hf_lock *lock);

/*
 * What became of it, once it is granted or has ended:
 *
 *   HF_GRANTED          held, beaten by the client; or ended HF_UNTIL_FREE
 *   HF_IN_DOUBT         refuse: past its right, and still beating
 *   HF_LOST             another process may hold it
 *   HF_NOT_HELD         given back, or an error ended it (see hf_lock_error)
 *   HF_TIMED_OUT        not free within the limit
 *   HF_HELD_TOO_LONG    the same, and one holder that beats had it all the time
 *   HF_SUSPECTED_DEAD   refuse: unchanged for its ttl, to the limit or, if so
 *                       wished, as soon as it was
 *   HF_GONE             refuse: its processes are gone
 *   HF_ALREADY_HELD     by the same lane, or it waits for it already
 *   HF_DEADLOCK         it would be waited for in a circle; no table's
 *   HF_AT_LIMIT         the place takes no more of this kind; no table's
 *
 * The holder's record binds: whoever meets a record of refuse never overrides
 * it, whatever its own options say.  Judged by the clock at the call, so that a
 * process that was frozen past its right is told HF_LOST at its first call;
 * once HF_LOST, it never is HF_GRANTED again.  Touches no store; cannot fail.
 */
HF_PUBLIC enum hf_outcome hf_lock_check(const struct hf_lock *lock);

/*
 * Why it ended without an outcome; HF_OK: it has one, or has not ended.
 *
 * HF_E_UNAVAILABLE: the place could not be read at first or at the limit, or
 * not be written to until the limit; nothing is held.  HF_E_CORRUPT: the record
 * there is not Holdfast's.  HF_E_CANCELLED: nothing is held and nothing left
 * behind.  HF_E_UNKNOWN: settling was abandoned; a record may be left behind
 * that nobody beats.  HF_E_DENIED, HF_E_LIMIT, HF_E_NOMEM.
 */
HF_PUBLIC enum hf_status hf_lock_error(const struct hf_lock *lock,
                                       struct hf_error *error);

/* Never given to another handle of this process.  Cannot fail. */
HF_PUBLIC uint64_t hf_lock_id(const struct hf_lock *lock);

/* The fence of the grant, at least 1; 0 before it and in a forked child. */
HF_PUBLIC uint64_t hf_lock_fence(const struct hf_lock *lock);

/*
 * The end of the right, in ms of CLOCK_BOOTTIME of this host, as far as it is
 * proved now; it moves with every applied beat.  0 before the grant and in a
 * forked child.  For those who must end what they protect in time.
 */
HF_PUBLIC int64_t hf_lock_right_ms(const struct hf_lock *lock);

/* What is known of the holder it waits for, or waited for to the end.  Of one
 * that was lost HF_FIELD_CLEARED tells whether a lock server has said that
 * somebody cleared it, and HF_FIELD_BY_USER, BY_HOST and BY_REASON who did, and
 * why; of a table's the audit has it, under its name and fence.  The caller's;
 * NULL: no memory, or a forked child's call. */
HF_PUBLIC struct hf_view *hf_lock_view(const struct hf_lock *lock);

/*
 * What another process needs to give back a grant of a lock server's, should
 * this one be killed: a text with the secret of the session, in `buffer` (at
 * most `size` bytes with the final NUL, HF_FAREWELL_SIZE always suffice).
 * Returns its length; 0, and "": it is not held, or the place keeps nothing
 * alive but records, whose ttl will tell.
 */
#define HF_FAREWELL_SIZE 1280
HF_PUBLIC size_t hf_lock_farewell(const struct hf_lock *lock, char *buffer,
                                  size_t size);

/*
 * End the session that the text names, and with it all that is held in it; a
 * session that is over is one that was ended.  Needs no client; blocks up to
 * `limit`.  For who knows that nothing under the lock goes on.  HF_E_INVALID:
 * no such text.  HF_E_UNAVAILABLE: no node has answered.
 */
HF_PUBLIC enum hf_status hf_farewell(const char *text, struct hf_duration limit,
                                     struct hf_error *error);

/* Hold name number `index` in another mode; HF_NEWS_CHANGED when it is done.
 * HF_E_INVALID where the place does not: no table of records does. */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_change(struct hf_lock *lock,
                                                    size_t index,
                                                    enum hf_mode mode,
                                                    struct hf_error *error);

/*
 * Give it back, or give it up, in any state; returns at once, and has ended
 * once nothing of it can be left.  A lock that was lost: nobody else's record
 * is touched.  Both do nothing the second time.  cancel may be called from a
 * signal handler, before the start, too, which then ends at once; release is
 * quicker.
 */
HF_PUBLIC void hf_lock_release(struct hf_lock *lock);
HF_PUBLIC void hf_lock_cancel(struct hf_lock *lock);

/*
 * Stop at once, and leave the record, if there is one, as it stands: for a
 * refuse lock whose work was cut short and which a person must look at, or to
 * cut settling short.  May be called from a signal handler.
 */
HF_PUBLIC void hf_lock_abandon(struct hf_lock *lock);

/* Free the handle, in any state: what is held is given back, what is waited for
 * is given up, while the client is open, and nothing more is said of it.  NULL
 * does nothing. */
HF_PUBLIC void hf_lock_free(struct hf_lock *lock);

/* ---- To look, and to clear ----------------------------------------------- */

/* What a query asks; asked like a lock, told like a lock. */
enum hf_query_kind {
    HF_LIST,     /* the locks of a space, in the order of their names' bytes */
    HF_EXAMINE,  /* one lock: is its holder alive? */
    HF_CLEAR,    /* delete the record of one dead holder */
    HF_AUDIT,    /* what was cleared, the oldest first by the place's clock */
    HF_DOCTOR,   /* is the place sound, and this host?  One row a check */
    HF_SESSIONS, /* of a lock server: who has one, and what it has */
};

HF_PUBLIC HF_MUST_USE enum hf_status hf_query_new(struct hf_client *client,
                                                  enum hf_query_kind kind,
                                                  struct hf_query **query,
                                                  struct hf_error *error);

/*
 * Options of a query, before it is started, for which kinds: [L]ist, [E]xamine,
 * [C]lear, [A]udit, [S]essions:
 *
 *   HF_SPACE   [LECA] default: "default"; for the audit: every space
 *   HF_NAME    [ECA] required but for the audit, where it is every lock
 *   HF_PREFIX  [L] of the names; default: every name
 *   HF_LIMIT   [LAS] rows of one page: a number; default 100, at most 10000
 *   HF_CURSOR  [LAS] from hf_query_cursor; default: from the start
 *   HF_SINCE   [A] Unix time in ms: nothing older
 *   HF_WATCH   [E] longest look for a sign of life, a duration; "0s", the
 *              default: read once, which proves no death; "forever": up to the
 *              record's ttl
 *   HF_REASON  [C] required, with a letter or a digit; kept in the audit
 *   HF_FORCE   [C] "yes": do not watch for a sign of life first, and delete it
 *              though it beats meanwhile; default "no"
 *   HF_FENCE   [C] clear the holder of this fence and no later one
 */
#define HF_NAME   "name"
#define HF_PREFIX "prefix"
#define HF_LIMIT  "limit"
#define HF_CURSOR "cursor"
#define HF_SINCE  "since"
#define HF_WATCH  "watch"
#define HF_FORCE  "force"
#define HF_FENCE  "fence"
HF_PUBLIC HF_MUST_USE enum hf_status hf_query_set(struct hf_query *query,
                                                  const char *option,
                                                  const char *text,
                                                  struct hf_error *error);
HF_PUBLIC void hf_query_set_user(struct hf_query *query, void *user);

/*
 * Ask.  A list, an audit or sessions that have ended can be started again: then
 * for the page after the last.
 *
 * A lock server lists in its own order, and in a list are those that are held;
 * its examine has rows, too: all who hold the lock, then all who wait for it.
 * Its clear needs a holder that the server suspects, or whose processes are
 * gone, unless it is forced: it goes on until that is so, or until the holder
 * is heard.
 *
 * An examine watches the record for a beat, and its processes where they are
 * this host's, and ends at the first proof either way.  An absent lock is a
 * view in which it does not exist; one that is not ours is a corrupt one.
 *
 * A clear watches in the same way for one ttl, unless the processes are gone or
 * it is forced; then it deletes the record at the very version that it watched
 * (forced: or that the same holder has put there since), whatever its if_dead,
 * and writes who, when and why into the audit in the same transaction.
 * HF_FIELD_CLEARED tells whether; if not, it showed life, it changed, its fence
 * is another, or there is no such lock: see the view.  It ends as HF_E_UNKNOWN
 * if an answer was lost, so that it may have been this clear or its holder: the
 * audit shows which.
 *
 * An audit reads all entries, which nothing ever deletes: it is for people, and
 * for a client that holds no locks.
 *
 * A doctor looks at the place and at this host.  Unless the client looks only,
 * it writes and deletes a record of its own a few times, and tells how long a
 * commit takes; that leaves a tombstone, and disturbs no lock.  What does not
 * answer is a row, too.  It may take half a minute, in which nothing beats: it
 * is for a client that holds no locks.
 *
 * HF_E_INVALID: the options; sessions of a place that is no lock server.
 * HF_E_DENIED: a clear of one who looks only.  HF_E_LIMIT: more than 100,000
 * locks, examines and clears.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_query_start(struct hf_query *query,
                                                    struct hf_error *error);

/* HF_STATE_NEW, HF_STATE_WAITING or HF_STATE_ENDED.  Cannot fail. */
HF_PUBLIC enum hf_state hf_query_state(const struct hf_query *query);

/* Block until it has ended, or `limit` is over; returns false in the latter
 * case.  One that was never started is not waited for. */
HF_PUBLIC bool hf_query_wait(struct hf_query *query, struct hf_duration limit);

/*
 * How it ended; HF_OK: well, or not yet.
 *
 * HF_E_UNAVAILABLE, HF_E_DENIED: the place, as hf_client_open says.
 * HF_E_INVALID: the cursor is of no such listing.  HF_E_CORRUPT: the place, or
 * the record that a clear is to delete without force.  HF_E_CANCELLED.
 * HF_E_UNKNOWN: a clear that was cancelled, or whose answer was never learnt.
 * HF_E_LIMIT, HF_E_NOMEM.
 */
HF_PUBLIC enum hf_status hf_query_error(const struct hf_query *query,
                                        struct hf_error *error);

/* What an examine or a clear has seen so far, or at its end.  The caller's;
 * NULL: no memory, or another kind. */
HF_PUBLIC struct hf_view *hf_query_view(const struct hf_query *query);

/* The next row of an ended list, audit, sessions or doctor, the caller's; NULL:
 * that was the last of this page.  A page without a row is the end. */
HF_PUBLIC struct hf_view *hf_query_next(struct hf_query *query);

/* How far a list or an audit has come, as text for HF_CURSOR; "": at the start.
 * It means nothing to the caller, who may keep it.  Every listing ends: a
 * cursor never moves back.  Good until the query is started again or freed. */
HF_PUBLIC const char *hf_query_cursor(const struct hf_query *query);

HF_PUBLIC uint64_t hf_query_id(const struct hf_query *query);

/* End it as cancelled; may be called from a signal handler.  Where it does not
 * run, its next start ends so: none is lost between two pages. */
HF_PUBLIC void hf_query_cancel(struct hf_query *query);

/* In any state; NULL does nothing. */
HF_PUBLIC void hf_query_free(struct hf_query *query);

HF_END_DECLS

#endif
