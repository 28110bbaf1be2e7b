#include "background.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/fd.h"

static void
await(int fd)
{
    eventfd_t count;

    while (eventfd_read(fd, &count) != 0 && errno == EINTR)
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
        (void)eventfd_write(background->over_fd, 1); /* at 0 it takes it */
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
    hf_fd_close(&background->start_fd);
    hf_fd_close(&background->over_fd);
    errno = failed;
    return false;
}

void
hf_background_start(struct hf_background *background, void (*work)(void *ctx),
                    void *ctx)
{
    background->work = work;
    background->ctx = ctx;
    (void)eventfd_write(background->start_fd, 1);
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
    hf_fd_close(&background->start_fd);
    hf_fd_close(&background->over_fd);
    background->opened = false;
}
