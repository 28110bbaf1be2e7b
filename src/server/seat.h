#ifndef HF_SERVER_SEAT_H
#define HF_SERVER_SEAT_H

#include "base/self.h"
#include "core/node.h"
#include "journal/scribe.h"
#include "server/histogram.h"

/*
 * Seat: one node of a lock server, at its journal.
 *
 * It runs the node of core: gives what that asks for to the scribe, in the
 * journal's words, and brings the answers back; feeds it what is to be loaded;
 * looks whether the processes of the present leader are there.  What is left
 * for its owner is what concerns clients: messages go in, answers come out, and
 * when each may be written.
 *
 *     step (a message, the end of a stream, time, stop)
 *     wake (the scribe has told something)
 *        then:  while (hf_seat_next(seat, &effect)) ...
 *
 * One thread.
 */

struct hf_seat;

struct hf_seat_config {
    struct hf_scribe_config scribe;
    struct hf_node_config node; /* its budget is set by the journal's limits */
    const struct hf_self *self; /* borrowed: who leads, and the evidence */
    const char *name;           /* borrowed: of the node */
    const char *address;        /* borrowed: where clients find it */
    bool forgot;   /* somebody says so: until the first write is applied */
    bool no_grace; /* of a place in memory: nobody holds anything there */
    /* A page of the audit that was asked for, within a wake. */
    void (*audited)(void *ctx, const struct hf_scribe_told *told);
    void *ctx;
};

/* Open the store, and seek to lead.  Errors as hf_scribe_open. */
HF_MUST_USE enum hf_status hf_seat_open(const struct hf_seat_config *config,
                                        struct hf_seat **seat,
                                        struct hf_error *error);

/* Leave at once; who wants to leave well stops first (HF_NODE_STOP), until
 * HF_NODE_STOPPED.  NULL does nothing.  Waits for a call to the store. */
void hf_seat_close(struct hf_seat *seat);

/* Apply one event of a client's, of the clock, or STOP; its instant is set
 * here.  Drain hf_seat_next before the next call. */
void hf_seat_step(struct hf_seat *seat, const struct hf_node_event *event);

/* Take in what the scribe has told; false: nothing.  Drain likewise, and call
 * again. */
bool hf_seat_wake(struct hf_seat *seat);

/* The oldest effect that concerns clients: ANSWER, DUE, REFUSE, DISCARD, RESTS,
 * STOPPED, or LOAD, which says that this node leads.  False: there is none. */
bool hf_seat_next(struct hf_seat *seat, struct hf_node_effect *effect);

/* When to wake, and step with HF_NODE_CLOCK, or HF_NEVER. */
struct hf_instant hf_seat_deadline(const struct hf_seat *seat);

/* Read a page of the audit; one at a time: see struct hf_journal_page. */
void hf_seat_audit(struct hf_seat *seat, const char *prefix, const char *after,
                   size_t limit);

/* What to poll for, to wake when the leader's processes end: at most
 * HF_PROCESSES_MAX, others whenever hf_seat_observations has grown; and what to
 * call then, as a step. */
size_t hf_seat_poll_fds(const struct hf_seat *seat, struct pollfd *fds);
uint64_t hf_seat_observations(const struct hf_seat *seat);
void hf_seat_look(struct hf_seat *seat);

/* ---- For people ---------------------------------------------------------- */

/* The node, to be looked at. */
const struct hf_node *hf_seat_node(const struct hf_seat *seat);

/* Its table, to be looked at while it serves; NULL: it does not. */
struct hf_lockspace *hf_seat_table(struct hf_seat *seat);

/* What it did, ever. */
struct hf_seat_counts {
    uint64_t terms;             /* that it led */
    uint64_t batches;           /* that the store has applied */
    struct hf_histogram writes; /* of the head, with a batch or without */
};
const struct hf_seat_counts *hf_seat_counts(const struct hf_seat *seat);

/* Where the leader is, as the head said last; "": nobody leads, or we do. */
const char *hf_seat_leader(const struct hf_seat *seat);

/* Where this node is. */
const char *hf_seat_address(const struct hf_seat *seat);

/* Who led before this node did, or "": nobody, or it has left well. */
const char *hf_seat_before(const struct hf_seat *seat);

/* The id of the service, as far as it is known: to who serves, or has read the
 * head within the leader's ttl; 0. */
uint64_t hf_seat_service(const struct hf_seat *seat);

/* For how long nothing is granted, and why: a clause [L6]. */
struct hf_duration hf_seat_grace(const struct hf_seat *seat);
const char *hf_seat_cause(const struct hf_seat *seat);

/* Of its journal, after its last write. */
struct hf_journal_log hf_seat_log(const struct hf_seat *seat);

/* What is wrong with the store: why what it has could not be served, or what
 * its last answer said.  HF_OK: nothing. */
enum hf_status hf_seat_trouble(const struct hf_seat *seat,
                               struct hf_error *error);

#endif
