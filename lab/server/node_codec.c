#include "lab/server/node_codec.h"

#include "base/check.h"

/* ---- What still matters -------------------------------------------------- */

static unsigned
ticks_of(struct hf_duration length)
{
    return (unsigned)((length.ms + CODEC_TICK_MS - 1) / CODEC_TICK_MS);
}

/* Is there a table that batches are made of? */
static bool
leads(const struct hf_node *n)
{
    return n->leader.state == HF_LEADER_LEADING;
}

static bool
may_claim(const struct hf_contender *c)
{
    return c->state == HF_CONTENDER_LOOKING ||
           c->state == HF_CONTENDER_WATCHING ||
           c->state == HF_CONTENDER_CLAIMING;
}

/* Of the holder: nobody waits who would be told how it lives. */
static void
strip_evidence(struct hf_evidence *e)
{
    if (!e->present) {
        *e = (struct hf_evidence){0};
        return;
    }
    e->beat_seen = false;
    e->same_holder = false;
    e->running = false;
    e->first_at = e->shown_at;
}

/* After so many in a row a pause is as long as it can be. */
static uint8_t
failures_that_matter(const struct hf_question *q)
{
    uint8_t failures = 1; /* or none: then a beat may come early */

    while (q->config.most.ms > CODEC_TICK_MS &&
           HF_PAUSE_FIRST_MS << failures < q->config.most.ms)
        failures++;
    return failures;
}

/* Beyond these bounds patience does not change. */
static struct hf_duration
took_that_matters(const struct hf_question *q)
{
    if (2 * q->took.ms <= q->config.least.ms)
        return codec_length(0);
    return q->took.ms >= q->config.most.ms / 2 ? q->config.most : q->took;
}

static void
strip_question(struct hf_question *q, bool counted)
{
    q->took = took_that_matters(q);
    if (!counted && q->failures > failures_that_matter(q))
        q->failures = failures_that_matter(q);
    if (!q->waiting) {
        q->kind = HF_ASK_NOTHING;
        q->asked_at = HF_NEVER;
    }
    if (q->kind != HF_ASK_READ)
        q->late = false;
}

/* The last that was sent first, and what is free last. */
static void
order_inflight(struct hf_inflight *inflight)
{
    for (unsigned i = 1; i < HF_INFLIGHT_MAX; i++) {
        struct hf_sent sent = inflight->writes[i];
        unsigned k = i;

        for (; k > 0 && sent.number > inflight->writes[k - 1].number; k--)
            inflight->writes[k] = inflight->writes[k - 1];
        inflight->writes[k] = sent;
    }
}

/* A write at a version that was left behind tells nothing of the next. */
static void
strip_sent(const struct hf_keeper *k, struct hf_sent *sent)
{
    if (sent->version == k->version)
        return;
    sent->version = 0;
    sent->count = k->heartbeat.count;
}

static void
strip_inflight(const struct hf_keeper *k, struct hf_inflight *inflight)
{
    bool may_be_ours = k->state == HF_KEEPER_CLAIMING ||
                       (k->state == HF_KEEPER_SETTLING && k->token == 0);

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        strip_sent(k, &inflight->writes[i]);
    order_inflight(inflight);
    inflight->forgot_claim = inflight->forgot_claim && may_be_ours;
}

static void
strip_keeper(struct hf_keeper *k)
{
    strip_inflight(k, &k->inflight);
    if (k->state == HF_KEEPER_SETTLING)
        k->right_until = HF_NEVER;
    if (k->state != HF_KEEPER_IDLE)
        return;
    k->version = k->token = k->over = 0;
    k->right_until = HF_NEVER;
}

static void
strip_contender(struct hf_contender *c)
{
    bool looks = c->keeper.question.waiting &&
                 c->keeper.question.kind == HF_ASK_READ &&
                 c->keeper.state == HF_KEEPER_IDLE;

    c->claims = 0;
    c->outcome = HF_NOT_HELD;
    c->suspected = false;
    c->too_slow = codec_length(0);
    if (c->state != HF_CONTENDER_LEAVING)
        c->status = HF_OK;
    if (!looks)
        c->asked_with = HF_PROOF_NONE;
    if (!may_claim(c)) {
        c->evidence.present = false;
        c->claimed_version = 0;
        c->failing = false;
        c->answered = true;
    }
    strip_evidence(&c->evidence);
    strip_question(&c->keeper.question, !c->answered);
    strip_keeper(&c->keeper);
}

/* After so long nobody believes in what was lost: nobody promises more than is
 * known. */
static unsigned
ticks_of_grace(const struct hf_leader *l)
{
    return ticks_of(l->max_ttl) + ticks_of(l->config.terms.ttl);
}

/* Of one that rests, what the next begins with, and by what it knows its own
 * head. */
static void
strip_idle(struct hf_contender *c)
{
    uint64_t asked = c->keeper.question.number;
    uint64_t id = c->keeper.heartbeat.id;

    *c = (struct hf_contender){0};
    c->keeper.question.number = asked;
    c->keeper.heartbeat.id = id;
}

static void
strip_leader(struct hf_leader *l)
{
    const struct hf_keeper *k = &l->contender.keeper;

    HF_CHECK(l->outbox.count == 0 && !l->asks);
    HF_CHECK(l->contender.outbox.count == 0 && k->outbox.count == 0);
    l->applied = 0;
    if (k->state == HF_KEEPER_IDLE) {
        l->next_fence = 0; /* the head that is claimed says it */
        l->served = codec_length(0);
        l->batch.version = 0;
    }
    if (l->batch.version == 0)
        l->batch = (struct hf_leader_batch){0};
    if (!l->owes)
        l->owed_at = HF_NEVER;
    if (l->state == HF_LEADER_IDLE)
        strip_idle(&l->contender);
    else
        strip_contender(&l->contender);
}

/* Marks of which the answers are due, or will be with what is under way. */
static void
strip_marks(struct hf_node *n)
{
    uint64_t reached = n->batch.number != 0 ? n->batch.through : n->through;

    if (!leads(n) || n->answered <= reached)
        n->answered = 0;
    if (!leads(n) || n->alive <= reached)
        n->alive = 0;
    if (n->alive == 0)
        n->alive_by = HF_NEVER; /* the next begins to wait anew */
    n->through = 0;             /* what is left is above it */
    n->batch.next_fence = 0;    /* the leader knows it */
    n->batch.operations = 0;
    n->batch.bytes = 0;
}

/* Leave out whatever it will not look at again. */
static void
strip(struct hf_node *n)
{
    HF_CHECK(!n->collecting && n->refused == 0 && !n->tells_end);
    HF_CHECK(leads(n) == (n->lockspace != NULL));
    strip_leader(&n->leader);
    strip_marks(n);
    n->may_begin = false;
    if (!leads(n))
        n->term = 0;
    if (n->state != HF_NODE_LOADING)
        n->longest_ttl = codec_length(0);
    if (n->state != HF_NODE_FOLLOWING || n->leader.state != HF_LEADER_IDLE)
        n->seek_at = HF_NEVER;
}

/* ---- One description ----------------------------------------------------- */

struct coder {
    struct codec codec;
    const struct node_numbers *of; /* while it ranks */
};

static void
code_terms(struct coder *coder, struct hf_terms *terms)
{
    struct codec *codec = &coder->codec;

    CODE(codec, terms->if_dead);
    codec_ticks(codec, &terms->ttl);
    codec_ticks(codec, &terms->beat);
}

static void
code_evidence(struct coder *coder, struct hf_evidence *e)
{
    struct codec *codec = &coder->codec;

    CODE(codec, e->present);
    if (!e->present)
        return;
    CODE(codec, e->gone);
    CODE_NUMBER(codec, coder->of->versions, e->version);
    CODE_NUMBER(codec, coder->of->versions, e->token);
    code_terms(coder, &e->terms);
    codec_ago(codec, &e->shown_at, ticks_of(e->terms.ttl));
    e->first_at = e->shown_at;
}

static void
code_question(struct coder *coder, struct hf_question *q)
{
    struct codec *codec = &coder->codec;

    CODE(codec, q->kind);
    CODE(codec, q->waiting);
    CODE(codec, q->late);
    CODE(codec, q->failures);
    CODE_NUMBER(codec, coder->of->questions, q->number);
    codec_ticks(codec, &q->took);
    codec_ago(codec, &q->asked_at, ticks_of(q->config.call));
    codec_ahead(codec, &q->again_at);
}

/* An answer counts from its sending, and what is older than the ttl gives no
 * right any more.  Only by how much counts differ matters. */
static void
code_sent(struct coder *coder, const struct hf_keeper *k, uint64_t base,
          struct hf_sent *sent)
{
    struct codec *codec = &coder->codec;

    CODE_NUMBER(codec, coder->of->questions, sent->number);
    if (sent->number == 0)
        return;
    CODE(codec, sent->kind);
    CODE_NUMBER(codec, coder->of->versions, sent->version);
    if (!codec->ranks)
        sent->count += NODE_CODEC_COUNT - base;
    CODE(codec, sent->count);
    codec_ago(codec, &sent->at, ticks_of(k->config.terms.ttl));
}

static void
code_keeper(struct coder *coder, struct hf_keeper *k)
{
    struct codec *codec = &coder->codec;
    uint64_t base = codec->reads ? NODE_CODEC_COUNT : k->heartbeat.count;

    CODE(codec, k->state);
    CODE_NUMBER(codec, coder->of->ids, k->heartbeat.id);
    if (codec->reads)
        k->heartbeat.count = NODE_CODEC_COUNT;
    code_question(coder, &k->question);
    CODE_NUMBER(codec, coder->of->versions, k->version);
    CODE_NUMBER(codec, coder->of->versions, k->token);
    CODE_NUMBER(codec, coder->of->versions, k->over);
    codec_ahead(codec, &k->right_until);
    CODE(codec, k->must_read);
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        code_sent(coder, k, base, &k->inflight.writes[i]);
    CODE(codec, k->inflight.forgot_claim);
}

static void
code_contender(struct coder *coder, struct hf_contender *c)
{
    struct codec *codec = &coder->codec;

    CODE(codec, c->state);
    CODE(codec, c->status);
    CODE_NUMBER(codec, coder->of->versions, c->claimed_version);
    CODE(codec, c->asked_with);
    CODE(codec, c->failing);
    CODE(codec, c->answered);
    code_evidence(coder, &c->evidence);
    code_keeper(coder, &c->keeper);
}

static void
code_idle(struct coder *coder, struct hf_keeper *k)
{
    struct codec *codec = &coder->codec;

    CODE_NUMBER(codec, coder->of->questions, k->question.number);
    CODE_NUMBER(codec, coder->of->ids, k->heartbeat.id);
}

/* What a leader begins to seek with. */
static void
begin_contender(const struct hf_leader *l, struct hf_contender *c)
{
    struct hf_contender_config config = {
        .terms = l->config.terms,
        .grace = l->config.grace,
        .limit = HF_FOREVER,
        .seed = l->config.seed,
    };

    hf_contender_init(c, &config);
    c->limit_at = HF_NEVER;
}

static void
code_forgotten(struct coder *coder, struct hf_leader *l)
{
    struct codec *codec = &coder->codec;

    if (codec->reads)
        l->now = CODEC_NOW;
    CODE_NUMBER(codec, coder->of->ids, l->service);
    codec_ticks(codec, &l->max_ttl);
    codec_ahead(codec, &l->grace_until);
    CODE(codec, l->forgot);
    CODE(codec, l->owes);
    codec_ago(codec, &l->owed_at, ticks_of_grace(l));
}

static void
code_leader(struct coder *coder, struct hf_leader *l)
{
    struct codec *codec = &coder->codec;

    CODE(codec, l->state);
    code_forgotten(coder, l);
    if (l->state == HF_LEADER_IDLE) {
        code_idle(coder, &l->contender.keeper);
        return;
    }
    if (codec->reads)
        begin_contender(l, &l->contender);
    code_contender(coder, &l->contender);
    CODE_NUMBER(codec, coder->of->fences, l->next_fence);
    codec_ticks(codec, &l->served);
    codec_ago(codec, &l->served_until, ticks_of(l->max_ttl) + 1);
    CODE_NUMBER(codec, coder->of->versions, l->batch.version);
    CODE_NUMBER(codec, coder->of->batches, l->batch.number);
    CODE_NUMBER(codec, coder->of->fences, l->batch.next_fence);
    codec_ticks(codec, &l->batch.max_ttl);
    codec_ticks(codec, &l->batch.grace);
    CODE(codec, l->batch.refused);
}

static void
code(struct coder *coder, struct hf_node *n)
{
    struct codec *codec = &coder->codec;

    CODE(codec, n->state);
    CODE(codec, n->stopped);
    CODE(codec, n->followed);
    codec_ahead(codec, &n->seek_at);
    CODE_NUMBER(codec, coder->of->versions, n->term);
    codec_ticks(codec, &n->longest_ttl);
    CODE_NUMBER(codec, coder->of->batches, n->batch.number);
    CODE_NUMBER(codec, coder->of->marks, n->batch.through);
    CODE_NUMBER(codec, coder->of->marks, n->answered);
    CODE_NUMBER(codec, coder->of->marks, n->alive);
    codec_ahead(codec, &n->alive_by);
    code_leader(coder, &n->leader);
    codec_end(codec);
}

/* ---- Calls --------------------------------------------------------------- */

void
node_numbers(struct hf_node *n, const struct node_numbers *of)
{
    struct coder coder = {codec_ranker(), of};

    strip(n);
    code(&coder, n);
}

uint64_t
node_count_base(const struct hf_node *n)
{
    return n->leader.contender.keeper.heartbeat.count;
}

void
node_write(const struct hf_node *n, struct hf_instant now, uint8_t *bytes)
{
    struct hf_node bare = *n;
    struct coder coder = {codec_writer(bytes, NODE_CODEC_SIZE, now), NULL};

    strip(&bare);
    code(&coder, &bare);
}

void
node_read(const struct hf_node_config *config, const uint8_t *bytes,
          void *block, struct hf_node *n)
{
    struct coder coder = {codec_reader(bytes, NODE_CODEC_SIZE), NULL};

    hf_node_init(n, config, block);
    n->now = CODEC_NOW;
    code(&coder, n);
    if (leads(n))
        n->lockspace = block;
}
