#ifndef HF_WIRE_SERVED_H
#define HF_WIRE_SERVED_H

#include "base/limits.h"
#include "core/lockspace.h"

/*
 * Served: what a lock server has in its store, as JSON, both ways.
 *
 *   space      name                  value
 *   !sessions  00f3ab91c07d5e24      {"secret":"<hash, 64 digits>",
 *                                     "ttl_ms":30000,"if_dead":"takeover",
 *                                     "who":"ann@db1"}
 *   !grants    0001763850690123456   {"session":"00f3ab91c07d5e24","lane":1,
 *                                     "n":1,"locks":[{"space":"default",
 *                                     "name":"a","mode":"exclusive"}],
 *                                     "since":1763850690123,"note":"why"}
 *
 * A session's name is its id in 16 hexadecimal digits, a grant's its fence in
 * 19 decimal ones: so the order of the names is that of the fences, in which a
 * leader loads them.  Who reads grants joins them with their sessions, for one
 * without is void [S3].
 *
 * The way from a machine to a record, and back, is by what the machine loads:
 *
 *   lockspace --look--> loaded --encode--> record --decode--> loaded --> event
 *
 * `who` and `note` are texts as names are: no control characters, so that what
 * is kept for people can be shown to people.  Whatever cannot be kept as it is
 * is refused at the door, by hf_served_check, and never altered.
 *
 * Allocates nothing; any thread.  decode(encode(x)) = x.
 */

#define HF_SERVED_SESSIONS "!sessions"
#define HF_SERVED_GRANTS   "!grants"

enum {
    HF_SERVED_ID_SIZE = 16 + 1, /* with the NUL */
    HF_SERVED_FENCE_SIZE = 19 + 1,
};

/* Where the texts and names are that a loaded one points to. */
struct hf_served_memory {
    struct hf_want wants[HF_SERVED_NAMES_MAX]; /* of the last grant */
    char texts[HF_RECORD_TEXT_MAX];
    size_t texts_len; /* 0: all of it may be used (again) */
};

/* Above it no store counts, and what comes next would have no room. */
#define HF_SERVED_FENCE_MAX (UINT64_C(1) << 62)

/* The name of a session's record; id is not 0.  And of a grant's; fence is not
 * 0, and at most HF_SERVED_FENCE_MAX. */
void hf_served_id(uint64_t id, char name[HF_SERVED_ID_SIZE]);
void hf_served_fence(uint64_t fence, char name[HF_SERVED_FENCE_SIZE]);

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

/* Write it into buffer (`size` bytes with the NUL) and return its length
 * without the NUL.  HF_SERVED_RECORD_MAX always suffices.  What decode would
 * not let pass is our bug. */
size_t hf_served_encode_session(const struct hf_loaded_session *session,
                                char *buffer, size_t size);
size_t hf_served_encode_grant(const struct hf_served_grant *grant, char *buffer,
                              size_t size);

/*
 * Read any bytes, of a record's name and of its value.  HF_E_CORRUPT, with a
 * clause in *error, unless they are what encode writes: those members and no
 * others, each once, in any order; numbers and texts within their bounds; no
 * name of a lock twice.  Nothing is skipped and nothing guessed, for a leader
 * that does not understand one record must not serve.
 *
 * The texts are added to *memory, as above; there is room for one record, where
 * texts_len is 0.  Both are untouched unless HF_OK.
 */
HF_MUST_USE enum hf_status
hf_served_decode_session(struct hf_bytes name, struct hf_bytes value,
                         struct hf_served_memory *memory,
                         struct hf_loaded_session *session,
                         struct hf_error *error);
HF_MUST_USE enum hf_status hf_served_decode_grant(
    struct hf_bytes name, struct hf_bytes value,
    struct hf_served_memory *memory, struct hf_served_grant *grant,
    struct hf_error *error); /* loaded.age is 0: see hf_served_age */

/* For how long, for the machine; 0 if the clock was set back since. */
struct hf_duration hf_served_age(int64_t since_ms, int64_t wall_ms);

#endif
