#ifndef HF_WIRE_CLEARED_H
#define HF_WIRE_CLEARED_H

#include "wire/name.h"
#include "wire/record.h"
#include "wire/served.h"

/*
 * Cleared: what a lock server's audit keeps of a grant that a person cleared
 * [S6], as JSON, both ways.  It is of the shape that a table's audit has
 * (record.h): "cleared" is the grant's record as it was deleted, and "holder"
 * what its session's says but for the secret.
 *
 *   {"space":…,"name":…,"fence":…,"force":…,"gone":true,
 *    "by":{"host":…,"user":…,"command":…,"since":…},"reason":…,
 *    "cleared":{"session":…,"lane":…,"n":…,"locks":[…],"since":…,"note":…},
 *    "holder":{"ttl_ms":…,"if_dead":…,"who":…,"silent_ms":…}}
 *
 * It is written when the clear is asked for, while all of it is there to be
 * looked at, and the machine keeps it until a batch has taken it.  Its record
 * is in the space !audit, under hf_name_companion of the lock and the fence.
 *
 * Allocates nothing; any thread.
 */

struct hf_cleared {
    char space[HF_SPACE_MAX + 1]; /* of the lock that was named */
    char name[HF_NAME_MAX + 1];
    struct hf_owner by; /* without its processes */
    bool forced;        /* they did not look for a sign of life */
    bool gone; /* they saw that its processes are; if not, it is not written */
    int64_t
        silent_ms; /* the holder was not heard for so long; -1: not since the
                           node leads */
    struct hf_served_grant grant;
    struct hf_loaded_session session; /* without its secret */
};

/* The grant of that fence and its session, as they stand in the machine; false:
 * there is none, or cleared->space and ->name, which the caller has set, are no
 * lock of it.  Texts and `wall_ms` as hf_served_look_grant says. */
bool hf_cleared_look(struct hf_lockspace *ls, uint64_t fence, int64_t wall_ms,
                     struct hf_served_memory *memory,
                     struct hf_cleared *cleared);

/*
 * Write it into buffer (`size` bytes with the NUL) and return its length
 * without the NUL.  HF_RECORD_TEXT_MAX always suffices: of who clears it,
 * strings are cut at their limits, and what is not clean in them is written as
 * U+FFFD.  What else decode would not let pass is our bug.
 */
size_t hf_cleared_encode(const struct hf_cleared *cleared, char *buffer,
                         size_t size);

/* Read any bytes, as hf_served_decode_grant does; HF_E_CORRUPT as there. */
HF_MUST_USE enum hf_status hf_cleared_decode(struct hf_bytes value,
                                             struct hf_served_memory *memory,
                                             struct hf_cleared *cleared,
                                             struct hf_error *error);

/*
 * An entry of an audit that a table's clear (record.h) or a lock server's has
 * written: a file that was used as both has both in one audit.  Its stamp_ms is
 * when the clear was asked for; a caller that knows the store's time sets that.
 * False: it is neither, and *entry is untouched.
 */
bool hf_cleared_read_entry(struct hf_bytes record,
                           struct hf_audit_entry *entry);

#endif
