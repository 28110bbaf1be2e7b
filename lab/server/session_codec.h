#ifndef LAB_SERVER_SESSION_CODEC_H
#define LAB_SERVER_SESSION_CODEC_H

#include "core/session.h"
#include "lab/codec.h"
#include "lab/server/numbers.h"

/*
 * A whole session as bytes, the same for sessions that behave the same, and a
 * session made from them again.
 *
 * It is drained: nothing is untold, and no stream is to be closed.  It has
 * three wishes at most and three nodes, its secret is all zero, and what the
 * world chooses is small: ids of wishes and of the session, labels.  An id of a
 * wish may be used again once its end was told.
 *
 * Wishes stand in the order of their ids: what is done with all of them when a
 * session ends or is gone is done in that order, and the world that gives ids
 * in another order tries another.  Orders that were made by events (who waits,
 * is ready, has sent, is granted, is due first) are kept.
 *
 * Left out: how often it was random, which begins anew at every state, so that
 * its pauses are always the same; for how long a wish has waited, beyond
 * SESSION_CODEC_WAITED ticks; what a deadline would tell of a blocker, where
 * there is none; whatever is not looked at again.
 */

enum {
    SESSION_CODEC_WISHES = 3,
    SESSION_CODEC_NODES = 3,
    SESSION_CODEC_WAITED = 8,
    SESSION_CODEC_SEEN = 20, /* ticks: then a holder was not seen lately */
    SESSION_CODEC_SIZE = 148,
};

/* For a config: with it the first four pauses of every state are whole ticks.
 * So should all its times be, and a sixth of its right, if that is longer than
 * the beat. */
#define SESSION_CODEC_SEED UINT64_C(306845516)

/* Numbers of a session that only grow: its world ranks them together with those
 * that it has of the same sort, wherever they stand. */
struct session_numbers {
    struct numbers *terms;
    struct numbers *streams; /* with the last one, whether or not it is out */
    struct numbers *fences;
    struct numbers *lanes; /* their own numbers; NULL: they stay as they are */
    struct numbers *n;     /* of requests */
    struct numbers *a;     /* of attempts */
};

/* Adds all that still matter.  From now on it may only be written. */
void session_numbers(struct hf_session *s, const struct session_numbers *of);

/* SESSION_CODEC_SIZE bytes of it as it stands at that instant, of which it may
 * not have been told.  Each number in it is below 256. */
void session_write(const struct hf_session *s, struct hf_instant now,
                   uint8_t *bytes);

/* The machine again, at CODEC_NOW, in a block of hf_session_size bytes, aligned
 * for any object, of any content. */
struct hf_session *session_read(const struct hf_session_config *config,
                                const uint8_t *bytes, void *block);

#endif
