#ifndef HF_SERVER_WATCH_H
#define HF_SERVER_WATCH_H

#include "server/seat.h"

/*
 * Watch: one descriptor that is readable when a process of the present leader
 * has ended, whichever processes those are just now (epoll(7)).
 *
 * Each is told once, for a process that has ended stays so.  One thread.
 */
struct hf_watch {
    int fd;        /* owned: to be polled; -1: it could not be made, and the
                      leader's ttl tells instead */
    uint64_t seen; /* as hf_seat_observations said */
    struct pollfd fds[HF_PROCESSES_MAX]; /* borrowed from the seat */
    size_t count;
};

void hf_watch_open(struct hf_watch *watch);
void hf_watch_close(struct hf_watch *watch);

/* Watch those of now, if they are others than before. */
void hf_watch_renew(struct hf_watch *watch, const struct hf_seat *seat);

/* It is readable: hf_seat_look is to be called.  Those that have ended are
 * watched no more. */
void hf_watch_take(struct hf_watch *watch);

#endif
