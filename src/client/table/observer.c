#include "client/table/observer.h"

#include <string.h>
#include <sys/epoll.h>

void
hf_observer_init(struct hf_observer *observer, const struct hf_alloc *alloc,
                 int epoll_fd)
{
    *observer = (struct hf_observer){.alloc = alloc, .epoll_fd = epoll_fd};
    observer->holders.alloc = alloc;
    observer->numbers.alloc = alloc;
}

void
hf_observer_fini(struct hf_observer *observer)
{
    hf_hash_fini(&observer->holders);
    hf_hash_fini(&observer->numbers);
}

static uint64_t
hash_of(const struct hf_process *processes, size_t count)
{
    uint64_t hash = HF_HASH_SEED;

    for (size_t i = 0; i < count; i++) {
        hash = hf_hash_bytes(hash, &processes[i].pid, sizeof(processes[i].pid));
        hash = hf_hash_bytes(hash, &processes[i].start,
                             sizeof(processes[i].start));
    }
    return hash;
}

static bool
is_same(const struct hf_holder *holder, const struct hf_process *processes,
        size_t count)
{
    if (holder->processes_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (holder->processes[i].pid != processes[i].pid ||
            holder->processes[i].start != processes[i].start)
            return false;
    return true;
}

static struct hf_holder *
find(const struct hf_observer *observer, const struct hf_process *processes,
     size_t count)
{
    struct hf_hash_node *node =
        hf_hash_find(&observer->holders, hash_of(processes, count));

    for (; node != NULL; node = hf_hash_next(node))
        if (is_same((struct hf_holder *)node, processes, count))
            return (struct hf_holder *)node;
    return NULL;
}

/* Each that is there is told of once, when it ends. */
static void
add_to_epoll(const struct hf_observer *observer, struct hf_holder *holder)
{
    struct pollfd fds[HF_PROCESSES_MAX];
    size_t count = hf_process_poll_fds(&holder->observation, fds);

    for (size_t i = 0; i < count; i++) {
        struct epoll_event event = {
            .events = EPOLLIN | EPOLLONESHOT,
            .data.u64 = holder->number.hash,
        };

        (void)epoll_ctl(observer->epoll_fd, EPOLL_CTL_ADD, fds[i].fd, &event);
    }
}

static struct hf_holder *
make(struct hf_observer *observer, const struct hf_process *processes,
     size_t count)
{
    struct hf_holder *holder = hf_new(observer->alloc, struct hf_holder);

    if (holder == NULL)
        return NULL;
    memcpy(holder->processes, processes, count * sizeof(*processes));
    holder->processes_count = count;
    if (!hf_hash_add(&observer->numbers, &holder->number,
                     ++observer->last_number)) {
        hf_free(observer->alloc, holder);
        return NULL;
    }
    if (!hf_hash_add(&observer->holders, &holder->node,
                     hash_of(processes, count))) {
        hf_hash_remove(&observer->numbers, &holder->number);
        hf_free(observer->alloc, holder);
        return NULL;
    }
    hf_process_observe(&holder->observation, processes, count);
    holder->presence = hf_process_look(&holder->observation);
    add_to_epoll(observer, holder);
    return holder;
}

void
hf_observer_follow(struct hf_observer *observer, struct hf_queue *queue,
                   const struct hf_process *processes, size_t count)
{
    struct hf_holder *holder = find(observer, processes, count);

    if (holder == NULL)
        holder = make(observer, processes, count);
    if (holder == NULL)
        return;
    queue->observed = holder;
    hf_list_add(&holder->queues, &queue->peer);
}

void
hf_observer_leave(struct hf_observer *observer, struct hf_queue *queue)
{
    struct hf_holder *holder = queue->observed;

    if (holder == NULL)
        return;
    queue->observed = NULL;
    hf_list_remove(&holder->queues, &queue->peer);
    if (holder->queues.first != NULL)
        return;
    hf_process_forget(&holder->observation);
    hf_hash_remove(&observer->holders, &holder->node);
    hf_hash_remove(&observer->numbers, &holder->number);
    hf_free(observer->alloc, holder);
}

struct hf_holder *
hf_observer_find(const struct hf_observer *observer, uint64_t number)
{
    struct hf_hash_node *node = hf_hash_find(&observer->numbers, number);

    return node == NULL ? NULL : HF_CONTAINER(node, struct hf_holder, number);
}

bool
hf_observer_look(struct hf_holder *holder)
{
    enum hf_presence before = holder->presence;

    holder->presence = hf_process_look(&holder->observation);
    return holder->presence != before;
}
