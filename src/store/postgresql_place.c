#include "store/postgresql_place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define SCHEME "postgresql:"

static const char default_schema[] = "holdfast";

/* A longer error of a clock is no promise. */
#define TRUST_CLOCK_MAX_MS (INT64_C(3600) * 1000)

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
refuse_password(const struct hf_server_url *url, struct hf_error *error)
{
    const char *user =
        url->user == NULL || url->user[0] == '\0' ? "*" : url->user;
    char line[96];
    char shown[sizeof(line)];
    struct hf_text text;

    hf_text_init(&text, line, sizeof(line));
    add_field(&text, url->hosts[0].host);
    add_field(&text, url->hosts[0].port);
    add_field(&text, url->path);
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
    const struct hf_postgresql_place *out = values;

    (void)given;
    return refuse_password(&out->url, error);
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
    TEXT(sslrootcert, hf_server_url_check_file),
    TEXT(sslcert, hf_server_url_check_file),
    TEXT(sslkey, hf_server_url_check_file),
    HF_OPTION_SET("password", set_password, .help = NULL),
    HF_OPTION_SET("sslpassword", set_password, .help = NULL),
};

static const struct hf_server_form form = {
    .what = "a place in PostgreSQL",
    .example = "postgresql://user@host:5432/database",
    .port = "5432",
    .options = HF_OPTIONS(rows),
};

/* ---- The whole ----------------------------------------------------------- */

static enum hf_status
check_database(const char *name, struct hf_error *error)
{
    if (name[0] == '\0')
        return hf_server_url_refuse(&form, error);
    if (strlen(name) > HF_POSTGRESQL_NAME_MAX)
        return hf_fail(error, HF_E_INVALID,
                       "a database's name has %d bytes at most",
                       HF_POSTGRESQL_NAME_MAX);
    return HF_OK;
}

enum hf_status
hf_postgresql_place_read(const char *rest, struct hf_postgresql_place *out,
                         struct hf_error *error)
{
    enum hf_status status;

    *out = (struct hf_postgresql_place){.schema = default_schema};
    status = hf_server_url_read(&form, rest, &out->url, error);
    if (status == HF_OK)
        status = check_database(out->url.path, error);
    if (status == HF_OK && out->url.password)
        status = refuse_password(&out->url, error);
    if (status == HF_OK)
        status = hf_server_url_options(&out->url, out, error);
    if (status == HF_OK && out->listen.host != NULL &&
        !hf_server_url_address(&out->url, out->listen.host, &out->listen))
        return hf_fail(error, HF_E_INVALID, "listen is host:port");
    return status;
}

static void
add_options(struct hf_server_url_text *out,
            const struct hf_postgresql_place *place)
{
    bool own_schema = strcmp(place->schema, default_schema) != 0;
    char clock[32];

    hf_server_url_add(out, "schema", own_schema ? place->schema : NULL);
    hf_server_url_add_address(out, "listen", &place->listen);
    if (place->synchronous)
        hf_server_url_add(out, "promotion", "synchronous");
    snprintf(clock, sizeof(clock), "%" PRId64 "ms", place->trust_clock.ms);
    hf_server_url_add(out, "trust_clock",
                      place->trust_clock.ms > 0 ? clock : NULL);
    hf_server_url_add(out, "sslmode", place->sslmode);
    hf_server_url_add(out, "sslrootcert", place->sslrootcert);
    hf_server_url_add(out, "sslcert", place->sslcert);
    hf_server_url_add(out, "sslkey", place->sslkey);
}

enum hf_status
hf_postgresql_place_parse(const char *rest, struct hf_place *place,
                          struct hf_error *error)
{
    struct hf_postgresql_place read;
    enum hf_status status = hf_postgresql_place_read(rest, &read, error);
    struct hf_server_url_text out;

    if (status != HF_OK)
        return status;
    hf_server_url_begin(&out, SCHEME, &read.url, place->text,
                        sizeof(place->text));
    add_options(&out, &read);
    return hf_server_url_end(&out, error);
}

void
hf_postgresql_place_of(const struct hf_place *place,
                       struct hf_postgresql_place *out)
{
    HF_CHECK(hf_postgresql_place_read(place->text + strlen(SCHEME), out,
                                      NULL) == HF_OK);
}
