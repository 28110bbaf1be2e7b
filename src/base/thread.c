#include "base/thread.h"

#include <errno.h>
#include <time.h>

bool
hf_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    sigset_t all;
    sigset_t before;
    int code;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0;
}

static sigset_t
file_limit(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void
hf_thread_block_file_limit(struct hf_thread_mask *mask)
{
    const sigset_t set = file_limit();
    sigset_t pending;

    mask->was_pending = false;
    pthread_sigmask(SIG_BLOCK, &set, &mask->before);
    /* What is not blocked is not pending. */
    if (sigismember(&mask->before, SIGXFSZ) == 1 && sigpending(&pending) == 0)
        mask->was_pending = sigismember(&pending, SIGXFSZ) == 1;
}

void
hf_thread_unblock_file_limit(const struct hf_thread_mask *mask)
{
    static const struct timespec at_once = {0};
    const sigset_t set = file_limit();

    if (!mask->was_pending)
        while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &mask->before, NULL);
}
