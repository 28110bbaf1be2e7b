#ifndef HF_CLI_DESCENDANTS_H
#define HF_CLI_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The descendants of this process: its children and theirs.  This process is a
 * subreaper, so a process that loses its parent still descends from it.
 *
 * They are seen in a /proc that shows this process, be it of its own pid
 * namespace or of an outer one.  Without such a /proc only the children are
 * seen, since the kernel tells of each number whether a child of ours has it.
 * Then a signal reaches the children and the command's process group at once.
 * It reaches deeper processes when their parents have ended and they have
 * become children.
 *
 * A process may fork while we look, so one look proves nothing.  To end them
 * all, repeat until waitpid says that no child is left.
 *
 * Linux only; plain data.  The thread that looks is the only one that reaps.
 */

enum { HF_DESCENDANTS_STRANGERS_MAX = 1024 };

struct hf_descendants {
    pid_t group; /* the command's process group; 0: there is none yet */

    /* Those there were before this process started anything: a shell may
     * have started some before it became us by exec.  None of it is ours to
     * signal, nor is what it starts, as long as that has its parent: an orphan
     * of theirs becomes our child, and nothing tells it from an orphan of
     * ours.  Without /proc only children are known, and so no orphan is. */
    int64_t
        strangers[HF_DESCENDANTS_STRANGERS_MAX];   /* their numbers in /proc */
    uint64_t starts[HF_DESCENDANTS_STRANGERS_MAX]; /* ticks since boot; 0: no
                                                  /proc told */
    size_t strangers_count;
};

struct hf_descendants_left {
    size_t count;  /* processes that run; at least, where /proc is of no use */
    int64_t pid;   /* of one of them; 0: none, or unknown in our namespace */
    char name[32]; /* the same one's; "" where it is unknown */
};

/*
 * Become a subreaper and note the strangers.  False and errno when the kernel
 * refuses, or when there are more strangers than we can note (E2BIG).
 */
bool hf_descendants_init(struct hf_descendants *descendants);

/* Send `signal` to all of them, in one look. */
void hf_descendants_signal(const struct hf_descendants *descendants,
                           int signal);

/* The descendants there are now, in one look. */
void hf_descendants_look(const struct hf_descendants *descendants,
                         struct hf_descendants_left *left);

#endif
