#include "postgresql/link.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/fork.h"
#include "base/random.h"
#include "base/text.h"
#include "store/pause.h"

enum {
    WORDS_SIZE = 400,
    NUMBER_SIZE = 64, /* an address as a number, with a scope */

    OTHERS_WAIT_MS = 2000, /* for one address, while others wait for a turn */
};

/* The kernel gives a connection up whose peer is silent for so long. */
#define USER_TIMEOUT_MS "10000"

void
hf_pg_link_init(struct hf_pg_link *link,
                const struct hf_postgresql_place *place,
                struct hf_pg_server server)
{
    *link = (struct hf_pg_link){
        .place = place,
        .server = server,
        .lookup_fd = -1,
        .wake_fd = -1,
        .patience = HF_FOREVER,
    };
}

bool
hf_pg_link_is_open(const struct hf_pg_link *link)
{
    return link->conn != NULL && !link->dialling &&
           link->forks == hf_fork_count();
}

/*
 * libpq would send a goodbye on the parent's connection, and a TLS library
 * another: the child's memory of it is left.
 *
 * A connection that is given up is shut down, so that it ends also where a
 * child has its socket, and libpq sends nothing more of what was queued.
 */
static void
drop_connection(struct hf_pg_link *link)
{
    int fd = link->conn == NULL ? -1 : PQsocket(link->conn);

    if (link->conn != NULL && link->forks != hf_fork_count()) {
        hf_fd_close(&fd);
    } else {
        if (link->broken && fd >= 0)
            (void)shutdown(fd, SHUT_RDWR);
        PQfinish(link->conn);
    }
    link->conn = NULL;
}

static void
drop_addresses(struct hf_pg_link *link)
{
    if (link->found != NULL)
        freeaddrinfo(link->found);
    link->found = NULL;
    link->next = NULL;
}

void
hf_pg_link_close(struct hf_pg_link *link)
{
    drop_connection(link);
    drop_addresses(link);
    hf_lookup_drop(link->lookup);
    link->lookup = NULL;
    hf_fd_close(&link->lookup_fd);
    link->dialling = false;
    link->turn = 0;
    link->syncs = 0;
    link->broken = false;
}

/* ---- Words --------------------------------------------------------------- */

/* "…FATAL:  28P01: text": find the code in a message that is written with
 * PQERRORS_VERBOSE; the text behind it, or NULL. */
static const char *
find_code(const char *message, char code[6])
{
    const char *at;

    for (at = strstr(message, ":  "); at != NULL; at = strstr(at + 1, ":  ")) {
        const char *from = at + 3;
        size_t len = strspn(from, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

        if (len == 5 && from[5] == ':') {
            memcpy(code, from, 5);
            code[5] = '\0';
            return from + 7;
        }
    }
    return NULL;
}

void
hf_pg_link_show(char *to, size_t size, const char *text)
{
    hf_text_show(to, size, text, strcspn(text, "\n"));
}

static bool
is_of(const char *code, const char *class)
{
    return strncmp(code, class, strlen(class)) == 0;
}

enum hf_status
hf_pg_link_status(const char *code)
{
    if (is_of(code, "28") || is_of(code, "42501"))
        return HF_E_DENIED;
    return HF_E_UNAVAILABLE;
}

/* A pooler says almost everything with 08P01. */
bool
hf_pg_link_passes(const char *code, const char *message)
{
    static const char *const passing[] = {
        "08", /* the connection */
        "40", /* serialization, deadlock */
        "53", /* no memory, no space, too many connections */
        "55", /* lock not available */
        "57", /* starts, stops, cancelled */
        "58", /* files of the server */
        "XX", /* internal error */
    };
    static const char *const lasting[] = {
        "certificate",
        "private key",
        "does not support SSL",
        "invalid ",
        "unsupported startup parameter",
        "no such database",
        "no such user",
        "does not exist",
        "authentication failed",
    };
    bool is_known = code[0] == '\0';

    for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
        is_known = is_known || is_of(code, passing[i]);
    for (size_t i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++)
        if (strstr(message, lasting[i]) != NULL)
            return false;
    return is_known && (strstr(message, "SSL error: ") == NULL ||
                        strstr(message, "unexpected eof") != NULL);
}

/* Is this what comes of a server that speaks another protocol? */
static bool
is_foreign(const char *message)
{
    return strstr(message, "invalid response to SSL negotiation") != NULL ||
           strstr(message, "expected authentication request") != NULL;
}

/* Which of the server's addresses has its turn: the one that was good last goes
 * first. */
static unsigned
index_of(const struct hf_pg_link *link)
{
    unsigned turn = link->turn > 0 ? link->turn - 1 : 0;

    return (link->good + turn) % link->server.count;
}

static const char *
host_of(const struct hf_pg_link *link)
{
    return link->server.addresses[index_of(link)].host;
}

static const char *
port_of(const struct hf_pg_link *link)
{
    return link->server.addresses[index_of(link)].port;
}

/* Did libpq refuse the server, because it can only be read?
 * (target_session_attrs) */
static bool
is_read_only(const char *message)
{
    return strstr(message, "session is read-only") != NULL ||
           strstr(message, "hot standby mode") != NULL;
}

/* Why the server was not reached, or does not let us in. */
static enum hf_status
fail_to_dial(struct hf_pg_link *link, struct hf_error *error)
{
    const char *message = PQerrorMessage(link->conn);
    char code[6] = "";
    const char *words = find_code(message, code);
    char shown[WORDS_SIZE];
    const char *at;

    if (is_foreign(message) || PQconnectionNeedsPassword(link->conn) == 1 ||
        is_read_only(message) || !hf_pg_link_passes(code, message))
        link->host_lasts = true;
    if (is_foreign(message))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s:%s: what answers there is not PostgreSQL",
                       host_of(link), port_of(link));
    if (PQconnectionNeedsPassword(link->conn) == 1)
        return hf_fail(error, HF_E_DENIED,
                       "%s:%s: it wants a password, and there is none: write "
                       "one into ~/.pgpass, of mode 0600, or into the file "
                       "that PGPASSFILE names",
                       host_of(link), port_of(link));
    if (is_read_only(message))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s:%s: it can only be read: name the primary, or have "
                       "default_transaction_read_only set to off",
                       host_of(link), port_of(link));
    if (words == NULL) {
        at = strstr(message, "failed: ");
        words = at != NULL ? at + strlen("failed: ") : message;
    }
    hf_pg_link_show(shown, sizeof(shown), words);
    return hf_fail(error, hf_pg_link_status(code), "%s:%s: %s", host_of(link),
                   port_of(link), shown);
}

/* ---- Poll ---------------------------------------------------------------- */

enum hf_pg_awaited
hf_pg_link_await(int fd, short events, struct hf_instant until, int wake_fd)
{
    struct pollfd fds[] = {
        {.fd = fd, .events = events},
        {.fd = wake_fd, .events = POLLIN},
    };

    for (;;) {
        int ready = poll(fds, 2, hf_pause_ms(until, -1));

        if (ready > 0)
            return fds[0].revents != 0 ? HF_PG_READY : HF_PG_WOKEN;
        if (hf_reached(hf_now(), until))
            return HF_PG_LATE;
        if (ready < 0 && errno != EINTR)
            return HF_PG_LATE;
    }
}

/* ---- Notices ------------------------------------------------------------- */

/*
 * A commit whose wait for a standby is given up says COMMIT all the same, with
 * a warning of these before it: then it is durable here, and perhaps lost by a
 * promotion.
 */
static void
take_notice(void *ctx, const PGresult *notice)
{
    struct hf_pg_link *link = ctx;
    const char *code = PQresultErrorField(notice, PG_DIAG_SQLSTATE);

    if (code != NULL &&
        (strcmp(code, "01000") == 0 || strcmp(code, "57P01") == 0))
        link->warned = true;
}

/* ---- Dial ---------------------------------------------------------------- */

enum { PARAMETERS_MAX = 24 };

struct parameters {
    const char *keys[PARAMETERS_MAX + 1];
    const char *values[PARAMETERS_MAX + 1];
    unsigned count;
};

static void
set(struct parameters *p, const char *key, const char *value)
{
    if (value == NULL)
        return;
    HF_CHECK(p->count < PARAMETERS_MAX);
    p->keys[p->count] = key;
    p->values[p->count++] = value;
}

/* `number`: the address, which libpq need not look up. */
static void
set_parameters(const struct hf_pg_link *link, const char *number,
               struct parameters *p)
{
    const struct hf_postgresql_place *place = link->place;

    /* libpq ignores a value that is empty, and takes the environment's, but for
     * one in a string of values, as the first dbname may be. */
    set(p, "dbname", "options=''");
    set(p, "host", host_of(link));
    set(p, "hostaddr", number);
    set(p, "port", port_of(link));
    set(p, "dbname", place->url.path);
    set(p, "user", place->url.user);
    set(p, "sslmode", place->sslmode);
    set(p, "sslrootcert", place->sslrootcert);
    set(p, "sslcert", place->sslcert);
    set(p, "sslkey", place->sslkey);

    /* Whatever the environment says. */
    set(p, "gssencmode", "disable");
    set(p, "client_encoding", "UTF8");
    set(p, "fallback_application_name", "holdfast");
    set(p, "target_session_attrs", "read-write");
    set(p, "tcp_user_timeout", USER_TIMEOUT_MS);
    set(p, "keepalives_idle", "10");
    set(p, "keepalives_interval", "5");
    set(p, "keepalives_count", "3");
}

static bool
show_number(const struct addrinfo *address, char number[NUMBER_SIZE])
{
    return getnameinfo(address->ai_addr, address->ai_addrlen, number,
                       NUMBER_SIZE, NULL, 0, NI_NUMERICHOST) == 0;
}

/* Dial the next address that was found. */
static enum hf_status
start(struct hf_pg_link *link, struct hf_error *error)
{
    struct parameters parameters = {.count = 0};
    char number[NUMBER_SIZE];
    const struct addrinfo *address = link->next;

    link->next = address->ai_next;
    if (!show_number(address, number))
        return hf_fail(error, HF_E_UNAVAILABLE, "%s: an address of no kind",
                       host_of(link));
    set_parameters(link, number, &parameters);
    link->forks = hf_fork_count();
    link->conn = PQconnectStartParams(parameters.keys, parameters.values, 1);
    if (link->conn == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to dial %s",
                       host_of(link));
    PQsetNoticeReceiver(link->conn, take_notice, link);
    (void)PQsetErrorVerbosity(link->conn, PQERRORS_VERBOSE);
    link->polling = PGRES_POLLING_WRITING;
    link->dialled = hf_now();
    return PQstatus(link->conn) == CONNECTION_BAD ? fail_to_dial(link, error)
                                                  : HF_OK;
}

/* The addresses of the next host, as numbers; or the lookup of it begins. */
static enum hf_status
look_up(struct hf_pg_link *link, struct hf_error *error)
{
    const char *host;

    link->turn++;
    link->host_lasts = false;
    host = host_of(link);
    if (hf_lookup_now(host, port_of(link), true, &link->found) == 0) {
        link->next = link->found;
        return HF_OK;
    }
    if (link->lookup_fd < 0)
        link->lookup_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (link->lookup_fd < 0)
        return hf_fail(error, HF_E_LIMIT, "no descriptor left to look up %s",
                       host);
    link->lookup = hf_lookup_begin(host, port_of(link), link->lookup_fd);
    if (link->lookup == NULL)
        return hf_fail(error, HF_E_NOMEM, "no thread to look up %s", host);
    link->dialled = hf_now();
    return HF_OK;
}

static enum hf_status
take_lookup(struct hf_pg_link *link, struct hf_error *error)
{
    eventfd_t count;
    int wrong = 0;

    if (!hf_lookup_take(link->lookup, &link->found, &wrong))
        return HF_OK;
    (void)eventfd_read(link->lookup_fd, &count);
    link->lookup = NULL;
    link->next = link->found;
    if (link->found != NULL)
        return HF_OK;
    return hf_fail(error, HF_E_UNAVAILABLE, "%s: %s", host_of(link),
                   gai_strerror(wrong));
}

/* The connection is made: from now on it is a pipeline. */
static enum hf_status
enter(struct hf_pg_link *link, struct hf_error *error)
{
    link->lasts = false;
    (void)PQsetErrorVerbosity(link->conn, PQERRORS_DEFAULT);
    if (PQsetnonblocking(link->conn, 1) != 0 ||
        PQenterPipelineMode(link->conn) != 1)
        return hf_fail(error, HF_E_NOMEM, "no memory for a pipeline");
    link->dialling = false;
    link->good = index_of(link);
    link->turn = 0;
    drop_addresses(link);
    return hf_random_u64(&link->nonce, error);
}

/* Is anything left to be tried? */
static bool
has_more(const struct hf_pg_link *link)
{
    return link->next != NULL || link->turn < link->server.count;
}

/* When the present address, or the lookup of a host, is given up: an address
 * after a silence, for a packet that was lost is sent again later and later; a
 * lookup only if there is another host, for a resolver that has lost a packet
 * asks again after seconds.  While anything else is left to be tried, it has no
 * more than two seconds. */
static struct hf_instant
limit_of(const struct hf_pg_link *link, struct hf_instant until)
{
    const struct hf_duration most = {OTHERS_WAIT_MS};
    struct hf_duration patience = link->patience;

    if (has_more(link) && patience.ms > most.ms)
        patience = most;
    return link->lookup != NULL && !has_more(link)
               ? until
               : hf_earlier(until, hf_after(link->dialled, patience));
}

static enum hf_status
fail_late(const struct hf_pg_link *link, struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE, "%s:%s: %s in %" PRId64 " ms",
                   host_of(link), port_of(link),
                   link->lookup != NULL ? "its name was not looked up"
                                        : "no answer",
                   hf_between(link->dialled, hf_now()).ms);
}

/* One step with the present address or lookup.  HF_OK: go on. */
static enum hf_status
step(struct hf_pg_link *link, struct hf_instant until, struct hf_instant pause,
     struct hf_error *error)
{
    bool writes = link->polling == PGRES_POLLING_WRITING;
    bool looks = link->lookup != NULL;
    int fd = looks ? link->lookup_fd : PQsocket(link->conn);
    struct hf_instant limit = limit_of(link, until);

    switch (hf_pg_link_await(fd, !looks && writes ? POLLOUT : POLLIN,
                             hf_earlier(limit, pause), link->wake_fd)) {
    case HF_PG_WOKEN:
        return HF_E_CANCELLED;
    case HF_PG_LATE:
        if (!hf_reached(hf_now(), limit))
            return HF_E_CANCELLED;
        link->was_late = true;
        return fail_late(link, error);
    case HF_PG_READY:
        break;
    }
    if (looks)
        return take_lookup(link, error);
    link->polling = PQconnectPoll(link->conn);
    if (link->polling == PGRES_POLLING_FAILED)
        return fail_to_dial(link, error);
    return HF_OK;
}

/* The present attempt has failed. */
static void
abandon(struct hf_pg_link *link)
{
    drop_connection(link);
    hf_lookup_drop(link->lookup);
    link->lookup = NULL;
    hf_fd_close(&link->lookup_fd);
    if (link->next != NULL)
        return;
    drop_addresses(link);
    link->lasts = link->lasts && link->host_lasts;
}

/* Go on with the attempt that is under way, or begin the next one. */
static enum hf_status
try(struct hf_pg_link *link, struct hf_instant until, struct hf_instant pause,
    struct hf_error *error)
{
    if (link->conn != NULL || link->lookup != NULL)
        return step(link, until, pause, error);
    if (link->next != NULL)
        return start(link, error);
    drop_addresses(link);
    return look_up(link, error);
}

enum hf_status
hf_pg_link_dial(struct hf_pg_link *link, struct hf_instant until,
                struct hf_instant pause, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (hf_pg_link_is_open(link))
        return HF_OK;
    if (link->forks != hf_fork_count())
        hf_pg_link_close(link);
    link->forks = hf_fork_count();
    if (!link->dialling)
        link->lasts = true;
    link->dialling = true;
    while (status == HF_OK) {
        status = try(link, until, pause, error);
        if (status == HF_E_CANCELLED)
            return status;
        if (status == HF_OK && link->conn != NULL &&
            link->polling == PGRES_POLLING_OK)
            status = enter(link, error);
        if (status == HF_OK && !link->dialling)
            return HF_OK;
        if (status == HF_OK)
            continue;
        abandon(link);
        if (has_more(link) && !hf_reached(hf_now(), until))
            status = HF_OK;
    }
    link->lasts = link->lasts && !has_more(link);
    /* Another is the last one then, which has all the time that there is. */
    if (link->was_late)
        link->good = (link->good + 1) % link->server.count;
    link->was_late = false;
    hf_pg_link_close(link);
    return status;
}
