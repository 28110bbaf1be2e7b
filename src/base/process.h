#ifndef HF_BASE_PROCESS_H
#define HF_BASE_PROCESS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <holdfast/view.h>

/*
 * Processes of this host, and the proof that they are gone.
 *
 *     hf_process_host --> hf_process_is_here(record) --> observe --> look
 *
 * A holder is *gone* when its record lists at least one process of this very
 * boot and pid namespace, and every one of them is proved gone: the kernel
 * knows no process of that number, or its pidfd reports the exit (a zombie is
 * gone: it runs nothing), or the number belongs to a process that started at
 * another time.  Whatever cannot be read is no evidence.
 *
 * Allocates nothing.  Any thread; one thread at a time on one observation.
 */

/* One process: a pid alone may have been given to another one since. */
struct hf_process {
    int64_t pid;
    uint64_t start; /* field 22 of /proc/PID/stat: clock ticks since boot;
                       0: unknown, which is never evidence */
};

enum { HF_BOOT_MAX = 36 }; /* a UUID */

/* Where this process runs. */
struct hf_host {
    char name[HF_HOST_MAX + 1]; /* for people; "" if unknown */
    char boot[HF_BOOT_MAX + 1]; /* boot id in lower case, or "" */
    uint64_t pidns;             /* inode of the pid namespace, or 0 */
};

/*
 * Ask the kernel where this process runs.  A field that cannot be learned is
 * left empty; so is pidns when /proc shows another pid namespace's processes,
 * or when this process is in a time namespace, where start times are shifted.
 * A forked child may be elsewhere than its parent.  Cannot fail.
 */
void hf_process_host(struct hf_host *host);

/*
 * Are processes that run where `boot` and `pidns` name those that this process
 * sees?  Only when both are known and the same; a host's name proves nothing.
 */
bool hf_process_is_here(const struct hf_host *host, const char *boot,
                        uint64_t pidns);

/* Is it the text of a boot id: 36 digits and hyphens, where a UUID has them? */
bool hf_process_is_boot_id(const char *text);

/*
 * The process that has the number `pid` now, with its start time.
 * HF_E_UNAVAILABLE: there is none, or it cannot be read; *process is then
 * untouched.
 */
HF_MUST_USE enum hf_status hf_process_find(int64_t pid,
                                           struct hf_process *process,
                                           struct hf_error *error);

/* How well this process can observe others, for people; see
 * hf_process_survey. */
struct hf_process_survey {
    bool knows_boot;      /* the boot id can be read */
    bool knows_processes; /* /proc shows those of this pid namespace, which
                             has a number */
    bool knows_starts;    /* start times compare: in no time namespace */
    bool has_pidfds;      /* the kernel gives a descriptor of a process */
    bool sees_others;     /* /proc tells of other users' processes */
};

/*
 * Ask the kernel.  Where it knows less than the first three, no record is of
 * processes that are here.  What is seen of others is told by process 1, which
 * is nearly everywhere another user's.  Cannot fail.
 */
void hf_process_survey(struct hf_process_survey *survey);

enum hf_presence {
    HF_PRESENCE_UNKNOWN, /* no evidence either way */
    HF_PRESENCE_THERE,   /* at least one is proved to be there */
    HF_PRESENCE_GONE,    /* there is at least one, and each is proved gone */
};

/* One process, watched. */
struct hf_observed {
    struct hf_process process;
    enum hf_presence presence; /* HF_PRESENCE_THERE only while followed */
    bool followed;
    int fd; /* owned while followed: its pidfd */
};

/*
 * Up to HF_PROCESSES_MAX of them.  A zeroed one is empty and has no
 * descriptors.  Once a process is proved gone it stays so.
 */
struct hf_observation {
    struct hf_observed each[HF_PROCESSES_MAX];
    size_t count;
};

/*
 * Begin to watch `processes`, which are of this host (hf_process_is_here), and
 * look at them once.  Opens a descriptor a process at most, closed on exec.
 * More processes than HF_PROCESSES_MAX make an empty observation: what is true
 * of some is not proved of all.  Cannot fail; end with hf_process_forget.
 */
void hf_process_observe(struct hf_observation *observation,
                        const struct hf_process *processes, size_t count);

/* Look now.  Never blocks.  Cannot fail. */
enum hf_presence hf_process_look(struct hf_observation *observation);

/*
 * The descriptors to poll, which wake when one of the processes ends: fills at
 * most HF_PROCESSES_MAX entries and returns how many.  Valid until the next
 * hf_process_look or hf_process_forget.  Look after every wake-up; that also
 * takes the ended processes from the list.
 */
size_t hf_process_poll_fds(const struct hf_observation *observation,
                           struct pollfd *fds);

/* Close the descriptors; the observation is then empty.  Cannot fail. */
void hf_process_forget(struct hf_observation *observation);

/* "gone"; a static string. */
const char *hf_presence_word(enum hf_presence presence);

#endif
