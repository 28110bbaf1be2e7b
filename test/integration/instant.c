#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/check.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/processes.h"

/*
 * A refuse holder releases and ends in the same breath, while somebody waits:
 * the waiter may learn of the end before it sees the release, and must be
 * granted the lock all the same, and never be told that the holder is dead.
 * The machine is kept busy, so that everything happens in every order.
 */

#define ROUNDS 200
#define LOAD   4

static void
burn(void)
{
    volatile unsigned spins = 0;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;)
        spins++;
}

static void
play_round(int round)
{
    struct actor holder;
    struct actor waiter;
    struct actors_news held;
    struct actors_news next;
    char name[32];

    snprintf(name, sizeof(name), "instant-%d", round);
    actors_start(&holder);
    actors_start(&waiter);
    actors_acquire(&holder, name, HF_REFUSE);
    held = actors_expect(&holder, ACTORS_GRANTED, 1);
    actors_acquire(&waiter, name, HF_REFUSE);
    (void)actors_expect(&waiter, ACTORS_SEES, held.fence);

    actors_release(&holder, true);
    next = actors_expect(&waiter, ACTORS_GRANTED, held.fence + 1);
    HF_CHECK(next.fence > held.fence);
    actors_release(&waiter, false);
    (void)actors_expect(&waiter, ACTORS_RELEASED, 0);
    actors_end(&holder);
    actors_end(&waiter);
}

int
main(void)
{
    char folder[FOLDER_SIZE];
    char place[FOLDER_SIZE + 32];
    pid_t load[LOAD];

    processes_begin((struct hf_duration){100000});
    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    HF_CHECK(setenv("HOLDFAST_AT", place, 1) == 0);
    for (int i = 0; i < LOAD; i++) {
        load[i] = fork();
        HF_CHECK(load[i] >= 0);
        if (load[i] == 0)
            burn();
    }
    for (int round = 0; round < ROUNDS; round++)
        play_round(round);
    for (int i = 0; i < LOAD; i++) {
        (void)kill(load[i], SIGKILL);
        (void)processes_wait(load[i]);
    }
    folder_remove(folder);
    printf("%d holders released and ended in one breath; none was called "
           "dead\n",
           ROUNDS);
    return 0;
}
