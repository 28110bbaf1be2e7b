#include "server/watch.h"

#include <sys/epoll.h>

#include "base/fd.h"

void
hf_watch_open(struct hf_watch *watch)
{
    *watch = (struct hf_watch){.fd = epoll_create1(EPOLL_CLOEXEC)};
}

void
hf_watch_close(struct hf_watch *watch)
{
    hf_fd_close(&watch->fd);
}

/* One that was closed since is gone from it already. */
static void
drop_all(struct hf_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        (void)epoll_ctl(watch->fd, EPOLL_CTL_DEL, watch->fds[i].fd, NULL);
    watch->count = 0;
}

void
hf_watch_renew(struct hf_watch *watch, const struct hf_seat *seat)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (watch->fd < 0 || watch->seen == hf_seat_observations(seat))
        return;
    drop_all(watch);
    watch->seen = hf_seat_observations(seat);
    watch->count = hf_seat_poll_fds(seat, watch->fds);
    for (size_t i = 0; i < watch->count; i++) {
        event.data.fd = watch->fds[i].fd;
        (void)epoll_ctl(watch->fd, EPOLL_CTL_ADD, watch->fds[i].fd, &event);
    }
}

void
hf_watch_take(struct hf_watch *watch)
{
    struct epoll_event events[HF_PROCESSES_MAX];
    int count = epoll_wait(watch->fd, events, HF_PROCESSES_MAX, 0);

    for (int i = 0; i < count; i++)
        (void)epoll_ctl(watch->fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
}
