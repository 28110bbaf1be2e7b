#include "driver.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/random.h"
#include "support/processes.h"

#define WAIT_MAX_US 1000000

uint64_t
driver_seed(void)
{
    const char *given = getenv("HF_SEED");
    uint64_t seed;

    if (given != NULL)
        return strtoull(given, NULL, 10);
    HF_CHECK(hf_random_u64(&seed, NULL) == HF_OK);
    return seed % 1000000;
}

void
driver_begin(struct driver *driver)
{
    char place[FOLDER_SIZE + 32];
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    HF_CHECK(sigprocmask(SIG_BLOCK, &signals, NULL) == 0);
    driver->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    folder_make(driver->folder);
    driver->words = ledger_make(driver->folder);
    HF_CHECK(driver->signals >= 0 && driver->words >= 0);
    if (getenv("HF_PLACE") != NULL)
        snprintf(place, sizeof(place), "%s", getenv("HF_PLACE"));
    else
        snprintf(place, sizeof(place), "sqlite:%s/locks.db", driver->folder);
    HF_CHECK(setenv("HOLDFAST_AT", place, 1) == 0);
}

void
driver_end(struct driver *driver)
{
    close(driver->signals);
    close(driver->words);
    folder_remove(driver->folder);
}

void
driver_wait(const struct driver *driver, int64_t us)
{
    struct pollfd polls[] = {
        {.fd = driver->words, .events = POLLIN},
        {.fd = driver->signals, .events = POLLIN},
    };
    int64_t wait_us = us < 0 ? 0 : us < WAIT_MAX_US ? us : WAIT_MAX_US;
    struct timespec left = {wait_us / 1000000, wait_us % 1000000 * 1000};

    (void)ppoll(polls, 2, &left, NULL);
}

bool
driver_word(const struct driver *driver, struct ledger_word *word)
{
    return read(driver->words, word, sizeof(*word)) == sizeof(*word);
}

pid_t
driver_reap(const struct driver *driver, int *code)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    (void)!read(driver->signals, &info, sizeof(info));
    pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0)
        return 0;
    *code = processes_exit_code(status);
    return pid;
}
