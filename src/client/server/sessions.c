#include "client/server/sessions.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/random.h"
#include "client/server/answer_report.h"
#include "client/server/services.h"
#include "wire/api_ask.h"
#include "wire/api_reply.h"
#include "wire/json.h"

/* By default a server answers a waiting request after 29 s.  If it is
 * configured otherwise, it says so. */
enum { SILENCE_MS = 40 * 1000 };

/* No lock server lets a request wait for longer. */
enum { BLOCKING_MAX_MS = 24 * 60 * 60 * 1000 };

/* For a first answer.  A wait ends no earlier without one, and a try ends after
 * it. */
static const struct hf_duration patience = {2000};

/* The server keeps a place in line for so long between two pieces of a wait,
 * but not longer than half the ttl. */
enum { PARK_MS = 10 * 1000 };

/* Requests that are only being settled count, too. */
enum { WISHES_MAX = HF_CLIENT_LOCKS_MAX + HF_CLIENT_LOCKS_MAX / 4 };

/* A message that is sent and not answered. */
struct message {
    struct hf_node_call call;
    struct hf_hash_node by_stream; /* in session->messages */
    struct hf_link link;           /* in session->unsent */
    bool is_unsent;                /* ... if it is there */
    struct hf_server_session *session;
    uint64_t id;         /* of the lock request that it is about; 0: none */
    uint64_t session_id; /* the session that it names; 0: none */
    uint64_t term;       /* ... */
    uint64_t lane;
    uint64_t n;
    unsigned node; /* that it went to */
    struct hf_instant sent_at;
};

static uint64_t
hash_of(uint64_t number)
{
    return hf_hash_bytes(HF_HASH_SEED, &number, sizeof(number));
}

/* ---- Finding ------------------------------------------------------------- */

static struct hf_server_lock *
find_lock(const struct hf_server_session *session, uint64_t id)
{
    struct hf_hash_node *node = hf_hash_find(&session->locks, hash_of(id));

    for (; node != NULL; node = hf_hash_next(node)) {
        struct hf_server_lock *lock =
            HF_CONTAINER(node, struct hf_server_lock, node);

        if (lock->lock->handle.id == id)
            return lock;
    }
    return NULL;
}

static struct message *
find_message(const struct hf_server_session *session, uint64_t stream)
{
    struct hf_hash_node *node = hf_hash_find(&session->messages, stream);

    return node == NULL ? NULL : HF_CONTAINER(node, struct message, by_stream);
}

/* ---- What is wanted ------------------------------------------------------ */

/* Locks with the same label share one lane. */
static uint64_t
label_of(const struct hf_settings *settings)
{
    const char *lane = settings->lane;

    if (lane == NULL)
        return 0;
    return hf_hash_bytes(HF_HASH_SEED, lane, strlen(lane)) | 1;
}

void
hf_sessions_request(struct hf_server_lock *lock)
{
    const struct hf_settings *settings = &lock->lock->settings;
    struct hf_duration limit = hf_settings_config(settings).limit;
    struct hf_session_event event = {
        .kind = HF_SESSION_WANT,
        .at = hf_now(),
        .want = {.id = lock->lock->handle.id,
                 .label = label_of(settings),
                 .free = settings->mode == HF_UNTIL_FREE,
                 .fail_suspected = settings->fail_suspected,
                 .wait = HF_WAIT_LIMITED,
                 .patience = patience},
    };

    if (settings->try_only)
        event.want.wait = HF_WAIT_TRY;
    else if (limit.ms == HF_FOREVER.ms)
        event.want.wait = HF_WAIT_FOREVER;
    event.want.deadline = hf_after(event.at, limit);
    hf_sessions_step(lock->session, &event);
}

bool
hf_sessions_wait(const struct hf_server_lock *lock)
{
    return hf_session_waits(lock->session->machine, lock->lock->handle.id);
}

/* ---- What is answered ---------------------------------------------------- */

static uint64_t
take_message(struct message *message)
{
    struct hf_server_session *session = message->session;
    uint64_t stream = message->by_stream.hash;

    if (message->is_unsent)
        hf_list_remove(&session->unsent, &message->link);
    hf_hash_remove(&session->messages, &message->by_stream);
    hf_free(session->server->client->alloc, message);
    return stream;
}

static void
on_no_answer(struct hf_server_session *session, uint64_t stream, bool is_cut)
{
    hf_sessions_step(session, &(struct hf_session_event){
                                  .kind = HF_SESSION_STREAM_ENDED,
                                  .at = hf_now(),
                                  .broken = {stream, is_cut},
                              });
}

static void
on_answer(struct hf_server_session *session, uint64_t stream,
          struct hf_api_reply *reply, const struct hf_blocker *blocker)
{
    struct hf_session_event event = {
        .kind = HF_SESSION_ANSWER,
        .at = hf_now(),
        .answer =
            {
                .answer = reply->answer,
                .leader =
                    hf_addresses_of(&session->server->addresses, reply->leader),
                .term = reply->term,
                .secret = reply->secret,
                .service = reply->service,
                .blocking = reply->blocking,
                .fences = reply->fences,
                .fences_count = reply->fences_count,
                .held = reply->lists_held ? reply->held : NULL,
                .held_count = reply->held_count,
                .blocker = *blocker,
            },
    };

    event.answer.answer.stream = stream;
    hf_sessions_step(session, &event);
}

/* The server must keep the session for at least as long as our right lasts. */
static bool
is_kept_long_enough(const struct hf_server_session *session,
                    struct hf_api_reply *reply)
{
    if (reply->answer.kind != HF_ANSWER_OPENED &&
        reply->answer.kind != HF_ANSWER_ALIVE)
        return true;
    return reply->answer.alive.ttl.ms >= session->config.terms.ttl.ms &&
           reply->blocking.ms <= BLOCKING_MAX_MS;
}

/* Is this the answer to that message?  A proxy may mix up answers.  A
 * keep-alive must be of this session, and a grant of this request. */
static bool
is_its_own(const struct message *message, const struct hf_api_reply *reply)
{
    switch ((int)reply->answer.kind) {
    case HF_ANSWER_ALIVE:
        return reply->answer.alive.session == message->session_id &&
               reply->term == message->term;
    case HF_ANSWER_GRANTED:
        return reply->session == message->session_id &&
               reply->term == message->term && reply->lane == message->lane &&
               reply->n == message->n;
    }
    return true;
}

/* Parse the answer.  False: it is none for the machine, and server->trouble
 * says why. */
static bool
read_reply(const struct message *message, const struct hf_http_answer *answer)
{
    struct hf_server *server = message->session->server;
    const char *why;

    if (hf_api_reply_read(answer->status, answer->body, &server->reply,
                          &server->trouble) != HF_OK)
        return false;
    if (!is_its_own(message, &server->reply))
        why = "it answers what somebody else asked: is there a proxy between?";
    else if (!is_kept_long_enough(message->session, &server->reply))
        why = "it keeps no session for as long as was asked";
    else
        return true;
    (void)hf_fail(&server->trouble, HF_E_UNAVAILABLE, "%s: %s",
                  server->addresses.place, why);
    return false;
}

/* Did a proxy end the request by its time limit? */
static bool
note_cut(const struct message *message, const struct hf_http_answer *answer)
{
    struct hf_server *server = message->session->server;
    struct hf_instant now = hf_now();
    struct hf_duration took = hf_between(message->sent_at, now);

    if (!hf_proxy_limit_is_answer(answer->status, answer->body) ||
        !hf_proxy_limit_note(&server->proxy_limit, now, took))
        return false;
    (void)hf_fail(&server->trouble, HF_E_UNAVAILABLE,
                  "%s: something between us cut a request after %.1f s (status "
                  "%d): it must let one take longer than the server's "
                  "--idle-timeout",
                  server->addresses.each[message->node - 1].authority,
                  (double)took.ms / 1000, answer->status);
    return true;
}

static void
answered(struct hf_node_call *call, const struct hf_http_answer *answer)
{
    struct message *message = HF_CONTAINER(call, struct message, call);
    struct hf_server_session *session = message->session;
    struct hf_server *server = session->server;
    uint64_t id = message->id;
    struct hf_instant asked_at = message->sent_at;
    bool is_read = answer != NULL && read_reply(message, answer);
    bool is_cut = answer != NULL && !is_read && note_cut(message, answer);
    unsigned node = message->node;
    uint64_t stream = take_message(message);
    struct hf_blocker blocker;

    if (!is_read) {
        on_no_answer(session, stream, is_cut);
        return;
    }
    blocker =
        hf_answer_report(session, id, find_lock(session, id), answer, asked_at);
    on_answer(session, stream, &server->reply, &blocker);
    if (server->reply.answer.kind == HF_ANSWER_OPENED)
        hf_server_services_said(server, node, server->reply.service);
}

/* ---- What is sent -------------------------------------------------------- */

static size_t
read_page(const struct hf_session *machine, uint64_t *fences)
{
    uint32_t cursor = 0;
    size_t count = 0;

    while (count < HF_API_REPLY_FENCES_MAX &&
           hf_session_page(machine, &cursor, &fences[count]))
        count++;
    return count;
}

/* Add what the machine does not know of a message. */
static void
fill_ask(const struct hf_server_session *session,
         const struct hf_session_send *send, uint64_t *fences,
         struct hf_api_ask *ask)
{
    struct hf_server_lock *lock = find_lock(session, send->id);

    *ask = (struct hf_api_ask){.send = send, .who = session->who, .note = ""};
    if (send->message.kind == HF_MESSAGE_PAGE) {
        ask->fences = fences;
        ask->fences_count = read_page(session->machine, fences);
    }
    if (lock == NULL)
        return;
    ask->piece = hf_proxy_limit_piece(&session->server->proxy_limit);
    ask->park.ms = session->config.terms.ttl.ms / 2;
    if (ask->park.ms > PARK_MS)
        ask->park.ms = PARK_MS;
    ask->wants = lock->wants;
    ask->wants_count = lock->wants_count;
    ask->note = lock->note;
    if (send->message.kind == HF_MESSAGE_CHANGE)
        ask->wants += send->index;
    lock->session_id = send->message.session;
    lock->secret = send->secret;
    lock->lane = send->message.lane;
}

/* A session that is left is kept alive only while it has other locks, or
 * something to release. */
static bool
is_awake(const struct hf_server_session *session)
{
    return !session->is_left || session->locks.count > 0 ||
           !hf_session_at_rest(session->machine);
}

/* As a line of a stream, for which there is room. */
static enum hf_status
say_for(struct message *message, const struct hf_session_send *send)
{
    struct hf_server *server = message->session->server;
    uint64_t fences[HF_API_REPLY_FENCES_MAX];
    struct hf_api_ask ask;
    struct hf_text line;

    hf_text_init(&line, server->line, sizeof(server->line));
    fill_ask(message->session, send, fences, &ask);
    hf_api_ask_line(&ask, &line);
    HF_CHECK(!hf_text_cut(&line));
    return hf_node_call_ask(server, &message->call,
                            &(struct hf_node_call_request){
                                .node = send->node,
                                .line = line.at,
                                .must_get_through = send->id == 0,
                            },
                            &server->trouble);
}

static enum hf_status
ask_for(struct message *message, const struct hf_session_send *send)
{
    struct hf_server *server = message->session->server;
    bool must_get_through = send->id == 0;
    char secret[HF_API_SECRET_SIZE];
    uint64_t fences[HF_API_REPLY_FENCES_MAX];
    struct hf_api_ask ask;
    struct hf_text path;
    struct hf_text body;
    const char *method;

    server->node = send->node; /* the machine knows the leader best */
    if (hf_node_takes_lines(server, send->node, must_get_through))
        return say_for(message, send);
    hf_text_init(&path, server->path, sizeof(server->path));
    hf_text_init(&body, server->body, sizeof(server->body));
    fill_ask(message->session, send, fences, &ask);
    method = hf_api_ask(&ask, &path, &body);
    HF_CHECK(!hf_text_cut(&path) &&
             !hf_text_cut(&body)); /* check_len has seen to it */
    hf_api_ask_secret(&send->secret, secret);
    return hf_node_call_ask(
        server, &message->call,
        &(struct hf_node_call_request){
            .node = send->node,
            .method = method,
            .path = path.at,
            .body = body.at,
            .secret = send->message.kind == HF_MESSAGE_OPEN ? NULL : secret,
            .is_of_session = true,
            .must_get_through = must_get_through,
        },
        &server->trouble);
}

/* The machine sends the next message about the session only if the last one is
 * answered, not wanted, or overdue. */
static void
note_control(struct hf_server_session *session, uint64_t stream)
{
    struct message *before = find_message(session, session->control_stream);

    if (before != NULL)
        hf_node_call_overdue(&before->call);
    session->control_stream = stream;
}

static struct message *
new_message(struct hf_server_session *session,
            const struct hf_session_send *send)
{
    const struct hf_alloc *alloc = session->server->client->alloc;
    struct message *message = hf_new(alloc, struct message);

    if (message == NULL)
        return NULL;
    message->session = session;
    message->id = send->id;
    message->session_id = send->message.session;
    message->term = send->message.term;
    message->lane = send->message.lane;
    message->n = send->message.n;
    message->node = send->node;
    message->sent_at = hf_now();
    message->call.answered = answered;
    if (hf_hash_add(&session->messages, &message->by_stream,
                    send->message.stream))
        return message;
    hf_free(alloc, message);
    return NULL;
}

/* If there is no memory, the message is not sent, and the machine's timers
 * notice. */
static void
send_out(struct hf_server_session *session, const struct hf_session_send *send)
{
    struct message *message = new_message(session, send);

    if (message == NULL)
        return;
    if (send->id == 0)
        note_control(session, send->message.stream);
    if (ask_for(message, send) == HF_OK)
        return;
    message->is_unsent = true;
    hf_list_add(&session->unsent, &message->link);
}

static void
close_stream(struct hf_server_session *session, uint64_t stream)
{
    struct message *message = find_message(session, stream);

    if (message == NULL)
        return;
    hf_node_call_cancel(&message->call);
    (void)take_message(message);
}

/* ---- What is told -------------------------------------------------------- */

static void
tell_handle(struct hf_server_session *session,
            const struct hf_session_notice *notice)
{
    struct hf_server_lock *lock = find_lock(session, notice->id);

    if (lock == NULL)
        return; /* the lock was abandoned */
    lock->state = notice->state;
    lock->status = notice->status;
    if ((notice->news & HF_NEWS_GRANTED) != 0) {
        lock->fence = notice->fence;
        lock->granted_at = hf_now();
    }
    if ((notice->news & (HF_NEWS_LOST | HF_NEWS_ENDED)) != 0)
        lock->outcome = notice->outcome;
    if (notice->state != HF_STATE_ENDED) {
        hf_handle_notify(&lock->lock->handle, notice->news);
        return;
    }
    hf_hash_remove(&session->locks, &lock->node);
    lock->is_there = false;
    hf_handle_notify(&lock->lock->handle,
                     notice->news & ~(unsigned)HF_NEWS_ENDED);
    hf_client_ended(session->server->client, &lock->lock->handle);
}

/* ---- Steps --------------------------------------------------------------- */

static void
step(struct hf_server_session *session, const struct hf_session_event *event)
{
    struct hf_session_effect effect;

    hf_session_step(session->machine, event);
    while (hf_session_next(session->machine, &effect)) {
        switch (effect.kind) {
        case HF_SESSION_TELL:
            tell_handle(session, &effect.tell);
            break;
        case HF_SESSION_CLOSE:
            close_stream(session, effect.stream);
            break;
        case HF_SESSION_SEND:
            send_out(session, &effect.send);
            break;
        }
    }
}

/* Messages that could not be sent are reported after the step, since a step
 * must not start another.  Each is sent again at once, until all nodes have
 * failed. */
void
hf_sessions_step(struct hf_server_session *session,
                 const struct hf_session_event *event)
{
    step(session, event);
    if (session->is_reporting)
        return;
    session->is_reporting = true;
    while (session->unsent.first != NULL)
        on_no_answer(session,
                     take_message(HF_CONTAINER(session->unsent.first,
                                               struct message, link)),
                     false);
    session->is_reporting = false;
}

/* ---- Services ------------------------------------------------------------ */

/* With one node there is nothing to compare. */
static void
say_services(struct hf_server_session *session)
{
    const struct hf_services *services = &session->server->services;
    uint64_t each[HF_SERVICES_NODES_MAX];

    if (services->config.nodes == 1)
        return;
    for (uint32_t i = 0; i < services->config.nodes; i++)
        each[i] = services->each[i].service;
    hf_sessions_step(session, &(struct hf_session_event){
                                  .kind = HF_SESSION_SERVICES,
                                  .at = hf_now(),
                                  .services = {each, services->verdict},
                              });
}

void
hf_sessions_services(struct hf_server *server)
{
    HF_EACH(struct hf_server_session, session, &server->sessions, link)
        say_services(session);
}

bool
hf_sessions_want_services(const struct hf_server *server)
{
    HF_EACH(const struct hf_server_session, session, &server->sessions, link) {
        if (is_awake(session) && !hf_session_settled(session->machine))
            return true;
    }
    return false;
}

/* ---- Time ---------------------------------------------------------------- */

void
hf_sessions_tick(struct hf_server *server, struct hf_instant now)
{
    HF_EACH(struct hf_server_session, session, &server->sessions, link) {
        if (is_awake(session) &&
            hf_reached(now, hf_session_deadline(session->machine)))
            hf_sessions_step(session, &(struct hf_session_event){
                                          .kind = HF_SESSION_CLOCK,
                                          .at = now,
                                      });
    }
}

struct hf_instant
hf_sessions_deadline(const struct hf_server *server)
{
    struct hf_instant deadline = HF_NEVER;

    HF_EACH(struct hf_server_session, session, &server->sessions, link) {
        if (is_awake(session))
            deadline =
                hf_earlier(deadline, hf_session_deadline(session->machine));
    }
    return deadline;
}

/* ---- Life ---------------------------------------------------------------- */

static bool
are_equal(const struct hf_session_config *a, const struct hf_session_config *b)
{
    return a->terms.ttl.ms == b->terms.ttl.ms &&
           a->terms.beat.ms == b->terms.beat.ms &&
           a->terms.if_dead == b->terms.if_dead && a->grace.ms == b->grace.ms;
}

static struct hf_session_config
config_of(const struct hf_server *server, const struct hf_settings *settings)
{
    struct hf_contender_config wish = hf_settings_config(settings);

    return (struct hf_session_config){
        .limits =
            {
                .wishes = WISHES_MAX,
                .nodes = server->addresses.count,
                .page = HF_API_REPLY_FENCES_MAX,
            },
        .terms = wish.terms,
        .grace = wish.grace,
        .margin = hf_margin(wish.terms.ttl),
        .silence = {SILENCE_MS},
    };
}

static void
free_session(struct hf_server_session *session)
{
    const struct hf_alloc *alloc = session->server->client->alloc;

    hf_hash_fini(&session->messages);
    hf_hash_fini(&session->locks);
    hf_free(alloc, session->machine);
    hf_free(alloc, session);
}

static enum hf_status
make_session(struct hf_server *server, struct hf_session_config *config,
             struct hf_server_session **made, struct hf_error *error)
{
    const struct hf_alloc *alloc = server->client->alloc;
    struct hf_server_session *session;
    enum hf_status status = hf_random_u64(&config->seed, error);
    void *block;

    if (status != HF_OK)
        return status;
    HF_CHECK(hf_session_valid(config));
    session = hf_new(alloc, struct hf_server_session);
    block = hf_calloc(alloc, 1, hf_session_size(config));
    if (session == NULL || block == NULL) {
        hf_free(alloc, session);
        hf_free(alloc, block);
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    }
    session->server = server;
    session->config = *config;
    session->machine = hf_session_init(block, config);
    session->messages.alloc = session->locks.alloc = alloc;
    snprintf(session->who, sizeof(session->who), "%s@%s", server->self.user,
             server->self.host.name);
    hf_list_add(&server->sessions, &session->link);
    say_services(session);
    *made = session;
    return HF_OK;
}

enum hf_status
hf_sessions_for(struct hf_server *server, const struct hf_settings *settings,
                struct hf_server_session **session, struct hf_error *error)
{
    struct hf_session_config config = config_of(server, settings);

    HF_EACH(struct hf_server_session, one, &server->sessions, link) {
        if (one->is_left || !are_equal(&one->config, &config))
            continue;
        if (!hf_session_room(one->machine))
            return hf_fail(error, HF_E_LIMIT,
                           "more than %d locks of the same terms in one client",
                           HF_CLIENT_LOCKS_MAX);
        *session = one;
        return HF_OK;
    }
    return make_session(server, &config, session, error);
}

void
hf_sessions_end(struct hf_server *server)
{
    HF_EACH(struct hf_server_session, session, &server->sessions, link) {
        if (!session->is_left)
            hf_sessions_step(session, &(struct hf_session_event){
                                          .kind = HF_SESSION_END,
                                          .at = hf_now(),
                                      });
    }
}

bool
hf_sessions_over(const struct hf_server *server)
{
    HF_EACH(const struct hf_server_session, session, &server->sessions, link) {
        if (!session->is_left && !hf_session_over(session->machine))
            return false;
    }
    return true;
}

static void
drop_messages(struct hf_server_session *session)
{
    for (size_t i = 0; i < session->messages.chains_count; i++)
        while (session->messages.chains[i] != NULL) {
            struct message *message = HF_CONTAINER(session->messages.chains[i],
                                                   struct message, by_stream);

            hf_node_call_cancel(&message->call);
            (void)take_message(message);
        }
}

void
hf_sessions_fini(struct hf_server *server)
{
    while (server->sessions.first != NULL) {
        struct hf_server_session *session = HF_CONTAINER(
            server->sessions.first, struct hf_server_session, link);

        hf_list_remove(&server->sessions, &session->link);
        drop_messages(session);
        free_session(session);
    }
}
