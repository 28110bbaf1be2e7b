#include "base/fork.h"

#include <pthread.h>

static unsigned forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
count_fork(void)
{
    forks++;
}

static void
watch(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

void
hf_fork_watch(void)
{
    pthread_once(&once, watch);
}

unsigned
hf_fork_count(void)
{
    return forks;
}
