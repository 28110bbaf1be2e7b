#ifndef HF_STORE_SERVER_URL_H
#define HF_STORE_SERVER_URL_H

#include <holdfast/words.h>

#include "base/limits.h"
#include "base/options.h"
#include "base/text.h"

/*
 * The URL of a place behind servers, as all kinds of it have it:
 *
 *   scheme://[user@]host[:port][,host2[:port2]...]/path[?option&...]
 *
 * It has no password: who lists processes would see it.  So its tidy text is
 * fit for every message.
 *
 * Plain calls, any thread.
 */

enum { HF_SERVER_HOSTS_MAX = 8 };

struct hf_server_address {
    const char *host; /* a name, or a number without brackets; small letters */
    const char *port; /* decimal, from 1 to 65535 */
};

/* What a kind's URLs have of their own. */
struct hf_server_form {
    const char *what;    /* "a place in PostgreSQL" */
    const char *example; /* "postgresql://user@host:5432/database" */
    const char *port;    /* where none is named */
    struct hf_options options;
};

/* What a URL says but for its options, which the kind has.  The strings, and
 * those of its options, are in `bytes`: it is not to be copied. */
struct hf_server_url {
    const struct hf_server_form *form;
    const char *user; /* NULL: not named */
    bool password;    /* one was there, and is to be refused */
    struct hf_server_address hosts[HF_SERVER_HOSTS_MAX];
    unsigned hosts_count;
    const char *path;    /* behind the hosts and their /; may be "" */
    const char *options; /* of the text that was read: at ? or the end */
    struct hf_text strings;
    char bytes[3 * HF_PLACE_MAX];
};

/* HF_E_INVALID, with the kind's example. */
HF_MUST_USE enum hf_status
hf_server_url_refuse(const struct hf_server_form *form, struct hf_error *error);

/* Read a URL without its scheme, from "//" on, but for its options.
 * HF_E_INVALID, with *out changed: it is none. */
HF_MUST_USE enum hf_status hf_server_url_read(const struct hf_server_form *form,
                                              const char *rest,
                                              struct hf_server_url *out,
                                              struct hf_error *error);

/* Then its options, by the form's table, into `values`, the kind's struct. */
HF_MUST_USE enum hf_status hf_server_url_options(struct hf_server_url *url,
                                                 void *values,
                                                 struct hf_error *error);

/* "host", "host:port", "[host]" or "[host]:port"; false: it is none. */
bool hf_server_url_address(struct hf_server_url *url, const char *text,
                           struct hf_server_address *address);

/* A check of the table: the path of a file. */
HF_MUST_USE enum hf_status hf_server_url_check_file(const char *text,
                                                    struct hf_error *error);

/* ---- As a tidy text ------------------------------------------------------ */

/* A URL that is being written. */
struct hf_server_url_text {
    const struct hf_server_form *form;
    struct hf_text text;
    char mark; /* before the next option */
};

/* "scheme//user@host,host2:port/path" into `buffer`. */
void hf_server_url_begin(struct hf_server_url_text *out, const char *scheme,
                         const struct hf_server_url *url, char *buffer,
                         size_t size);

/* "?name=value"; nothing for NULL. */
void hf_server_url_add(struct hf_server_url_text *out, const char *name,
                       const char *value);
void hf_server_url_add_address(struct hf_server_url_text *out, const char *name,
                               const struct hf_server_address *address);

/* HF_E_INVALID: it is too long. */
HF_MUST_USE enum hf_status
hf_server_url_end(const struct hf_server_url_text *out, struct hf_error *error);

#endif
