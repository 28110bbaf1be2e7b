#include "client/server/addresses.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/authority.h"
#include "base/fail.h"
#include "base/text.h"

static const char scheme[] = "http://";
static const char secure_scheme[] = "https://";

#define PORT "7420"

/* For so long a lookup is not repeated, so that many connections at once share
 * one. */
static const struct hf_duration freshness = {1000};

static bool
begins(const char *at, const char *with)
{
    return strncasecmp(at, with, strlen(with)) == 0;
}

bool
hf_addresses_are(const char *place)
{
    return begins(place, scheme) || begins(place, secure_scheme);
}

/* ---- Reading ------------------------------------------------------------- */

static enum hf_status
refuse(struct hf_error *error, const char *place)
{
    char shown[128];

    hf_text_show_url(shown, sizeof(shown), place);
    return hf_fail(error, HF_E_INVALID,
                   "'%s' is not a lock server: write http://host:7420, or of "
                   "several nodes http://host:7420,host:7421",
                   shown);
}

static bool
read_one(const char *at, size_t len, struct hf_address *address)
{
    struct hf_authority read;
    struct hf_text authority;

    if (!hf_authority_read((struct hf_bytes){at, len}, &read) ||
        read.host.len > HF_HOST_MAX)
        return false;
    memcpy(address->host, read.host.at, read.host.len);
    if (read.port.len > 0)
        memcpy(address->port, read.port.at, read.port.len);
    else
        memcpy(address->port, PORT, sizeof(PORT));
    hf_text_init(&authority, address->authority, sizeof(address->authority));
    hf_text_addf(&authority, read.bracketed ? "[%s]:%s" : "%s:%s",
                 address->host, address->port);
    return true;
}

/* False: with the ports added it is too long. */
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

/* Parse the list from `at` on.  Each node may have its scheme, and a slash at
 * its end. */
static bool
read_all(struct hf_addresses *addresses, const char *at)
{
    for (;;) {
        size_t len = strcspn(at, ",/");

        if (addresses->count == HF_ADDRESSES_MAX ||
            !read_one(at, len, &addresses->each[addresses->count++]))
            return false;
        at += len;
        at += *at == '/';
        if (*at == '\0')
            return true;
        if (*at++ != ',')
            return false;
        at += begins(at, scheme) ? strlen(scheme) : 0;
    }
}

static unsigned
count_of(const char *place)
{
    unsigned count = 1;

    for (const char *at = strchr(place, ','); at != NULL;
         at = strchr(at + 1, ','))
        count++;
    return count;
}

enum hf_status
hf_addresses_parse(const char *place, struct hf_addresses *addresses,
                   struct hf_error *error)
{
    *addresses = (struct hf_addresses){.count = 0};
    if (begins(place, secure_scheme) || strstr(place, ",https://") != NULL)
        return hf_fail(error, HF_E_INVALID,
                       "a lock server is reached without TLS as yet: write "
                       "http://host:7420");
    if (strlen(place) > HF_PLACE_MAX)
        return refuse(error, place);
    if (count_of(place) > HF_ADDRESSES_MAX)
        return hf_fail(error, HF_E_INVALID,
                       "a lock server has %d nodes at most", HF_ADDRESSES_MAX);
    if (!read_all(addresses, place + strlen(scheme)))
        return refuse(error, place);
    return write_place(addresses)
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "with all ports the nodes' names have more than %d "
                         "bytes",
                         HF_PLACE_MAX);
}

/* ---- Looking up ---------------------------------------------------------- */

static void
keep(struct hf_address *address, struct addrinfo *found)
{
    if (address->found != NULL)
        freeaddrinfo(address->found);
    address->found = found;
    address->found_at = hf_now();
}

/* 0, or as gai_strerror has it. */
static int
find(struct hf_address *address, bool is_number)
{
    struct addrinfo *found;
    int wrong = hf_lookup_now(address->host, address->port, is_number, &found);

    if (wrong == 0)
        keep(address, found);
    return wrong;
}

bool
hf_address_is_fresh(struct hf_address *address, int wake_fd,
                    struct hf_error *error)
{
    struct hf_instant end = hf_after(address->found_at, freshness);

    if (address->found != NULL && !hf_reached(hf_now(), end))
        return true;
    if (find(address, true) == 0)
        return true;
    if (address->lookup == NULL)
        address->lookup =
            hf_lookup_begin(address->host, address->port, wake_fd);
    if (address->lookup == NULL)
        (void)hf_fail(error, HF_E_LIMIT,
                      "%s: cannot start a thread to look it up", address->host);
    return false;
}

bool
hf_address_is_found(struct hf_address *address, const char **why)
{
    struct addrinfo *found;
    int wrong;

    if (address->lookup == NULL ||
        !hf_lookup_take(address->lookup, &found, &wrong))
        return false;
    address->lookup = NULL;
    if (wrong == 0)
        keep(address, found);
    *why = wrong == 0 || address->found != NULL ? NULL : gai_strerror(wrong);
    return true;
}

enum hf_status
hf_addresses_find(struct hf_addresses *addresses, struct hf_error *error)
{
    bool any = false;

    for (unsigned i = 0; i < addresses->count; i++) {
        struct hf_address *address = &addresses->each[i];
        int wrong = address->found == NULL ? find(address, false) : 0;

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
    for (unsigned i = 0; i < addresses->count; i++) {
        if (addresses->each[i].found != NULL)
            freeaddrinfo(addresses->each[i].found);
        hf_lookup_drop(addresses->each[i].lookup);
    }
    addresses->count = 0;
}
