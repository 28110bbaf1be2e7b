#include "lab/service/kind.h"

#include "core/session/parts.h"
#include "lab/service/pack.h"

/* By their weights: a walk would do little else than to want and to give up. */
static const struct kind_act acts[SERVICE_ACTS] = {
    [SERVICE_WANT] = {"want", "wants", 2},
    [SERVICE_RELEASE] = {"release", "gives back, or gives up,", 1},
    [SERVICE_LOOK] = {"look", "sees who holds", 2},
    [SERVICE_BEGIN] = {"begin", "is a new process", 2},
    [SERVICE_CLOCK] = {"clock", "looks at its clock", 9},
    [SERVICE_CRASH] = {"crash", "dies", 1},
    [SERVICE_SLIP] = {"slip", "loses a tick that passes for all others", 2},
    [SERVICE_REACH] = {"reach", "reaches them again", 1},
    [SERVICE_LEAVE] = {"leave", "is cut off from all nodes", 1},
    [SERVICE_STALL] = {"stall", "freezes", 1},
    [SERVICE_RESUME] = {"resume", "wakes", 1},
    [SERVICE_ARRIVE] = {"arrive", "arrives", 9},
    [SERVICE_END] = {"end", "is heard by nobody any more, as the node learns",
                     9},
    [SERVICE_HEAR] = {"hear", "is answered", 9},
    [SERVICE_DELAY] = {"delay", "takes its time", 1},
    [SERVICE_DOUBLE] = {"double",
                        "is sent twice, and the second takes its time", 1},
    [SERVICE_BREAK] = {"break", "has lost its stream", 1},
    [SERVICE_LOSE] = {"lose", "never comes", 1},
    [SERVICE_START] = {"start", "is a new process", 2},
    [SERVICE_STOP] = {"stop", "is told to stop", 1},
    [SERVICE_NODE_CLOCK] = {"node-clock", "looks at its clock", 9},
    [SERVICE_WAKE] = {"wake", "wakes", 1},
    [SERVICE_HEAL] = {"heal", "reaches the store again", 1},
    [SERVICE_FREEZE] = {"freeze", "freezes", 1},
    [SERVICE_NODE_CRASH] = {"node-crash", "dies", 1},
    [SERVICE_CUT] = {"cut", "is cut off from the store", 1},
    [SERVICE_SERVE] = {"serve", "is served by the store", 9},
    [SERVICE_ANSWER] = {"answer", "hears from the store", 9},
    [SERVICE_SLOW] = {"slow", "has asked something that takes its time", 1},
    [SERVICE_LOST] = {"lost", "is served by the store, and the answer is lost",
                      1},
    [SERVICE_HELD] = {"held",
                      "is served by the store, and the answer takes its time",
                      1},
    [SERVICE_DOWN] = {"down", "does not reach the store this once", 1},
    [SERVICE_ORPHAN] = {"orphan",
                        "A write of a node that is gone applies after all", 2},
    [SERVICE_CLEAR] = {"clear", "An operator clears", 1},
    [SERVICE_KEEP] = {"keep", "What the place has is kept", 1},
    [SERVICE_REMOVE] = {"remove", "The place is lost with all it has", 1},
    [SERVICE_RETURN] = {"return", "The place goes back to what was kept", 1},
    [SERVICE_TICK] = {"tick", "A tick passes", 20},
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

/* Changes that an observer sees: leaders, and who holds which lock. */
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
        hf_text_addf(text, "%s", acts[action.act].does);
    else
        hf_text_addf(text, "%s #%u %s", about.what, about.number,
                     acts[action.act].does);
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
    .acts = acts,
    .acts_count = SERVICE_ACTS,
    .batch = SERVICE_SERVE,
    .fault_in = 100,
    .count = count,
    .copy = copy,
    .fault = fault,
    .actor = actor,
    .granted = granted,
    KIND_FIELDS(service),
    .sentence = sentence,
};
