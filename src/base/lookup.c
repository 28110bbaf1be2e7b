#include "base/lookup.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "base/alloc.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/thread.h"

/* Shared by its thread and its caller; the last to leave frees it.  It is not
 * in the client's memory, since it may outlive the client. */
struct hf_lookup {
    char host[HF_HOST_MAX + 1];
    char port[8];
    int wake_fd; /* owned */
    atomic_bool is_done;
    atomic_int owners;
    struct addrinfo *found;
    int wrong;
};

int
hf_lookup_now(const char *host, const char *port, bool is_number,
              struct addrinfo **found)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
        .ai_flags = is_number ? AI_NUMERICHOST : 0,
    };
    int wrong = getaddrinfo(host, port, &hints, found);

    if (wrong != 0)
        *found = NULL;
    return wrong;
}

static void
leave(struct hf_lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->owners, 1) > 1)
        return;
    if (lookup->found != NULL)
        freeaddrinfo(lookup->found);
    hf_fd_close(&lookup->wake_fd);
    hf_free(&hf_alloc_libc, lookup);
}

/* Threads whose resolver has not returned; of a resolver that never does, each
 * lookup leaves one. */
enum { UNDER_WAY_MAX = 64 };
static atomic_int under_way;

static void *
look_up(void *arg)
{
    struct hf_lookup *lookup = arg;

    lookup->wrong =
        hf_lookup_now(lookup->host, lookup->port, false, &lookup->found);
    atomic_store(&lookup->is_done, true);
    (void)eventfd_write(lookup->wake_fd, 1);
    leave(lookup);
    atomic_fetch_sub(&under_way, 1);
    return NULL;
}

static bool
start(struct hf_lookup *lookup)
{
    pthread_t thread;

    if (atomic_fetch_add(&under_way, 1) < UNDER_WAY_MAX &&
        hf_thread_start(&thread, look_up, lookup)) {
        (void)pthread_detach(thread); /* it is there, so it cannot fail */
        return true;
    }
    atomic_fetch_sub(&under_way, 1);
    return false;
}

struct hf_lookup *
hf_lookup_begin(const char *host, const char *port, int wake_fd)
{
    struct hf_lookup *lookup = hf_new(&hf_alloc_libc, struct hf_lookup);

    if (lookup == NULL)
        return NULL;
    snprintf(lookup->host, sizeof(lookup->host), "%s", host);
    snprintf(lookup->port, sizeof(lookup->port), "%s", port);
    lookup->wake_fd = fcntl(wake_fd, F_DUPFD_CLOEXEC, 0);
    atomic_init(&lookup->is_done, false);
    atomic_init(&lookup->owners, 2);
    if (lookup->wake_fd >= 0 && start(lookup))
        return lookup;
    atomic_store(&lookup->owners, 1);
    leave(lookup);
    return NULL;
}

bool
hf_lookup_take(struct hf_lookup *lookup, struct addrinfo **found, int *wrong)
{
    if (!atomic_load(&lookup->is_done))
        return false;
    *found = lookup->found;
    *wrong = lookup->wrong;
    lookup->found = NULL;
    leave(lookup);
    return true;
}

void
hf_lookup_drop(struct hf_lookup *lookup)
{
    if (lookup != NULL)
        leave(lookup);
}
