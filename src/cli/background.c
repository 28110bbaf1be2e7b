#include "background.h"

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
work_off(void *ctx)
{
    const struct hf_background *background = ctx;

    for (;;) {
        await(background->start_fd);
        if (background->work == NULL)
            return NULL;
        background->work(background->ctx);
        ring(background->over_fd);
    }
}

bool
hf_background_open(struct hf_background *background)
{
    int failed = 0;

    *background = (struct hf_background){
        .start_fd = eventfd(0, EFD_CLOEXEC),
        .over_fd = eventfd(0, EFD_CLOEXEC),
    };
    if (background->start_fd < 0 || background->over_fd < 0)
        failed = errno;
    else
        failed =
            pthread_create(&background->thread, NULL, work_off, background);
    background->opened = failed == 0;
    if (background->opened)
        return true;
    if (background->start_fd >= 0)
        close(background->start_fd);
    if (background->over_fd >= 0)
        close(background->over_fd);
    errno = failed;
    return false;
}

void
hf_background_start(struct hf_background *background, void (*work)(void *ctx),
                    void *ctx)
{
    background->work = work;
    background->ctx = ctx;
    ring(background->start_fd);
}

bool
hf_background_over(const struct hf_background *background)
{
    struct pollfd over = {.fd = background->over_fd, .events = POLLIN};

    return poll(&over, 1, 0) == 1;
}

void
hf_background_finish(struct hf_background *background)
{
    await(background->over_fd);
}

void
hf_background_close(struct hf_background *background)
{
    if (!background->opened)
        return;
    hf_background_start(background, NULL, NULL);
    (void)pthread_join(background->thread, NULL);
    close(background->start_fd);
    close(background->over_fd);
    background->opened = false;
}
