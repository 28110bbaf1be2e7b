#ifndef HF_CORE_QUESTION_H
#define HF_CORE_QUESTION_H

#include "base/clock.h"

/*
 * Question: what a machine has asked, or will ask next, of a store that may
 * answer late, twice or never; one at a time.
 *
 *             ask               answered, or given up
 *   quiet ----------> waiting -------------------------> quiet
 *
 * Questions are numbered; an answer is to the question of its number alone.
 * Between questions that fail, the pauses grow.
 *
 * How long a question is waited for is measured by the place: twice as long as
 * the last write took, within bounds that its owner sets.  A write is then
 * given up, and may be sent again.  A read that is late is not sent again
 * while its call may still be under way: its answer is as good as that of
 * another, which would stand behind it.
 *
 * Plain data; not thread-safe; cannot fail.
 */

enum hf_question_kind {
    HF_ASK_NOTHING,
    HF_ASK_READ,
    HF_ASK_CLAIM,
    HF_ASK_BEAT,
    HF_ASK_DELETE,
    HF_ASK_CLEAR,
};

enum hf_silence {
    HF_SILENCE_NONE, /* no silence, or nothing is out */
    HF_SILENCE_LATE, /* a read is late, and still waited for */
    HF_SILENCE_OVER, /* the question is given up */
};

/* The first pause after a failure; each further one is twice as long, up to
 * the patience with the place, or to about a minute. */
#define HF_PAUSE_FIRST_MS 10

struct hf_question_config {
    struct hf_duration least; /* patience with a fast place */
    struct hf_duration most;  /* patience with the slowest place */
    struct hf_duration call;  /* a read's call ends within this */
};

struct hf_question {
    struct hf_question_config config;
    enum hf_question_kind kind; /* the question that is out, or the last one */
    bool waiting;
    bool late;                  /* a read that is late */
    uint8_t failures;           /* in a row, up to the maximum */
    uint64_t number;            /* of the last question; 0 before the first */
    struct hf_duration took;    /* duration of the last answered write */
    struct hf_instant asked_at; /* when it was sent */
    struct hf_instant again_at; /* no question is out: when to ask the next */
};

void hf_question_init(struct hf_question *q,
                      const struct hf_question_config *config);

/* Send a question; it replaces one that is out. */
void hf_question_ask(struct hf_question *q, enum hf_question_kind kind,
                     struct hf_instant now);

/* Is this the answer to the question that is out?  Then nothing is out any
 * more. */
bool hf_question_answered(struct hf_question *q, uint64_t number);

/* Some write was answered after this time. */
void hf_question_took(struct hf_question *q, struct hf_duration took);

/* How long the question has been out.  Each step of silence is reported once.
 */
enum hf_silence hf_question_silence(struct hf_question *q,
                                    struct hf_instant now);

/* The answer to the question is not needed any more. */
void hf_question_supersede(struct hf_question *q);

/* The question failed: ask again after a pause that grows. */
void hf_question_pause(struct hf_question *q, struct hf_instant now);

/* The question succeeded: ask the next at `when`. */
void hf_question_rest(struct hf_question *q, struct hf_instant when);

/* Drop the question, and ask no more. */
void hf_question_stop(struct hf_question *q);

/* How long a write is waited for now. */
struct hf_duration hf_question_patience(const struct hf_question *q);

/* The next time that something is due, or HF_NEVER. */
struct hf_instant hf_question_deadline(const struct hf_question *q);

#endif
