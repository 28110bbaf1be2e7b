#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "ledger.h"
#include "plan.h"

/*
 * torture_command FOLDER LOCK ROUND HABIT DEAF LIFE_MS: the command that
 * `holdfast run` runs in the experiment of kills.  It has the witness file of
 * its lock for itself as long as anything of it is left: a flock ends when the
 * last process that has the descriptor ends, whatever that process has become.
 */

struct command {
    struct ledger ledger;
    enum round_habit habit;
    unsigned life_ms;
};

static void
live(const struct command *command)
{
    struct timespec left = {.tv_sec = command->life_ms / 1000,
                            .tv_nsec = command->life_ms % 1000 * 1000000L};

    while (nanosleep(&left, &left) != 0)
        continue; /* a signal that did not end us */
}

static _Noreturn void
live_to_the_end(struct command *command)
{
    live(command);
    ledger_tell(&command->ledger, LEDGER_ENDS, NULL);
    _exit(0);
}

static void *
live_in_thread(void *ctx)
{
    live_to_the_end(ctx);
}

/* If a thread cannot be started, the command lives as it is. */
static void
follow_habit(struct command *command)
{
    pthread_t thread;
    int status;

    switch (command->habit) {
    case ROUND_SESSION:
        if (fork() != 0) {
            (void)wait(&status);
            _exit(0);
        }
        (void)setsid();
        break;
    case ROUND_THREAD:
        if (pthread_create(&thread, NULL, live_in_thread, command) == 0)
            pthread_exit(NULL);
        break;
    case ROUND_TWICE:
        if (fork() != 0)
            _exit(0);
        (void)setsid();
        if (fork() != 0)
            _exit(0);
        break;
    case ROUND_PLAIN:
    case ROUND_HABITS:
        break;
    }
}

static unsigned
number(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

/* Open the witness file of that lock, and see whether it is ours alone. */
static enum ledger_word_kind
take_witness(const char *folder, unsigned lock)
{
    char path[512];
    int file;

    snprintf(path, sizeof(path), "%s/witness-%u", folder, lock);
    file = open(path, O_RDWR | O_CREAT, 0600);
    HF_CHECK(file >= 0);
    return flock(file, LOCK_EX | LOCK_NB) == 0 ? LEDGER_BEGINS
                                               : LEDGER_OVERLAPS;
}

int
main(int argc, char **argv)
{
    static struct command command; /* it outlives the first thread */
    const char *fence = getenv("HOLDFAST_FENCE");

    if (argc != 7 || fence == NULL || !ledger_open(&command.ledger, argv[1]))
        return 64;
    if (strcmp(argv[5], "1") == 0)
        (void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = SIG_IGN},
                        NULL);
    command.ledger.seq = number(argv[3]);
    command.ledger.fence = strtoull(fence, NULL, 10);
    command.habit = (enum round_habit)number(argv[4]);
    command.life_ms = number(argv[6]);
    ledger_tell(&command.ledger, take_witness(argv[1], number(argv[2])), NULL);
    follow_habit(&command);
    live_to_the_end(&command);
}
