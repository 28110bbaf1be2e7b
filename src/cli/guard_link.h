#ifndef HF_CLI_GUARD_LINK_H
#define HF_CLI_GUARD_LINK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <holdfast/holdfast.h>

/*
 * The data that `holdfast run` and its guard share.
 *
 *     holdfast                 guard                    the command
 *        | fork (before the claim) |
 *        |------------------------>|
 *        | GRANT, when it is held  | looks at the right, forks
 *        |------------------------>|------------------------>|
 *        | SIGNAL, END             |                         |
 *        |------------------------>| signals                 |
 *        |    STARTED, ENDING, LEFT|                         |
 *        |<------------------------|                         |
 *        |                    DONE | no descendant is left,  |
 *        |<------------------------| or it is let go; exits
 *
 * Messages go over a socket whose hang-up tells that the other side is gone;
 * the end of the right stands in a shared page, so that the guard needs no
 * message, and no answer, to know it.
 */

enum {
    HF_GUARD_LINK_PLACE_MAX = 4096, /* bytes of a place with the NUL */
};

struct hf_guard_link_page {
    _Atomic int64_t right_until_ms; /* an instant; written by holdfast */
    uint64_t fence;                 /* set before GRANT, as place */
    char place[HF_GUARD_LINK_PLACE_MAX];
    char farewell[HF_FAREWELL_SIZE]; /* to a lock server; "": none is owed */
};

enum hf_guard_link_word {
    HF_GUARD_LINK_GRANT,   /* to the guard: it is held, start the command */
    HF_GUARD_LINK_SIGNAL,  /* to the guard: pass `number` on to the command */
    HF_GUARD_LINK_END,     /* to the guard: TERM to all, KILL after grace */
    HF_GUARD_LINK_STARTED, /* to holdfast: the command runs, as `pid` */
    HF_GUARD_LINK_ENDING,  /* to holdfast: the right runs out, TERM was sent */
    HF_GUARD_LINK_LEFT,    /* to holdfast: the command ended, `number` of its
                              processes are left, one `pid`, called `name` */
    HF_GUARD_LINK_DONE,    /* to holdfast: see `end`; no descendant is left, or
                              what is left is let go */
};

/* How it ended. */
enum hf_guard_link_end {
    HF_GUARD_LINK_RAN,     /* the command ended; `number` is its wait status */
    HF_GUARD_LINK_CUT,     /* we ended it; `number` as above */
    HF_GUARD_LINK_LATE,    /* not started: the right had all but run out */
    HF_GUARD_LINK_REFUSED, /* not started: `number` is the errno */
};

struct hf_guard_link_message {
    enum hf_guard_link_word word;
    enum hf_guard_link_end end; /* DONE only */
    bool had_terminal;          /* DONE only: the command, when it ended */
    bool let_go;                /* LEFT only: DONE follows, with that left */
    int number;
    pid_t pid;
    char name[32];
};

struct hf_guard_link {
    struct hf_guard_link_page *page; /* owned: one mapping, in both processes */
    int holdfast_end;                /* of the socket; -1 once closed */
    int guard_end;
    int holdfast_life; /* a pidfd of holdfast, for the guard */
};

/* The terms that the guard is given when it is forked; it has no other
 * options. */
struct hf_guard_link_terms {
    const char *const *names; /* NULL at the end */
    const char *space;        /* "default" where none was given */
    enum hf_if_dead if_dead;
    struct hf_duration grace;
    bool leave;         /* what a command that ends by itself has left */
    char **command;     /* NULL at the end */
    int terminal;       /* of the session (terminal.h); borrowed */
    bool quiet;         /* say nothing on stderr: --json */
    sigset_t signals;   /* the mask that the command gets back */
    bool child_ignored; /* SIGCHLD was ignored: the command gets that back */
};

/* Make all of it, close-on-exec, before the fork.  False and errno. */
bool hf_guard_link_open(struct hf_guard_link *link);
void hf_guard_link_close(struct hf_guard_link *link);

/* Never waits: false when the other side is gone, or takes no more. */
bool hf_guard_link_send(int end, const struct hf_guard_link_message *message);

/* Never waits: false when there is no message; *gone is set at the hang-up. */
bool hf_guard_link_receive(int end, struct hf_guard_link_message *message,
                           bool *gone);

#endif
