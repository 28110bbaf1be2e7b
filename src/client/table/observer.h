#ifndef HF_CLIENT_TABLE_OBSERVER_H
#define HF_CLIENT_TABLE_OBSERVER_H

#include "base/hash.h"
#include "base/process.h"
#include "client/table/queue.h"

/*
 * Observer: the processes of the holders that a client waits for, each set of
 * them observed once, however many keys it holds and however many wait.
 *
 * When one of them ends, an epoll instance of the caller's tells the holder's
 * number.  It may tell one that is gone: a forked child of ours keeps what we
 * have closed.
 * One thread at a time; nothing here blocks.
 */
struct hf_holder {
    struct hf_hash_node node;   /* by its processes */
    struct hf_hash_node number; /* by its number: its hash */
    struct hf_process processes[HF_PROCESSES_MAX];
    size_t processes_count;
    struct hf_observation observation; /* owned */
    enum hf_presence presence;
    struct hf_list queues; /* whose holder it is, by their `peer` */
};

struct hf_observer {
    const struct hf_alloc *alloc; /* borrowed */
    int epoll_fd;                 /* borrowed */
    struct hf_hash holders;
    struct hf_hash numbers;
    uint64_t last_number; /* never used again; 0 is of none */
};

void hf_observer_init(struct hf_observer *observer,
                      const struct hf_alloc *alloc, int epoll_fd);
void hf_observer_fini(struct hf_observer *observer);

/* Observe these for `queue`, which has none observed.  Without memory they are
 * not, and prove nothing. */
void hf_observer_follow(struct hf_observer *observer, struct hf_queue *queue,
                        const struct hf_process *processes, size_t count);

/* Observe no processes for `queue` any more, if any were. */
void hf_observer_leave(struct hf_observer *observer, struct hf_queue *queue);

/* The holder of that number; NULL: gone. */
struct hf_holder *hf_observer_find(const struct hf_observer *observer,
                                   uint64_t number);

/* Look now; returns whether what is known has changed. */
bool hf_observer_look(struct hf_holder *holder);

#endif
