#include "base/sockname.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { V4_AT = 12 }; /* in an address of IPv6 (RFC 4291, 2.5.5.2) */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static void
add(const union address *at, struct hf_text *text)
{
    const struct in6_addr *v6 = &at->v6.sin6_addr;
    bool is_v6 = at->any.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(v6);
    const void *bytes = is_v6 ? (const void *)v6 : &at->v4.sin_addr;
    char host[INET6_ADDRSTRLEN];

    if (at->any.sa_family == AF_INET6 && !is_v6)
        bytes = &v6->s6_addr[V4_AT];
    else if (at->any.sa_family != AF_INET6 && at->any.sa_family != AF_INET)
        return;
    if (inet_ntop(is_v6 ? AF_INET6 : AF_INET, bytes, host, sizeof(host)) ==
        NULL)
        return;
    hf_text_addf(text, is_v6 ? "[%s]:%u" : "%s:%u", host,
                 (unsigned)ntohs(at->v4.sin_port)); /* both have it there */
}

void
hf_sockname_own(int fd, struct hf_text *text)
{
    union address at;
    socklen_t len = sizeof(at);

    if (getsockname(fd, &at.any, &len) == 0)
        add(&at, text);
}

void
hf_sockname_peer(int fd, struct hf_text *text)
{
    union address at;
    socklen_t len = sizeof(at);

    if (getpeername(fd, &at.any, &len) == 0)
        add(&at, text);
}
