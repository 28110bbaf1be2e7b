#include "store/server_url.h"

#include <ctype.h>
#include <string.h>

#include "base/authority.h"
#include "base/fail.h"
#include "store/url.h"

enum hf_status
hf_server_url_refuse(const struct hf_server_form *form, struct hf_error *error)
{
    return hf_fail(error, HF_E_INVALID, "%s is written %s", form->what,
                   form->example);
}

/* ---- Pieces -------------------------------------------------------------- */

/* A string of these bytes, which lasts as long as *url. */
static const char *
keep(struct hf_server_url *url, const char *bytes, size_t len)
{
    size_t from = url->strings.len;

    hf_text_add_bytes(&url->strings, bytes, len);
    hf_text_add_bytes(&url->strings, "", 1);
    return url->bytes + from;
}

/* The same of an encoded text. */
static enum hf_status
decode(struct hf_server_url *url, const char *text, size_t len,
       const char **string, struct hf_error *error)
{
    size_t from = url->strings.len;
    enum hf_status status = hf_url_decode(text, len, &url->strings, error);

    hf_text_add_bytes(&url->strings, "", 1);
    if (status == HF_OK)
        *string = url->bytes + from;
    return status;
}

static bool
read_address(struct hf_server_url *url, const char *at, size_t len,
             struct hf_server_address *address)
{
    struct hf_authority read;
    char *kept = url->bytes + url->strings.len;

    if (!hf_authority_read((struct hf_bytes){at, len}, &read) ||
        memchr(read.host.at, '%', read.host.len) != NULL)
        return false;
    address->host = keep(url, read.host.at, read.host.len);
    for (; *kept != '\0'; kept++)
        *kept = (char)tolower((unsigned char)*kept);
    address->port = read.port.len > 0 ? keep(url, read.port.at, read.port.len)
                                      : url->form->port;
    return true;
}

bool
hf_server_url_address(struct hf_server_url *url, const char *text,
                      struct hf_server_address *address)
{
    return read_address(url, text, strlen(text), address);
}

static enum hf_status
read_hosts(struct hf_server_url *url, const char *at, const char *end,
           struct hf_error *error)
{
    for (;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma == NULL ? end : comma;

        if (url->hosts_count == HF_SERVER_HOSTS_MAX)
            return hf_fail(error, HF_E_INVALID, "%s has %d hosts at most",
                           url->form->what, HF_SERVER_HOSTS_MAX);
        if (!read_address(url, at, (size_t)(stop - at),
                          &url->hosts[url->hosts_count++]))
            return hf_server_url_refuse(url->form, error);
        at = stop;
        if (at == end)
            return HF_OK;
    }
}

/* The last @ of the bytes up to `end`: a password may have one, too. */
static const char *
end_of_user(const char *at, const char *end)
{
    while (end > at && *end != '@')
        end--;
    return *end == '@' ? end : at;
}

static enum hf_status
read_user(struct hf_server_url *url, const char *at, const char *end,
          struct hf_error *error)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *stop = colon == NULL ? end : colon;

    url->password = colon != NULL;
    return decode(url, at, (size_t)(stop - at), &url->user, error);
}

enum hf_status
hf_server_url_read(const struct hf_server_form *form, const char *rest,
                   struct hf_server_url *out, struct hf_error *error)
{
    const char *hosts = rest + 2;
    enum hf_status status = HF_OK;
    const char *end;
    const char *at;

    *out = (struct hf_server_url){.form = form};
    hf_text_init(&out->strings, out->bytes, sizeof(out->bytes));
    if (strncmp(rest, "//", 2) != 0 || strlen(rest) > HF_PLACE_MAX)
        return hf_server_url_refuse(form, error);
    end = hosts + strcspn(hosts, "/?");
    at = end_of_user(hosts, end);
    if (*at == '@') {
        status = read_user(out, hosts, at, error);
        hosts = at + 1;
    }
    if (status == HF_OK)
        status = read_hosts(out, hosts, end, error);
    if (status != HF_OK)
        return status;
    out->options = strchrnul(end, '?');
    if (*end != '/' ||
        memchr(end + 1, '/', (size_t)(out->options - end - 1)) != NULL ||
        (out->user != NULL && out->user[0] == '\0' && !out->password))
        return hf_server_url_refuse(form, error);
    return decode(out, end + 1, (size_t)(out->options - end - 1), &out->path,
                  error);
}

/* ---- Options ------------------------------------------------------------- */

/* "name=value" of `len` bytes; `seen` has a bit for each row. */
static enum hf_status
read_option(struct hf_server_url *url, void *values, const char *at, size_t len,
            unsigned *seen, struct hf_error *error)
{
    const struct hf_options *options = &url->form->options;
    const char *equals = memchr(at, '=', len);
    size_t name_len = equals == NULL ? len : (size_t)(equals - at);
    struct hf_option_given given = {.as = keep(url, at, name_len)};
    const struct hf_option *row = hf_options_find(options, given.as);
    unsigned bit = row == NULL ? 0 : 1U << (row - options->rows);
    char owner[64];
    struct hf_text owns;
    enum hf_status status;

    if (equals == NULL || name_len + 1 == len)
        return hf_fail(error, HF_E_INVALID,
                       "an option of a place is written name=value");
    if ((*seen & bit) != 0)
        return hf_fail(error, HF_E_INVALID, "%s is given twice", given.as);
    *seen |= bit;
    hf_text_init(&owns, owner, sizeof(owner));
    hf_text_addf(&owns, "%s has", url->form->what);
    status = decode(url, equals + 1, len - name_len - 1, &given.text, error);
    return status == HF_OK
               ? hf_options_set(options, values, owner, &given, error)
               : status;
}

enum hf_status
hf_server_url_options(struct hf_server_url *url, void *values,
                      struct hf_error *error)
{
    const char *at = url->options;
    enum hf_status status = HF_OK;
    unsigned seen = 0;

    while (status == HF_OK && *at != '\0') { /* at ? or & */
        size_t len = strcspn(at + 1, "&");

        status = read_option(url, values, at + 1, len, &seen, error);
        at += 1 + len;
    }
    return status;
}

enum hf_status
hf_server_url_check_file(const char *text, struct hf_error *error)
{
    return text[0] == '/' ? HF_OK
                          : hf_fail(error, HF_E_INVALID,
                                    "a certificate's file is given by its "
                                    "whole path: /etc/ssl/root.crt");
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
add_address(struct hf_server_url_text *out,
            const struct hf_server_address *address)
{
    bool bracketed = strchr(address->host, ':') != NULL;

    hf_text_addf(&out->text, bracketed ? "[%s]" : "%s", address->host);
    if (strcmp(address->port, out->form->port) != 0)
        hf_text_addf(&out->text, ":%s", address->port);
}

void
hf_server_url_begin(struct hf_server_url_text *out, const char *scheme,
                    const struct hf_server_url *url, char *buffer, size_t size)
{
    *out = (struct hf_server_url_text){.form = url->form, .mark = '?'};
    hf_text_init(&out->text, buffer, size);
    hf_text_addf(&out->text, "%s//", scheme);
    if (url->user != NULL) {
        add_encoded(&out->text, url->user, "-._~");
        hf_text_add(&out->text, "@");
    }
    for (unsigned i = 0; i < url->hosts_count; i++) {
        hf_text_add(&out->text, i == 0 ? "" : ",");
        add_address(out, &url->hosts[i]);
    }
    hf_text_add(&out->text, "/");
    add_encoded(&out->text, url->path, "-._~");
}

/* "?name=" or "&name=". */
static void
add_name(struct hf_server_url_text *out, const char *name)
{
    hf_text_addf(&out->text, "%c%s=", out->mark, name);
    out->mark = '&';
}

void
hf_server_url_add(struct hf_server_url_text *out, const char *name,
                  const char *value)
{
    if (value == NULL)
        return;
    add_name(out, name);
    add_encoded(&out->text, value, "-._~/");
}

void
hf_server_url_add_address(struct hf_server_url_text *out, const char *name,
                          const struct hf_server_address *address)
{
    if (address->host == NULL)
        return;
    add_name(out, name);
    add_address(out, address);
}

enum hf_status
hf_server_url_end(const struct hf_server_url_text *out, struct hf_error *error)
{
    return out->text.len <= HF_PLACE_MAX
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "the place is longer than %d bytes", HF_PLACE_MAX);
}
