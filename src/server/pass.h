#ifndef HF_SERVER_PASS_H
#define HF_SERVER_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"

/*
 * Pass: until when has all been read that has arrived?  Sessions end by that
 * instant, and not by the present [S2]: silence for a ttl ends a session.
 *
 *   begin --> the kernel tells what is there --> it is read, in turns --> over
 *
 * All that arrived before a pass began is in it: from the connections that the
 * kernel named as readable when it was first asked, and from those that waited
 * to be accepted.  Later bytes are not, and the pass reads a bounded amount of
 * each connection: so it ends, however much is sent.
 *
 * One thread.
 */

struct hf_pass {
    struct hf_instant read_until; /* the begin of the last that is over */
    struct hf_instant began;
    bool asks;        /* the kernel has not answered yet */
    unsigned accepts; /* that may have waited when it began */
    size_t owed;      /* connections that are to be read */
};

/* Right before the kernel is asked what is readable; at most `accepts` wait to
 * be accepted.  Nothing is done while a pass is not over. */
void hf_pass_begin(struct hf_pass *pass, struct hf_instant now,
                   unsigned accepts);

/* The kernel has named a connection, whose own count of pieces this is: 0 at
 * first. */
void hf_pass_named(struct hf_pass *pass, unsigned *pieces);

/* One was accepted, or turned away: NULL; and no other waits, or none will be
 * accepted. */
void hf_pass_accepted(struct hf_pass *pass, unsigned *pieces);
void hf_pass_accepted_all(struct hf_pass *pass);

/* A piece of a connection was read, and there may be more; true: read on in
 * this pass. */
bool hf_pass_read(struct hf_pass *pass, unsigned *pieces, bool more);

/* It is not read any more. */
void hf_pass_gone(struct hf_pass *pass, unsigned *pieces);

/* At the end of each turn: is it over? */
void hf_pass_turn(struct hf_pass *pass);

#endif
