#include "pact.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
hf_pact_open(struct hf_pact *pact)
{
    int ends[2];

    *pact = (struct hf_pact){
        .holdfast_end = -1, .guard_end = -1, .holdfast_life = -1};

    void *page = mmap(NULL, sizeof(struct hf_pact_page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        goto fail;
    pact->page = page;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        goto fail;
    pact->holdfast_end = ends[0];
    pact->guard_end = ends[1];
    pact->holdfast_life = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (pact->holdfast_life < 0)
        goto fail;
    return true;
fail:
    hf_pact_close(pact);
    return false;
}

void
hf_pact_close(struct hf_pact *pact)
{
    int saved = errno;

    if (pact->page != NULL)
        munmap(pact->page, sizeof(*pact->page));
    if (pact->holdfast_end >= 0)
        close(pact->holdfast_end);
    if (pact->guard_end >= 0)
        close(pact->guard_end);
    if (pact->holdfast_life >= 0)
        close(pact->holdfast_life);
    *pact = (struct hf_pact){
        .holdfast_end = -1, .guard_end = -1, .holdfast_life = -1};
    errno = saved;
}

bool
hf_pact_send(int end, const struct hf_pact_message *message)
{
    ssize_t sent =
        send(end, message, sizeof(*message), MSG_DONTWAIT | MSG_NOSIGNAL);

    return sent == (ssize_t)sizeof(*message);
}

bool
hf_pact_receive(int end, struct hf_pact_message *message, bool *gone)
{
    struct hf_pact_message got;
    ssize_t len = recv(end, &got, sizeof(got), MSG_DONTWAIT);

    if (len == (ssize_t)sizeof(got)) {
        *message = got;
        return true;
    }
    if (len >= 0 || (errno != EAGAIN && errno != EINTR))
        *gone = true;
    return false;
}
