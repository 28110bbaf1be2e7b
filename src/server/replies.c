#include <inttypes.h>

#include "base/check.h"
#include "server/parts.h"
#include "wire/api_look.h"
#include "wire/json.h"
#include "wire/record.h"

/* The effects of the node, as answers to requests. */

/* Holders that an answer "no" names. */
#define HOLDERS_MAX 16

/* Clears of which a holder is told more than the fence.  A session that has
 * more finds them in the audit. */
#define CLEARS_MAX 4

/* ---- Answers ------------------------------------------------------------- */

/* Clients of http-remoting look for an exceptionClass in JSON alone. */
static struct hf_bytes
type_of(const struct hf_service *service, uint64_t exchange, int status)
{
    if (status < 400 || hf_http_wants_json(service->config.http, exchange))
        return (struct hf_bytes){"application/json", 16};
    return (struct hf_bytes){"application/problem+json", 24};
}

struct hf_bytes
hf_service_line(struct hf_text *text)
{
    hf_text_add(text, "\n");
    return (struct hf_bytes){text->at, hf_text_kept(text)};
}

/* What a line of a stream has of its own, before the members of its body. */
static struct hf_bytes
begin_line(const struct hf_service *service, uint64_t exchange, int status,
           char *bytes, size_t size)
{
    struct hf_text text;
    bool is_named;
    uint64_t id;

    if (!hf_http_is_line(service->config.http, exchange, &is_named, &id))
        return (struct hf_bytes){NULL, 0};
    hf_text_init(&text, bytes, size);
    hf_text_add(&text, "{\"id\":");
    if (is_named)
        hf_text_add_number(&text, id);
    else
        hf_text_add(&text, "null");
    if (status < 400) { /* a problem has it */
        hf_text_add(&text, ",\"status\":");
        hf_text_add_number(&text, (uint64_t)status);
    }
    hf_text_add(&text, ",");
    return (struct hf_bytes){text.at, text.len};
}

/* With one header more, or NULL. */
static void
reply_with(struct hf_service *service, uint64_t exchange, int status,
           struct hf_bytes body, const struct hf_http_header *more)
{
    char bytes[64];
    struct hf_bytes first =
        begin_line(service, exchange, status, bytes, sizeof(bytes));
    const struct hf_http_header headers[] = {
        {"content-type", type_of(service, exchange, status)},
        {"cache-control", {"no-store", 8}},
        more != NULL ? *more : (struct hf_http_header){NULL, {NULL, 0}},
    };
    const struct hf_http_reply reply = {
        .status = status,
        .headers = headers,
        .headers_count = more != NULL ? 3 : 2,
        .first = first,
        .body = first.len == 0 ? body
                               : (struct hf_bytes){body.at + 1, body.len - 1},
    };

    service->metrics.responses[status]++;
    /* If the exchange is gone, an event tells it, or has told it. */
    (void)hf_http_reply(service->config.http, exchange, &reply);
}

void
hf_service_reply(struct hf_service *service, uint64_t exchange, int status,
                 struct hf_bytes body)
{
    reply_with(service, exchange, status, body, NULL);
}

void
hf_service_refuse_with(struct hf_service *service, uint64_t exchange,
                       enum hf_api_problem problem, const char *detail,
                       const struct hf_http_header *more)
{
    struct hf_text text;
    int status;

    hf_text_init(&text, service->text, sizeof(service->text));
    status = hf_api_problem(problem, detail, NULL, &text);
    reply_with(service, exchange, status, hf_service_line(&text), more);
}

void
hf_service_refuse(struct hf_service *service, uint64_t exchange,
                  enum hf_api_problem problem, const char *detail)
{
    hf_service_refuse_with(service, exchange, problem, detail, NULL);
}

void
hf_service_refuse_unknown(struct hf_service *service, uint64_t exchange,
                          const struct hf_api_unknown *unknown,
                          const char *detail)
{
    struct hf_text text;
    int status;

    hf_text_init(&text, service->text, sizeof(service->text));
    status = hf_api_problem(HF_API_BAD_REQUEST, detail, unknown, &text);
    hf_service_reply(service, exchange, status, hf_service_line(&text));
}

/* Name the leader, or tell why there is none. */
static void
say_who_leads(const struct hf_service *service, const char *leader,
              struct hf_text *why)
{
    struct hf_error trouble;

    if (leader[0] != '\0') {
        hf_text_addf(why, "this node does not lead: %s does", leader);
        return;
    }
    hf_text_add(why, "no node leads now");
    if (hf_seat_trouble(service->seat, &trouble) != HF_OK)
        hf_text_addf(why, ": %s", trouble.text);
}

void
hf_service_not_leading(struct hf_service *service, uint64_t exchange)
{
    static const struct hf_http_header at_once = {"retry-after", {"0", 1}};
    const struct hf_answer answer = {.kind = HF_ANSWER_NOT_LEADING};
    const char *leader = hf_seat_leader(service->seat);
    char why[sizeof(((struct hf_error *)NULL)->text) + 64];
    const struct hf_api_case about = {.leader = leader, .detail = why};
    struct hf_text text;
    int status;

    hf_text_init(&text, why, sizeof(why));
    say_who_leads(service, leader, &text);
    hf_text_init(&text, service->text, sizeof(service->text));
    status = hf_api_answer(&answer, &about, &text);
    reply_with(service, exchange, status, hf_service_line(&text), &at_once);
}

/* ---- What the node does -------------------------------------------------- */

/* Fences that were cleared, and not yet released [S6]: the holder is told. */
static size_t
take_cleared(struct hf_service *service, const struct hf_pending_call *call,
             uint64_t *fences)
{
    struct hf_lockspace *table = hf_seat_table(service->seat);
    size_t max = call->of_batch ? HF_SERVICE_CLEARED_MAX : HF_API_FENCES_MAX;
    uint32_t cursor = 0;
    size_t count = 0;

    while (table != NULL && count < max &&
           hf_lockspace_revoked(table, call->session, &cursor, &fences[count]))
        count++;
    return count;
}

/* Fences that the session holds, where the answer lists them [S4]: client and
 * leader compare. */
static void
take_held(struct hf_service *service, const struct hf_answer *answer,
          uint64_t *fences)
{
    struct hf_lockspace *table = hf_seat_table(service->seat);
    uint64_t most = answer->alive.held.count;
    uint32_t cursor = 0;
    size_t count = 0;

    while (table != NULL && most <= HF_API_HELD_MAX && count < most &&
           hf_lockspace_held(table, answer->alive.session, &cursor,
                             &fences[count]))
        count++;
}

/* Fences of the page that it does not hold [S4]: client and leader compare. */
static size_t
take_missing(struct hf_service *service, uint64_t session, uint64_t *fences)
{
    struct hf_lockspace *table = hf_seat_table(service->seat);
    size_t count = 0;

    for (size_t i = 0; table != NULL && i < service->body.fences_count; i++)
        if (!hf_lockspace_believes(table, session, service->body.fences[i]))
            fences[count++] = service->body.fences[i];
    return count;
}

/* Who cleared it, and why.  The audit stays with the grant until its release.
 */
static void
add_clear(const struct hf_lockspace *table, uint32_t grant, uint64_t fence,
          struct hf_text *text)
{
    char bytes[HF_RECORD_TEXT_MAX];
    struct hf_bytes audit = {bytes, 0};
    struct hf_bytes who;
    struct hf_bytes reason;

    audit.len = hf_look_text(table, hf_look_audit_at(table, grant), bytes,
                             sizeof(bytes));
    HF_CHECK(audit.len <= sizeof(bytes)); /* we wrote it */
    who = hf_json_member(hf_json_member(audit, "by"), "user");
    reason = hf_json_member(audit, "reason");
    hf_text_addf(text,
                 "%s{\"fence\":%" PRIu64 ",\"fence_text\":\"%" PRIu64
                 "\",\"who\":",
                 text->at[text->len - 1] == '[' ? "" : ",", fence, fence);
    hf_text_add_bytes(text, who.at, who.len);
    hf_text_add(text, ",\"reason\":");
    hf_text_add_bytes(text, reason.at, reason.len);
    hf_text_add(text, "}");
}

static void
add_clears(struct hf_lockspace *table, uint64_t session, struct hf_text *text)
{
    uint32_t cursor = 0;
    uint64_t fence;

    hf_text_add(text, ",\"clears\":[");
    for (int i = 0; i < CLEARS_MAX &&
                    hf_lockspace_revoked(table, session, &cursor, &fence);
         i++)
        add_clear(table, cursor, fence, text);
    hf_text_add(text, "]");
}

/* A no, for what stands in the way of what was asked. */
static bool
tells_in_way(const struct hf_answer *answer)
{
    return (answer->kind == HF_ANSWER_OVER && answer->over == HF_OVER_HELD) ||
           (answer->kind == HF_ANSWER_LATER && answer->cause == HF_LATER_PLACE);
}

/* More members of the answer: to a no, who holds the lock, or the circle; to a
 * keep-alive, who cleared a lock, and why. */
static const char *
more_of(struct hf_service *service, const struct hf_answer *answer,
        const struct hf_api_case *about, char *buffer, size_t size)
{
    struct hf_lockspace *table = hf_seat_table(service->seat);
    struct hf_text text;

    hf_text_init(&text, buffer, size);
    if (table != NULL && answer->kind == HF_ANSWER_ALIVE &&
        about->fences_count > 0)
        add_clears(table, about->session, &text);
    else if (table != NULL && answer->kind == HF_ANSWER_NOT_SUSPECTED)
        hf_api_look_holder(table, &service->wants[0], service->body.fence,
                           &text);
    else if (table != NULL && tells_in_way(answer) &&
             answer->stream == service->current)
        hf_api_look_in_way(table,
                           &(struct hf_api_wanted){service->wants,
                                                   service->wants_count,
                                                   HOLDERS_MAX},
                           &text);
    else if (table != NULL && answer->kind == HF_ANSWER_OVER &&
             answer->over == HF_OVER_DEADLOCK)
        hf_api_look_cycle(table, &text);
    else
        return NULL;
    return hf_text_cut(&text) ? NULL : buffer;
}

static bool
tells_secret(const struct hf_pending_call *call, const struct hf_answer *answer)
{
    return answer->kind == HF_ANSWER_OPENED ||
           (call->opened && !call->settled && answer->kind != HF_ANSWER_OTHER);
}

/* Tell what the session has, which may differ from what was asked: another
 * request may have opened the session of this key long ago. */
static void
fill_session(struct hf_service *service, const struct hf_pending_call *call,
             const struct hf_answer *answer, struct hf_api_case *about)
{
    struct hf_lockspace *table = hf_seat_table(service->seat);
    struct hf_look_session row;
    uint32_t at;

    if (table == NULL || !tells_secret(call, answer))
        return;
    at = hf_look_session(table, call->session);
    if (at == 0)
        return;
    hf_look_session_at(table, at, &row);
    about->secret = &call->secret;
    about->ttl = row.ttl;
    about->if_dead = row.if_dead;
    about->left.ms = row.ttl.ms - row.silent.ms;
    if (about->left.ms < 0)
        about->left.ms = 0;
}

/* Of a session that is not there: why. */
static const char *
detail_of(const struct hf_pending_call *call, const struct hf_answer *answer)
{
    return call->keyed && answer->kind == HF_ANSWER_GONE
               ? "the session of that key was ended: another request has "
                 "another key"
               : NULL;
}

/* Its body, into the service's text; the status. */
static int
build(struct hf_service *service, const struct hf_pending_call *call,
      const struct hf_answer *answer, struct hf_text *text)
{
    static char more[HF_API_ANSWER_SIZE / 2];
    uint64_t fences[HF_API_FENCES_MAX];
    uint64_t held[HF_API_HELD_MAX] = {0};
    struct hf_api_case about = {
        .term = hf_seat_node(service->seat)->term,
        .session = call->session,
        .lane = call->lane,
        .n = call->n,
        .blocking = service->config.seat.node.lockspace.blocking,
        .service = hf_seat_service(service->seat),
        .fences = fences,
        .held = held,
        .detail = detail_of(call, answer),
    };

    fill_session(service, call, answer, &about);
    if (answer->kind == HF_ANSWER_ALIVE) {
        about.fences_count = take_cleared(service, call, fences);
        take_held(service, answer, held);
    } else if (answer->kind == HF_ANSWER_PAGE) {
        about.fences_count = take_missing(service, call->session, fences);
    }
    if (!call->of_batch) /* among many there is no room for more */
        about.more = more_of(service, answer, &about, more, sizeof(more));
    hf_text_init(text, service->text, sizeof(service->text));
    return hf_api_answer(answer, &about, text);
}

static void
write_out(struct hf_service *service, struct hf_pending_call *call,
          const struct hf_pending_answer *answer, int64_t now_us)
{
    call->answered = true;
    call->fence = answer->fence;
    if (answer->fence != 0)
        hf_metrics_grant(&service->metrics, call->since_us, now_us);
    hf_service_reply(service, call->exchange, answer->status, answer->body);
    service->config.peers->wrote(call->peer);
}

void
hf_service_end_wait(struct hf_service *service, struct hf_pending_call *call)
{
    if (call->waits)
        service->config.peers->waits(call->peer, false);
    call->waits = false;
}

static void
refuse(struct hf_service *service, uint64_t stream)
{
    struct hf_pending_call *call = hf_pending_find(&service->pending, stream);

    if (call == NULL)
        return;
    hf_service_end_wait(service, call);
    if (call->exchange == 0) {
        service->refused = true;
        hf_pending_remove(&service->pending, call);
        return;
    }
    call->answered = true;
    hf_service_not_leading(service, call->exchange);
    service->config.peers->wrote(call->peer);
}

static void
refuse_for_room(struct hf_service *service, uint64_t stream)
{
    struct hf_pending_call *call = hf_pending_find(&service->pending, stream);

    if (call == NULL)
        return;
    call->answered = true;
    call->settled = call->opened && !call->keyed; /* no answer tells of it */
    hf_service_refuse(service, call->exchange, HF_API_NO_MEMORY, NULL);
    service->config.peers->wrote(call->peer);
}

/* The peer of a keep-alive, or of a grant, speaks for a session that holds. */
static void
note_holder(struct hf_service *service, const struct hf_pending_call *call,
            const struct hf_answer *answer)
{
    if (call->peer != NULL &&
        (answer->kind == HF_ANSWER_GRANTED ||
         (answer->kind == HF_ANSWER_ALIVE && answer->alive.held.count > 0)))
        service->config.peers->holds(call->peer, call->session);
}

/* An answer that does not go out alone, or not at all. */
static void
keep_silent(struct hf_service *service, struct hf_pending_call *call,
            const struct hf_answer *answer)
{
    struct hf_batch_reply *batch = &service->batch;
    struct hf_text body;
    int status;

    service->silent = answer->kind;
    if (call->of_batch) {
        status = build(service, call, answer, &body);
        hf_text_addf(&batch->text,
                     "%s{\"session\":\"%016" PRIx64
                     "\",\"status\":%d,\"answer\":",
                     batch->mark == 0 ? "" : ",", call->session, status);
        hf_text_add_bytes(&batch->text, body.at, hf_text_kept(&body));
        hf_text_add(&batch->text, "}");
        batch->mark = answer->mark;
    }
    hf_pending_remove(&service->pending, call);
}

/* Built now; it goes out when it is due. */
static void
keep(struct hf_service *service, const struct hf_answer *answer)
{
    struct hf_pending_call *call =
        hf_pending_find(&service->pending, answer->stream);
    struct hf_pending_answer kept = {.mark = answer->mark,
                                     .stream = answer->stream};
    struct hf_text text;

    if (call == NULL)
        return;
    hf_service_end_wait(service, call);
    if (answer->kind == HF_ANSWER_NOT_LEADING) {
        refuse(service, answer->stream);
        return;
    }
    note_holder(service, call, answer);
    if (call->exchange == 0) {
        keep_silent(service, call, answer);
        return;
    }
    hf_metrics_answer(&service->metrics, answer);
    call->settled =
        call->opened && !call->keyed && answer->kind == HF_ANSWER_OVER;
    kept.status = build(service, call, answer, &text);
    kept.body = hf_service_line(&text);
    if (answer->kind == HF_ANSWER_GRANTED)
        kept.fence = answer->fence;
    if (!hf_pending_keep(&service->pending, &kept))
        refuse_for_room(service, answer->stream);
}

static void
let_out(struct hf_service *service, uint64_t through)
{
    int64_t now_us = hf_now_us();
    struct hf_pending_answer answer;

    service->through = through;
    while (hf_pending_take(&service->pending, through, &answer)) {
        struct hf_pending_call *call =
            hf_pending_find(&service->pending, answer.stream);

        if (call != NULL)
            write_out(service, call, &answer, now_us);
    }
}

/* It leads no more: answers that were not due are not true, and each client
 * asks another node. */
static void
discard(struct hf_service *service)
{
    struct hf_pending_answer answer;
    struct hf_pending_call *call;
    uint32_t cursor = 0;

    service->through = 0;
    while (hf_pending_take(&service->pending, UINT64_MAX, &answer))
        ;
    while ((call = hf_pending_next(&service->pending, &cursor)) != NULL)
        if (!call->answered)
            refuse(service, call->stream);
}

static void
perform(struct hf_service *service, const struct hf_node_effect *effect)
{
    switch (effect->kind) {
    case HF_NODE_ANSWER:
        keep(service, &effect->answer);
        break;
    case HF_NODE_DUE:
        let_out(service, effect->through);
        break;
    case HF_NODE_REFUSE:
        refuse(service, effect->refuse.stream);
        break;
    case HF_NODE_DISCARD:
        discard(service);
        break;
    case HF_NODE_STOPPED:
        service->stopped = true;
        break;
    case HF_NODE_LOAD:
    case HF_NODE_RESTS:
        break;
    case HF_NODE_ASK:
    case HF_NODE_COLLECT:
        HF_CHECK(!"these are the seat's own");
    }
}

void
hf_service_drain(struct hf_service *service)
{
    struct hf_node_effect effect;

    while (hf_seat_next(service->seat, &effect))
        perform(service, &effect);
}

void
hf_service_step(struct hf_service *service, const struct hf_node_event *event)
{
    hf_seat_step(service->seat, event);
    hf_service_drain(service);
}

/* ---- Many answers as one ------------------------------------------------- */

bool
hf_service_batch_begin(struct hf_service *service, uint64_t exchange)
{
    struct hf_batch_reply *batch = &service->batch;
    struct hf_pending_call *call = hf_pending_add(&service->pending);

    if (call == NULL)
        return false;
    call->exchange = exchange;
    call->peer = service->peer;
    call->kind = HF_MESSAGE_KEEP_ALIVE;
    hf_http_tag(service->config.http, exchange, call->stream);
    service->refused = false;
    batch->stream = call->stream;
    batch->mark = 0;
    hf_text_init(&batch->text, batch->bytes, sizeof(batch->bytes));
    hf_text_add(&batch->text, "{\"sessions\":[");
    return true;
}

void
hf_service_batch_add(struct hf_service *service, struct hf_message *message)
{
    struct hf_pending_call *call = hf_pending_add(&service->pending);

    if (call == NULL) {
        service->refused = true;
        return;
    }
    call->kind = message->kind;
    call->session = message->session;
    call->peer = service->peer;
    call->of_batch = true;
    message->stream = call->stream;
    hf_service_step(service, &(struct hf_node_event){
                                 .kind = HF_NODE_MESSAGE,
                                 .message = *message,
                             });
}

void
hf_service_batch_end(struct hf_service *service)
{
    struct hf_batch_reply *batch = &service->batch;
    struct hf_pending_answer answer = {
        .mark = batch->mark,
        .stream = batch->stream,
        .status = 200,
    };

    hf_text_add(&batch->text, "]}");
    answer.body = hf_service_line(&batch->text);
    if (service->refused)
        refuse(service, batch->stream);
    else if (hf_text_cut(&batch->text) ||
             !hf_pending_keep(&service->pending, &answer))
        refuse_for_room(service, batch->stream);
    else
        let_out(service, service->through);
}
