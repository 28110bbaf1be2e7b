#include "client/generation.h"

#include <pthread.h>

/* Changes in a child alone, before fork() returns there. */
static unsigned generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
count(void)
{
    generation++;
}

static void
watch(void)
{
    (void)pthread_atfork(NULL, NULL, count);
}

void
hf_generation_watch(void)
{
    pthread_once(&once, watch);
}

unsigned
hf_generation(void)
{
    return generation;
}
