#include "errand.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void
ring(int fd)
{
    uint64_t one = 1;

    (void)!write(fd, &one, sizeof(one)); /* an eventfd at 0 takes it */
}

static void
await(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        continue;
}

static void *
run(void *ctx)
{
    const struct hf_errand *errand = ctx;

    for (;;) {
        await(errand->start_fd);
        if (errand->work == NULL)
            return NULL;
        errand->work(errand->ctx);
        ring(errand->over_fd);
    }
}

bool
hf_errand_open(struct hf_errand *errand)
{
    int failed = 0;

    *errand = (struct hf_errand){
        .start_fd = eventfd(0, EFD_CLOEXEC),
        .over_fd = eventfd(0, EFD_CLOEXEC),
    };
    if (errand->start_fd < 0 || errand->over_fd < 0)
        failed = errno;
    else
        failed = pthread_create(&errand->thread, NULL, run, errand);
    errand->opened = failed == 0;
    if (errand->opened)
        return true;
    if (errand->start_fd >= 0)
        close(errand->start_fd);
    if (errand->over_fd >= 0)
        close(errand->over_fd);
    errno = failed;
    return false;
}

void
hf_errand_start(struct hf_errand *errand, void (*work)(void *ctx), void *ctx)
{
    errand->work = work;
    errand->ctx = ctx;
    ring(errand->start_fd);
}

bool
hf_errand_over(const struct hf_errand *errand)
{
    struct pollfd over = {.fd = errand->over_fd, .events = POLLIN};

    return poll(&over, 1, 0) == 1;
}

void
hf_errand_finish(struct hf_errand *errand)
{
    await(errand->over_fd);
}

void
hf_errand_close(struct hf_errand *errand)
{
    if (!errand->opened)
        return;
    hf_errand_start(errand, NULL, NULL);
    (void)pthread_join(errand->thread, NULL);
    close(errand->start_fd);
    close(errand->over_fd);
    errand->opened = false;
}
