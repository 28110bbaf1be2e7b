#include <dlfcn.h>
#include <netdb.h>
#include <stddef.h>
#include <unistd.h>

/*
 * A name server that never answers, for LD_PRELOAD: getaddrinfo returns for
 * numbers alone.
 */

typedef int look_up_fn(const char *node, const char *service,
                       const struct addrinfo *hints, struct addrinfo **found);

/* The loader is to find this, and our flags hide what is not asked for. */
#pragma GCC visibility push(default)

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
            struct addrinfo **found)
{
    look_up_fn *real;

    while (hints == NULL || (hints->ai_flags & AI_NUMERICHOST) == 0)
        pause();
    /* As POSIX tells to make a function of what dlsym gives. */
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(node, service, hints, found);
}
