#ifndef HOLDFAST_WORDS_H
#define HOLDFAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The words that all parts of Holdfast share: statuses, outcomes, durations.
 *
 * A *status* says whether a call happened, and is named by what the caller can
 * do next.  An *outcome* is the answer of a call that happened: "another
 * process holds it" is an answer, not an error.
 *
 * Plain values: any thread may use them; nothing is allocated.
 */

#if defined(__GNUC__)
#define HF_MUST_USE __attribute__((warn_unused_result))
#define HF_PUBLIC   __attribute__((visibility("default")))
#else
#define HF_MUST_USE
#define HF_PUBLIC
#endif

/* C++ links these declarations as C. */
#ifdef __cplusplus
#define HF_BEGIN_DECLS extern "C" {
#define HF_END_DECLS   }
#else
#define HF_BEGIN_DECLS
#define HF_END_DECLS
#endif

HF_BEGIN_DECLS

/* name, exit code of the command, what the caller may do next */
#define HF_STATUS_TABLE(X)                                                     \
    X(HF_OK, 0, "done")                                                        \
    X(HF_E_INVALID, 64, "the request is wrong: fix it")                        \
    X(HF_E_UNAVAILABLE, 69, "the place is unavailable, nothing was done")      \
    X(HF_E_UNKNOWN, 69, "no answer came: it may or may not have been done")    \
    X(HF_E_DENIED, 77, "permission denied")                                    \
    X(HF_E_LIMIT, 70, "a limit was reached")                                   \
    X(HF_E_CANCELLED, 75, "cancelled by the caller")                           \
    X(HF_E_NOMEM, 70, "out of memory, nothing was changed")                    \
    X(HF_E_CORRUPT, 65, "the place holds something that is not Holdfast's")

enum hf_status {
#define HF_STATUS_ENUM(name, exit_code, sentence) name,
    HF_STATUS_TABLE(HF_STATUS_ENUM)
#undef HF_STATUS_ENUM
};

/* name, exit code of the command, word for people and for JSON */
#define HF_OUTCOME_TABLE(X)                                                    \
    X(HF_NOT_HELD, 1, "not held")                                              \
    X(HF_GRANTED, 0, "granted")                                                \
    X(HF_TIMED_OUT, 75, "timed out")                                           \
    X(HF_HELD_TOO_LONG, 75, "held too long")                                   \
    X(HF_SUSPECTED_DEAD, 73, "suspected dead")                                 \
    X(HF_GONE, 73, "gone")                                                     \
    X(HF_IN_DOUBT, 76, "in doubt")                                             \
    X(HF_LOST, 76, "lost")                                                     \
    X(HF_ALREADY_HELD, 75, "already held")                                     \
    X(HF_DEADLOCK, 75, "deadlock")                                             \
    X(HF_AT_LIMIT, 75, "limit")

/*
 * What became of a lock.
 *
 * HF_NOT_HELD: there is no such lock, or this process does not hold it.
 * HF_GRANTED: held; no other process has been granted it since.
 * HF_TIMED_OUT: the wait limit passed, or a holder showed life under `try`.
 * HF_HELD_TOO_LONG: one holder that beats had it for all of the wait.
 * HF_SUSPECTED_DEAD: its record stood unchanged for its ttl; a person decides.
 * HF_GONE: its processes are gone from this host; a person decides.
 * HF_IN_DOUBT: a refuse lock whose right has run out unconfirmed.
 * HF_LOST: another process may hold it by now.
 * HF_ALREADY_HELD: by whoever waits for the asker: it would never be free.  By
 *                  the lane that asks, or by the run that runs us.
 * HF_DEADLOCK: it would be waited for in a circle.  No place answers it yet.
 * HF_AT_LIMIT: the place, a lock server, has no room for more of this kind.
 */
enum hf_outcome {
#define HF_OUTCOME_ENUM(name, exit_code, word) name,
    HF_OUTCOME_TABLE(HF_OUTCOME_ENUM)
#undef HF_OUTCOME_ENUM
};

/* name, word for people and for JSON */
#define HF_STATE_TABLE(X)                                                      \
    X(HF_STATE_NEW, "new")                                                     \
    X(HF_STATE_WAITING, "waiting")                                             \
    X(HF_STATE_HELD, "held")                                                   \
    X(HF_STATE_IN_DOUBT, "in doubt")                                           \
    X(HF_STATE_LOST, "lost")                                                   \
    X(HF_STATE_RELEASING, "releasing")                                         \
    X(HF_STATE_ENDED, "ended")

/* The state of a lock; the diagram is in holdfast.h. */
enum hf_state {
#define HF_STATE_ENUM(name, word) name,
    HF_STATE_TABLE(HF_STATE_ENUM)
#undef HF_STATE_ENUM
};

/* name, word for people, for JSON and as a setting */
#define HF_MODE_TABLE(X)                                                       \
    X(HF_EXCLUSIVE, "exclusive")                                               \
    X(HF_SHARED, "shared")                                                     \
    X(HF_UNTIL_FREE, "until-free")

/*
 * How a lock is asked for.  A table of records keeps exclusive locks only.
 *
 * HF_EXCLUSIVE: by one.
 * HF_SHARED: by any number of others that share it.
 * HF_UNTIL_FREE: never held: granted, and ended, as soon as it is free.
 */
enum hf_mode {
#define HF_MODE_ENUM(name, word) name,
    HF_MODE_TABLE(HF_MODE_ENUM)
#undef HF_MODE_ENUM
};

/* What a waiter may do with a dead holder's lock.  It is part of the record:
 * the holder's choice binds every waiter. */
enum hf_if_dead {
    HF_TAKEOVER, /* another process takes it over, with a higher fence */
    HF_REFUSE,   /* no process overrides it; a person clears it */
};

/* A length of time; it can be sent, stored and configured. */
struct hf_duration {
    int64_t ms;
};

/* No limit, where a duration is a limit. */
#ifdef __cplusplus
#define HF_FOREVER (hf_duration{INT64_MAX})
#else
#define HF_FOREVER ((struct hf_duration){INT64_MAX})
#endif

/* Detail for people, filled by a call that fails; not for parsing. */
struct hf_error {
    enum hf_status status;
    char text[256]; /* one clause: lower case, no full stop, names the object */
};

/* "HF_E_DENIED" and "permission denied"; static strings.  Cannot fail. */
HF_PUBLIC const char *hf_status_name(enum hf_status status);
HF_PUBLIC const char *hf_status_sentence(enum hf_status status);

/* The exit code of the command for this status.  Cannot fail. */
HF_PUBLIC int hf_status_exit(enum hf_status status);

/* "held too long", and its exit code.  Cannot fail. */
HF_PUBLIC const char *hf_outcome_word(enum hf_outcome outcome);
HF_PUBLIC int hf_outcome_exit(enum hf_outcome outcome);

/* "in doubt"; "shared"; "refuse" or "takeover".  Cannot fail. */
HF_PUBLIC const char *hf_state_word(enum hf_state state);
HF_PUBLIC const char *hf_mode_word(enum hf_mode mode);
HF_PUBLIC const char *hf_if_dead_word(enum hf_if_dead if_dead);

/*
 * Read "500ms", "30s", "10m", "2h", "7d" into *duration, and whatever else
 * hf_duration_text writes of a limited one that is not negative: "1.5s",
 * "3h05m", "2d04h".  HF_E_INVALID for anything else, and for what does not
 * fit; *duration is then untouched.  error may be NULL.
 */
HF_PUBLIC HF_MUST_USE enum hf_status
hf_duration_parse(const char *text, struct hf_duration *duration,
                  struct hf_error *error);

/* Write it for people, like "1.5s", "2m10s", "3h05m", "2d04h", into buffer (at
 * most `size` bytes with the final NUL, cut if it does not fit); return buffer.
 * Cannot fail. */
HF_PUBLIC const char *hf_duration_text(struct hf_duration duration,
                                       char *buffer, size_t size);

HF_END_DECLS

#endif
