#include "client/cancel.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "client/generation.h"

struct hf_cancel {
    unsigned generation; /* a forked child shares the descriptors, and must
                            not use them */
    int cancelled_fd;
    int abandoned_fd;
};

enum hf_status
hf_cancel_open(struct hf_cancel **cancel)
{
    struct hf_cancel *made = hf_new(&hf_alloc_libc, struct hf_cancel);

    if (made == NULL)
        return HF_E_NOMEM;
    hf_generation_watch();
    made->generation = hf_generation();
    made->cancelled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    made->abandoned_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made->cancelled_fd < 0 || made->abandoned_fd < 0) {
        hf_cancel_close(made);
        return HF_E_LIMIT;
    }
    *cancel = made;
    return HF_OK;
}

/* A full counter refuses a write, and is readable all the same. */
static void
switch_on(const struct hf_cancel *cancel, int fd)
{
    static const uint64_t one = 1;
    int error = errno; /* of the code that a signal interrupted */

    if (cancel->generation == hf_generation())
        (void)!write(fd, &one, sizeof(one));
    errno = error;
}

void
hf_cancel(struct hf_cancel *cancel)
{
    switch_on(cancel, cancel->cancelled_fd);
}

void
hf_cancel_abandon(struct hf_cancel *cancel)
{
    switch_on(cancel, cancel->abandoned_fd);
}

void
hf_cancel_close(struct hf_cancel *cancel)
{
    if (cancel == NULL)
        return;
    if (cancel->cancelled_fd >= 0)
        close(cancel->cancelled_fd);
    if (cancel->abandoned_fd >= 0)
        close(cancel->abandoned_fd);
    hf_free(&hf_alloc_libc, cancel);
}

int
hf_cancel_fd(const struct hf_cancel *cancel)
{
    return cancel == NULL ? -1 : cancel->cancelled_fd;
}

int
hf_cancel_abandon_fd(const struct hf_cancel *cancel)
{
    return cancel == NULL ? -1 : cancel->abandoned_fd;
}
