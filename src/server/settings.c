#include "server/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "base/text.h"
#include "server/host.h"
#include "store/place.h"

#define IDLE_MS 30000

/* After a change of leader those who waited come first [L5]: for so long,
 * which is less than one wait lasts. */
#define TAKEOVER_GRACE_MS 1250

const struct hf_server_settings hf_server_settings_default = {
    .listen_host = "127.0.0.1",
    .port = 7420,
    .idle_margin = 0.03,
    .max_ttl = {60000},
    .connections = 10000,
    .streams = 1000,
    .locks = 128 * 1024,
};

/* ---- Hosts --------------------------------------------------------------- */

/* A name, or an address, of IPv6 in brackets or without: as a URL has it. */
bool
hf_server_settings_read_host(const char *text, char host[HF_HOST_MAX + 1])
{
    bool is_bare = strchr(text, ':') != NULL && text[0] != '[';

    if (snprintf(host, HF_HOST_MAX + 1, is_bare ? "[%s]" : "%s", text) >
        HF_HOST_MAX)
        return false;
    return hf_host_is_name((struct hf_bytes){host, strlen(host)});
}

/* The address of all interfaces, by which others cannot find it. */
bool
hf_server_settings_is_wildcard(const char *host)
{
    static const char *const all[] = {"0.0.0.0", "[::]", NULL};
    char text[HF_HOST_MAX + 1];

    return hf_server_settings_read_host(host, text) &&
           hf_host_is_one((struct hf_bytes){text, strlen(text)}, all);
}

/* ---- Together ------------------------------------------------------------ */

static bool
is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
}

/* As it was said, or what fits the longest ttl. */
static struct hf_duration
idle_timeout(const struct hf_server_settings *settings)
{
    struct hf_duration fitting = {settings->max_ttl.ms / 2};

    if (settings->idle_timeout.ms > 0)
        return settings->idle_timeout;
    return fitting.ms < IDLE_MS ? fitting : (struct hf_duration){IDLE_MS};
}

/* For how long a request waits before it is told to ask again. */
static struct hf_duration
blocking(const struct hf_server_settings *settings)
{
    return (struct hf_duration){(int64_t)((double)idle_timeout(settings).ms *
                                          (1 - settings->idle_margin))};
}

enum hf_status
hf_server_settings_check(const struct hf_server_settings *settings,
                         struct hf_error *error)
{
    if (!is_loopback(settings->listen_host) && !settings->insecure)
        return hf_fail(error, HF_E_INVALID,
                       "listen: an address beyond loopback needs the option "
                       "insecure, because nothing is encrypted and clients "
                       "are not authenticated");
    if (hf_server_settings_is_wildcard(settings->listen_host) &&
        settings->advertise_host[0] == '\0')
        return hf_fail(error, HF_E_INVALID,
                       "listen: at %s other nodes cannot find this one: set "
                       "advertise, as locks.example:7420",
                       settings->listen_host);
    if (blocking(settings).ms * 9 / 10 <= TAKEOVER_GRACE_MS)
        return hf_fail(error, HF_E_INVALID,
                       "idle-timeout less its margin is %" PRId64
                       " ms, and nine tenths of it must be more than %d: a "
                       "change of leader takes that long",
                       blocking(settings).ms, TAKEOVER_GRACE_MS);
    if (settings->idle_timeout.ms > 0 &&
        settings->idle_timeout.ms + HF_SESSION_TTL_MS > settings->max_ttl.ms)
        return hf_fail(error, HF_E_INVALID,
                       "max-ttl is %" PRId64
                       " ms, and must be at least %" PRId64
                       ": a session that waits for the idle timeout needs 30 "
                       "s more",
                       settings->max_ttl.ms,
                       settings->idle_timeout.ms + HF_SESSION_TTL_MS);
    return HF_OK;
}

/* ---- What it is run with ------------------------------------------------- */

/* Beside the command's own file, and never that. */
static enum hf_status
default_place(char place[HF_PLACE_MAX], struct hf_error *error)
{
    static const char own[] = "served.db";
    enum hf_status status = hf_place_default(place, HF_PLACE_MAX);
    char *name;

    if (status != HF_OK)
        return hf_fail(error, status,
                       "there is no home folder: name a place "
                       "with --at");
    name = strrchr(place, '/') + 1;
    if ((size_t)(place + HF_PLACE_MAX - name) < sizeof(own))
        return hf_fail(error, HF_E_LIMIT, "the home folder's name is too long");
    memcpy(name, own, sizeof(own));
    return HF_OK;
}

static uint32_t
at_least(uint32_t count, uint32_t least)
{
    return count < least ? least : count;
}

/* One client may have a sixteenth of it all; the records that a claim needs
 * while it is being deleted are twice as many as there are locks. */
static struct hf_lockspace_limits
limits_for(uint32_t locks)
{
    uint32_t of_session = at_least(locks / 16, 1024);

    return (struct hf_lockspace_limits){
        .sessions = at_least(locks / 8, 1024),
        .keys = at_least(locks / 8, 1024),
        .lanes = locks,
        .claims = 2 * locks,
        .waiters = locks,
        .names = locks,
        .spaces = 1024,
        .parts = 4 * locks,
        .texts = 4 * locks,
        .session_lanes = of_session,
        .session_waiters = of_session,
        .session_grants = 2 * of_session,
        .space_waiters = locks,
        .space_grants = 2 * locks,
        .request_names = HF_SERVED_NAMES_MAX,
        .search = 10000,
        .record_bytes = HF_SERVED_RECORD_MAX,
    };
}

static enum hf_status
fill_node(struct hf_node_config *node,
          const struct hf_server_settings *settings, struct hf_error *error)
{
    uint64_t seeds[3];

    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        enum hf_status status = hf_random_u64(&seeds[i], error);

        if (status != HF_OK)
            return status;
    }
    *node = (struct hf_node_config){
        .leader = {.terms = {HF_TAKEOVER, {HF_LEADER_TTL_MS}, {1000}},
                   .grace = {1000},
                   .max_ttl = settings->max_ttl,
                   .seed = seeds[0]},
        .lockspace = {.limits = limits_for((uint32_t)settings->locks),
                      .blocking = blocking(settings),
                      .resume_grace = {2000},
                      .takeover_grace = {TAKEOVER_GRACE_MS},
                      .ttl_max = settings->max_ttl,
                      .seed = seeds[1],
                      .hash_seed = seeds[2]},
        .rest = {1000},
    };
    return HF_OK;
}

/* By which names clients may call it: those, and where others find it. */
static void
list_hosts(struct hf_server_settings *settings)
{
    size_t count = settings->hosts_count;

    for (size_t i = 0; i < count; i++)
        settings->host_list[i] = settings->hosts[i];
    snprintf(settings->listen_name, sizeof(settings->listen_name),
             strchr(settings->listen_host, ':') != NULL ? "[%s]" : "%s",
             settings->listen_host);
    if (settings->advertise_host[0] != '\0')
        settings->host_list[count++] = settings->advertise_host;
    if (!hf_server_settings_is_wildcard(settings->listen_host))
        settings->host_list[count++] = settings->listen_name;
    settings->host_list[count] = NULL;
}

void
hf_server_settings_address(const struct hf_server_settings *settings,
                           uint16_t port, char address[HF_HOST_MAX + 1])
{
    const char *host = settings->advertise_host;

    if (host[0] == '\0')
        host = settings->listen_name;
    else if (settings->advertise_port != 0)
        port = settings->advertise_port;
    snprintf(address, HF_HOST_MAX + 1, "%s:%u", host, (unsigned)port);
}

/* ---- Changing ------------------------------------------------------------ */

/* The settings that a running server cannot change. */
static void
add_others(struct hf_text *text, const struct hf_server_settings *a,
           const struct hf_server_settings *b)
{
    const struct {
        bool is_other;
        const char *name;
    } all[] = {
        {strcmp(a->listen_host, b->listen_host) != 0 || a->port != b->port,
         "listen"},
        {strcmp(a->advertise_host, b->advertise_host) != 0 ||
             a->advertise_port != b->advertise_port,
         "advertise"},
        {b->at[0] != '\0' && strcmp(a->at, b->at) != 0, "at"},
        {a->idle_timeout.ms != b->idle_timeout.ms, "idle-timeout"},
        {a->idle_margin != b->idle_margin, "idle-margin"},
        {a->max_ttl.ms != b->max_ttl.ms, "max-ttl"},
        {a->no_grace != b->no_grace, "no-grace"},
        {a->connections != b->connections, "connections"},
        {a->streams != b->streams, "streams"},
        {a->locks != b->locks, "locks"},
        {a->insecure != b->insecure, "insecure"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].is_other)
            hf_text_addf(text, "%s%s", text->len > 0 ? ", " : "", all[i].name);
}

void
hf_server_settings_change(struct hf_server_settings *settings,
                          const struct hf_server_settings *wanted,
                          struct hf_text *others)
{
    memcpy(settings->hosts, wanted->hosts, sizeof(settings->hosts));
    settings->hosts_count = wanted->hosts_count;
    settings->log = wanted->log;
    list_hosts(settings);
    add_others(others, settings, wanted);
}

enum hf_status
hf_server_settings_config(struct hf_server_settings *settings,
                          struct hf_loop_config *config, struct hf_error *error)
{
    struct hf_place *place = &config->service.seat.scribe.place;
    enum hf_status status = HF_OK;

    list_hosts(settings);
    *config = (struct hf_loop_config){
        .alloc = &hf_alloc_libc,
        .host = settings->listen_host,
        .port = settings->port,
        .limits = hf_http_limits_default,
        .service = {.alloc = &hf_alloc_libc,
                    .hosts = settings->host_list,
                    .idle_timeout = idle_timeout(settings),
                    .seat = {.scribe = {.alloc = &hf_alloc_libc},
                             .name = "holdfastd"}},
    };
    config->limits.peers = (uint32_t)settings->connections;
    config->limits.streams = (uint32_t)settings->streams;
    if (settings->at[0] == '\0')
        status = default_place(settings->at, error);
    if (status == HF_OK)
        status = hf_place_parse(settings->at, place, error);
    if (status == HF_OK && settings->no_grace && !place->kind->keeps_nothing)
        status = hf_fail(error, HF_E_INVALID,
                         "no-grace is for memory:, where nobody can know "
                         "whether anything is held");
    if (status == HF_OK)
        status = fill_node(&config->service.seat.node, settings, error);
    config->service.seat.no_grace = settings->no_grace;
    return status;
}
