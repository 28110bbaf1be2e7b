#ifndef HF_CLI_DESCENDANTS_H
#define HF_CLI_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The descendants of this process: its children and theirs.  This process is a
 * subreaper, so that whatever loses its parent still descends from it.
 *
 * Seen in a /proc that shows this process, be it its own pid namespace's or an
 * outer one's: there all of it is seen.  Without one only the children are,
 * since of each number the kernel tells whether a child of ours has it.  Then
 * a signal reaches the children and the command's process group at once, and
 * what is deeper when its parents have ended and it has become a child.
 *
 * What runs may fork while we look, so one look proves nothing: whoever wants
 * all of it gone repeats, until waitpid says that no child is left.
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

/* What there is of them now, in one look. */
void hf_descendants_look(const struct hf_descendants *descendants,
                         struct hf_descendants_left *left);

#endif
