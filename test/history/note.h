#ifndef HF_TEST_HISTORY_NOTE_H
#define HF_TEST_HISTORY_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

#include "base/text.h"

/*
 * Note: one event of a history, and how it is written as a line.  What each
 * event means, and when it is stamped, is in README.md.
 */

/* name, word, what it is about */
#define NOTE_KIND_TABLE(X)                                                     \
    X(NOTE_ASK, "ask", NOTE_OF_REQUEST)                                        \
    X(NOTE_GRANTED, "granted", NOTE_OF_REQUEST)                                \
    X(NOTE_EXTENDED, "extended", NOTE_OF_REQUEST)                              \
    X(NOTE_LOWER, "lower", NOTE_OF_REQUEST)                                    \
    X(NOTE_LOWERED, "lowered", NOTE_OF_REQUEST)                                \
    X(NOTE_RELEASE, "release", NOTE_OF_REQUEST)                                \
    X(NOTE_OVER, "over", NOTE_OF_REQUEST)                                      \
    X(NOTE_HELD, "held", NOTE_OF_REQUEST)                                      \
    X(NOTE_TIMED_OUT, "timed-out", NOTE_OF_REQUEST)                            \
    X(NOTE_LOST, "lost", NOTE_OF_REQUEST)                                      \
    X(NOTE_END, "end", NOTE_OF_SESSION)                                        \
    X(NOTE_GONE, "gone", NOTE_OF_SESSION)                                      \
    X(NOTE_CLEAR, "clear", NOTE_OF_LOCK)                                       \
    X(NOTE_RESTORING, "restoring", NOTE_OF_ALL)                                \
    X(NOTE_RESTORED, "restored", NOTE_OF_ALL)

enum note_kind {
#define NOTE_KIND_ENUM(name, word, subject) name,
    NOTE_KIND_TABLE(NOTE_KIND_ENUM)
#undef NOTE_KIND_ENUM
};

enum note_subject {
    NOTE_OF_REQUEST,
    NOTE_OF_SESSION,
    NOTE_OF_LOCK,
    NOTE_OF_ALL,
};

struct note_request {
    const char *session; /* no blank and no slash is in it */
    uint64_t lane;
    uint64_t n;
};

struct note_name {
    const char *lock; /* any bytes */
    enum hf_mode mode;
};

/* What is borrowed is so for the call. */
struct note {
    int64_t at_ns;
    enum note_kind kind;
    struct note_request request; /* END, GONE: of the session alone */
    enum hf_if_dead if_dead;     /* ASK */
    const struct note_name *names;
    size_t names_count; /* ASK; LOWER, LOWERED, CLEAR: one */
    uint64_t fence;     /* GRANTED, CLEAR */
    int64_t until_ns;   /* GRANTED, EXTENDED */
};

/* Add it as a line, with its newline. */
void note_write(struct hf_text *text, const struct note *note);

/* "timed-out", and what it is about. */
const char *note_word(enum note_kind kind);
enum note_subject note_subject(enum note_kind kind);

/* The kind of that word; false: there is none. */
bool note_kind_of(const char *word, size_t len, enum note_kind *kind);

#endif
