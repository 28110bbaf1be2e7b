#ifndef HF_CLI_PACT_H
#define HF_CLI_PACT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <holdfast/holdfast.h>

/*
 * What `holdfast run` and its guard share.
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
 *        |                    DONE | nothing is left below   |
 *        |<------------------------| exits
 *
 * Messages go over a socket whose hang-up tells that the other side is gone;
 * the end of the right stands in a shared page, so that the guard needs no
 * message, and no answer, to know it.
 */

enum {
    HF_PACT_PLACE_MAX = 4096, /* bytes of a place with the NUL */
};

struct hf_pact_page {
    _Atomic int64_t right_until_ms; /* an instant; written by holdfast */
    uint64_t fence;                 /* set before GRANT, as place */
    char place[HF_PACT_PLACE_MAX];
};

enum hf_pact_word {
    HF_PACT_GRANT,   /* to the guard: it is held, start the command */
    HF_PACT_SIGNAL,  /* to the guard: pass `number` on to the command */
    HF_PACT_END,     /* to the guard: TERM to all below, KILL after grace */
    HF_PACT_STARTED, /* to holdfast: the command runs, as `pid` */
    HF_PACT_ENDING,  /* to holdfast: the right runs out, TERM was sent */
    HF_PACT_LEFT,    /* to holdfast: the command ended, `number` processes of
                        it are left, one of them `pid`, called `name` */
    HF_PACT_DONE,    /* to holdfast: nothing is left below; see `end` */
};

/* How it ended. */
enum hf_pact_end {
    HF_PACT_RAN,     /* the command ended; `number` is its wait status */
    HF_PACT_CUT,     /* we ended it; `number` as above */
    HF_PACT_LATE,    /* not started: the right had all but run out */
    HF_PACT_REFUSED, /* not started: `number` is the errno */
};

struct hf_pact_message {
    enum hf_pact_word word;
    enum hf_pact_end end; /* DONE only */
    bool had_terminal;    /* DONE only: the command, when it ended */
    int number;
    pid_t pid;
    char name[32];
};

struct hf_pact {
    struct hf_pact_page *page; /* owned: one mapping, in both processes */
    int holdfast_end;          /* of the socket; -1 once closed */
    int guard_end;
    int holdfast_life; /* a pidfd of holdfast, for the guard */
};

/* What the guard is told when it is forked; it has no other options. */
struct hf_pact_terms {
    const char *name;
    const char *space; /* "default" where none was given */
    enum hf_if_dead if_dead;
    struct hf_duration grace;
    char **command;     /* NULL at the end */
    int terminal;       /* of the session (terminal.h); borrowed */
    bool quiet;         /* say nothing on stderr: --json */
    sigset_t signals;   /* the mask that the command gets back */
    bool child_ignored; /* SIGCHLD was ignored: the command gets that back */
};

/* Make all of it, close-on-exec, before the fork.  False and errno. */
bool hf_pact_open(struct hf_pact *pact);
void hf_pact_close(struct hf_pact *pact);

/* Never waits: false when the other side is gone, or takes no more. */
bool hf_pact_send(int end, const struct hf_pact_message *message);

/* Never waits: false when there is no message; *gone is set at the hang-up. */
bool hf_pact_receive(int end, struct hf_pact_message *message, bool *gone);

#endif
