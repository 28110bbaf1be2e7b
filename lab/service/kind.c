#include "lab/service/kind.h"

#include "core/session/parts.h"
#include "lab/service/pack.h"

static const char *const words[SERVICE_ACTS] = {
    [SERVICE_WANT] = "want",
    [SERVICE_RELEASE] = "release",
    [SERVICE_LOOK] = "look",
    [SERVICE_BEGIN] = "begin",
    [SERVICE_CLOCK] = "clock",
    [SERVICE_CRASH] = "crash",
    [SERVICE_SLIP] = "slip",
    [SERVICE_REACH] = "reach",
    [SERVICE_LEAVE] = "leave",
    [SERVICE_STALL] = "stall",
    [SERVICE_RESUME] = "resume",
    [SERVICE_ARRIVE] = "arrive",
    [SERVICE_END] = "end",
    [SERVICE_HEAR] = "hear",
    [SERVICE_DELAY] = "delay",
    [SERVICE_DOUBLE] = "double",
    [SERVICE_BREAK] = "break",
    [SERVICE_LOSE] = "lose",
    [SERVICE_START] = "start",
    [SERVICE_STOP] = "stop",
    [SERVICE_NODE_CLOCK] = "node-clock",
    [SERVICE_WAKE] = "wake",
    [SERVICE_HEAL] = "heal",
    [SERVICE_FREEZE] = "freeze",
    [SERVICE_NODE_CRASH] = "node-crash",
    [SERVICE_CUT] = "cut",
    [SERVICE_SERVE] = "serve",
    [SERVICE_ANSWER] = "answer",
    [SERVICE_SLOW] = "slow",
    [SERVICE_LOST] = "lost",
    [SERVICE_HELD] = "held",
    [SERVICE_DOWN] = "down",
    [SERVICE_ORPHAN] = "orphan",
    [SERVICE_CLEAR] = "clear",
    [SERVICE_KEEP] = "keep",
    [SERVICE_REMOVE] = "remove",
    [SERVICE_RETURN] = "return",
    [SERVICE_TICK] = "tick",
};

/* A world at random would do little else than to want and to give up. */
static const uint8_t weights[SERVICE_ACTS] = {
    [SERVICE_LOOK] = 2,       [SERVICE_WANT] = 2,   [SERVICE_RELEASE] = 1,
    [SERVICE_BEGIN] = 2,      [SERVICE_CLOCK] = 9,  [SERVICE_CRASH] = 1,
    [SERVICE_SLIP] = 2,       [SERVICE_REACH] = 1,  [SERVICE_LEAVE] = 1,
    [SERVICE_STALL] = 1,      [SERVICE_RESUME] = 1, [SERVICE_ARRIVE] = 9,
    [SERVICE_END] = 9,        [SERVICE_HEAR] = 9,   [SERVICE_DELAY] = 1,
    [SERVICE_DOUBLE] = 1,     [SERVICE_BREAK] = 1,  [SERVICE_LOSE] = 1,
    [SERVICE_START] = 2,      [SERVICE_STOP] = 1,   [SERVICE_WAKE] = 1,
    [SERVICE_NODE_CLOCK] = 9, [SERVICE_HEAL] = 1,   [SERVICE_FREEZE] = 1,
    [SERVICE_NODE_CRASH] = 1, [SERVICE_CUT] = 1,    [SERVICE_SERVE] = 9,
    [SERVICE_ANSWER] = 9,     [SERVICE_SLOW] = 1,   [SERVICE_LOST] = 1,
    [SERVICE_HELD] = 1,       [SERVICE_DOWN] = 1,   [SERVICE_ORPHAN] = 2,
    [SERVICE_CLEAR] = 1,      [SERVICE_KEEP] = 1,   [SERVICE_REMOVE] = 1,
    [SERVICE_RETURN] = 1,     [SERVICE_TICK] = 20,
};

KIND_FUNCTIONS(service)

static unsigned
count(const void *config, unsigned act)
{
    return service_count(config, (enum service_act)act);
}

static void
copy(const void *config, void *to, const void *from)
{
    service_copy(config, to, from);
}

static bool
fault(struct kind_action action)
{
    return service_is_fault((enum service_act)action.act);
}

static bool
granted(const void *world)
{
    const struct service_world *service = world;

    for (unsigned i = 0; i < service->config->world.clients; i++)
        for (unsigned k = 0; k < service->config->locks; k++)
            if (service_client_holds(&service->clients[i], k) == HF_GRANTED)
                return true;
    return false;
}

/* ---- Whose step it is ---------------------------------------------------- */

/* What an action is about, and by which number it is known to people. */
struct about {
    const char *what;
    unsigned number;
    unsigned actor;
};

static struct about
about_of(const struct kind_action action)
{
    unsigned who = action.who;

    if (action.act < SERVICE_BEGIN)
        return (struct about){"Client", who / SERVICE_LOCKS + 1,
                              who / SERVICE_LOCKS};
    if (action.act < SERVICE_ARRIVE)
        return (struct about){"Client", who + 1, who};
    if (action.act < SERVICE_START)
        return (struct about){"A message of client", who / SERVICE_STREAMS + 1,
                              who / SERVICE_STREAMS};
    if (action.act < SERVICE_SERVE)
        return (struct about){"Node", who + 1, SERVICE_CLIENTS + who};
    if (action.act < SERVICE_ORPHAN)
        return (struct about){"Node", who / SERVICE_CALLS + 1,
                              SERVICE_CLIENTS + who / SERVICE_CALLS};
    return (struct about){NULL, 0, SERVICE_CLIENTS + SERVICE_NODES};
}

static unsigned
actor(struct kind_action action)
{
    return about_of(action).actor;
}

/* ---- Sentences ----------------------------------------------------------- */

static const char *const does[SERVICE_ACTS] = {
    [SERVICE_WANT] = "wants",
    [SERVICE_RELEASE] = "gives back, or gives up,",
    [SERVICE_LOOK] = "sees who holds",
    [SERVICE_BEGIN] = "is a new process",
    [SERVICE_CLOCK] = "looks at its clock",
    [SERVICE_CRASH] = "dies",
    [SERVICE_SLIP] = "loses a tick that passes for all others",
    [SERVICE_STALL] = "freezes",
    [SERVICE_RESUME] = "wakes",
    [SERVICE_LEAVE] = "is cut off from all nodes",
    [SERVICE_REACH] = "reaches them again",
    [SERVICE_ARRIVE] = "arrives",
    [SERVICE_END] = "is heard by nobody any more, as the node learns",
    [SERVICE_HEAR] = "is answered",
    [SERVICE_DELAY] = "takes its time",
    [SERVICE_DOUBLE] = "is sent twice, and the second takes its time",
    [SERVICE_BREAK] = "has lost its stream",
    [SERVICE_LOSE] = "never comes",
    [SERVICE_START] = "is a new process",
    [SERVICE_NODE_CLOCK] = "looks at its clock",
    [SERVICE_STOP] = "is told to stop",
    [SERVICE_WAKE] = "wakes",
    [SERVICE_HEAL] = "reaches the store again",
    [SERVICE_NODE_CRASH] = "dies",
    [SERVICE_FREEZE] = "freezes",
    [SERVICE_CUT] = "is cut off from the store",
    [SERVICE_SERVE] = "is served by the store",
    [SERVICE_ANSWER] = "hears from the store",
    [SERVICE_SLOW] = "has asked something that takes its time",
    [SERVICE_LOST] = "is served by the store, and the answer is lost",
    [SERVICE_HELD] = "is served by the store, and the answer takes its time",
    [SERVICE_DOWN] = "does not reach the store this once",
    [SERVICE_ORPHAN] = "A write of a node that is gone applies after all",
    [SERVICE_CLEAR] = "An operator clears",
    [SERVICE_KEEP] = "What the place has is kept",
    [SERVICE_REMOVE] = "The place is lost with all it has",
    [SERVICE_RETURN] = "The place goes back to what was kept",
    [SERVICE_TICK] = "A tick passes",
};

static const char *const messages[] = {
    [HF_MESSAGE_OPEN] = "open",       [HF_MESSAGE_KEEP_ALIVE] = "keep-alive",
    [HF_MESSAGE_PAGE] = "page",       [HF_MESSAGE_ACQUIRE] = "acquire",
    [HF_MESSAGE_RELEASE] = "release", [HF_MESSAGE_CHANGE] = "change",
    [HF_MESSAGE_END] = "end",         [HF_MESSAGE_CLEAR] = "clear",
};

static const char *const answers[] = {
    [HF_ANSWER_OPENED] = "opened",
    [HF_ANSWER_ALIVE] = "alive",
    [HF_ANSWER_GONE] = "gone",
    [HF_ANSWER_DENIED] = "denied",
    [HF_ANSWER_TERM] = "another term",
    [HF_ANSWER_PAGE] = "those not there",
    [HF_ANSWER_GRANTED] = "granted",
    [HF_ANSWER_OVER] = "over",
    [HF_ANSWER_BLOCKING_TIMEOUT] = "blocking timeout",
    [HF_ANSWER_SUPERSEDED] = "superseded",
    [HF_ANSWER_LATER] = "later",
    [HF_ANSWER_BUSY] = "busy",
    [HF_ANSWER_LIMIT] = "no room",
    [HF_ANSWER_RELEASED] = "released",
    [HF_ANSWER_CHANGED] = "changed",
    [HF_ANSWER_ENDED] = "ended",
    [HF_ANSWER_CLEARED] = "cleared",
    [HF_ANSWER_NOT_HELD] = "not held",
    [HF_ANSWER_OTHER] = "other request",
    [HF_ANSWER_NOT_SUSPECTED] = "not suspected",
    [HF_ANSWER_NOT_LEADING] = "not leading",
};

/* "(acquire of b, attempt 2, to node #1)" */
static void
add_message(const struct service_stream *stream, struct hf_text *text)
{
    hf_text_addf(text, " (%s", messages[stream->message.kind]);
    if (stream->message.kind == HF_MESSAGE_ACQUIRE)
        hf_text_addf(text, " of %c, attempt %llu", 'a' + stream->lock,
                     (unsigned long long)stream->message.a);
    hf_text_addf(text, ", to node #%u)", stream->node + 1u);
}

/* What changed for those who look: leaders, and who holds what. */
static void
add_news(const struct service_world *before, const struct service_world *after,
         struct hf_text *text)
{
    static const char *const states[] = {
        [HF_NODE_FOLLOWING] = "follows", [HF_NODE_LOADING] = "loads",
        [HF_NODE_SERVING] = "serves",    [HF_NODE_DRAINING] = "drains",
        [HF_NODE_LEAVING] = "leaves",    [HF_NODE_ENDED] = "has ended",
    };

    for (unsigned i = 0; i < after->config->nodes; i++)
        if (after->nodes[i].alive &&
            before->nodes[i].node.state != after->nodes[i].node.state)
            hf_text_addf(text, "; node #%u %s", i + 1,
                         states[after->nodes[i].node.state]);
    for (unsigned i = 0; i < after->config->world.clients; i++)
        for (unsigned k = 0; k < after->config->locks; k++) {
            enum hf_outcome was = service_client_holds(&before->clients[i], k);
            enum hf_outcome is = service_client_holds(&after->clients[i], k);

            if (was != is)
                hf_text_addf(text, "; for client #%u %c is %s", i + 1,
                             (int)('a' + k), hf_outcome_word(is));
        }
}

static void
sentence(const void *before, const void *after, struct kind_action action,
         struct hf_text *text)
{
    const struct service_world *from = before;
    struct about about = about_of(action);
    unsigned who = action.who;

    if (about.what == NULL)
        hf_text_addf(text, "%s", does[action.act]);
    else
        hf_text_addf(text, "%s #%u %s", about.what, about.number,
                     does[action.act]);
    if (action.act < SERVICE_BEGIN || action.act == SERVICE_CLEAR)
        hf_text_addf(text, " %c", (int)('a' + who % SERVICE_LOCKS));
    if (action.act >= SERVICE_ARRIVE && action.act < SERVICE_START) {
        const struct service_stream *stream =
            &from->clients[who / SERVICE_STREAMS]
                 .streams[who % SERVICE_STREAMS];

        add_message(stream, text);
        if (action.act == SERVICE_HEAR)
            hf_text_addf(text, ": %s",
                         stream->broken ? "the stream ended"
                                        : answers[stream->answer.kind]);
    }
    add_news(before, after, text);
}

const struct kind service_kind = {
    .words = words,
    .acts = SERVICE_ACTS,
    .batch = SERVICE_SERVE,
    .weights = weights,
    .fault_in = 100,
    .count = count,
    .copy = copy,
    .fault = fault,
    .actor = actor,
    .granted = granted,
    KIND_FIELDS(service),
    .sentence = sentence,
};
