#include <inttypes.h>
#include <string.h>

#include "base/random.h"
#include "client/server/connections.h"
#include "client/server/queries.h"
#include "client/server/trouble.h"
#include "client/server/views.h"
#include "wire/api_reply.h"
#include "wire/json.h"

/* Is the server sound?  Each node is asked, and is a row.  If they are nodes of
 * two services, a last row says so. */

/* A slower answer is felt. */
enum { SLOW_US = 200 * 1000 };

/* With the default settings a lock server lets no request wait for longer. */
static const struct hf_duration longest_wait = {45 * 1000};

/* As HF_STORE_LOG_LARGE of store/methods.h. */
#define LOG_LARGE (UINT64_C(16) * 1024 * 1024)

/* Add an empty check.  NULL: there is no memory. */
static struct hf_checkup *
add_check(struct hf_server_query *query, const char *name)
{
    struct hf_view *row = hf_query_page_add(&query->page, HF_VIEW_CHECK);

    if (row == NULL)
        return NULL;
    row->check.check = name;
    return &row->check;
}

static const char *
authority_of(const struct hf_server_query *query, unsigned node)
{
    return query->server->addresses.each[node - 1].authority;
}

/* One lock can be granted by both [S7: nodes of two services]. */
static void
add_two_services(struct hf_server_query *query)
{
    struct hf_checkup *check = add_check(query, "service");

    if (check == NULL)
        return;
    hf_checkup_add(check,
                   "%s and %s are two services, not nodes of one: each grants "
                   "what the other does not know of",
                   authority_of(query, query->of_it),
                   authority_of(query, query->other));
    hf_checkup_fail(check, "name one of them; nodes of one service serve one "
                           "file (--at sqlite:), on one machine");
}

/* None of the nodes that are named leads: nothing is granted by them. */
static void
add_leader(struct hf_server_query *query)
{
    const char *place = query->server->addresses.place;
    struct hf_checkup *check = add_check(query, "leader");

    if (check == NULL)
        return;
    hf_checkup_add(check, "%s leads, and is none of those named: %s",
                   query->leader, place);
    hf_checkup_fail(check, "name it, too: --at %s,%s", place, query->leader);
}

/* The machine on which its remedies are to be applied. */
static const char *
host_of(const struct hf_server_query *query)
{
    return query->server->addresses.each[query->node - 1].host;
}

static void
ask_next(struct hf_server_query *query, enum hf_server_probe probe)
{
    query->probe = probe;
    hf_server_query_again(query, (struct hf_duration){0});
}

/* Ask the next node; after the last one the query ends. */
static void
ask_next_node(struct hf_server_query *query)
{
    if (query->node++ < query->server->addresses.count) {
        ask_next(query, HF_PROBE_INFO);
        return;
    }
    if (query->other != 0)
        add_two_services(query);
    if (!query->led && query->leader[0] != '\0')
        add_leader(query);
}

static void
compare(struct hf_server_query *query, struct hf_bytes info)
{
    struct hf_duration max_ttl;
    uint64_t service;

    if (!hf_api_reply_service(info, &service, &max_ttl))
        return;
    if (query->service == 0) {
        query->service = service;
        query->of_it = query->node;
    } else if (service != query->service && query->other == 0) {
        query->other = query->node;
    }
}

static bool
leads(struct hf_bytes info)
{
    char state[16];

    hf_json_show(hf_json_member(info, "state"), state, sizeof(state));
    return strcmp(state, "serving") == 0;
}

/* A leader may be named otherwise here, and be asked by that name. */
static void
note_leader(struct hf_server_query *query, struct hf_bytes info)
{
    char leader[sizeof(query->leader)];

    query->led = query->led || leads(info);
    hf_json_show(hf_json_member(info, "leader"), leader, sizeof(leader));
    if (leader[0] != '\0' &&
        hf_addresses_of(&query->server->addresses, leader) == 0)
        memcpy(query->leader, leader, sizeof(leader));
}

static void
ask(struct hf_server_query *query, struct hf_server_question *question)
{
    question->node = query->node;
    query->asked_us = hf_now_us();
    if (query->probe == HF_PROBE_INFO) {
        hf_text_add(&question->path, "/v1/info");
        return;
    }
    question->method = query->probe == HF_PROBE_END ? "DELETE" : "POST";
    if (query->probe == HF_PROBE_END)
        hf_text_addf(&question->path, "/v1/sessions/%s", query->session);
    else
        hf_text_addf(&question->path,
                     "/v1/locks/holdfast-doctor-%016" PRIx64 "/%s",
                     query->probe_lock,
                     query->probe == HF_PROBE_HOLD ? "acquire" : "wait");
    if (query->probe == HF_PROBE_HOLD)
        hf_text_add(&question->body, "{\"ttl\":\"60s\"}");
    else if (query->probe == HF_PROBE_WAIT)
        hf_text_add(&question->body, "{\"ttl\":\"60s\",\"wait\":\"10m\"}");
    question->secret = query->probe == HF_PROBE_END ? query->secret : NULL;
    question->patience = longest_wait;
}

/* The log grows while a reader of the file keeps SQLite from a checkpoint. */
static void
say_log(struct hf_checkup *check, const char *host, struct hf_bytes info)
{
    uint64_t bytes;

    if (!hf_json_number(hf_json_member(info, "log_bytes"), &bytes) ||
        bytes < LOG_LARGE)
        return;
    hf_checkup_add(check, "its store's log is of %" PRIu64 " MiB",
                   bytes / 1024 / 1024);
    hf_checkup_warn(check,
                    "on %s, end the program that reads the server's file and "
                    "does not end its transaction",
                    host);
}

/* Only the leader gives these numbers. */
static void
say_room(struct hf_checkup *check, const char *host, struct hf_bytes info)
{
    uint64_t sessions;
    uint64_t most;

    if (!hf_json_number(hf_json_member(info, "sessions"), &sessions) ||
        !hf_json_number(hf_json_member(info, "sessions_most"), &most) ||
        sessions <= most - most / 4)
        return;
    hf_checkup_add(check,
                   "room is short: %" PRIu64 " sessions of %" PRIu64
                   " that may be are open",
                   sessions, most);
    hf_checkup_warn(check,
                    "see by `holdfast ls --sessions` whose they are; holdfastd "
                    "on %s has room for more with a larger --locks",
                    host);
}

/* Waiting requests keep their connections, so that new ones are refused. */
static void
say_refused(struct hf_checkup *check, const char *host, struct hf_bytes info)
{
    uint64_t since_ms;

    if (!hf_json_number(hf_json_member(info, "refused_ms"), &since_ms))
        return;
    hf_checkup_add(check,
                   "too many connections wait: it refused to let one more wait "
                   "%" PRIu64 " s ago",
                   since_ms / 1000);
    hf_checkup_warn(
        check, "holdfastd on %s has room for more with a larger --connections",
        host);
}

static void
say_node(struct hf_checkup *check, const char *host, struct hf_bytes info,
         int64_t took_us)
{
    char state[32];
    char leader[HF_HOST_MAX + 16];
    char trouble[256];
    struct hf_duration grace = hf_server_read_grace(info);
    bool is_leader = leads(info);

    hf_json_show(hf_json_member(info, "state"), state, sizeof(state));
    hf_json_show(hf_json_member(info, "leader"), leader, sizeof(leader));
    hf_json_show(hf_json_member(info, "trouble"), trouble, sizeof(trouble));
    if (is_leader)
        hf_checkup_add(check, "it leads");
    else
        hf_checkup_add(check, "it is %s; the leader is %s",
                       state[0] != '\0' ? state : "no lock server",
                       leader[0] != '\0' ? leader : "not known");
    if (!is_leader && leader[0] == '\0')
        hf_checkup_fail(
            check,
            "on %s, see holdfastd's log: nobody leads, and nothing is granted",
            host);
    if (trouble[0] != '\0') {
        hf_checkup_add(check, "its store: %s", trouble);
        hf_checkup_fail(
            check, "on %s, put its store right: nothing is granted without it",
            host);
    }
    if (grace.ms > 0) {
        hf_checkup_add(check,
                       "it has forgotten what it had granted, and grants "
                       "nothing for %" PRId64 " s",
                       (grace.ms + 999) / 1000);
        hf_checkup_warn(
            check, "on %s, see holdfastd's log: it tells what was lost", host);
    }
    say_log(check, host, info);
    say_room(check, host, info);
    say_refused(check, host, info);
    hf_checkup_add(check, "answered in %.1f ms", (double)took_us / 1000);
    if (took_us > SLOW_US)
        hf_checkup_warn(
            check, "see what the processor of %s and the way to it do", host);
}

/* The answer is not from a lock server. */
static void
say_other(struct hf_checkup *check, const struct hf_server_query *query,
          int status, struct hf_bytes body)
{
    bool is_between = hf_proxy_limit_is_answer(status, body);

    hf_checkup_add(check, "answers with status %d", status);
    if (is_between)
        hf_checkup_fail(
            check,
            "what listens on %s is a proxy: see whether it reaches holdfastd, "
            "and lets a request take longer than that's --idle-timeout",
            host_of(query));
    else
        hf_checkup_fail(
            check,
            status == 421
                ? "it is not called so: start holdfastd with --host %s"
                : "on %s, see whether a lock server listens there",
            host_of(query));
}

/* A proxy that does not name itself is noticed, too: the node sees another
 * address of the client than ours. */
static bool
has_between(struct hf_server_query *query, struct hf_bytes info)
{
    struct hf_bytes seen = hf_json_inside(hf_json_member(info, "client"));
    struct hf_text name;

    if (query->between[0] != '\0')
        return true;
    if (seen.len == 0 ||
        hf_connections_are_called(query->server, query->node, seen))
        return false;
    hf_text_init(&name, query->between, sizeof(query->between));
    hf_text_add(&name, "something");
    return true;
}

/* A request that waits shows how long the proxy allows. */
static void
begin_to_probe(struct hf_server_query *query)
{
    if (hf_random_u64(&query->probe_lock, NULL) != HF_OK) {
        ask_next_node(query);
        return;
    }
    ask_next(query, HF_PROBE_HOLD);
}

static void
take_info(struct hf_server_query *query, int status, struct hf_bytes body)
{
    int64_t took_us = hf_now_us() - query->asked_us;
    struct hf_checkup *check = add_check(query, "node");

    if (check == NULL)
        return;
    hf_checkup_add(check, "%s", authority_of(query, query->node));
    if (status == 200) {
        compare(query, body);
        note_leader(query, body);
        say_node(check, host_of(query), body, took_us);
    } else {
        say_other(check, query, status, body);
    }
    if (status == 200 && leads(body) && has_between(query, body))
        begin_to_probe(query);
    else
        ask_next_node(query);
}

/* ---- What is between ----------------------------------------------------- */

static void
take_hold(struct hf_server_query *query, int status, struct hf_bytes body)
{
    hf_json_show(hf_json_member(body, "session"), query->session,
                 sizeof(query->session));
    hf_json_show(hf_json_member(body, "secret"), query->secret,
                 sizeof(query->secret));
    if (status != 200 || query->secret[0] == '\0') {
        ask_next_node(query); /* it grants nothing, as its own row says */
        return;
    }
    ask_next(query, HF_PROBE_WAIT);
}

/* `status` 0: there was no answer. */
static void
take_wait(struct hf_server_query *query, int status, struct hf_bytes body)
{
    double took_s = (double)(hf_now_us() - query->asked_us) / 1000000;
    struct hf_checkup *check = add_check(query, "between");

    if (check == NULL)
        return;
    hf_checkup_add(check, "%s stands before %s", query->between,
                   authority_of(query, query->node));
    if (status != 0 && !hf_proxy_limit_is_answer(status, body)) {
        hf_checkup_add(check, "lets a request wait for %.1f s", took_s);
    } else {
        hf_checkup_add(check, "cuts a request that waits after %.1f s", took_s);
        hf_checkup_warn(
            check, "let it wait for longer than the server's --idle-timeout, "
                   "or make that shorter: until then clients wait in pieces");
    }
    ask_next(query, HF_PROBE_END);
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    switch (query->probe) {
    case HF_PROBE_INFO:
        take_info(query, status, body);
        break;
    case HF_PROBE_HOLD:
        take_hold(query, status, body);
        break;
    case HF_PROBE_WAIT:
        take_wait(query, status, body);
        break;
    case HF_PROBE_END:
        ask_next_node(query);
        break;
    }
}

static void
fail_info(struct hf_server_query *query)
{
    struct hf_checkup *check = add_check(query, "reachable");

    if (check == NULL)
        return;
    hf_checkup_add(check, "%s", query->server->trouble.text);
    if (query->server->speaks_other)
        hf_checkup_fail(check,
                        "on %s, let holdfastd listen there, or a proxy that "
                        "takes HTTP/2 without TLS (h2c)",
                        host_of(query));
    else
        hf_checkup_fail(check,
                        query->was_silent
                            ? "if holdfastd runs on %s, it hangs or is "
                              "stopped; else start it, or leave the node out"
                            : "on %s, start holdfastd, or leave the node out",
                        host_of(query));
    ask_next_node(query);
}

static void
fail(struct hf_server_query *query)
{
    if (query->probe == HF_PROBE_INFO)
        fail_info(query);
    else if (query->probe == HF_PROBE_WAIT)
        take_wait(query, 0, (struct hf_bytes){NULL, 0});
    else
        ask_next_node(query);
}

const struct hf_server_query_kind hf_server_doctor = {ask, take, fail, true};
