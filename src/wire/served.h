#ifndef HF_WIRE_SERVED_H
#define HF_WIRE_SERVED_H

#include "base/limits.h"
#include "base/text.h"
#include "core/lockspace.h"

/*
 * Served: what a lock server keeps of its sessions and grants, both ways.
 *
 *   lockspace --look--> loaded --row--> journal --row--> loaded --> event
 *
 * A session is kept as it is loaded.  A grant is kept as a row: numbers, a note
 * and its locks, which are a list in JSON:
 *
 *   [{"space":"default","name":"a","mode":"exclusive"}]
 *
 * The audit of a clear (cleared.h) keeps the whole grant as JSON:
 *
 *   {"session":"00f3ab91c07d5e24","lane":1,"n":1,"locks":[...],
 *    "since":1763850690123,"note":"why"}
 *
 * Whoever reads grants joins them with their sessions, for a grant without its
 * session is void [S3].
 *
 * `who` and `note` are texts as names are: no control characters, so that what
 * is kept for people can be shown to people.  Whatever cannot be kept as it is
 * is refused at the door, by hf_served_check, and never altered.
 *
 * Allocates nothing; any thread.  decode(encode(x)) = x.
 */

/* Where the texts and names are that a loaded one points to. */
struct hf_served_memory {
    struct hf_want wants[HF_SERVED_NAMES_MAX]; /* of the last grant */
    char texts[HF_RECORD_TEXT_MAX];
    size_t texts_len; /* 0: all of it may be used (again) */
};

/* No fence is above it, and none is 0. */
#define HF_SERVED_FENCE_MAX (UINT64_C(1) << 62)

/*
 * What a message asks to be kept: can it be written, and be read by the next
 * leader?  To be asked before the machine is given it.  HF_E_INVALID, with a
 * sentence in *error for the client: a name that no lock can have, a text that
 * is not clean or too long, a ttl or a number out of bounds.
 */
HF_MUST_USE enum hf_status hf_served_check(const struct hf_message *message,
                                           struct hf_error *error);

/* A grant as its record has it, with its time for people. */
struct hf_served_grant {
    struct hf_loaded_grant loaded;
    int64_t since_ms; /* Unix time at which it was granted */
};

/*
 * What stands in a machine, by the number of a change, of hf_look_session or of
 * hf_look_fence.  `wall_ms`: Unix time now, for a machine tells for how long a
 * grant is held, and a record since when.
 *
 * The texts are added to *memory, and good as long as they are not taken back
 * there.  They fit, for the machine's limits are such: request_names at most
 * HF_SERVED_NAMES_MAX, record_bytes at most HF_SERVED_RECORD_MAX.
 */
void hf_served_look_session(const struct hf_lockspace *ls, uint32_t number,
                            struct hf_served_memory *memory,
                            struct hf_loaded_session *session);
void hf_served_look_grant(const struct hf_lockspace *ls, uint32_t number,
                          int64_t wall_ms, struct hf_served_memory *memory,
                          struct hf_served_grant *grant);

/* A grant as a row. */
struct hf_served_row {
    struct hf_served_grant grant; /* without its locks */
    struct hf_bytes locks;        /* a list in JSON */
};

/* Write a grant's locks.  HF_SERVED_RECORD_MAX always suffices. */
void hf_served_write_locks(const struct hf_loaded_grant *grant,
                           struct hf_text *out);

/* Write it into buffer (`size` bytes with the NUL) and return its length
 * without the NUL.  HF_SERVED_RECORD_MAX always suffices.  What decode would
 * not let pass is our bug. */
size_t hf_served_encode_grant(const struct hf_served_grant *grant, char *buffer,
                              size_t size);

/*
 * Judge a session, and read a grant from its row or from any bytes.
 * HF_E_CORRUPT, with a clause in *error, unless it is what was written: of JSON
 * those members and no others, each once, in any order; numbers and texts
 * within their bounds; no name of a lock twice.  Nothing is skipped and nothing
 * guessed, for a leader that does not understand one record must not serve.
 *
 * The texts are added to *memory, as above, but for a row's note, which stays
 * where it is; there is room for one record, where texts_len is 0.  All is
 * untouched unless HF_OK.  loaded.age is 0: see hf_served_age.
 */
HF_MUST_USE enum hf_status
hf_served_judge_session(const struct hf_loaded_session *session,
                        struct hf_error *error);
HF_MUST_USE enum hf_status hf_served_read_row(const struct hf_served_row *row,
                                              struct hf_served_memory *memory,
                                              struct hf_served_grant *grant,
                                              struct hf_error *error);
HF_MUST_USE enum hf_status
hf_served_decode_grant(uint64_t fence, struct hf_bytes value,
                       struct hf_served_memory *memory,
                       struct hf_served_grant *grant, struct hf_error *error);

/* For how long, for the machine; 0 if the clock was set back since. */
struct hf_duration hf_served_age(int64_t since_ms, int64_t wall_ms);

#endif
