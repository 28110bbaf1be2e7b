/*
 * headless FILE: a process whose first thread has ended, and whose other
 * thread runs on.  /proc calls it a zombie.  It ignores TERM, keeps FILE
 * locked (flock) as long as it runs, and writes its number into it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static pthread_t first;

static void *
run_on(void *ctx)
{
    const int *file = ctx;

    (void)pthread_join(first, NULL);
    dprintf(*file, "%d\n", (int)getpid());
    for (;;)
        pause();
    return NULL;
}

int
main(int argc, char **argv)
{
    static int file; /* outlives this thread */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    pthread_t other;

    if (argc != 2)
        return 64;
    file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    first = pthread_self();
    if (file < 0 || flock(file, LOCK_EX) != 0 ||
        sigaction(SIGTERM, &ignore, NULL) != 0 ||
        pthread_create(&other, NULL, run_on, &file) != 0)
        return 70;
    pthread_exit(NULL);
}
