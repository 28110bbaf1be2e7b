#ifndef HF_BASE_LIMITS_H
#define HF_BASE_LIMITS_H

#include <holdfast/view.h>

/*
 * Every maximum of Holdfast, with its reason.  Those that callers must know
 * (names, spaces) stand in holdfast/view.h.
 */
enum {
    /* A record's value: an etcd request is at most 1.5 MiB, and 128 values of
     * one commit, with room for growth, must fit beside it. */
    HF_VALUE_MAX = 64 * 1024,

    /* Our own values are far smaller: owner, command and reason, escaped. */
    HF_RECORD_TEXT_MAX = 16 * 1024,

    /* The record of a session or of a grant, so that what the audit keeps of a
     * clear, with both and the words of an operator, is a record, too. */
    HF_SERVED_RECORD_MAX = 8 * 1024,
    HF_SERVED_NAMES_MAX = 64,
    HF_SERVED_WHO_MAX = 1024,
    HF_SERVED_NOTE_MAX = 2048,

    /* Operations of one group: a takeover and a clear have two. */
    HF_GROUP_OPERATIONS_MAX = 16,

    /* A path in a place; SQLite's own limit on names is 512 by default. */
    HF_PLACE_MAX = 1024,

    /* Shortest and longest ttl a record may carry.  Below, scheduling noise
     * alone kills holders; above, "dead" would come after a week. */
    HF_TTL_MIN_MS = 500,
    HF_TTL_MAX_MS = 7 * 24 * 3600 * 1000,

    /* The ttl of a session that is given none; and how much longer than its
     * request waits one lives that was opened with it. */
    HF_SESSION_TTL_MS = 30 * 1000,

    /* The ttl of a lock server's leader: so long a node that is not heard of is
     * waited for. */
    HF_LEADER_TTL_MS = 5000,

    /* Locks one client holds or waits for at once: a bound on its memory. */
    HF_CLIENT_LOCKS_MAX = 100 * 1000,
};

#endif
