#include "lab/server/waiting.h"
#include "lab/server/waiting_pack.h"
#include "lab/server/worlds.h"

static const char *const words[WAITING_ACTS] = {
    [WAITING_ASK] = "ask",         [WAITING_GIVE_UP] = "give-up",
    [WAITING_RELEASE] = "release", [WAITING_RETRY] = "retry",
    [WAITING_HEAL] = "heal",       [WAITING_ANEW] = "anew",
    [WAITING_ARRIVE] = "arrive",   [WAITING_END] = "end",
    [WAITING_DROP] = "drop",       [WAITING_BATCH] = "batch",
    [WAITING_CLOCK] = "clock",     [WAITING_CLOCK_ENDS] = "ends",
    [WAITING_TICK] = "tick",       [WAITING_CRASH] = "crash",
    [WAITING_CUT] = "cut",         [WAITING_LATE] = "late",
    [WAITING_TWICE] = "twice",     [WAITING_BREAK] = "break",
    [WAITING_CLOSE] = "close",     [WAITING_LOSE] = "lose",
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

/* What the client does, its message, or the server. */
static const char *const does[WAITING_ACTS] = {
    [WAITING_ASK] = "asks for the lock",
    [WAITING_GIVE_UP] = "gives up, hangs up and sends a release",
    [WAITING_RELEASE] = "gives the lock back",
    [WAITING_RETRY] = "has heard nothing, and sends it once more",
    [WAITING_HEAL] = "reaches the server again",
    [WAITING_ANEW] = "is a new process, with a session of its own",
    [WAITING_ARRIVE] = "arrives",
    [WAITING_END] = "has lost its stream, as the server learns",
    [WAITING_DROP] = "never arrives",
    [WAITING_BATCH] = "A batch is applied: what is due is answered and heard",
    [WAITING_CLOCK] = "The server looks at its clock",
    [WAITING_CLOCK_ENDS] = "The server ends sessions by its clock, then waits",
    [WAITING_TICK] = "A tick passes, and who lives keeps its session alive",
    [WAITING_CRASH] = "dies",
    [WAITING_CUT] = "is cut off from the server",
    [WAITING_LATE] = "takes its time",
    [WAITING_TWICE] = "is sent twice, and the second takes its time",
    [WAITING_BREAK] = "loses its stream, and is sent again",
    [WAITING_CLOSE] = "loses its stream, which only the server sees",
    [WAITING_LOSE] = "will be answered in vain: the answer is lost",
};

static void
stream_sentence(const struct waiting_stream *before,
                const struct waiting_stream *after, enum waiting_act act,
                unsigned number, struct hf_text *text)
{
    hf_text_addf(text, "The %s of client #%u (",
                 before->releases ? "release" : "request", number);
    if (before->releases)
        hf_text_addf(text, "%u) %s", before->n, does[act]);
    else
        hf_text_addf(text, "%u, attempt %u) %s", before->n, before->a,
                     does[act]);
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
        hf_text_addf(text, "%s", does[act]);
    else
        hf_text_addf(text, "Client #%u %s", action.who + 1, does[act]);
}

const struct kind waiting_kind = {
    .words = words,
    .acts = WAITING_ACTS,
    .batch = WAITING_BATCH,
    .fault_in = 30,
    .fault = fault,
    .actor = actor,
    .granted = granted,
    KIND_FIELDS(waiting),
    .sentence = sentence,
};
