#include "client/server/addresses.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

static const char scheme[] = "http://";

#define PORT "7420"

bool
hf_addresses_are(const char *place)
{
    return strncmp(place, scheme, sizeof(scheme) - 1) == 0 ||
           strncmp(place, "https://", 8) == 0;
}

/* ---- Reading ------------------------------------------------------------- */

static enum hf_status
refuse(struct hf_error *error, const char *place)
{
    char shown[128];

    hf_text_show(shown, sizeof(shown), place, strlen(place));
    return hf_fail(error, HF_E_INVALID,
                   "'%s' is not a lock server: write http://host:7420, or of "
                   "several nodes http://host:7420,host:7421",
                   shown);
}

static bool
is_host(const char *at, size_t len, bool bracketed)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)at[i]) && strchr("-._", at[i]) == NULL &&
            !(bracketed && (at[i] == ':' || at[i] == '%')))
            return false;
    return len > 0 && len <= HF_HOST_MAX;
}

static bool
is_port(const char *at, size_t len)
{
    return len > 0 && len < 6 && strspn(at, "0123456789") >= len &&
           strtoul(at, NULL, 10) >= 1 && strtoul(at, NULL, 10) <= 65535;
}

/* "host", "host:port", "[host]" or "[host]:port", of `len` bytes. */
static bool
read_one(const char *at, size_t len, struct hf_address *address)
{
    bool bracketed = len > 0 && at[0] == '[';
    const char *end = memchr(at, bracketed ? ']' : ':', len);
    const char *host = at + bracketed;
    size_t host_len = end == NULL ? len : (size_t)(end - host);
    const char *rest = end == NULL ? at + len : end + bracketed;
    size_t rest_len = (size_t)(at + len - rest);
    struct hf_text authority;

    if ((bracketed && end == NULL) || !is_host(host, host_len, bracketed))
        return false;
    memcpy(address->host, host, host_len);
    memcpy(address->port, PORT, sizeof(PORT));
    if (rest_len > 0) {
        if (rest[0] != ':' || !is_port(rest + 1, rest_len - 1))
            return false;
        memcpy(address->port, rest + 1, rest_len - 1);
        address->port[rest_len - 1] = '\0';
    }
    hf_text_init(&authority, address->authority, sizeof(address->authority));
    if (bracketed)
        hf_text_addf(&authority, "[%s]:%s", address->host, address->port);
    else
        hf_text_addf(&authority, "%s:%s", address->host, address->port);
    return true;
}

/* With the ports it may be longer than it was given. */
static bool
write_place(struct hf_addresses *addresses)
{
    struct hf_text place;

    hf_text_init(&place, addresses->place, sizeof(addresses->place));
    hf_text_add(&place, scheme);
    for (unsigned i = 0; i < addresses->count; i++)
        hf_text_addf(&place, "%s%s", i == 0 ? "" : ",",
                     addresses->each[i].authority);
    return !hf_text_cut(&place);
}

enum hf_status
hf_addresses_parse(const char *place, struct hf_addresses *addresses,
                   struct hf_error *error)
{
    const char *at = place + sizeof(scheme) - 1;
    size_t len;

    *addresses = (struct hf_addresses){.count = 0};
    if (strncmp(place, scheme, sizeof(scheme) - 1) != 0)
        return hf_fail(error, HF_E_INVALID,
                       "a lock server is reached without TLS as yet: write "
                       "http://host:7420");
    if (strlen(place) > HF_PLACE_MAX)
        return refuse(error, place);
    for (;; at += len + 1) {
        len = strcspn(at, ",/");
        if (addresses->count == HF_ADDRESSES_MAX)
            return hf_fail(error, HF_E_INVALID,
                           "a lock server has %d nodes at most",
                           HF_ADDRESSES_MAX);
        if (!read_one(at, len, &addresses->each[addresses->count++]))
            return refuse(error, place);
        if (at[len] != ',')
            break;
    }
    if (strcmp(at + len, "") != 0 && strcmp(at + len, "/") != 0)
        return refuse(error, place);
    return write_place(addresses)
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "with all ports the nodes' names have more than %d "
                         "bytes",
                         HF_PLACE_MAX);
}

/* ---- Looking up ---------------------------------------------------------- */

static int
find(struct hf_address *address)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    int wrong =
        getaddrinfo(address->host, address->port, &hints, &address->found);

    if (wrong != 0)
        address->found = NULL;
    return wrong;
}

enum hf_status
hf_addresses_find(struct hf_addresses *addresses, struct hf_error *error)
{
    bool any = false;

    for (unsigned i = 0; i < addresses->count; i++) {
        struct hf_address *address = &addresses->each[i];
        int wrong = address->found == NULL ? find(address) : 0;

        if (wrong != 0 && !any)
            (void)hf_fail(error, HF_E_UNAVAILABLE, "%s: %s", address->host,
                          gai_strerror(wrong));
        any = any || wrong == 0;
    }
    return any ? HF_OK : HF_E_UNAVAILABLE;
}

unsigned
hf_addresses_of(const struct hf_addresses *addresses, const char *authority)
{
    for (unsigned i = 0; i < addresses->count; i++)
        if (strcmp(addresses->each[i].authority, authority) == 0)
            return i + 1;
    return 0;
}

void
hf_addresses_fini(struct hf_addresses *addresses)
{
    for (unsigned i = 0; i < addresses->count; i++)
        if (addresses->each[i].found != NULL)
            freeaddrinfo(addresses->each[i].found);
    addresses->count = 0;
}
