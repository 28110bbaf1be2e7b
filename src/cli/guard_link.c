#include "guard_link.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

bool
hf_guard_link_open(struct hf_guard_link *link)
{
    int ends[2];

    *link = (struct hf_guard_link){
        .holdfast_end = -1, .guard_end = -1, .holdfast_life = -1};

    void *page =
        mmap(NULL, sizeof(struct hf_guard_link_page), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        goto fail;
    link->page = page;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        goto fail;
    link->holdfast_end = ends[0];
    link->guard_end = ends[1];
    link->holdfast_life = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (link->holdfast_life < 0)
        goto fail;
    return true;
fail:
    hf_guard_link_close(link);
    return false;
}

void
hf_guard_link_close(struct hf_guard_link *link)
{
    if (link->page != NULL)
        munmap(link->page, sizeof(*link->page));
    link->page = NULL;
    hf_fd_close(&link->holdfast_end);
    hf_fd_close(&link->guard_end);
    hf_fd_close(&link->holdfast_life);
}

bool
hf_guard_link_send(int end, const struct hf_guard_link_message *message)
{
    ssize_t sent =
        send(end, message, sizeof(*message), MSG_DONTWAIT | MSG_NOSIGNAL);

    return sent == (ssize_t)sizeof(*message);
}

bool
hf_guard_link_receive(int end, struct hf_guard_link_message *message,
                      bool *gone)
{
    struct hf_guard_link_message got;
    ssize_t len = recv(end, &got, sizeof(got), MSG_DONTWAIT);

    if (len == (ssize_t)sizeof(got)) {
        *message = got;
        return true;
    }
    if (len >= 0 || (errno != EAGAIN && errno != EINTR))
        *gone = true;
    return false;
}
