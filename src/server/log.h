#ifndef HF_SERVER_LOG_H
#define HF_SERVER_LOG_H

#include "base/clock.h"
#include "server/seat.h"

/*
 * Log: what a lock server does, a line each on stderr, for programs that read
 * it, and so for people, too:
 *
 *   time=2026-11-23T14:55:01.123Z level=info event=leads term=1763850690123456
 *   {"time":"2026-11-23T14:55:01.123Z","level":"info","event":"leads","term":…}
 *
 * What it has: that the server listens, leads, follows and stops; what is wrong
 * with the store, and that its log grows, once each time that it is twice as
 * long; that room for sessions is short; clears; connections that were turned
 * away, and waits that were refused for want of them, once in ten seconds;
 * settings that were read again.  No secrets, and no
 * name of a lock but in a clear.
 *
 * A line is one write.  What stderr does not take at once is lost, for nobody
 * waits for it, and the next line says how many were.
 * One thread.
 */

enum hf_log_format { HF_LOG_LOGFMT, HF_LOG_JSON };
enum hf_log_level { HF_LOG_INFO, HF_LOG_WARN, HF_LOG_ERROR };

/* An event that may happen often is told once in ten seconds. */
struct hf_log_often {
    struct hf_instant told_at;
    uint64_t untold; /* since then */
};

struct hf_log {
    enum hf_log_format format;
    struct hf_log_often turned_away; /* connections */
    struct hf_log_often refused;     /* waits, for want of connections */
    uint64_t lost;                   /* lines that stderr did not take */

    /* Of the seat, as it was told last. */
    enum hf_node_state state;
    struct hf_error trouble;
    uint64_t log_size; /* of its store's log; 0: it is as it should be */
    bool short_of_room;
    char leader[HF_HOST_MAX + 1];
};

/* A text, or, where that is NULL, a number. */
struct hf_log_field {
    const char *name;
    const char *text;
    uint64_t number;
};

enum { HF_LOG_FIELDS_MAX = 8 };

/* `fields` ends with one without a name; NULL: none. */
void hf_log_say(struct hf_log *log, enum hf_log_level level, const char *event,
                const struct hf_log_field *fields);

/* Log the changes of the seat. */
void hf_log_look(struct hf_log *log, const struct hf_seat *seat);

/* A connection was turned away, for there are too many. */
void hf_log_turned_away(struct hf_log *log, struct hf_instant now);

/* A request that would have waited was refused, for too many connections do. */
void hf_log_refused(struct hf_log *log, struct hf_instant now);

#endif
