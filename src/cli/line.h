#ifndef HF_CLI_LINE_H
#define HF_CLI_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

/*
 * What a waiting command says of the holder it waits for: on a terminal one
 * line, rewritten in place; elsewhere one line at the start, one a minute, and
 * one when the holder is first thought dead.  A place that does not answer has
 * lines of its own, with growing pauses; nothing is said of a wait that ends
 * within half a second.  On stderr, and only when nobody has to wait for its
 * reader: the lock may be granted in this moment, and would then be held by a
 * process that does nothing.
 *
 * One thread at a time.  Plain data.
 */
enum hf_line_kind {
    HF_LINE_HOLDER,     /* somebody has it */
    HF_LINE_UNANSWERED, /* the place does not answer */
    HF_LINE_UNSETTLED,  /* nor did it by the limit: is it ours? */
};

struct hf_line {
    const char *verb;  /* "waiting for", "watching" or "clearing" */
    const char *name;  /* the lock's, quoted; borrowed */
    const char *place; /* borrowed */
    int64_t limit_ms;  /* of the wait; HF_MOMENT_NEVER: none */
    bool silent;       /* say nothing at all */
    bool terminal;
    bool begun;
    bool open;        /* our line stands on the terminal */
    int64_t began_at; /* instants, as moment.h has them */
    int64_t known_at; /* when the place last answered, as far as we know */
    int64_t said_at;
    int64_t pause_ms;       /* to the next line that says the same */
    enum hf_line_kind kind; /* when it was last said, as below */
    enum hf_life life;
};

/* It begins to wait, without limit. */
void hf_line_init(struct hf_line *line, const char *verb, const char *name,
                  const char *place);

/* An hf_waiting_fn whose ctx is the line. */
void hf_line_show(void *ctx, const struct hf_diagnosis *seen);

/* Take it off the terminal. */
void hf_line_end(struct hf_line *line);

#endif
