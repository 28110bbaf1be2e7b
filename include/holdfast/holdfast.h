#ifndef HOLDFAST_HOLDFAST_H
#define HOLDFAST_HOLDFAST_H

#include <holdfast/version.h>
#include <holdfast/view.h>
#include <holdfast/words.h>

/*
 * libholdfast: locks across processes that tell the truth about themselves.
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
 * A lock is a handle, from before it is asked for until it is freed.  Calls
 * start things and do not wait: a client has one descriptor and one queue of
 * notices for any number of locks.  The calls that block, hf_*_wait and
 * hf_client_close, are for programs that have nothing else to do meanwhile.
 *
 * A lock is advice; a fence is proof.  Every grant has a fence, a number that
 * only grows for that lock.  Pass it to what the lock protects, and let that
 * refuse a write whose fence is below the highest it has seen.
 *
 * Threads: any thread may call any function, and many threads may use one
 * handle at once.  There are three exceptions: one thread sets, traces and
 * opens a client before others use it; hf_client_next is for one thread at a
 * time; no call may run on a handle that is being, or was, freed or closed.  A
 * client runs two threads of its own: one keeps the time, one talks to the
 * place.  For a lock server one thread does both.  A caller that waits for a
 * lock or a query of a table may talk to the place itself: see hf_lock_wait.
 *
 * Signals: hf_lock_cancel, hf_query_cancel and hf_lock_abandon may be called
 * from a signal handler, and nothing else.
 *
 * Memory: handles and views belong to the caller until they are closed or
 * freed.  Strings are borrowed for the duration of a call.
 *
 * Fork: in a forked child every call on the parent's handles answers "not
 * held", HF_E_INVALID, -1, NULL or HF_STATE_ENDED, and touches nothing; the
 * parent's locks stay the parent's.  A child may open clients of its own.  But
 * SQLite does not support a fork while a file is open: hf_client_open refuses a
 * sqlite place (HF_E_INVALID) in a child whose parent had one open.  So close
 * the parent's clients before the fork, or call exec in the child.
 *
 * Clocks: no decision compares two machines' clocks.  A waiter times an
 * unchanged record on its own CLOCK_BOOTTIME; a holder counts its right from
 * the sending of the last beat that was applied.
 *
 * Every call with an `error` (which may be NULL) may also return HF_E_NOMEM,
 * and HF_E_INVALID in a forked child or in a wrong state; other statuses are
 * documented with the call.  Unless it returns HF_OK, outputs are untouched.
 */

HF_BEGIN_DECLS

struct hf_client;
struct hf_lock;
struct hf_query;
struct hf_notice;

/* ---- A client of one place ----------------------------------------------- */

/* Where memory comes from. allocate returns zeroed memory or NULL; release
 * accepts NULL.  Any thread may call them. */
struct hf_alloc {
    void *(*allocate)(void *ctx, size_t count, size_t size);
    void (*release)(void *ctx, void *memory);
    void *ctx;
};

/* Make a client that is not open yet.  It has no thread and no descriptor.  Its
 * locks and queries can be made, set and verified, so bad input is refused
 * before any place is touched. alloc: NULL means the C library's; it must
 * outlive the client, its handles and its views. */
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

/* A function that gets every event and effect of every lock, as one line of
 * text without a newline: for debugging.  The lines have no reasons, commands
 * or passwords.  Set it before hf_client_open; NULL ends it.  It runs on any
 * thread and holds the client up: it must be brief, and must not call the
 * client.  HOLDFAST_TRACE=FILE in the environment appends the same lines to a
 * file, unless this function is called. */
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
 *     postgresql://user@host/database  a schema in PostgreSQL, for any number
 *                                      of hosts; docs/places.md has the rest
 *                                      of the URL.  No password may be in it
 *     memory:NAME                      a table in this process, for tests
 *     http://host:7420[,host:7421…]    a lock server, by its nodes, which serve
 *                                      one file, on one machine: of servers
 *                                      with a file each nothing is granted,
 *                                      HF_E_UNAVAILABLE; it is not waited for
 *
 * A relative path is refused, since it would mean another place in each folder.
 *
 * NULL means $HOLDFAST_AT, or else the default: /var/lib/holdfast/locks.db for
 * root, $XDG_STATE_HOME/holdfast/locks.db (~/.local/state/…) for others.  A
 * program with other rights than its caller (setuid) ignores the environment.
 * This call blocks as long as the place needs.  But where a server does not
 * answer, for a reason that may pass, the place is opened within about 2 s all
 * the same: hf_client_trouble says why, and each lock waits for it to the end
 * of its limit.  To look only (HF_LOOK_ONLY), silence is waited for, 10 s.
 *
 * HF_E_INVALID: not a place, or the client is open.  HF_E_UNAVAILABLE: it
 * will not do, as a database that does not exist, or a file that has two names.
 * HF_E_DENIED: no permission.  HF_E_CORRUPT: it is there, and is not ours.
 * HF_E_LIMIT: no descriptor or thread is left.  Unless HF_OK it can be tried
 * again.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_client_open(struct hf_client *client,
                                                    const char *place,
                                                    struct hf_error *error);

/* Give back all held locks, end all waits, wait up to `limit` until that is
 * settled, then abandon the rest and free the client.  Callers that wait are
 * woken.  Handles stay, and must still be freed.  HF_OK: nothing was left
 * behind.  HF_E_UNKNOWN: a record without a holder may be left.  A call to the
 * place that is under way is waited for, however long it takes.  HF_E_INVALID:
 * called in a forked child, which frees nothing.  NULL is HF_OK. */
HF_PUBLIC enum hf_status hf_client_close(struct hf_client *client,
                                         struct hf_duration limit);

/* The place as a URL that means the same to any process in any folder, with the
 * default filled in.  It lives as long as the client. "" before the client is
 * open, and in a forked child. */
HF_PUBLIC const char *hf_client_place(const struct hf_client *client);

/* Did hf_client_open make the place's file, because there was none?  Then no
 * process has held a lock there before; processes that use another place may
 * hold the lock there. */
HF_PUBLIC bool hf_client_made_place(const struct hf_client *client);

/* Why does the place not answer just now?  For messages only; do not decide
 * anything by it.  HF_OK: the last call was answered, or there was none; *error
 * is untouched.  Otherwise the status of the last failure, or HF_E_UNAVAILABLE
 * for a call that has been running for half a second; *error says why as far as
 * is known: the disk is full, other processes keep the file locked.  A failed
 * write is reported until a write succeeds, since a locked file can still be
 * read.  Touches no store. */
HF_PUBLIC enum hf_status hf_client_trouble(struct hf_client *client,
                                           struct hf_error *error);

/* ---- Notices ------------------------------------------------------------- */

/* A notice is a state to look at, not a message.  A handle is in the queue at
 * most once, and collects all its news since it was last taken.  So notices
 * need no memory, and a program that takes no notices loses only the news. */
enum hf_news {
    HF_NEWS_HOLDER = 1,    /* another holder has it: the first sight */
    HF_NEWS_SUSPECTED = 2, /* its refuse holder is suspected dead */
    HF_NEWS_GRANTED = 4,   /* held from now on */
    HF_NEWS_ENDED = 8,     /* see its outcome; a query's rows are ready */
    HF_NEWS_AT_RISK = 16,  /* `grace` is left of the right; not lost yet */
    HF_NEWS_CERTAIN = 32,  /* confirmed again: no risk, no doubt */
    HF_NEWS_IN_DOUBT = 64, /* refuse: the right ran out unconfirmed */
    HF_NEWS_LOST = 128,    /* another process may hold it from now on */
    HF_NEWS_CHANGED = 256, /* something known of the holder changed */
};

/* Readable while there are notices; owned by the client.  Wait for it, then
 * take notices until there is none; never read it. -1 in a forked child, and
 * before the client is open. */
HF_PUBLIC int hf_client_fd(const struct hf_client *client);

/* The next notice, valid until the next call; NULL: none.  Never blocks. */
HF_PUBLIC const struct hf_notice *hf_client_next(struct hf_client *client);

/* The handle's id, its HF_USER, the bits of enum hf_news, and the handle's
 * state when the notice was taken (for a query HF_STATE_WAITING or
 * HF_STATE_ENDED). */
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
 * Once it has ended, nothing of it is in the place or can come there, unless it
 * was abandoned.
 */

/* Make a handle for one request of `name`: 1..512 bytes of UTF-8, without
 * control characters and without invisible ones (of no width, or changing the
 * direction of the text).  HF_E_INVALID: not such a name. */
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

/* The duration of HF_TTL, HF_BEAT, HF_GRACE or HF_WAIT, as set or by default.
 * HF_FOREVER: a wait without a limit.  0: "try", any other option, and terms
 * that hf_lock_verify refuses.  Cannot fail. */
HF_PUBLIC struct hf_duration hf_lock_duration(const struct hf_lock *lock,
                                              const char *option);

/* The value that hf_notice_user returns; owned by the caller. */
HF_PUBLIC void hf_lock_set_user(struct hf_lock *lock, void *user);

/* Add a name, HF_EXCLUSIVE or HF_SHARED: all names are granted together.  At
 * most 64.  HF_E_INVALID: the place does not grant several names together; no
 * table of records does.  Before the client is open, hf_lock_start reports
 * this. */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_add(struct hf_lock *lock,
                                                 const char *name,
                                                 enum hf_mode mode,
                                                 struct hf_error *error);

/* Would hf_lock_start accept these options?  Touches no place.  HF_E_INVALID,
 * with the reason. */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_verify(const struct hf_lock *lock,
                                                    struct hf_error *error);

/* Ask for the lock.  HF_E_INVALID: the options, a listed process that does not
 * exist, or the place does not keep such locks.  HF_E_DENIED: the client only
 * looks.  HF_E_LIMIT: more than 100,000 locks and queries of one lock in one
 * client.  HF_E_CANCELLED: the client is being closed. */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_start(struct hf_lock *lock,
                                                   struct hf_error *error);

/*
 * Block until it is neither waiting nor releasing, or until `limit` is over;
 * return its state.  Notices of all locks stay in the queue.
 *
 * If only one thread of a client waits, and its limit is 100 ms or more, it
 * makes the calls to a table itself, for that is faster: on its stack, which
 * has to be as large as SQLite needs.  The end of its limit, or a cancel, is
 * then heard when such a call returns: after 100 ms at most from a file that
 * others keep locked, but from a disk that hangs when that answers.
 */
HF_PUBLIC enum hf_state hf_lock_wait(struct hf_lock *lock,
                                     struct hf_duration limit);

/* Its state now, by the clock at this call.  Cannot fail. */
HF_PUBLIC enum hf_state hf_lock_state(const struct hf_lock *lock);

/*
 * The outcome, once it is granted or has ended:
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
 * The holder's record binds: no waiter overrides a refuse record, whatever its
 * own options are.  The clock is read at the call: a process that was frozen
 * past its right is told HF_LOST at its first call.  After HF_LOST it is never
 * HF_GRANTED again.  Touches no store; cannot fail.
 */
HF_PUBLIC enum hf_outcome hf_lock_check(const struct hf_lock *lock);

/*
 * Why it ended without an outcome.  HF_OK: it has an outcome, or has not ended.
 *
 * HF_E_UNAVAILABLE: the place could not be read at first or at the limit, or
 * not be written to until the limit; nothing is held.  HF_E_CORRUPT: the record
 * is not Holdfast's.  HF_E_CANCELLED: nothing is held, and nothing is left
 * behind.  HF_E_UNKNOWN: settling was abandoned; a record without a holder may
 * be left.  HF_E_DENIED, HF_E_LIMIT, HF_E_NOMEM.
 */
HF_PUBLIC enum hf_status hf_lock_error(const struct hf_lock *lock,
                                       struct hf_error *error);

/* Unique among all handles of this process.  Cannot fail. */
HF_PUBLIC uint64_t hf_lock_id(const struct hf_lock *lock);

/* The grant's fence, at least 1.  0 before the grant, and in a forked child. */
HF_PUBLIC uint64_t hf_lock_fence(const struct hf_lock *lock);

/* The proved end of the right, in ms of this host's CLOCK_BOOTTIME.  It moves
 * with every applied beat.  0 before the grant, and in a forked child.  Use it
 * to end in time what the lock protects. */
HF_PUBLIC int64_t hf_lock_right_ms(const struct hf_lock *lock);

/* What is known of the holder that it waits for, or waited for until it ended.
 * For a lost lock, HF_FIELD_CLEARED tells whether a lock server said that it
 * was cleared, and HF_FIELD_BY_USER, BY_HOST and BY_REASON by whom and why; for
 * a table's lock see the audit, by name and fence.  Owned by the caller; NULL:
 * no memory, or called in a forked child. */
HF_PUBLIC struct hf_view *hf_lock_view(const struct hf_lock *lock);

/* What another process needs to give back a grant of a lock server if this
 * process is killed: a text with the session's secret, written to `buffer` (at
 * most `size` bytes with the final NUL; HF_FAREWELL_SIZE is always enough).
 * Returns its length.  0 and "": not held, or the place has records only, which
 * expire by their ttl. */
#define HF_FAREWELL_SIZE 1280
HF_PUBLIC size_t hf_lock_farewell(const struct hf_lock *lock, char *buffer,
                                  size_t size);

/* End the session that the text names, and all that it holds.  A session that
 * is already over counts as ended.  Needs no client; blocks up to `limit`.
 * Call it only when nothing that the lock protects goes on.  HF_E_INVALID: not
 * such a text.  HF_E_UNAVAILABLE: no node answered. */
HF_PUBLIC enum hf_status hf_farewell(const char *text, struct hf_duration limit,
                                     struct hf_error *error);

/* Hold name number `index` in another mode; HF_NEWS_CHANGED tells when it is
 * done.  HF_E_INVALID: the place cannot; no table of records can. */
HF_PUBLIC HF_MUST_USE enum hf_status hf_lock_change(struct hf_lock *lock,
                                                    size_t index,
                                                    enum hf_mode mode,
                                                    struct hf_error *error);

/* Give the lock back, or end the wait, in any state.  Returns at once; the lock
 * has ended when nothing of it can be left.  A lost lock: no other holder's
 * record is touched.  The second call does nothing. cancel may be called from a
 * signal handler, also before the start, which then ends at once; release is
 * faster. */
HF_PUBLIC void hf_lock_release(struct hf_lock *lock);
HF_PUBLIC void hf_lock_cancel(struct hf_lock *lock);

/* Stop at once and leave the record as it is: for a refuse lock whose work was
 * cut short, so that a person looks; or to stop settling.  May be called from a
 * signal handler. */
HF_PUBLIC void hf_lock_abandon(struct hf_lock *lock);

/* Free the handle in any state.  While the client is open, a held lock is given
 * back and a wait ends, without further news.  NULL does nothing. */
HF_PUBLIC void hf_lock_free(struct hf_lock *lock);

/* ---- To look, and to clear ----------------------------------------------- */

/* What a query asks.  Queries are started and reported like locks. */
enum hf_query_kind {
    HF_LIST,    /* the locks of a space, sorted by the bytes of their names */
    HF_EXAMINE, /* one lock: is its holder alive? */
    HF_CLEAR,   /* delete the record of a dead holder */
    HF_AUDIT,   /* all clears, sorted by the place's clock, oldest first */
    HF_DOCTOR,  /* is the place sound, and this host?  One row for each check */
    HF_SESSIONS, /* of a lock server: all sessions and what each has */
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
 * Start the query.  A list, an audit or sessions that have ended can be started
 * again, for the next page.
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
 * it is forced.  Then it deletes the record at the version that it watched
 * (forced: or at a later one of the same holder), whatever its if_dead, and
 * writes who, when and why into the audit in the same transaction.
 * HF_FIELD_CLEARED tells whether; if not, it showed life, it changed, its fence
 * is another, or there is no such lock: see the view.  It ends as HF_E_UNKNOWN
 * if an answer was lost, so that it may have been this clear or its holder: the
 * audit shows which.
 *
 * An audit reads all entries, and entries are never deleted: use a client that
 * holds no locks.
 *
 * A doctor looks at the place and at this host.  Unless the client looks only,
 * it writes and deletes a record of its own a few times, and tells how long a
 * commit takes; that leaves a tombstone, and disturbs no lock.  A place that
 * does not answer is a row, too.  It may take half a minute, in which nothing
 * beats: use a client that holds no locks.
 *
 * HF_E_INVALID: the options; sessions of a place that is no lock server.
 * HF_E_DENIED: a clear of one who looks only.  HF_E_LIMIT: more than 100,000
 * locks, examines and clears.
 */
HF_PUBLIC HF_MUST_USE enum hf_status hf_query_start(struct hf_query *query,
                                                    struct hf_error *error);

/* HF_STATE_NEW, HF_STATE_WAITING or HF_STATE_ENDED.  Cannot fail. */
HF_PUBLIC enum hf_state hf_query_state(const struct hf_query *query);

/* Block until it has ended, or until `limit` is over, and then return false.  A
 * query that was never started is not waited for.  The caller may make the
 * calls to a table itself, as in hf_lock_wait and at the same cost: they run on
 * its stack, and a disk that hangs keeps it past its limit. */
HF_PUBLIC bool hf_query_wait(struct hf_query *query, struct hf_duration limit);

/*
 * How it ended.  HF_OK: successfully, or not yet.
 *
 * HF_E_UNAVAILABLE, HF_E_DENIED: the place, as for hf_client_open.
 * HF_E_INVALID: the cursor belongs to another listing.  HF_E_CORRUPT: the
 * place, or a record that a clear may not delete without force.
 * HF_E_CANCELLED.  HF_E_UNKNOWN: a clear was cancelled, or its answer was lost.
 * HF_E_LIMIT, HF_E_NOMEM.
 */
HF_PUBLIC enum hf_status hf_query_error(const struct hf_query *query,
                                        struct hf_error *error);

/* What an examine or a clear has seen so far, or saw until it ended.  Owned by
 * the caller; NULL: no memory, or another kind of query. */
HF_PUBLIC struct hf_view *hf_query_view(const struct hf_query *query);

/* The next row of a list, audit, sessions or doctor that has ended, owned by
 * the caller; NULL: the page is over.  A page without rows is the end of the
 * listing. */
HF_PUBLIC struct hf_view *hf_query_next(struct hf_query *query);

/* How far a listing has come, as text for HF_CURSOR; "" at the start.  Opaque;
 * the caller may keep it.  Every listing ends: a cursor never moves back.
 * Valid until the query is started again or freed. */
HF_PUBLIC const char *hf_query_cursor(const struct hf_query *query);

HF_PUBLIC uint64_t hf_query_id(const struct hf_query *query);

/* End the query as cancelled; may be called from a signal handler.  If it does
 * not run, its next start ends at once: so a cancel between two pages is not
 * lost. */
HF_PUBLIC void hf_query_cancel(struct hf_query *query);

/* Free it in any state; NULL does nothing. */
HF_PUBLIC void hf_query_free(struct hf_query *query);

HF_END_DECLS

#endif
