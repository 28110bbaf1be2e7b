#ifndef HOLDFAST_DESCRIBE_H
#define HOLDFAST_DESCRIBE_H

#include <holdfast/words.h>

/*
 * What is known of a lock and of its holder, as values, and as JSON.
 *
 * Every string is UTF-8, ends with NUL and is cut at its limit; what other
 * programs wrote is shown with U+FFFD for control characters and for those
 * that are not seen, so that it is safe to print on a terminal.  Plain values,
 * no ownership: copy with `=`.
 */

HF_BEGIN_DECLS

enum {
    HF_SPACE_MAX = 128, /* bytes of a space, without the NUL */
    HF_NAME_MAX = 512,  /* bytes of a lock's name, without the NUL */
    HF_HOST_MAX = 255,  /* bytes, as all below */
    HF_USER_MAX = 63,
    HF_COMMAND_MAX = 1023, /* a longer command is cut */
    HF_REASON_MAX = 511,
    HF_PROCESSES_MAX = 8,
};

/* One lock's record, as read from the place. */
struct hf_description {
    bool exists;
    bool corrupt;      /* not ours; only the strings space and name, and
                          fence, version, stamp_ms are set */
    bool foreign_name; /* no lock can have this name: `name` is what can be
                          shown of it, and no call takes it; also corrupt */
    char space[HF_SPACE_MAX + 1];
    char name[HF_NAME_MAX + 1];
    uint64_t fence;   /* of the holder's grant: the record's token */
    uint64_t version; /* changes with every beat */
    uint64_t id;      /* of the claim: <id>_<beat> */
    uint64_t beat;    /* heartbeats counted from 0 */
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    struct hf_duration beat_every;
    int64_t since_ms; /* holder's wall clock, Unix time: it claimed */
    int64_t stamp_ms; /* place's wall clock, Unix time: last beat */
    char host[HF_HOST_MAX + 1];
    char user[HF_USER_MAX + 1];
    char command[HF_COMMAND_MAX + 1];
    char reason[HF_REASON_MAX + 1];
    int64_t processes[HF_PROCESSES_MAX]; /* pids, on `host` */
    size_t processes_count;
};

/* One lock that was cleared by hand, as it was written down when it was. */
struct hf_audit_entry {
    bool corrupt;     /* not ours; only stamp_ms is set, and cleared.name to
                         what can be shown of the entry's own name */
    int64_t stamp_ms; /* place's wall clock, Unix time: it was cleared */
    int64_t asked_ms; /* wall clock of who cleared it, shortly before */
    bool forced;      /* without a look for a sign of life */
    char host[HF_HOST_MAX + 1]; /* who cleared it, by what command, and why */
    char user[HF_USER_MAX + 1];
    char command[HF_COMMAND_MAX + 1];
    char reason[HF_REASON_MAX + 1];
    struct hf_description cleared; /* the record that was deleted, but for its
                                      processes; corrupt: it was not ours */
};

/* name, word for people and for JSON */
#define HF_LIFE_TABLE(X)                                                       \
    X(HF_LIFE_UNKNOWN, "unknown")                                              \
    X(HF_LIFE_BEATING, "beating")                                              \
    X(HF_LIFE_RUNNING, "running")                                              \
    X(HF_LIFE_SUSPECTED, "suspected dead")                                     \
    X(HF_LIFE_GONE, "gone")

/*
 * What is known of the holder's life.
 *
 * HF_LIFE_UNKNOWN: nothing seen yet, either way.
 * HF_LIFE_BEATING: its record changed while it was watched.
 * HF_LIFE_RUNNING: no beat was seen, but a process of it is there.
 * HF_LIFE_SUSPECTED: unchanged for its ttl; a process of it may still be there
 *                    (see `running`).
 * HF_LIFE_GONE: every process it listed is gone from this host.
 */
enum hf_life {
#define HF_LIFE_ENUM(name, word) name,
    HF_LIFE_TABLE(HF_LIFE_ENUM)
#undef HF_LIFE_ENUM
};

struct hf_diagnosis {
    struct hf_description record;
    enum hf_life life;
    bool here;      /* its processes are of this boot, host and pid namespace */
    bool running;   /* here, and at least one of them is there */
    bool same_boot; /* its processes are of this boot and host, though they may
                       be in another pid namespace */
    struct hf_duration unchanged; /* how long this version stood unchanged,
                                     on our clock */
    struct hf_duration watched;   /* how long we have been looking */
    struct hf_error error;        /* why the place has not answered our last
                                     question, or why `record` is corrupt;
                                     HF_OK: neither */
};

/* "suspected dead"; a static string.  Cannot fail. */
HF_PUBLIC const char *hf_life_word(enum hf_life life);

/*
 * Write as one JSON object, in UTF-8, into buffer: at most `size` bytes with
 * the final NUL.  Return the length of the whole text without the NUL; if that
 * is not below `size`, the text was cut and must not be used.  20 KiB always
 * suffice.  Cannot fail.
 *
 * A description:
 *
 *   {"space":"default","name":"migrate","exists":true,"corrupt":false,
 *    "fence":17,"version":19,"stamp_ms":1700000000000,"lock":"<id>_<beat>",
 *    "if_dead":"refuse","ttl_ms":60000,"beat_ms":2000,
 *    "since_ms":1700000000000,"owner":{"host":"db1","user":"ann",
 *    "command":"./migrate","processes":[812]},"reason":""}
 *
 * It ends after "exists" when that is false, and after "stamp_ms" when
 * "corrupt" is true.  A foreign name is followed by "foreign_name":true.  A
 * diagnosis:
 *
 *   {"record":{…},"life":"suspected dead","here":true,"running":false,
 *    "unchanged_ms":60000,"watched_ms":61000,"error":null}
 *
 * "error" is a string when the place does not answer, or the record is
 * corrupt.
 *
 * An entry of the audit; what was "cleared" is a description.  One that is not
 * ours has "stamp_ms", "corrupt":true, and its own name as "entry".
 *
 *   {"stamp_ms":1700000000000,"corrupt":false,"forced":false,
 *    "by":{"host":"db2","user":"bob","command":"holdfast clear …"},
 *    "reason":"db1 lost power","cleared":{…}}
 */
HF_PUBLIC size_t hf_description_json(const struct hf_description *description,
                                     char *buffer, size_t size);
HF_PUBLIC size_t hf_diagnosis_json(const struct hf_diagnosis *diagnosis,
                                   char *buffer, size_t size);
HF_PUBLIC size_t hf_audit_entry_json(const struct hf_audit_entry *entry,
                                     char *buffer, size_t size);

/*
 * Write `text` (UTF-8 or not, NUL-terminated) as a JSON string with quotes;
 * sizes and return value as above.  For programs that print JSON around ours.
 */
HF_PUBLIC size_t hf_json_string(const char *text, char *buffer, size_t size);

HF_END_DECLS

#endif
