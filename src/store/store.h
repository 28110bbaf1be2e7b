#ifndef HF_STORE_STORE_H
#define HF_STORE_STORE_H

#include "store/methods.h"

/*
 * The store contract.  A store keeps records: a key (space, name), a version,
 * a token, a stamp (the store's wall clock, Unix ms, for people) and a value.
 * A deleted record leaves a tombstone: hidden, but it keeps its version.
 *
 * Versions.  A key's version is greater than every version the key ever had:
 * the wall clock in µs when it was written, or one more than the version
 * before, whichever is greater.  So what was deleted or restored from a backup
 * repeats none either, as long as the clock is right; a clock before 2025 or
 * beyond 2^52 µs (2112) makes every write, and the making of a new place,
 * *unavailable*.
 * Where a key has neither record nor tombstone, the version to expect is the
 * store's *floor*; an operation that expects a version there applies only at
 * exactly the floor.  Purging tombstones raises the floor above every version
 * purged.  So nothing is ever expected absent twice at one version, and a
 * write that arrives late applies to nothing.  A new store's floor is the wall
 * clock in µs.
 *
 * Memory: a store belongs to the caller until closed.  Keys and values given
 * to a call are borrowed for that call.
 * Threads: calls block; at most limits.max_calls at a time on one store, from
 * any threads.
 * Processes: any number of stores may be open on one place.  A forked child
 * uses none of its parent's, and closes none: to a server it would say goodbye
 * for its parent.
 *
 * Every store passes the one suite in test/conformance.
 */

/*
 * Open the store that `place` (holdfast.h) names, to lock.  HF_E_INVALID,
 * HF_E_UNAVAILABLE, HF_E_DENIED, HF_E_CORRUPT, HF_E_LIMIT, HF_E_NOMEM, as
 * hf_client_open says.
 *
 * A place behind a server (limits.comes_back) is opened also where it does not
 * answer for a reason that may pass by itself: there is no connection, or no
 * more of them, or no such host now; the server starts or stops; it is silent,
 * for about a second; what came was another's answer.  Then the calls tell,
 * each in its own time, and hf_store_away does.  What will not pass is an error
 * at once: a wrong password or certificate, no right, no such database, another
 * kind of server or too old a one, a standby alone, a schema that is not ours.
 * To look is to be told soon: a silence is waited for longer, up to 10 s, as no
 * later call may come.
 */
HF_MUST_USE enum hf_status hf_store_open(const char *place,
                                         const struct hf_alloc *alloc,
                                         struct hf_store **store,
                                         struct hf_error *error);

/* The same, of a place that was read already; for `use`. */
HF_MUST_USE enum hf_status hf_store_open_at(const struct hf_place *place,
                                            enum hf_store_use use,
                                            const struct hf_alloc *alloc,
                                            struct hf_store **store,
                                            struct hf_error *error);

/* Why did it not answer when it was opened?  HF_OK: it did. */
enum hf_status hf_store_away(const struct hf_store *store,
                             struct hf_error *error);

/* hf_store_close(NULL) does nothing.  Cannot fail. */
void hf_store_close(struct hf_store *store);

/*
 * How often the store has found that what it had open was no longer the place
 * of that name, for somebody removed or replaced it: 0 at first, and grows
 * within calls only, by one each time.  Any thread, beside calls.
 *
 * The call that notices answers *unavailable* to every read and group, with
 * the cause; a group that had been written by then is HF_UNKNOWN.  The next
 * call opens the place anew, as hf_store_open does, and may fail as that does.
 * What was answered under an earlier generation may not be in the place any
 * more: the place "went back".  A place behind a server is found to be another
 * by what it answers: so the call that notices tells what is true in the new
 * place.  Of several calls at a time, one may be answered by the former place,
 * and return after another has noticed.
 */
uint64_t hf_store_generation(const struct hf_store *store);

/* The same from the first call to the last.  Any thread. */
struct hf_store_limits hf_store_limits(const struct hf_store *store);

/* What a group counts towards max_bytes. */
size_t hf_store_group_bytes(const struct hf_store_group *group);

/*
 * Read several keys, in one round trip and, where the store can, as they all
 * were at one instant (memory and SQLite can).  A key may stand there twice.
 *
 * Linearizable: shows every commit that was answered before the call began.
 * HF_E_UNAVAILABLE (also when `until` passes), HF_E_CORRUPT (the file); where
 * the place is opened anew, what hf_store_open says, too.  On any status but
 * HF_OK the caller believes nothing of what it was shown.
 */
HF_MUST_USE enum hf_status
hf_store_get(struct hf_store *store, const struct hf_key *keys,
             size_t keys_count, struct hf_instant until,
             hf_store_found_fn *found, void *ctx, struct hf_error *error);

/* Each record of the space whose name begins with prefix, in the order of the
 * names' bytes, tombstones hidden.  Errors as hf_store_get. */
HF_MUST_USE enum hf_status hf_store_scan(struct hf_store *store,
                                         const struct hf_store_scan *scan,
                                         struct hf_instant until,
                                         hf_store_row_fn *row, void *ctx,
                                         struct hf_error *error);

/*
 * Is it nobody's to serve?  HF_E_UNAVAILABLE: a lock server leads on it, and
 * *error names the server and what to do.  Other errors as hf_store_get.  HF_OK
 * also where it does not answer for what may pass: so says hf_store_away, and
 * hf_store_commit will tell.  By who opened it, before all other calls.
 */
HF_MUST_USE enum hf_status hf_store_unserved(struct hf_store *store,
                                             struct hf_instant until,
                                             struct hf_error *error);

/*
 * Apply each group, all or none, independent of the others: a refused group
 * never rolls back another.  Where the store can, all applied groups share one
 * durable transaction.  A key stands at most once in a commit, which is within
 * the store's limits.  Every group gets its verdict; an applied one is durable
 * when the call returns.  Gives up at `until`: what was surely not done is
 * HF_UNAVAILABLE, what may have been done is HF_UNKNOWN.  *error (may be NULL)
 * tells why, when a verdict is one of these two.
 *
 * A group that begins a generation in a space of users, which is a claim of a
 * table lock, is HF_UNAVAILABLE while a lock server leads on the store: while
 * its head (wire/head.h) has an address.  That is looked at in the same
 * transaction.  So a server that has written its head and then finds no lock
 * (hf_journal_secure) has none beside it until it takes the address out.
 */
void hf_store_commit(struct hf_store *store, struct hf_store_group *groups,
                     size_t groups_count, struct hf_instant until,
                     struct hf_error *error);

/*
 * Return when the version of a watched key is no longer the one given, at
 * `until`, or when `wake_fd` (or -1) is readable.  Sets `changed` of each
 * watch: of all keys that it saw changed, and perhaps of one too many.  It may
 * return early, with none named, and does when the generation grows.  Also
 * notices what this very store committed before the call, unless it is told
 * that the key stood.  With no watches it waits for `until` and wake_fd alone.
 *
 * Where hf_store_is_woken, a change is seen within milliseconds.  But how often
 * a process looks is bounded by the kind of store, whatever others commit: one
 * that was kept looking sees a change up to a tenth of a second late.  In
 * PostgreSQL only a delete is seen so soon, and others within a second.
 */
void hf_store_wait(struct hf_store *store, struct hf_store_watch *watches,
                   size_t watches_count, struct hf_instant until, int wake_fd);

/*
 * Is a waiter of this store woken by commits of others, as far as can be told
 * by `until`?  If not it looks of itself: every 50 ms in a file, every 250 ms
 * in PostgreSQL, where that is known once a waiter has tried.  A call like the
 * others, for people.
 */
bool hf_store_is_woken(struct hf_store *store, struct hf_instant until);

/* Close connections that nobody has used for a minute: as a call does, for who
 * makes none.  Returns when to do so again: HF_NEVER, perhaps before the next
 * call ends.  Brief; any thread, beside calls. */
struct hf_instant hf_store_close_idle(struct hf_store *store);

/* How often this store has looked for commits of others since it was opened.
 * From any thread, beside a call; for people. */
uint64_t hf_store_looks(const struct hf_store *store);

/*
 * Remove tombstones, and reclaim markers (space !RECLAIM), whose stamp is
 * older than `age`, at most `limit`, and raise the floor above their versions,
 * in one transaction.  *purged tells how many.  Errors as hf_store_get.
 */
HF_MUST_USE enum hf_status
hf_store_purge(struct hf_store *store, struct hf_duration age, size_t limit,
               struct hf_instant until, size_t *purged, struct hf_error *error);

/*
 * Does a call wait, at `now`, for another process that keeps the place locked?
 * From any thread, beside a call; for people, for it may lag a little behind.
 */
bool hf_store_is_locked(const struct hf_store *store, struct hf_instant now);

/*
 * Is the place sound, as far as only this kind of store can tell?  For people.
 * Each check once, in this order:
 *
 *   schema      which version the place has, and whether it is ours
 *   rights      may this process write it, and all that belongs to it
 *   durability  what an applied group survives
 *   clock       this machine's, against the newest version in the place
 *   leftovers   what a purge may remove: how much, how old
 *   wakeup      as hf_store_is_woken says, and why not
 *
 * Reads only, whatever the store was opened for, and gives up at `until`.
 * Cannot fail: what cannot be looked at is a checkup, too.  Of a place that
 * does not answer, or is not there yet, only the checks are told that can be
 * made, with the cause in the first.
 */
void hf_store_inspect(struct hf_store *store, struct hf_instant until,
                      hf_store_checkup_fn *tell, void *ctx);

/* A call ended with `error`: say so in `checkup`, and what to do about it.
 * Cannot fail. */
void hf_store_blame(const struct hf_store *store, const struct hf_error *error,
                    struct hf_checkup *checkup);

/* Say which places of the same kind others use on this host, whose locks keep
 * nobody out here.  Opens nothing; cannot fail. */
void hf_store_neighbours(const struct hf_store *store,
                         struct hf_checkup *checkup);

#endif
