#ifndef HF_SERVER_SETTINGS_H
#define HF_SERVER_SETTINGS_H

#include "base/text.h"
#include "server/loop.h"

/*
 * Settings: what a lock server can be told, each by a name and a text, in a
 * file or on a command line; and what it does if it is told nothing: its own
 * file, loopback, port 7420.
 *
 *   listen        ADDR:PORT   where, in numbers; port 0: the kernel's choice
 *   advertise     HOST:PORT   where others find it, if that is another; port
 *                             0: where it listens
 *   at            PLACE       where the locks are kept
 *   host          NAME        by which clients may call it, too; many
 *   idle-timeout  DURATION    what cuts a silent request before it [W2]
 *   idle-margin   PART        so much of it before that, from 0 to 0.5
 *   max-ttl       DURATION    the longest ttl of a session: for so long a
 *                             server that forgot what it granted waits [L6]
 *   no-grace      yes, no     it does not, in memory
 *   connections   COUNT       at most
 *   streams       COUNT       requests of one connection at once, at most
 *   locks         COUNT       locks that are held or waited for, and requests
 *                             that wait, at most: room for them is set aside,
 *                             and used when it is needed
 *   insecure      yes, no     listen beyond loopback, though nothing is
 *                             encrypted
 *   log           FORMAT      of lines on stderr: logfmt or json
 */

enum { HF_SETTINGS_HOSTS_MAX = 16 };

struct hf_settings {
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
    uint32_t connections;
    uint32_t streams;
    uint32_t locks;
    bool insecure;
    enum hf_log_format log;
};

extern const struct hf_settings hf_settings_default;

/* HF_E_INVALID, with a sentence in *error: it has no such name, or that is no
 * such text. */
HF_MUST_USE enum hf_status hf_server_settings_set(struct hf_settings *settings,
                                                  const char *name,
                                                  const char *text,
                                                  struct hf_error *error);

/* A bit of its own for each that is said once, to tell when it is said twice;
 * 0: it may be said many times, or there is none of that name. */
uint32_t hf_server_settings_once(const char *name);

/* Where others find a server that listens at that port: host and port, as a URL
 * has them. */
void hf_server_settings_address(const struct hf_settings *settings,
                                uint16_t port, char address[HF_HOST_MAX + 1]);

/* Do they make sense together?  HF_E_INVALID likewise. */
HF_MUST_USE enum hf_status
hf_server_settings_check(const struct hf_settings *settings,
                         struct hf_error *error);

/*
 * Take over what can be changed while it runs: host and log.  *others gets the
 * names of what else is another, "listen, locks", which stays as it was.
 */
void hf_server_settings_change(struct hf_settings *settings,
                               const struct hf_settings *wanted,
                               struct hf_text *others);

/*
 * All that a loop is given for them, but who we are, where others find us, and
 * whom to tell.  *settings is borrowed by it.  Errors as hf_place_parse, and
 * HF_E_UNAVAILABLE: no random numbers.
 */
HF_MUST_USE enum hf_status
hf_server_settings_config(struct hf_settings *settings,
                          struct hf_loop_config *config,
                          struct hf_error *error);

#endif
