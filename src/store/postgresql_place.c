#include "store/postgresql_place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "store/url.h"

#define SCHEME "postgresql:"

static const char default_port[] = "5432";
static const char default_schema[] = "holdfast";

/* A longer error of a clock is no promise. */
#define TRUST_CLOCK_MAX_MS (INT64_C(3600) * 1000)

/* The URL's pieces are of `text`; what they say goes into out->strings. */
struct postgresql_reading {
    struct hf_postgresql_place *out;
    struct hf_text strings;
};

static enum hf_status
refuse(struct hf_error *error)
{
    return hf_fail(error, HF_E_INVALID,
                   "a place in PostgreSQL is written "
                   "postgresql://user@host:5432/database");
}

/* ---- Pieces -------------------------------------------------------------- */

/* A string of these bytes, which lasts as long as *out. */
static const char *
keep(struct postgresql_reading *r, const char *bytes, size_t len)
{
    size_t from = r->strings.len;

    hf_text_add_bytes(&r->strings, bytes, len);
    hf_text_add_bytes(&r->strings, "", 1);
    return r->out->strings + from;
}

/* The same of an encoded text. */
static enum hf_status
decode(struct postgresql_reading *r, const char *text, size_t len,
       const char **string, struct hf_error *error)
{
    size_t from = r->strings.len;
    enum hf_status status = hf_url_decode(text, len, &r->strings, error);

    hf_text_add_bytes(&r->strings, "", 1);
    if (status == HF_OK)
        *string = r->out->strings + from;
    return status;
}

static bool
is_host(const char *at, size_t len, bool bracketed)
{
    for (size_t i = 0; i < len; i++)
        if (bracketed ? !isxdigit((unsigned char)at[i]) && at[i] != ':' &&
                            at[i] != '.'
                      : !isalnum((unsigned char)at[i]) &&
                            strchr("-._", at[i]) == NULL)
            return false;
    return len > 0;
}

static bool
is_port(const char *port)
{
    int64_t number;

    return hf_option_number(port, 65535, &number) && number > 0;
}

/* "host", "host:port", "[host]" or "[host]:port" of `len` bytes. */
static bool
read_address(struct postgresql_reading *r, const char *at, size_t len,
             struct hf_postgresql_address *address)
{
    bool bracketed = len > 0 && at[0] == '[';
    const char *end = memchr(at, bracketed ? ']' : ':', len);
    const char *host = at + bracketed;
    size_t host_len = end == NULL ? len : (size_t)(end - host);
    const char *rest = end == NULL ? at + len : end + bracketed;
    size_t rest_len = (size_t)(at + len - rest);
    char *kept;

    if ((bracketed && end == NULL) || !is_host(host, host_len, bracketed))
        return false;
    kept = r->out->strings + r->strings.len;
    address->host = keep(r, host, host_len);
    for (; *kept != '\0'; kept++)
        *kept = (char)tolower((unsigned char)*kept);
    address->port = default_port;
    if (rest_len > 0)
        address->port = keep(r, rest + 1, rest_len - 1);
    return rest_len == 0 || (rest[0] == ':' && is_port(address->port));
}

static enum hf_status
read_hosts(struct postgresql_reading *r, const char *at, const char *end,
           struct hf_error *error)
{
    struct hf_postgresql_place *out = r->out;

    for (;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma == NULL ? end : comma;

        if (out->hosts_count == HF_POSTGRESQL_HOSTS_MAX)
            return hf_fail(error, HF_E_INVALID,
                           "a place in PostgreSQL has %d hosts at most",
                           HF_POSTGRESQL_HOSTS_MAX);
        if (!read_address(r, at, (size_t)(stop - at),
                          &out->hosts[out->hosts_count++]))
            return refuse(error);
        at = stop;
        if (at == end)
            return HF_OK;
    }
}

/* ---- A password ---------------------------------------------------------- */

/* As a field of the file that PGPASSFILE names. */
static void
add_field(struct hf_text *line, const char *field)
{
    for (; *field != '\0'; field++) {
        if (*field == ':' || *field == '\\')
            hf_text_add(line, "\\");
        hf_text_add_bytes(line, field, 1);
    }
    hf_text_add(line, ":");
}

static enum hf_status
refuse_password(const struct hf_postgresql_place *out, struct hf_error *error)
{
    const char *user =
        out->user == NULL || out->user[0] == '\0' ? "*" : out->user;
    char line[96];
    char shown[sizeof(line)];
    struct hf_text text;

    hf_text_init(&text, line, sizeof(line));
    add_field(&text, out->hosts[0].host);
    add_field(&text, out->hosts[0].port);
    add_field(&text, out->database);
    add_field(&text, user);
    hf_text_show(shown, sizeof(shown), line, hf_text_kept(&text));
    return hf_fail(error, HF_E_INVALID,
                   "a place has no password, for who lists processes would see "
                   "it: write %sPASSWORD into ~/.pgpass, of mode 0600, or into "
                   "the file that PGPASSFILE names",
                   shown);
}

/* ---- Options ------------------------------------------------------------- */

static enum hf_status
check_schema(const char *text, struct hf_error *error)
{
    size_t len =
        strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"); /* folds so */

    if (len == 0 || text[len] != '\0' || len > HF_POSTGRESQL_NAME_MAX ||
        isdigit((unsigned char)text[0]) || strncmp(text, "pg_", 3) == 0)
        return hf_fail(error, HF_E_INVALID,
                       "schema is of small letters, digits and _, up to %d, "
                       "and begins with no digit and not with pg_",
                       HF_POSTGRESQL_NAME_MAX);
    return HF_OK;
}

static enum hf_status
check_path(const char *text, struct hf_error *error)
{
    return text[0] == '/' ? HF_OK
                          : hf_fail(error, HF_E_INVALID,
                                    "a certificate's file is given by its "
                                    "whole path: /etc/ssl/root.crt");
}

static enum hf_status
check_sslmode(const char *text, struct hf_error *error)
{
    static const char modes[] =
        "disable allow prefer require verify-ca verify-full";

    return hf_option_is_also(modes, text, strlen(text))
               ? HF_OK
               : hf_fail(error, HF_E_INVALID, "sslmode is one of %s", modes);
}

static enum hf_status
set_promotion(void *values, const struct hf_option_given *given,
              struct hf_error *error)
{
    struct hf_postgresql_place *out = values;

    if (strcmp(given->text, "synchronous") != 0)
        return hf_fail(error, HF_E_INVALID,
                       "promotion is synchronous, where a promotion loses no "
                       "commit that was answered, or is not given");
    out->synchronous = true;
    return HF_OK;
}

/* The port is read when all options were. */
static enum hf_status
set_listen(void *values, const struct hf_option_given *given,
           struct hf_error *error)
{
    struct hf_postgresql_place *out = values;

    (void)error;
    out->listen.host = given->text;
    return HF_OK;
}

static enum hf_status
set_password(void *values, const struct hf_option_given *given,
             struct hf_error *error)
{
    (void)given;
    return refuse_password(values, error);
}

#define TEXT(name, check_it)                                                   \
    HF_OPTION(TEXT, #name, struct hf_postgresql_place, name,                   \
              .check = (check_it))

static const struct hf_option rows[] = {
    TEXT(schema, check_schema),
    HF_OPTION_SET("listen", set_listen, .help = NULL),
    HF_OPTION_SET("promotion", set_promotion, .help = NULL),
    HF_OPTION(DURATION, "trust_clock", struct hf_postgresql_place, trust_clock,
              .least = 1, .most = TRUST_CLOCK_MAX_MS),
    TEXT(sslmode, check_sslmode),
    TEXT(sslrootcert, check_path),
    TEXT(sslcert, check_path),
    TEXT(sslkey, check_path),
    HF_OPTION_SET("password", set_password, .help = NULL),
    HF_OPTION_SET("sslpassword", set_password, .help = NULL),
};

/* "name=value" of `len` bytes; `seen` has a bit for each row. */
static enum hf_status
read_option(struct postgresql_reading *r, const char *at, size_t len,
            unsigned *seen, struct hf_error *error)
{
    static const struct hf_options options = HF_OPTIONS(rows);
    const char *equals = memchr(at, '=', len);
    size_t name_len = equals == NULL ? len : (size_t)(equals - at);
    struct hf_option_given given = {.as = keep(r, at, name_len)};
    const struct hf_option *row = hf_options_find(&options, given.as);
    unsigned bit = row == NULL ? 0 : 1U << (row - rows);
    enum hf_status status;

    if (equals == NULL || name_len + 1 == len)
        return hf_fail(error, HF_E_INVALID,
                       "an option of a place is written name=value");
    if ((*seen & bit) != 0)
        return hf_fail(error, HF_E_INVALID, "%s is given twice", given.as);
    *seen |= bit;
    status = decode(r, equals + 1, len - name_len - 1, &given.text, error);
    return status == HF_OK
               ? hf_options_set(&options, r->out, "a place in PostgreSQL has",
                                &given, error)
               : status;
}

static enum hf_status
read_options(struct postgresql_reading *r, const char *query,
             struct hf_error *error)
{
    struct hf_postgresql_place *out = r->out;
    enum hf_status status = HF_OK;
    unsigned seen = 0;

    while (status == HF_OK && *query != '\0') { /* at ? or & */
        size_t len = strcspn(query + 1, "&");

        status = read_option(r, query + 1, len, &seen, error);
        query += 1 + len;
    }
    if (status == HF_OK && out->listen.host != NULL &&
        !read_address(r, out->listen.host, strlen(out->listen.host),
                      &out->listen))
        return hf_fail(error, HF_E_INVALID, "listen is host:port");
    return status;
}

/* ---- The whole ----------------------------------------------------------- */

/* The last @ of the bytes up to `end`: a password may have one, too. */
static const char *
end_of_user(const char *at, const char *end)
{
    while (end > at && *end != '@')
        end--;
    return *end == '@' ? end : at;
}

static enum hf_status
read_user(struct postgresql_reading *r, const char *at, const char *end,
          bool *password, struct hf_error *error)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *stop = colon == NULL ? end : colon;

    *password = colon != NULL;
    return decode(r, at, (size_t)(stop - at), &r->out->user, error);
}

static enum hf_status
read_database(struct postgresql_reading *r, const char *at,
              struct hf_error *error)
{
    size_t len = strcspn(at, "?");
    enum hf_status status = decode(r, at, len, &r->out->database, error);

    if (status == HF_OK && (len == 0 || memchr(at, '/', len) != NULL))
        return refuse(error);
    if (status == HF_OK && strlen(r->out->database) > HF_POSTGRESQL_NAME_MAX)
        return hf_fail(error, HF_E_INVALID,
                       "a database's name has %d bytes at most",
                       HF_POSTGRESQL_NAME_MAX);
    return status;
}

enum hf_status
hf_postgresql_place_read(const char *rest, struct hf_postgresql_place *out,
                         struct hf_error *error)
{
    const char *hosts = rest + 2;
    bool password = false;
    struct postgresql_reading r = {.out = out};
    enum hf_status status = HF_OK;
    const char *end;
    const char *at;

    *out = (struct hf_postgresql_place){.schema = default_schema};
    hf_text_init(&r.strings, out->strings, sizeof(out->strings));
    if (strncmp(rest, "//", 2) != 0 || strlen(rest) > HF_PLACE_MAX)
        return refuse(error);
    end = hosts + strcspn(hosts, "/?");
    at = end_of_user(hosts, end);
    if (*at == '@') {
        status = read_user(&r, hosts, at, &password, error);
        hosts = at + 1;
    }
    if (status == HF_OK)
        status = read_hosts(&r, hosts, end, error);
    if (status == HF_OK && *end != '/')
        status = refuse(error);
    if (status == HF_OK)
        status = read_database(&r, end + 1, error);
    if (status == HF_OK && password)
        status = refuse_password(out, error);
    if (status == HF_OK && out->user != NULL && out->user[0] == '\0')
        status = refuse(error);
    return status == HF_OK ? read_options(&r, strchrnul(rest, '?'), error)
                           : status;
}

/* ---- As a text ----------------------------------------------------------- */

static void
add_encoded(struct hf_text *out, const char *string, const char *as_they_are)
{
    for (; *string != '\0'; string++)
        if (isalnum((unsigned char)*string) ||
            strchr(as_they_are, *string) != NULL)
            hf_text_add_bytes(out, string, 1);
        else
            hf_text_addf(out, "%%%02X", (unsigned)(unsigned char)*string);
}

static void
add_address(struct hf_text *out, const struct hf_postgresql_address *address)
{
    bool bracketed = strchr(address->host, ':') != NULL;

    hf_text_addf(out, bracketed ? "[%s]" : "%s", address->host);
    if (strcmp(address->port, default_port) != 0)
        hf_text_addf(out, ":%s", address->port);
}

/* "?name=" or "&name=". */
static void
add_name(struct hf_text *out, char *mark, const char *name)
{
    hf_text_addf(out, "%c%s=", *mark, name);
    *mark = '&';
}

static void
add_option(struct hf_text *out, char *mark, const char *name, const char *value)
{
    if (value == NULL)
        return;
    add_name(out, mark, name);
    add_encoded(out, value, "-._~/");
}

static void
add_options(struct hf_text *out, const struct hf_postgresql_place *place)
{
    bool own_schema = strcmp(place->schema, default_schema) != 0;
    char clock[32];
    char mark = '?';

    add_option(out, &mark, "schema", own_schema ? place->schema : NULL);
    if (place->listen.host != NULL) {
        add_name(out, &mark, "listen");
        add_address(out, &place->listen);
    }
    if (place->synchronous)
        add_option(out, &mark, "promotion", "synchronous");
    if (place->trust_clock.ms > 0) {
        snprintf(clock, sizeof(clock), "%" PRId64 "ms", place->trust_clock.ms);
        add_option(out, &mark, "trust_clock", clock);
    }
    add_option(out, &mark, "sslmode", place->sslmode);
    add_option(out, &mark, "sslrootcert", place->sslrootcert);
    add_option(out, &mark, "sslcert", place->sslcert);
    add_option(out, &mark, "sslkey", place->sslkey);
}

enum hf_status
hf_postgresql_place_parse(const char *rest, struct hf_place *place,
                          struct hf_error *error)
{
    struct hf_postgresql_place read;
    enum hf_status status = hf_postgresql_place_read(rest, &read, error);
    struct hf_text out;

    if (status != HF_OK)
        return status;
    hf_text_init(&out, place->text, sizeof(place->text));
    hf_text_add(&out, SCHEME "//");
    if (read.user != NULL) {
        add_encoded(&out, read.user, "-._~");
        hf_text_add(&out, "@");
    }
    for (unsigned i = 0; i < read.hosts_count; i++) {
        hf_text_add(&out, i == 0 ? "" : ",");
        add_address(&out, &read.hosts[i]);
    }
    hf_text_add(&out, "/");
    add_encoded(&out, read.database, "-._~");
    add_options(&out, &read);
    return out.len <= HF_PLACE_MAX
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "the place is longer than %d bytes", HF_PLACE_MAX);
}

void
hf_postgresql_place_of(const struct hf_place *place,
                       struct hf_postgresql_place *out)
{
    HF_CHECK(hf_postgresql_place_read(place->text + strlen(SCHEME), out,
                                      NULL) == HF_OK);
}
