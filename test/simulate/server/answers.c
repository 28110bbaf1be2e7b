#include "simulate/server/answers.h"

#include "base/check.h"
#include "simulate/server/network.h"
#include "simulate/server/promise.h"

/* ---- Streams that are not answered --------------------------------------- */

void
answers_hold_up(struct sim_node *node, uint64_t stream)
{
    HF_CHECK(node->held_up_count < HELD_UP_MAX);
    node->held_up[node->held_up_count++] = stream;
}

void
answers_let_go(struct sim_node *node, uint64_t stream)
{
    for (size_t i = 0; i < node->held_up_count; i++)
        if (node->held_up[i] == stream) {
            node->held_up[i] = node->held_up[--node->held_up_count];
            return;
        }
}

/* ---- What is answered ---------------------------------------------------- */

static void
list_revoked(struct sim_node *node, struct sim_answer *answer)
{
    uint64_t id = answer->answer.alive.session;
    uint32_t cursor = 0;
    uint64_t fence;

    while (answer->fences_count < LISTED &&
           hf_lockspace_revoked(node->machine.lockspace, id, &cursor, &fence))
        answer->fences[answer->fences_count++] = fence;
}

static void
list_held(struct sim_node *node, struct sim_answer *answer)
{
    uint64_t count = answer->answer.alive.held.count;
    uint32_t cursor = 0;

    while (count <= HELD_LISTED && answer->held_count < count) {
        HF_CHECK(hf_lockspace_held(node->machine.lockspace,
                                   answer->answer.alive.session, &cursor,
                                   &answer->held[answer->held_count]));
        answer->held_count++;
    }
}

static void
list_missing(struct world *w, struct sim_node *node, struct sim_answer *answer)
{
    const struct sim_packet *page = node->hears;

    w->counts.pages++;
    for (size_t i = 0; i < page->fences_count; i++)
        if (!hf_lockspace_believes(node->machine.lockspace,
                                   page->send.message.session, page->fences[i]))
            answer->fences[answer->fences_count++] = page->fences[i];
}

/* It is built now, for what it tells of may be gone with the next event. */
void
answers_keep(struct world *w, struct sim_node *node,
             const struct hf_answer *answer)
{
    struct sim_answer *kept;

    if (node->kept_first == node->kept_end)
        node->kept_first = node->kept_end = 0;
    HF_CHECK(node->kept_end < KEPT_MAX);
    kept = &node->kept[node->kept_end++];
    kept->answer = *answer;
    kept->decided = ++w->turn;
    kept->fences_count = kept->held_count = 0;
    promise_decided(w, (unsigned)(node - w->nodes), answer);
    if (answer->kind == HF_ANSWER_ALIVE) {
        list_revoked(node, kept);
        list_held(node, kept);
    } else if (answer->kind == HF_ANSWER_PAGE) {
        list_missing(w, node, kept);
    }
}

void
answers_refuse(struct world *w, unsigned who, uint64_t stream, bool followed)
{
    struct sim_node *node = &w->nodes[who];
    struct sim_answer answer = {.answer = {.kind = HF_ANSWER_NOT_LEADING}};

    answers_let_go(node, stream);
    if (!w->streams[stream].ended)
        network_answer(w, stream, &answer, followed ? node->names : 0, 0);
}

static void
note_first_grant(struct world *w, const struct sim_node *node)
{
    struct failover *failover = &w->failover;

    if (failover->term == 0 || failover->granted_at != 0)
        return;
    failover->granted_at = w->now;
    failover->commit_ms = w->now - node->sent_at;
}

/* What was handed to the kernel is told to the machine in the next step [W5].
 */
static void
say(struct world *w, unsigned who, const struct sim_answer *answer)
{
    struct sim_node *node = &w->nodes[who];
    uint64_t stream = answer->answer.stream;

    answers_let_go(node, stream);
    promise_answered(w, who, answer);
    if (w->streams[stream].ended)
        return;
    network_answer(w, stream, answer, 0, node->machine.term);
    if (answer->answer.kind != HF_ANSWER_GRANTED)
        return;
    note_first_grant(w, node);
    HF_CHECK(node->handed_count < KEPT_MAX);
    node->handed[node->handed_count] = stream;
    node->handed_fences[node->handed_count++] = answer->answer.fence;
}

void
answers_let_out(struct world *w, unsigned who, uint64_t through)
{
    struct sim_node *node = &w->nodes[who];

    while (node->kept_first < node->kept_end &&
           node->kept[node->kept_first].answer.mark <= through)
        say(w, who, &node->kept[node->kept_first++]);
}

void
answers_discard(struct world *w, unsigned who)
{
    struct sim_node *node = &w->nodes[who];

    node->kept_first = node->kept_end = 0;
    while (node->held_up_count > 0)
        answers_refuse(w, who, node->held_up[node->held_up_count - 1], false);
    world_say(w, "node %u leads no more", who + 1);
}
