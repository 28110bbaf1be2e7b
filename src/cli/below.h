#ifndef HF_CLI_BELOW_H
#define HF_CLI_BELOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Everything below this process: its children and theirs.  This process is a
 * subreaper, so that whatever loses its parent stays below it.
 *
 * What runs may fork while we look, so one look proves nothing: whoever wants
 * all of it gone repeats, until waitpid says that no child is left.
 *
 * Linux only; plain data.
 */

enum { HF_BELOW_STRANGERS_MAX = 64 };

/*
 * Children that this process had before it started any: a shell may have
 * started some before it became us by exec.  They and theirs are not ours to
 * signal.
 */
struct hf_below {
    pid_t strangers[HF_BELOW_STRANGERS_MAX];
    uint64_t starts[HF_BELOW_STRANGERS_MAX]; /* ticks since boot */
    size_t strangers_count;
};

struct hf_below_left {
    size_t count; /* processes that are there; zombies are not */
    pid_t pid;    /* one of them; 0 when there is none */
    char name[32];
};

/*
 * Become a subreaper and note the strangers.  False and errno when the kernel
 * refuses, or when there are more strangers than we can note (E2BIG).
 */
bool hf_below_init(struct hf_below *below);

/* Send `signal` to everything below, in one look.  False when /proc could not
 * be read; nothing was sent then. */
bool hf_below_signal(const struct hf_below *below, int signal);

/* What is below now, in one look; as above. */
bool hf_below_look(const struct hf_below *below, struct hf_below_left *left);

#endif
