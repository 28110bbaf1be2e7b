#include "lab/server/waiting.h"
#include "lab/server/waiting_pack.h"
#include "lab/server/worlds.h"

/* What the client does, its message, or the server. */
static const struct kind_act acts[WAITING_ACTS] = {
    [WAITING_ASK] = {"ask", "asks for the lock", 1},
    [WAITING_GIVE_UP] = {"give-up", "gives up, hangs up and sends a release",
                         1},
    [WAITING_RELEASE] = {"release", "gives the lock back", 1},
    [WAITING_RETRY] = {"retry", "has heard nothing, and sends it once more", 1},
    [WAITING_HEAL] = {"heal", "reaches the server again", 1},
    [WAITING_ANEW] = {"anew", "is a new process, with a session of its own", 1},
    [WAITING_ARRIVE] = {"arrive", "arrives", 1},
    [WAITING_END] = {"end", "has lost its stream, as the server learns", 1},
    [WAITING_DROP] = {"drop", "never arrives", 1},
    [WAITING_BATCH] = {"batch",
                       "A batch is applied: what is due is answered and heard",
                       1},
    [WAITING_CLOCK] = {"clock", "The server looks at its clock", 1},
    [WAITING_CLOCK_ENDS] = {"ends",
                            "The server ends sessions by its clock, then waits",
                            1},
    [WAITING_TICK] = {"tick",
                      "A tick passes, and who lives keeps its session alive",
                      1},
    [WAITING_CRASH] = {"crash", "dies", 1},
    [WAITING_CUT] = {"cut", "is cut off from the server", 1},
    [WAITING_LATE] = {"late", "takes its time", 1},
    [WAITING_TWICE] = {"twice", "is sent twice, and the second takes its time",
                       1},
    [WAITING_BREAK] = {"break", "loses its stream, and is sent again", 1},
    [WAITING_CLOSE] = {"close", "loses its stream, which only the server sees",
                       1},
    [WAITING_LOSE] = {"lose", "will be answered in vain: the answer is lost",
                      1},
};

KIND_FUNCTIONS(waiting)

static bool
fault(struct kind_action action)
{
    return waiting_is_fault((enum waiting_act)action.act);
}

/* The client; or nobody in particular. */
static unsigned
actor(struct kind_action action)
{
    if (waiting_is_of_stream((enum waiting_act)action.act))
        return action.who / WAITING_STREAMS;
    if (action.act >= WAITING_BATCH && action.act <= WAITING_TICK)
        return SNAPSHOT_CLIENTS;
    return action.who;
}

static bool
granted(const void *world)
{
    const struct waiting_world *waiting = world;

    for (unsigned i = 0; i < waiting->config->world.clients; i++)
        if (waiting->clients[i].phase == PHASE_HOLDING)
            return true;
    return false;
}

/* ---- Sentences ----------------------------------------------------------- */

static const char *const answers[] = {
    [HF_ANSWER_GONE] = "gone",
    [HF_ANSWER_GRANTED] = "granted",
    [HF_ANSWER_OVER] = "over",
    [HF_ANSWER_BLOCKING_TIMEOUT] = "blocking timeout, ask again",
    [HF_ANSWER_SUPERSEDED] = "superseded",
    [HF_ANSWER_LATER] = "later, the place is lost",
    [HF_ANSWER_RELEASED] = "released",
};

static void
stream_sentence(const struct waiting_stream *before,
                const struct waiting_stream *after, enum waiting_act act,
                unsigned number, struct hf_text *text)
{
    hf_text_addf(text, "The %s of client #%u (",
                 before->releases ? "release" : "request", number);
    if (before->releases)
        hf_text_addf(text, "%u) %s", before->n, acts[act].does);
    else
        hf_text_addf(text, "%u, attempt %u) %s", before->n, before->a,
                     acts[act].does);
    if (act == WAITING_ARRIVE && after->stage == STAGE_DUE)
        hf_text_addf(text, "; its answer: %s", answers[after->answer]);
}

static void
sentence(const void *before, const void *after, struct kind_action action,
         struct hf_text *text)
{
    const struct waiting_world *from = before;
    const struct waiting_world *to = after;
    enum waiting_act act = (enum waiting_act)action.act;
    unsigned client = action.who / WAITING_STREAMS;
    unsigned index = action.who % WAITING_STREAMS;

    if (waiting_is_of_stream(act))
        stream_sentence(&from->clients[client].streams[index],
                        &to->clients[client].streams[index], act, client + 1,
                        text);
    else if (act >= WAITING_BATCH && act <= WAITING_TICK)
        hf_text_addf(text, "%s", acts[act].does);
    else
        hf_text_addf(text, "Client #%u %s", action.who + 1, acts[act].does);
}

const struct kind waiting_kind = {
    .acts = acts,
    .acts_count = WAITING_ACTS,
    .batch = WAITING_BATCH,
    .fault_in = 30,
    .fault = fault,
    .actor = actor,
    .granted = granted,
    KIND_FIELDS(waiting),
    .sentence = sentence,
};
