#include "client/server/trouble.h"

#include <inttypes.h>

#include "base/fail.h"
#include "wire/json.h"

bool
hf_server_services_trouble(const struct hf_server *server,
                           struct hf_error *error)
{
    const struct hf_services *services = &server->services;
    const struct hf_address *each = server->addresses.each;
    uint32_t one;
    uint32_t other;

    if (!hf_services_differ(services, &one, &other))
        return false;
    (void)hf_fail(error, HF_E_UNAVAILABLE,
                  "%s and %s %s two services, not nodes of one: each grants "
                  "what the other does not know of; name one of them",
                  each[one - 1].authority, each[other - 1].authority,
                  hf_services_silent(services, one) ||
                          hf_services_silent(services, other)
                      ? "were, when both were heard,"
                      : "are");
    return true;
}

void
hf_server_say_trouble(const struct hf_server *server, struct hf_error *error)
{
    if (hf_server_services_trouble(server, error))
        return;
    if (server->trouble.status != HF_OK)
        (void)hf_fail(error, HF_E_UNAVAILABLE, "%s", server->trouble.text);
    else
        (void)hf_fail(error, HF_E_UNAVAILABLE, "%s: no answer",
                      server->addresses.place);
}

bool
hf_server_say_leader(const struct hf_server *server, const char *leader,
                     struct hf_bytes problem, struct hf_error *error)
{
    const char *place = server->addresses.place;
    char message[256];

    if (leader[0] == '\0') {
        hf_json_show(hf_json_member(problem, "message"), message,
                     sizeof(message));
        (void)hf_fail(error, HF_E_UNAVAILABLE, "%s: %s", place, message);
        return true;
    }
    if (hf_addresses_of(&server->addresses, leader) != 0)
        return false;
    (void)hf_fail(error, HF_E_UNAVAILABLE,
                  "%s does not lead: name %s, too, which does", place, leader);
    return true;
}

struct hf_duration
hf_server_read_grace(struct hf_bytes answer)
{
    uint64_t ms;

    if (!hf_json_number(hf_json_member(answer, "grace_ms"), &ms) ||
        ms > INT64_MAX)
        ms = 0;
    return (struct hf_duration){(int64_t)ms};
}

bool
hf_server_say_grace(const struct hf_server *server, struct hf_instant until,
                    enum hf_later cause, struct hf_error *error)
{
    static const char *const causes[] = {
        [HF_LATER_AGAIN] = "grants nothing",
        [HF_LATER_FORGOTTEN] =
            "has forgotten what it had granted, and grants nothing",
        [HF_LATER_LEADER] =
            "has another leader: those who waited before come first",
        [HF_LATER_PLACE] = "keeps a place in line",
    };
    struct hf_instant now = hf_now();
    int64_t left_ms = hf_between(now, until).ms;

    if (hf_reached(now, until))
        return false;
    (void)hf_fail(error, HF_E_UNAVAILABLE, "%s %s for %" PRId64 " s",
                  server->addresses.place, causes[cause],
                  (left_ms + 999) / 1000);
    return true;
}
