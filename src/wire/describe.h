#ifndef HF_WIRE_DESCRIBE_H
#define HF_WIRE_DESCRIBE_H

#include <holdfast/view.h>

/*
 * What is known of a lock and of its holder, as values: what stands behind a
 * view (holdfast/view.h).
 *
 * Below each struct stands the table of its fields.  A row has the field, how
 * the member is read, the member, when the field is known, when it is in the
 * JSON too, and its path there: "owner.host" is "host" in the object "owner".
 * client/view.c makes the getters and the JSON of it.  The rows are in the
 * order of the JSON.  If a field is known by two rows, the last one counts.
 *
 * Every string is UTF-8, ends with NUL, is cut at its limit and safe to print.
 * Plain values, no ownership: copy with `=`.
 */

/* Stands in a table for all fields of a record that is a member. */
#define HF_FIELD_ALL ((enum hf_field) - 1)

struct hf_pids {
    int64_t each[HF_PROCESSES_MAX];
    size_t count;
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
    struct hf_pids processes; /* on `host` */
    bool served; /* by a lock server: what follows is known, and there is
                          no beat that was counted */
    enum hf_mode mode;
    char session[16 + 1];      /* whose it is: its id */
    uint64_t waiters;          /* how many are in line for it */
    uint64_t position;         /* in line, of who waits, from 1; 0: it holds */
    struct hf_duration waited; /* ... for so long */
    struct hf_duration parked; /* ... or its place is kept for so long */
    const char *why;           /* ... why it waits; a static word, or NULL */
    /* Of what nobody holds: user, host, parked and why are those of the first
     * in line, if there is one. */
};

#define HF_DESCRIPTION_TABLE(X)                                                \
    X(HF_FIELD_SPACE, TEXT, space, ALWAYS, ALWAYS, "space")                    \
    X(HF_FIELD_NAME, TEXT, name, ALWAYS, ALWAYS, "name")                       \
    X(HF_FIELD_FOREIGN, FLAG, foreign_name, ALWAYS, SET, "foreign_name")       \
    X(HF_FIELD_EXISTS, FLAG, exists, ALWAYS, ALWAYS, "exists")                 \
    X(HF_FIELD_CORRUPT, FLAG, corrupt, ALWAYS, THERE, "corrupt")               \
    X(HF_FIELD_FENCE, NUMBER, fence, THERE, ALWAYS, "fence")                   \
    X(HF_FIELD_VERSION, NUMBER, version, THERE, ALWAYS, "version")             \
    X(HF_FIELD_STAMP_MS, NUMBER, stamp_ms, THERE, ALWAYS, "stamp_ms")          \
    X(HF_FIELD_CLAIM, CLAIM, id, OURS, ALWAYS, "lock")                         \
    X(HF_FIELD_BEAT, NUMBER, beat, OURS, NEVER, "")                            \
    X(HF_FIELD_IF_DEAD, IF_DEAD, if_dead, OURS, ALWAYS, "if_dead")             \
    X(HF_FIELD_TTL_MS, NUMBER, ttl.ms, OURS, ALWAYS, "ttl_ms")                 \
    X(HF_FIELD_BEAT_MS, NUMBER, beat_every.ms, OURS, ALWAYS, "beat_ms")        \
    X(HF_FIELD_SINCE_MS, NUMBER, since_ms, OURS, ALWAYS, "since_ms")           \
    X(HF_FIELD_HOST, TEXT, host, OURS, ALWAYS, "owner.host")                   \
    X(HF_FIELD_USER, TEXT, user, OURS, ALWAYS, "owner.user")                   \
    X(HF_FIELD_COMMAND, TEXT, command, OURS, ALWAYS, "owner.command")          \
    X(HF_FIELD_PROCESSES, PROCESSES, processes, OURS, ALWAYS,                  \
      "owner.processes")                                                       \
    X(HF_FIELD_REASON, TEXT, reason, OURS, ALWAYS, "reason")                   \
    X(HF_FIELD_MODE, MODE, mode, LINE, OURS, "mode")                           \
    X(HF_FIELD_SESSION, TEXT, session, CLAIMED, ALWAYS, "session")             \
    X(HF_FIELD_WAITERS, NUMBER, waiters, LINE, ALWAYS, "waiters")              \
    X(HF_FIELD_HOST, TEXT, host, FREE, ALWAYS, "host")                         \
    X(HF_FIELD_USER, TEXT, user, FREE, ALWAYS, "user")                         \
    X(HF_FIELD_POSITION, NUMBER, position, LINE, WAITS, "position")            \
    X(HF_FIELD_WAITED_MS, NUMBER, waited.ms, LINE, WAITS, "waited_ms")         \
    X(HF_FIELD_WHY, STATIC, why, LINE, SET, "why")                             \
    X(HF_FIELD_PARKED_MS, NUMBER, parked.ms, LINE, SET, "parked_ms")

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
    X(HF_FIELD_CLEARED_MS, NUMBER, stamp_ms, ALWAYS, ALWAYS, "stamp_ms")       \
    X(HF_FIELD_CORRUPT, FLAG, corrupt, ALWAYS, ALWAYS, "corrupt")              \
    X(HF_FIELD_NAME, TEXT, cleared.name, NOT_SOUND, ALWAYS, "entry")           \
    X(HF_FIELD_FORCED, FLAG, forced, SOUND, ALWAYS, "forced")                  \
    X(HF_FIELD_ASKED_MS, NUMBER, asked_ms, SOUND, NEVER, "")                   \
    X(HF_FIELD_CLEARED, NO_FLAG, corrupt, SOUND, NEVER, "")                    \
    X(HF_FIELD_BY_HOST, TEXT, host, SOUND, ALWAYS, "by.host")                  \
    X(HF_FIELD_BY_USER, TEXT, user, SOUND, ALWAYS, "by.user")                  \
    X(HF_FIELD_BY_COMMAND, TEXT, command, SOUND, ALWAYS, "by.command")         \
    X(HF_FIELD_BY_REASON, TEXT, reason, SOUND, ALWAYS, "reason")               \
    X(HF_FIELD_ALL, RECORD, cleared, SOUND, ALWAYS, "cleared")

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
    bool cleared;  /* by the clear that it is of; or, of a lock that was
                              lost, by somebody */
    bool by_known; /* ... by whom: */
    struct hf_clearing by;
};

#define HF_DIAGNOSIS_TABLE(X)                                                  \
    X(HF_FIELD_ALL, RECORD, record, ALWAYS, ALWAYS, "record")                  \
    X(HF_FIELD_LIFE, LIFE, life, ALWAYS, ALWAYS, "life")                       \
    X(HF_FIELD_HERE, FLAG, here, ALWAYS, ALWAYS, "here")                       \
    X(HF_FIELD_RUNNING, FLAG, running, ALWAYS, ALWAYS, "running")              \
    X(HF_FIELD_SAME_BOOT, FLAG, same_boot, ALWAYS, ALWAYS, "same_boot")        \
    X(HF_FIELD_UNCHANGED_MS, NUMBER, unchanged.ms, ALWAYS, ALWAYS,             \
      "unchanged_ms")                                                          \
    X(HF_FIELD_WATCHED_MS, NUMBER, watched.ms, ALWAYS, ALWAYS, "watched_ms")   \
    X(HF_FIELD_STATUS, STATUS, error.status, ALWAYS, NEVER, "")                \
    X(HF_FIELD_ERROR, TEXT_OR_NULL, error.text, ALWAYS, ALWAYS, "error")       \
    X(HF_FIELD_CLEARED, FLAG, cleared, ALWAYS, NEVER, "")                      \
    X(HF_FIELD_BY_HOST, TEXT, by.host, BY_KNOWN, NEVER, "")                    \
    X(HF_FIELD_BY_USER, TEXT, by.user, BY_KNOWN, NEVER, "")                    \
    X(HF_FIELD_BY_REASON, TEXT, by.reason, BY_KNOWN, NEVER, "")

#endif
