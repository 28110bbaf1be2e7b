#include "server/address.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/hash.h"

enum { V4_LEN = 4, V4_AT = 12, NETWORK_LEN = 8 };

static uint64_t
number_of(const void *bytes, size_t len)
{
    uint64_t number = hf_hash_bytes(HF_HASH_SEED, bytes, len);

    return number != 0 ? number : 1;
}

uint64_t
hf_address_number(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer;
    socklen_t len = sizeof(peer);
    const struct in6_addr *v6 = &peer.v6.sin6_addr;

    if (getpeername(fd, &peer.any, &len) != 0)
        return 0;
    if (peer.any.sa_family == AF_INET)
        return number_of(&peer.v4.sin_addr, V4_LEN);
    if (peer.any.sa_family != AF_INET6)
        return 0;
    if (IN6_IS_ADDR_V4MAPPED(v6))
        return number_of(&v6->s6_addr[V4_AT], V4_LEN);
    return number_of(v6->s6_addr, NETWORK_LEN);
}
