#include "server/host.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/process.h"

struct hf_bytes
hf_host_name(struct hf_bytes host)
{
    size_t len = host.len;

    while (len > 0 && host.at[len - 1] >= '0' && host.at[len - 1] <= '9')
        len--;
    if (len > 0 && len < host.len && host.at[len - 1] == ':')
        host.len = len - 1;
    return host;
}

/* As an address of IPv6, which has room for those of IPv4 (RFC 4291, 2.5.5.2).
 * False: it is a name. */
static bool
address_of(struct hf_bytes name, struct in6_addr *address)
{
    static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    char text[INET6_ADDRSTRLEN];

    if (name.len > 2 && name.at[0] == '[' && name.at[name.len - 1] == ']')
        name = (struct hf_bytes){name.at + 1, name.len - 2};
    else if (name.len > 0 && memchr(name.at, ':', name.len) != NULL)
        return false;
    if (name.len == 0 || name.len >= sizeof(text))
        return false;
    memcpy(text, name.at, name.len);
    text[name.len] = '\0';
    if (inet_pton(AF_INET6, text, address) == 1)
        return true;
    memcpy(address->s6_addr, mapped, sizeof(mapped));
    return inet_pton(AF_INET, text, address->s6_addr + sizeof(mapped)) == 1;
}

static bool
is_same(struct hf_bytes name, const char *own)
{
    struct hf_bytes text = {own, strlen(own)};
    struct in6_addr one;
    struct in6_addr other;

    if (address_of(name, &one) && address_of(text, &other))
        return memcmp(&one, &other, sizeof(one)) == 0;
    return name.len == text.len && strncasecmp(name.at, own, text.len) == 0;
}

bool
hf_host_is_name(struct hf_bytes name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    struct in6_addr address;

    if (address_of(name, &address))
        return true;
    for (size_t i = 0; i < name.len; i++)
        if (memchr(letters, name.at[i], sizeof(letters) - 1) == NULL)
            return false;
    return name.len > 0 && name.len <= HF_HOST_MAX - 2;
}

bool
hf_host_is_one(struct hf_bytes name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (is_same(name, *names))
            return true;
    return false;
}

bool
hf_host_is_ours(struct hf_bytes host, const char *const *names)
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]",
                                           NULL};
    struct hf_bytes name = hf_host_name(host);

    return hf_host_is_one(name, loopback) || hf_host_is_one(name, names);
}
