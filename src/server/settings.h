#ifndef HF_SERVER_SETTINGS_H
#define HF_SERVER_SETTINGS_H

#include "base/text.h"
#include "server/loop.h"

/*
 * Settings: all that a lock server can be told (holdfastd.conf(5)); its own
 * file, loopback and port 7420, if it is told nothing.
 */

enum { HF_SETTINGS_HOSTS_MAX = 16 };

struct hf_server_settings {
    char listen_host[64];
    char listen_name[66]; /* as a URL has it */
    uint16_t port;
    char advertise_host[HF_HOST_MAX - 5]; /* as a URL has it; "": the same */
    uint16_t advertise_port;
    char at[HF_PLACE_MAX]; /* "": the file of its own */
    char hosts[HF_SETTINGS_HOSTS_MAX][HF_HOST_MAX + 1];
    const char *host_list[HF_SETTINGS_HOSTS_MAX + 3]; /* for the service */
    size_t hosts_count;
    struct hf_duration idle_timeout; /* 0: 30 s, or half of max_ttl */
    double idle_margin;
    struct hf_duration max_ttl;
    bool no_grace;
    int64_t connections;
    int64_t streams;
    int64_t locks;
    bool insecure;
    enum hf_log_format log;
};

extern const struct hf_server_settings hf_server_settings_default;

/* Read a name or an address, of IPv6 in brackets or without, as a URL has it;
 * false: it is none. */
bool hf_server_settings_read_host(const char *text, char host[HF_HOST_MAX + 1]);

/* Is it the address of all interfaces?  Others cannot find a server by it. */
bool hf_server_settings_is_wildcard(const char *host);

/* Where others find a server that listens at that port: host and port, as a URL
 * has them. */
void hf_server_settings_address(const struct hf_server_settings *settings,
                                uint16_t port, char address[HF_HOST_MAX + 1]);

/* Do they make sense together?  HF_E_INVALID, with a sentence in *error. */
HF_MUST_USE enum hf_status
hf_server_settings_check(const struct hf_server_settings *settings,
                         struct hf_error *error);

/*
 * Take over what can be changed while it runs: host and log.  *others gets the
 * names of what else is another, "listen, locks", which stays as it was.
 */
void hf_server_settings_change(struct hf_server_settings *settings,
                               const struct hf_server_settings *wanted,
                               struct hf_text *others);

/*
 * The configuration of a loop with these settings, but for who we are, where
 * others find us, and the callbacks.  It borrows *settings.  Errors as
 * hf_place_parse, and HF_E_UNAVAILABLE: no random numbers.
 */
HF_MUST_USE enum hf_status
hf_server_settings_config(struct hf_server_settings *settings,
                          struct hf_loop_config *config,
                          struct hf_error *error);

#endif
