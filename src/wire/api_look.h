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
    /* What follows the rows, and stands around them. */
    HF_API_LOOK_REST = 256,

    /* A lock with a row of each list: quoted, a character has two bytes at
     * most. */
    HF_API_LOOK_LOCK_MAX =
        2 * (HF_SPACE_MAX + HF_NAME_MAX +
             2 * (HF_SERVED_WHO_MAX + HF_SERVED_NOTE_MAX + 512)) +
        HF_API_LOOK_REST,
    HF_API_LOOK_SESSION_MAX = 2 * HF_SERVED_WHO_MAX + 512,
};

/* Where in line stands who asks, from 1, and why it waits. */
struct hf_api_asker {
    uint64_t position;
    enum hf_look_why why;
};

/* One who holds a lock or waits for it, as a row tells it; which lock that is,
 * is left empty. */
void hf_api_look_claim(struct hf_lockspace *ls, const struct hf_look_claim *row,
                       struct hf_api_claim *claim);

/* The lock of that row, with at most so many of each list; and of who asks,
 * unless that is NULL. */
void hf_api_look_lock(struct hf_lockspace *ls, const struct hf_look_name *row,
                      size_t rows_max, const struct hf_api_asker *asker,
                      struct hf_text *text);

/* The session of that row. */
void hf_api_look_session(const struct hf_lockspace *ls,
                         const struct hf_look_session *row,
                         struct hf_text *text);

/* What a request asks for, which was told no. */
struct hf_api_wanted {
    const struct hf_want *each; /* borrowed */
    size_t count;
    size_t rows_max; /* of each list */
};

/* ,"holders":[…],"queue":[…]: what is in its way.  Of the names that are held
 * their holders, and of those that nobody holds who is first in line.  Each row
 * begins with its lock: "space":"default","name":"a","waiters":2. */
void hf_api_look_in_way(struct hf_lockspace *ls,
                        const struct hf_api_wanted *wanted,
                        struct hf_text *text);

/* ,"holder":{…}: the one of that fence, for who was told that it is spared. */
void hf_api_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
                        uint64_t fence, struct hf_text *text);

/* ,"cycle":[{"session":"…","lane":1},…]: of the step before. */
void hf_api_look_cycle(const struct hf_lockspace *ls, struct hf_text *text);

#endif
