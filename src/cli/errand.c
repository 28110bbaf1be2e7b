#include "errand.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *
run(void *ctx)
{
    const struct hf_errand *errand = ctx;
    uint64_t one = 1;

    errand->work(errand->ctx);
    (void)!write(errand->over_fd, &one, sizeof(one));
    return NULL;
}

bool
hf_errand_start(struct hf_errand *errand, void (*work)(void *ctx), void *ctx)
{
    *errand = (struct hf_errand){.work = work, .ctx = ctx};
    errand->over_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (errand->over_fd < 0)
        return false;

    int failed = pthread_create(&errand->thread, NULL, run, errand);

    if (failed != 0) {
        close(errand->over_fd);
        errno = failed;
        return false;
    }
    return true;
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
    (void)pthread_join(errand->thread, NULL);
    close(errand->over_fd);
}
