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

#include "plan.h"
#include "word.h"

/*
 * storm_command FOLDER LOCK ROUND HABIT DEAF LIFE_MS: what holdfast runs in a
 * storm.  It has the witness file of its lock for itself as long as anything
 * of it is left: a flock ends when the last process that has the descriptor
 * ends, whatever that process has become.
 */

struct command {
    int words;
    struct storm_word word;
    enum storm_habit habit;
    unsigned life_ms;
};

static int
open_in(const char *folder, const char *name, int flags)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return open(path, flags, 0600);
}

static void
tell(struct command *command, enum storm_word_kind kind)
{
    command->word.kind = kind;
    (void)!write(command->words, &command->word, sizeof(command->word));
}

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
    tell(command, STORM_ENDS);
    _exit(0);
}

static void *
live_in_thread(void *ctx)
{
    live_to_the_end(ctx);
}

/* Whatever cannot be started is not this test's: then it lives as it is. */
static void
follow_habit(struct command *command)
{
    pthread_t thread;
    int status;

    switch (command->habit) {
    case STORM_SESSION:
        if (fork() != 0) {
            (void)wait(&status);
            _exit(0);
        }
        (void)setsid();
        break;
    case STORM_THREAD:
        if (pthread_create(&thread, NULL, live_in_thread, command) == 0)
            pthread_exit(NULL);
        break;
    case STORM_TWICE:
        if (fork() != 0)
            _exit(0);
        (void)setsid();
        if (fork() != 0)
            _exit(0);
        break;
    case STORM_PLAIN:
    case STORM_HABITS:
        break;
    }
}

static unsigned
number(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

int
main(int argc, char **argv)
{
    static struct command command; /* it outlives the first thread */
    const char *fence = getenv("HOLDFAST_FENCE");
    char witness[32];

    if (argc != 7 || fence == NULL)
        return 64;
    if (strcmp(argv[5], "1") == 0)
        (void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = SIG_IGN},
                        NULL);
    command = (struct command){
        .words = open_in(argv[1], STORM_WORDS, O_WRONLY),
        .word = {.round = number(argv[3]), .fence = strtoull(fence, NULL, 10)},
        .habit = (enum storm_habit)number(argv[4]),
        .life_ms = number(argv[6]),
    };
    snprintf(witness, sizeof(witness), STORM_WITNESS, number(argv[2]));

    int file = open_in(argv[1], witness, O_RDWR | O_CREAT);

    if (command.words < 0 || file < 0)
        return 70;
    tell(&command,
         flock(file, LOCK_EX | LOCK_NB) == 0 ? STORM_BEGINS : STORM_OVERLAPS);
    follow_habit(&command);
    live_to_the_end(&command);
}
