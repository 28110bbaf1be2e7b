#ifndef HF_WIRE_API_LOOK_H
#define HF_WIRE_API_LOOK_H

#include "base/limits.h"
#include "base/text.h"
#include "core/lockspace/look.h"
#include "wire/api_seen.h"

/*
 * What stands in a lock server's table, as JSON for people: docs/api.md.
 *
 *   lock   {"space":"default","name":"a","holders":[…],"waiters":2,
 *           "position":1,"why":"held","queue":[…]}
 *   holder {"session":"…","lane":1,"n":1,"fence":…,"fence_text":"…",
 *           "mode":"exclusive","held_ms":1200,"if_dead":"takeover",
 *           "suspected":false,"silent_ms":300,"heard":true,
 *           "who":"ann@db1","note":"…"}
 *   waiter {"session":"…","lane":1,"n":1,"mode":"shared","waited_ms":10,
 *           "why":"behind","free":false,"who":"…","note":"…"}
 *   session {"session":"…","who":"…","ttl_ms":30000,"if_dead":"takeover",
 *            "silent_ms":300,"heard":true,"suspected":false,"holds":1,
 *            "waits":0,"cleared":0,"by_acquire":true}
 *
 * Allocates nothing; the machine is only looked at.  Rows that do not fit are
 * left out, from the first of them on, so that it is JSON in any case: `text`
 * has room for one of each list, and for what follows them.
 */
enum {
    /* Bytes of the text around the rows and behind them. */
    HF_API_LOOK_REST = 256,

    /* A lock with one row of each list.  A quoted character has two bytes at
     * most. */
    HF_API_LOOK_LOCK_MAX =
        2 * (HF_SPACE_MAX + HF_NAME_MAX +
             2 * (HF_SERVED_WHO_MAX + HF_SERVED_NOTE_MAX + 512)) +
        HF_API_LOOK_REST,
    HF_API_LOOK_SESSION_MAX = 2 * HF_SERVED_WHO_MAX + 512,
};

/* The position in line of the request that asks, from 1, and why it waits. */
struct hf_api_asker {
    uint64_t position;
    enum hf_look_why why;
};

/* Fill in a claim from its row.  Its lock (space, name, waiters) stays
 * empty. */
void hf_api_look_claim(struct hf_lockspace *ls, const struct hf_look_claim *row,
                       struct hf_api_claim *claim);

/* The lock of that row, with at most `rows_max` of each list, and with the
 * place of `asker` in line unless that is NULL. */
void hf_api_look_lock(struct hf_lockspace *ls, const struct hf_look_name *row,
                      size_t rows_max, const struct hf_api_asker *asker,
                      struct hf_text *text);

/* The session of that row. */
void hf_api_look_session(const struct hf_lockspace *ls,
                         const struct hf_look_session *row,
                         struct hf_text *text);

/* The names that a refused request asks for. */
struct hf_api_wanted {
    const struct hf_want *each; /* borrowed */
    size_t count;
    size_t rows_max; /* of each list */
};

/* ,"holders":[…],"queue":[…]: what blocks the request: the holders of the
 * names that are held, and the first in line of the names that are free.  Each
 * row begins with its lock: "space":"default","name":"a","waiters":2. */
void hf_api_look_in_way(struct hf_lockspace *ls,
                        const struct hf_api_wanted *wanted,
                        struct hf_text *text);

/* ,"holder":{…}: the holder with that fence, for an answer that it was not
 * cleared. */
void hf_api_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
                        uint64_t fence, struct hf_text *text);

/* ,"cycle":[{"session":"…","lane":1},…]: the cycle that the last step found. */
void hf_api_look_cycle(const struct hf_lockspace *ls, struct hf_text *text);

#endif
