#ifndef HF_TEST_HISTORY_HISTORY_H
#define HF_TEST_HISTORY_HISTORY_H

#include "base/arena.h"
#include "base/hash.h"
#include "history/note.h"

/*
 * History: the events of many files, merged into one order, and what became of
 * each request.  README.md says what the lines mean.
 *
 * The texts are borrowed, and outlive the history.  One thread.
 */

struct history_text {
    const char *name; /* of the file */
    const char *at;
    size_t len;
};

/* Part of a text. */
struct history_word {
    const char *at;
    size_t len;
};

/* A word that stands for one thing wherever it is read. */
struct history_name {
    struct hf_hash_node node;
    struct history_word word;
    uint32_t index; /* among its kind, in the order in which they were read */
};

struct history_lock {
    struct history_name name;
};

/* A lane: what it is granted never conflicts with itself. */
struct history_owner {
    struct history_name name;
};

struct history_session {
    struct history_name name;
    const struct history_event *end;
    const struct history_event *gone;
};

/* One name of a request. */
struct history_want {
    struct hf_hash_node by_fence;    /* in history.grants, once it is granted */
    const struct history_want *twin; /* granted before with the same fence */
    struct history_request *request;
    struct history_lock *lock;
    bool exclusive;
    const struct history_event *lower;
    const struct history_event *lowered;
};

/* A request, and the events that decided what became of it, or NULL. */
struct history_request {
    struct history_name name;
    struct history_owner *owner;
    struct history_session *session;
    struct history_want *wants;
    size_t wants_count;
    enum hf_if_dead if_dead;
    const struct history_event *ask; /* never NULL */
    const struct history_event *granted;
    const struct history_event *granted_again; /* with another fence */
    const struct history_event *extended;      /* to the latest end */
    const struct history_event *release;
    const struct history_event *no; /* the first of held, timed out, over */
    const struct history_event *settled; /* held or over */
    const struct history_event *lost;
    const struct history_event *clear;     /* of its fence: the first */
    const struct history_event *restoring; /* the first that may undo it */
    int64_t right_ns; /* the latest end of its right that was told */
};

/* They stand in the order of their instants: of two, the one at the lower
 * address is the earlier, or at the same instant. */
struct history_event {
    int64_t at_ns;
    enum note_kind kind;
    uint32_t number; /* of its line, from 1 */
    const struct history_text *text;
    struct history_word line;
    struct history_request *request; /* these three: what it is about */
    struct history_session *session;
    struct history_lock *lock;
    uint64_t fence;
    int64_t until_ns;
    const struct history_event *begun; /* RESTORED */
};

/* Zeroed: as good as empty. */
struct history {
    struct hf_arena arena;
    struct history_event *events; /* owned */
    size_t events_count;
    struct history_request **requests; /* owned; in the order of asking */
    size_t requests_count;
    size_t wants_count;
    size_t granted_count; /* requests that were */
    size_t torn_count;    /* lines without an end */
    struct hf_hash names; /* of requests */
    struct hf_hash owners;
    struct hf_hash sessions;
    struct hf_hash locks;
    struct hf_hash grants; /* wants, by lock and fence */
};

/*
 * Read all of them into a zeroed history, which is to be freed whatever comes
 * back.  HF_E_CORRUPT: a line is none of README.md, or makes no sense, as an
 * answer to what was never asked; *error names it.
 */
HF_MUST_USE enum hf_status history_read(struct history *history,
                                        const struct history_text *texts,
                                        size_t count, struct hf_error *error);

/* Until when a request that was granted is owed to its client: to its release,
 * its clear or the end of its right. */
int64_t history_owed_ns(const struct history_request *request);

/* The first event that told the client that it is not granted, or not any more;
 * NULL: none did. */
const struct history_event *history_loss(const struct history_request *request);

/* From when on it surely holds nothing, and never will; INT64_MAX: nobody
 * knows. */
int64_t history_over_ns(const struct history_request *request);

/* The first want of that lock that was granted with that fence, and the next;
 * NULL: there is none. */
struct history_want *history_find(const struct history *history,
                                  const struct history_lock *lock,
                                  uint64_t fence);
struct history_want *history_find_next(const struct history_want *want);

void history_free(struct history *history);

#endif
