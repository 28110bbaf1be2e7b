#ifndef HF_WIRE_DESCRIBE_H
#define HF_WIRE_DESCRIBE_H

#include <holdfast/view.h>

/*
 * What is known of a lock and of its holder, as values: what stands behind a
 * view (holdfast/view.h).
 *
 * Below each struct stands the table of its fields: for each the member, how it
 * is read and, of a record, what must be known of that.  client/view.c makes
 * the getters and the JSON of it.
 *
 * Every string is UTF-8, ends with NUL, is cut at its limit and safe to print.
 * Plain values, no ownership: copy with `=`.
 */

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
    bool served; /* by a lock server: what follows is known, and there is
                          no beat that was counted */
    enum hf_mode mode;
    uint64_t session;          /* whose it is */
    uint64_t waiters;          /* how many are in line for it */
    uint64_t position;         /* in line, of who waits, from 1; 0: it holds */
    struct hf_duration waited; /* ... for so long */
    struct hf_duration parked; /* ... or its place is kept for so long */
    const char *why;           /* ... why it waits; a static word, or NULL */
    /* Of what nobody holds: user, host, parked and why are those of the first
     * in line, if there is one. */
};

#define HF_DESCRIPTION_TABLE(X)                                                \
    X(HF_FIELD_SPACE, TEXT, space, ALWAYS)                                     \
    X(HF_FIELD_NAME, TEXT, name, ALWAYS)                                       \
    X(HF_FIELD_EXISTS, FLAG, exists, ALWAYS)                                   \
    X(HF_FIELD_CORRUPT, FLAG, corrupt, ALWAYS)                                 \
    X(HF_FIELD_FOREIGN, FLAG, foreign_name, ALWAYS)                            \
    X(HF_FIELD_FENCE, NUMBER, fence, THERE)                                    \
    X(HF_FIELD_VERSION, NUMBER, version, THERE)                                \
    X(HF_FIELD_STAMP_MS, NUMBER, stamp_ms, THERE)                              \
    X(HF_FIELD_CLAIM, NUMBER, id, OURS)                                        \
    X(HF_FIELD_BEAT, NUMBER, beat, OURS)                                       \
    X(HF_FIELD_IF_DEAD, IF_DEAD, if_dead, OURS)                                \
    X(HF_FIELD_TTL_MS, NUMBER, ttl.ms, OURS)                                   \
    X(HF_FIELD_BEAT_MS, NUMBER, beat_every.ms, OURS)                           \
    X(HF_FIELD_SINCE_MS, NUMBER, since_ms, OURS)                               \
    X(HF_FIELD_HOST, TEXT, host, OWNER)                                        \
    X(HF_FIELD_USER, TEXT, user, OWNER)                                        \
    X(HF_FIELD_COMMAND, TEXT, command, OURS)                                   \
    X(HF_FIELD_REASON, TEXT, reason, OURS)                                     \
    X(HF_FIELD_PROCESSES, COUNT, processes_count, OURS)                        \
    X(HF_FIELD_MODE, MODE, mode, LINE)                                         \
    X(HF_FIELD_WAITERS, NUMBER, waiters, LINE)                                 \
    X(HF_FIELD_POSITION, NUMBER, position, LINE)                               \
    X(HF_FIELD_WAITED_MS, NUMBER, waited.ms, LINE)                             \
    X(HF_FIELD_PARKED_MS, NUMBER, parked.ms, LINE)                             \
    X(HF_FIELD_WHY, STATIC, why, LINE)

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

/* NAME of an entry that is corrupt is its own. */
#define HF_AUDIT_ENTRY_TABLE(X)                                                \
    X(HF_FIELD_NAME, TEXT, cleared.name, ALWAYS)                               \
    X(HF_FIELD_CLEARED_MS, NUMBER, stamp_ms, ALWAYS)                           \
    X(HF_FIELD_ASKED_MS, NUMBER, asked_ms, OURS)                               \
    X(HF_FIELD_FORCED, FLAG, forced, OURS)                                     \
    X(HF_FIELD_BY_HOST, TEXT, host, OURS)                                      \
    X(HF_FIELD_BY_USER, TEXT, user, OURS)                                      \
    X(HF_FIELD_BY_COMMAND, TEXT, command, OURS)                                \
    X(HF_FIELD_BY_REASON, TEXT, reason, OURS)

/* Who cleared a lock, and why; what is not known is "". */
struct hf_clearing {
    char host[HF_HOST_MAX + 1];
    char user[HF_USER_MAX + 1];
    char reason[HF_REASON_MAX + 1];
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

#define HF_DIAGNOSIS_TABLE(X)                                                  \
    X(HF_FIELD_LIFE, LIFE, life)                                               \
    X(HF_FIELD_HERE, FLAG, here)                                               \
    X(HF_FIELD_RUNNING, FLAG, running)                                         \
    X(HF_FIELD_SAME_BOOT, FLAG, same_boot)                                     \
    X(HF_FIELD_UNCHANGED_MS, NUMBER, unchanged.ms)                             \
    X(HF_FIELD_WATCHED_MS, NUMBER, watched.ms)

#endif
