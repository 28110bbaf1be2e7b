#include "core/services.h"

#include "base/check.h"

void
hf_services_init(struct hf_services *s, const struct hf_services_config *config)
{
    HF_CHECK(config->nodes > 0 && config->nodes <= HF_SERVICES_NODES_MAX);
    *s = (struct hf_services){
        .config = *config,
        .since = HF_NEVER,
        .verdict = config->nodes == 1 ? HF_SERVICES_ONE : HF_SERVICES_UNHEARD,
    };
    for (uint32_t i = 0; i < config->nodes; i++) {
        s->each[i].ask_at = (struct hf_instant){INT64_MIN};
        s->each[i].over_at = (struct hf_instant){INT64_MIN};
        s->each[i].vain_at = HF_NEVER;
    }
}

/* ---- What is known ------------------------------------------------------- */

bool
hf_services_differ(const struct hf_services *s, uint32_t *one, uint32_t *other)
{
    *one = 0;
    for (uint32_t i = 1; i <= s->config.nodes; i++) {
        uint64_t service = s->each[i - 1].service;

        if (service == 0)
            continue;
        if (*one == 0)
            *one = i;
        else if (service != s->each[*one - 1].service) {
            *other = i;
            return true;
        }
    }
    return false;
}

bool
hf_services_silent(const struct hf_services *s, uint32_t node)
{
    const struct hf_services_node *at = &s->each[node - 1];

    return !at->out && at->vain_at.ms != HF_NEVER.ms;
}

static struct hf_duration
twice(struct hf_duration duration)
{
    return (struct hf_duration){2 * duration.ms};
}

/* A node asked in vain for that long has granted nothing that is still
 * believed, or cannot be reached. */
static struct hf_instant
forgotten_at(const struct hf_services *s, const struct hf_services_node *node)
{
    struct hf_duration least = twice(s->config.leader_ttl);

    if (node->service == 0 || node->vain_at.ms == HF_NEVER.ms)
        return HF_NEVER;
    return hf_after(node->vain_at,
                    node->max_ttl.ms > least.ms ? node->max_ttl : least);
}

/* Is the node's last word still true?  It is if it was asked late enough, or
 * had time to answer again and did not. */
static bool
is_certain(const struct hf_services *s, uint32_t node)
{
    return hf_reached(s->each[node - 1].over_at,
                      hf_after(s->since, s->config.leader_ttl));
}

/* After this no node of one service repeats an older word. */
static struct hf_instant
settled_at(const struct hf_services *s)
{
    return hf_after(s->since, twice(s->config.leader_ttl));
}

static enum hf_services_verdict
judge(const struct hf_services *s)
{
    uint32_t one;
    uint32_t other;

    if (hf_services_differ(s, &one, &other))
        return s->awake && is_certain(s, one) && is_certain(s, other) &&
                       hf_reached(s->now, settled_at(s))
                   ? HF_SERVICES_TWO
                   : HF_SERVICES_DIFFER;
    for (uint32_t i = 0; i < s->config.nodes; i++)
        if (s->each[i].over_at.ms == INT64_MIN && s->each[i].service == 0)
            return HF_SERVICES_UNHEARD;
    return HF_SERVICES_ONE;
}

/* ---- Asking -------------------------------------------------------------- */

static bool
is_to_be_asked(const struct hf_services *s, const struct hf_services_node *node)
{
    return node->service == 0 || s->since.ms != HF_NEVER.ms;
}

static void
ask_all_now(struct hf_services *s)
{
    for (uint32_t i = 0; i < s->config.nodes; i++)
        s->each[i].ask_at = s->now;
}

static void
ask(struct hf_services *s, struct hf_services_node *node)
{
    if (node->service != 0 && node->vain_at.ms == HF_NEVER.ms)
        node->vain_at = s->now; /* until it answers */
    node->asked_at = s->now;
    node->ask_at = hf_after(s->now, s->config.pause);
    node->out = node->untold = true;
}

static void
ask_whom_to(struct hf_services *s)
{
    for (uint32_t i = 0; s->awake && i < s->config.nodes; i++) {
        struct hf_services_node *node = &s->each[i];

        if (!node->out && is_to_be_asked(s, node) &&
            hf_reached(s->now, node->ask_at))
            ask(s, node);
    }
}

/* ---- Events -------------------------------------------------------------- */

/* Nothing is asked any more, so nothing is known: differing nodes may agree by
 * now, and silent ones may answer. */
static void
fall_asleep(struct hf_services *s)
{
    if (!s->awake)
        return;
    s->awake = false;
    if (s->since.ms != HF_NEVER.ms)
        s->since = s->now;
    for (uint32_t i = 0; i < s->config.nodes; i++)
        s->each[i].vain_at = HF_NEVER;
}

static void
wake(struct hf_services *s)
{
    if (!s->awake && s->since.ms != HF_NEVER.ms)
        s->since = s->now;
    s->awake = true;
}

static void
wait_no_more(struct hf_services_node *node)
{
    node->out = false;
    node->over_at = node->asked_at;
}

static void
on_said(struct hf_services *s, const struct hf_services_event *event)
{
    struct hf_services_node *node = &s->each[event->node - 1];

    HF_CHECK(event->node > 0 && event->node <= s->config.nodes);
    if (event->kind == HF_SERVICES_ANSWER)
        wait_no_more(node);
    if (event->service == 0)
        return;
    node->max_ttl = hf_longer(node->max_ttl, event->max_ttl);
    node->vain_at = HF_NEVER;
    if (node->service == event->service)
        return;
    node->service = event->service;
    s->since = HF_NEVER; /* counts as new from now on */
    s->changed = true;
}

static void
run_timers(struct hf_services *s)
{
    for (uint32_t i = 0; i < s->config.nodes; i++) {
        struct hf_services_node *node = &s->each[i];

        if (node->out &&
            hf_reached(s->now, hf_after(node->asked_at, s->config.patience)))
            wait_no_more(node);
        if (!hf_reached(s->now, forgotten_at(s, node)))
            continue;
        node->service = 0;
        node->vain_at = HF_NEVER;
        s->since = HF_NEVER;
        s->changed = true;
    }
}

static void
compare(struct hf_services *s)
{
    enum hf_services_verdict before = s->verdict;
    uint32_t one;
    uint32_t other;

    if (!hf_services_differ(s, &one, &other)) {
        s->since = HF_NEVER;
    } else if (s->since.ms == HF_NEVER.ms) {
        s->since = s->now;
        ask_all_now(s);
    }
    s->verdict = judge(s);
    s->changed = s->changed || s->verdict != before;
}

void
hf_services_step(struct hf_services *s, const struct hf_services_event *event)
{
    s->now = hf_later(s->now, event->at);
    switch (event->kind) {
    case HF_SERVICES_WAKE:
        wake(s);
        break;
    case HF_SERVICES_REST:
        fall_asleep(s);
        break;
    case HF_SERVICES_ANSWER:
    case HF_SERVICES_SAID:
        on_said(s, event);
        break;
    case HF_SERVICES_CLOCK:
        break;
    }
    run_timers(s);
    compare(s);
    ask_whom_to(s);
}

/* ---- Effects ------------------------------------------------------------- */

bool
hf_services_next(struct hf_services *s, struct hf_services_effect *effect)
{
    for (uint32_t i = 0; i < s->config.nodes; i++) {
        if (!s->each[i].untold)
            continue;
        s->each[i].untold = false;
        *effect = (struct hf_services_effect){HF_SERVICES_ASK, i + 1};
        return true;
    }
    if (!s->changed)
        return false;
    s->changed = false;
    *effect = (struct hf_services_effect){.kind = HF_SERVICES_CHANGED};
    return true;
}

struct hf_instant
hf_services_deadline(const struct hf_services *s)
{
    struct hf_instant at = HF_NEVER;

    for (uint32_t i = 0; s->awake && i < s->config.nodes; i++) {
        const struct hf_services_node *node = &s->each[i];

        at = hf_earlier(at, forgotten_at(s, node));
        if (node->out)
            at = hf_earlier(at, hf_after(node->asked_at, s->config.patience));
        else if (is_to_be_asked(s, node))
            at = hf_earlier(at, node->ask_at);
    }
    if (s->awake && s->verdict == HF_SERVICES_DIFFER &&
        !hf_reached(s->now, settled_at(s)))
        at = hf_earlier(at, settled_at(s));
    return at;
}
