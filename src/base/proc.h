#ifndef HF_BASE_PROC_H
#define HF_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Processes, as /proc shows them.
 *
 * The numbers in it are those of the pid namespace it was mounted for, which
 * need not be this process's: after `unshare --pid` without a new /proc they
 * are an outer namespace's.  A number taken from it is good for /proc, and for
 * nothing else unless hf_proc_is_ours.
 *
 * Allocates nothing.  Any thread.
 */

enum { HF_PROC_NAME_MAX = 31 }; /* bytes; a command's own name has 15 */

/* A process as /proc shows it. */
struct hf_proc {
    int64_t pid;
    int64_t parent;
    uint64_t start; /* clock ticks since boot: tells a number used again */
    bool blocked;   /* in the kernel, where no signal but SIGKILL reaches it */
    bool ended;     /* every thread of it.  A process whose first thread alone
                       has ended is a zombie, too, and runs on */
    char name[HF_PROC_NAME_MAX + 1]; /* any bytes but NUL */
};

/*
 * The process that has the number `pid` in /proc now.  False when there is
 * none or it cannot be read; *process is then untouched, and errno says why,
 * or is 0 when what was read is no such text.
 */
bool hf_proc_read(int64_t pid, struct hf_proc *process);

/* This process's number in /proc, or 0 where /proc does not show it. */
int64_t hf_proc_self(void);

/* Does /proc show this process's own pid namespace? */
bool hf_proc_is_ours(void);

/* The beginning of a small file as text; false with errno when it cannot be
 * read.  A file of /proc is whole in one read, or none. */
bool hf_proc_text(const char *path, char *text, size_t size);

#endif
