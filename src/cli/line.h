#ifndef HF_CLI_LINE_H
#define HF_CLI_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

/*
 * What a waiting command says of the holder it waits for: on a terminal one
 * line, rewritten in place; elsewhere one line at the start, one a minute, and
 * one when the holder is first thought dead.  On stderr, and only when nobody
 * has to wait for its reader: the lock may be granted in this moment, and would
 * then be held by a process that does nothing.
 *
 * One thread at a time.  Plain data.
 */
struct hf_line {
    const char *verb;  /* "waiting for" or "watching" */
    const char *name;  /* the lock's, quoted; borrowed */
    const char *place; /* borrowed */
    bool silent;       /* say nothing at all */
    bool terminal;
    bool begun;
    bool open;        /* our line stands on the terminal */
    int64_t began_at; /* instants, as moment.h has them */
    int64_t said_at;
    enum hf_life life; /* when it was last said */
};

void hf_line_init(struct hf_line *line, const char *verb, const char *name,
                  const char *place);

/* An hf_waiting_fn whose ctx is the line. */
void hf_line_show(void *ctx, const struct hf_diagnosis *seen);

/* Take it off the terminal. */
void hf_line_end(struct hf_line *line);

#endif
