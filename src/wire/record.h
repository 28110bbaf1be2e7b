#ifndef HF_WIRE_RECORD_H
#define HF_WIRE_RECORD_H

#include <stddef.h>

#include "base/process.h"
#include "core/op.h"
#include "wire/describe.h"
#include "wire/fields.h"

/*
 * A lock's record as JSON, both ways (DESIGN section 4):
 *
 *   {"lock":"<id>_<beat>","if_dead":"refuse","ttl_ms":60000,"beat_ms":2000,
 *    "owner":{"host":"db1","user":"ann","command":"./migrate","since":…,
 *             "boot":"…","pidns":4026531836,"processes":[[812,99120],…]},
 *    "reason":"release 7"}
 *
 * Allocates nothing; any thread.  decode(encode(x)) = x.
 */

/* Who claims, as far as people and waiters on the same host need to know. */
struct hf_owner {
    char host[HF_HOST_MAX + 1];
    char user[HF_USER_MAX + 1];
    char command[HF_COMMAND_MAX + 1];
    char reason[HF_REASON_MAX + 1]; /* "" when none was given */
    int64_t since_ms;               /* Unix time, the claimant's wall clock */
    char boot[HF_BOOT_MAX + 1];     /* boot id (a UUID), or "" if unknown */
    uint64_t pidns;                 /* inode of the pid namespace; 0: unknown */
    struct hf_process processes[HF_PROCESSES_MAX];
    size_t processes_count;
};

struct hf_value {
    struct hf_heartbeat heartbeat;
    struct hf_terms terms;
    struct hf_owner owner;
};

/*
 * Write it into buffer (`size` bytes with the NUL) and return its length
 * without the NUL.  HF_RECORD_TEXT_MAX always suffices: strings are cut at
 * their limits, and what is no clean UTF-8 in them is written as U+FFFD.
 * Heartbeat and terms must be such as decode lets pass (else it is our bug);
 * of the owner, what decode would not let pass is written as unknown.
 */
size_t hf_record_encode(const struct hf_value *value, char *buffer,
                        size_t size);

/*
 * Read any bytes.  HF_E_CORRUPT, with a clause in *error that says what is
 * wrong, unless they are one JSON object (RFC 8259, strictly: UTF-8, one value,
 * no stray commas; at most HF_RECORD_TEXT_MAX bytes, of which none is read
 * when there are more) with a well-formed "lock", "if_dead", "ttl_ms" within
 * HF_TTL_MIN_MS..HF_TTL_MAX_MS and "beat_ms" (1..ttl_ms).  A member given
 * twice is none; numbers are plain integers.
 *
 * Members it does not know are skipped; an owner, or a part of it, that is
 * missing or malformed is left empty: it is for people, and never evidence.
 * So is the whole list of processes when one entry is malformed or there are
 * more than HF_PROCESSES_MAX: the end of some of them must never be taken for
 * the end of all.  Strings come out clean and within their limits.
 * *value is untouched unless HF_OK.
 */
HF_MUST_USE enum hf_status hf_record_decode(const char *bytes, size_t len,
                                            struct hf_value *value,
                                            struct hf_error *error);

/*
 * For an object that has these members among its own (head.h): the table, of
 * struct hf_value; what is to be done before it is written; and what is to be
 * judged after it was read.
 */
extern const struct hf_fields hf_record_fields;
void hf_record_make_sound(struct hf_value *value);
HF_MUST_USE enum hf_status hf_record_judge(struct hf_value *value,
                                           struct hf_error *error);

/* What a read tells of a record beside its value. */
struct hf_record_meta {
    const char *space;
    const char *name; /* `name_len` bytes, of which any may be NUL */
    size_t name_len;
    bool exists;
    bool corrupt;
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
};

/* From a record as stored to a record as described (describe.h).  `value` is
 * read only if the record exists and is not corrupt.  Strings become safe to
 * print.  Cannot fail. */
void hf_record_describe(const struct hf_record_meta *meta,
                        const struct hf_value *value,
                        struct hf_description *description);

/*
 * An entry of the audit as JSON, both ways: who cleared which version of which
 * holder, when (Unix ms) and why.  Sizes as hf_record_encode; stamp_ms is the
 * store's to tell, and is not written.
 *
 *   {"space":…,"name":…,"version":…,"fence":…,"force":false,
 *    "by":{"host":…,"user":…,"command":…,"since":…},"reason":…,
 *    "cleared":{"lock":…,"if_dead":…,"ttl_ms":…,"beat_ms":…,"stamp":…,
 *               "owner":{"host":…,"user":…,"command":…,"since":…},
 *               "reason":…}}
 *
 * "cleared" is null when the record was corrupt.
 */
size_t hf_audit_encode(const struct hf_audit_entry *entry, char *buffer,
                       size_t size);

/*
 * Read any bytes.  HF_E_CORRUPT, with a clause in *error, unless they are such
 * an object, as hf_record_decode says, with "space", "name", "version",
 * "fence", "by" and "cleared", each well-formed.  What is missing of a person
 * is left empty.  *entry is untouched unless HF_OK; its stamp_ms is then 0.
 */
HF_MUST_USE enum hf_status hf_audit_decode(const char *bytes, size_t len,
                                           struct hf_audit_entry *entry,
                                           struct hf_error *error);

#endif
