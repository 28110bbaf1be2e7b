#include "lab/world/pack.h"

#include <stddef.h>
#include <string.h>

#include "lab/world/coder.h"
#include "lab/world/forget.h"
#include "lab/world/person.h"
#include "lab/world/resource.h"
#include "lab/world/shell.h"
#include "lab/world/stamp.h"
#include "lab/world/strip.h"
#include "lab/world/worker.h"

enum {
    WORLD_BYTES = 8,
    LATE_BYTES = 4,
    LATES_BYTES = WORLD_LATE_MAX * LATE_BYTES,
    WORKER_BYTES = 34,
};

static size_t
rest_size(const struct world_config *config)
{
    return resource_size(config) + person_size(config) + forget_size(config) +
           shell_size(config) + stamp_size(config);
}

size_t
pack_size(const struct world_config *config)
{
    return WORLD_BYTES + LATES_BYTES + config->workers * WORKER_BYTES +
           rest_size(config);
}

void
pack_parts(const struct world_config *config, uint16_t parts[EXPLORE_PARTS_MAX])
{
    unsigned count = 0;

    parts[count++] = WORLD_BYTES + LATES_BYTES;
    for (unsigned i = 0; i < config->workers; i++)
        parts[count++] = WORKER_BYTES;
    if (resource_size(config) != 0)
        parts[count++] = (uint16_t)resource_size(config);
    if (person_size(config) != 0)
        parts[count++] = (uint16_t)person_size(config);
    if (forget_size(config) != 0)
        parts[count++] = (uint16_t)forget_size(config);
    if (shell_size(config) != 0)
        parts[count++] = (uint16_t)shell_size(config);
    if (stamp_size(config) != 0)
        parts[count++] = (uint16_t)stamp_size(config);
    if (count < EXPLORE_PARTS_MAX)
        parts[count] = 0;
}

/* ---- Names --------------------------------------------------------------- */

static void
collect(const struct world *world, struct names *names)
{
    ranks_add(&names->versions, world->version);
    ranks_add(&names->versions, world->token);
    ranks_add(&names->versions, world->marker);
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];
        const struct hf_contender *c = &w->contender;

        if (!w->alive)
            continue;
        ranks_add(&names->versions, c->keeper.version);
        ranks_add(&names->versions, c->keeper.token);
        ranks_add(&names->versions, c->keeper.over);
        ranks_add(&names->versions, c->evidence.version);
        ranks_add(&names->versions, c->evidence.token);
        ranks_add(&names->versions, c->claimed_version);
        ranks_add(&names->versions, w->mail.version);
        ranks_add(&names->versions, w->mail.write.version);
        ranks_add(&names->versions, w->mail.write.over);
        ranks_add(&names->versions, w->mail.sight.version);
        ranks_add(&names->versions, w->mail.sight.token);
    }
    for (unsigned i = 0; i < world->late_count; i++)
        ranks_add(&names->versions, world->late[i].over);
}

/* ---- One description ----------------------------------------------------- */

/* The flags of a worker and its machine, after the first; and what its clock
 * has gained. */
CODEC_INLINE void
code_life(struct codec *codec, struct world_worker *w)
{
    struct hf_contender *c = &w->contender;

    CODE_BITS(codec, 1, w->frozen);
    CODE_BITS(codec, 1, w->in_section);
    CODE_BITS(codec, 1, c->suspected);
    CODE_BITS(codec, 1, c->failing);
    CODE_BITS(codec, 1, c->answered);
    CODE_BITS(codec, 1, w->mail.out);
    CODE_BITS(codec, 1, w->mail.served);
    CODE(codec, w->phase);
}

CODEC_INLINE void
code_states(struct codec *codec, struct world_worker *w)
{
    struct hf_contender *c = &w->contender;
    struct hf_keeper *k = &c->keeper;
    struct hf_evidence *e = &c->evidence;

    CODE_BITS(codec, 1, e->present);
    CODE_BITS(codec, 1, e->beat_seen);
    CODE_BITS(codec, 1, e->same_holder);
    CODE_BITS(codec, 1, e->running);
    CODE_BITS(codec, 1, e->gone);
    CODE_BITS(codec, 1, k->question.waiting);
    CODE_BITS(codec, 1, k->inflight.forgot_claim);
    CODE_BITS(codec, 1, k->must_read);
    CODE_BITS(codec, 3, c->state);
    CODE_BITS(codec, 1, w->doubts);
    CODE_BITS(codec, 4, k->state);
    CODE_BITS(codec, 4, c->status);
    CODE_BITS(codec, 4, c->outcome);
}

/* Of which processes it can be seen that they are gone: of tokens that are
 * coded after this. */
struct ended {
    bool holder;
    bool shown; /* by a read */
};

CODEC_INLINE void
code_flags(struct codec *codec, struct world_worker *w, struct ended *ended)
{
    struct hf_contender *c = &w->contender;
    struct hf_question *q = &c->keeper.question;

    CODE_BITS(codec, 2, c->asked_with);
    CODE_BITS(codec, 1, ended->holder);
    CODE_BITS(codec, 1, ended->shown);
    CODE_BITS(codec, 3, q->kind);
    CODE_BITS(codec, 1, w->mail.of_dead);
    c->claims = c->claims > 0;
    CODE_BITS(codec, 1, c->claims);
    CODE_BITS(codec, 1, w->mail.slow);
    CODE_BITS(codec, 1, w->cut);
    CODE_BITS(codec, 1, w->cleared);
    CODE_BITS(codec, 4, q->failures);
}

CODEC_INLINE void
code_machine(struct coder *coder, struct hf_contender *c)
{
    struct codec *codec = &coder->codec;
    struct hf_keeper *k = &c->keeper;
    struct hf_question *q = &k->question;

    codec_ahead(codec, &c->limit_at);
    code_evidence(coder, &c->evidence);
    CODE_VERSION(coder, c->claimed_version);
    CODE_VERSION(coder, k->version);
    CODE_VERSION(coder, k->token);
    CODE_VERSION(coder, k->over);
    code_id(coder, &k->heartbeat.id);
    codec_ahead(codec, &k->right_until);
    code_since(codec, &q->asked_at, q->waiting, k->config.terms.ttl);
    codec_ahead(codec, &q->again_at);
    if (!codec->reads)
        return;
    q->number = ASKED;
    if (q->waiting && q->kind != HF_ASK_READ)
        k->inflight.writes[0] = (struct hf_sent){
            .number = ASKED,
            .kind = q->kind,
            .at = q->asked_at,
            .version = k->version,
        };
}

/* When the write of the call under way was sent, if that may still give a
 * right, or tell how slow the place is. */
static struct hf_instant
sent_at(const struct world_worker *w)
{
    const struct hf_keeper *k = &w->contender.keeper;
    bool matters =
        k->state != HF_KEEPER_SETTLING || strip_patience_varies(&k->question);

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        if (matters && k->inflight.writes[i].number == w->mail.number)
            return k->inflight.writes[i].at;
    return WORLD_NOW;
}

static enum hf_question_kind
question_of(const struct world_write *write)
{
    if (write->kind == HF_DELETE)
        return HF_ASK_DELETE;
    return write->claims ? HF_ASK_CLAIM : HF_ASK_BEAT;
}

/* The write of a call under way, and whether it is that of the last question,
 * though this is given up: told apart where its answer may come again. */
CODEC_INLINE void
code_write(struct coder *coder, struct world_mail *mail, bool *last)
{
    struct codec *codec = &coder->codec;

    CODE_BITS(codec, 2, mail->write.kind);
    CODE_BITS(codec, 5, mail->age);
    CODE_BITS(codec, 1, *last);
    CODE_VERSION(coder, mail->write.version);
    CODE_VERSION(coder, mail->write.over);
}

/* The call, and what its contender remembers of the write. */
CODEC_INLINE void
code_call(struct coder *coder, unsigned index, struct world_worker *w)
{
    struct codec *codec = &coder->codec;
    struct world_mail *mail = &w->mail;
    struct hf_keeper *k = &w->contender.keeper;
    struct hf_question *q = &k->question;
    struct hf_duration right = {k->config.terms.ttl.ms - k->config.margin.ms};
    bool owed = !codec->reads && worker_is_owed(w);
    bool known = !codec->reads && strip_knows_call(w);
    bool last =
        !codec->reads && coder->config->hints && mail->number == q->number;
    struct hf_instant at = codec->reads ? WORLD_NOW : sent_at(w);

    CODE_BITS(codec, 1, mail->reads);
    CODE_BITS(codec, 1, owed);
    CODE_BITS(codec, 1, known);
    CODE_BITS(codec, 1, mail->write.claims);
    CODE_BITS(codec, 1, q->late);
    CODE_BITS(codec, 1, w->unaware);
    CODE_BITS(codec, 1, mail->went_back);
    CODE_BITS(codec, 1, mail->of_believer);
    if (q->took.ms > q->config.most.ms)
        q->took = q->config.most; /* longer is as long */
    codec_ticks(codec, &q->took);
    if (!mail->out)
        return;
    code_write(coder, mail, &last);
    code_since(codec, &at, true, right);
    code_id(coder, &mail->write.id);
    if (!codec->reads)
        return;
    mail->number = owed && !last ? OWED : ASKED;
    if (mail->reads)
        return;
    mail->write.worker = index;
    mail->write.terms = worker_first_alike(coder->config, index);
    if (owed && known)
        k->inflight.writes[1] = (struct hf_sent){
            .number = mail->number,
            .kind = question_of(&mail->write),
            .at = at,
            .version = mail->write.version,
        };
}

CODEC_INLINE void
code_worker(struct coder *coder, struct world *world, unsigned index)
{
    struct codec *codec = &coder->codec;
    struct world_worker *w = &world->workers[index];
    const struct hf_evidence *e = &w->contender.evidence;
    const uint64_t *shown = &w->mail.sight.token;
    struct ended ended;

    if (codec->reads)
        *w = (struct world_worker){.alive = false};
    CODE_BITS(codec, 1, w->alive);
    if (codec->reads && w->alive)
        worker_init_contender(world->config, index, &w->contender);
    ended.holder = !codec->reads && world_has_ended(world, e->token);
    ended.shown = !codec->reads && world_has_ended(world, *shown);
    code_life(codec, w);
    if (!w->alive) {
        *w = (struct world_worker){.phase = w->phase};
        codec_end(codec);
        return;
    }
    code_states(codec, w);
    code_flags(codec, w, &ended);
    code_machine(coder, &w->contender);
    code_answer(coder, &w->mail);
    code_call(coder, index, w);
    codec_end(codec);
    if (codec->reads && ended.holder)
        world_end_token(world, e->token);
    if (codec->reads && ended.shown)
        world_end_token(world, *shown);
}

CODEC_INLINE void
code_late(struct coder *coder, struct world_write *late)
{
    struct codec *codec = &coder->codec;

    CODE_BITS(codec, 1, late->claims);
    CODE_BITS(codec, 1, late->kind);
    CODE_BITS(codec, 1, late->looked);
    CODE_BITS(codec, 1, late->ended);
    CODE_BITS(codec, 4, late->worker);
    code_id(coder, &late->id);
    CODE_VERSION(coder, late->over);
    CODE(codec, late->terms);
}

CODEC_INLINE void
code_world(struct coder *coder, struct world *world)
{
    struct codec *codec = &coder->codec;
    bool ended = !codec->reads && world_has_ended(world, world->token);

    CODE_BITS(codec, 1, world->exists);
    CODE_BITS(codec, 1, world->foreign);
    CODE_BITS(codec, 2, ended);
    CODE_BITS(codec, 4, world->late_count);
    CODE_VERSION(coder, world->version);
    CODE_VERSION(coder, world->token);
    CODE_VERSION(coder, world->marker);
    code_id(coder, &world->id);
    CODE(codec, world->terms);
    CODE_VERSION(coder, world->highest);
    CODE_VERSION(coder, world->taken);
    if (codec->reads && ended)
        world_end_token(world, world->token);
}

/* Parts that only some worlds have. */
static void
code_rest(struct coder *coder, struct world *world)
{
    resource_code(coder, world);
    person_code(coder, world);
    forget_code(coder, world);
    shell_code(coder, world);
    stamp_code(coder, world);
}

/* ---- Writing ------------------------------------------------------------- */

/* The highest fence is of interest only to a grant not above it; and the token
 * taken over last only while somebody still knows it. */
static void
strip_fences(struct world *world, const struct names *names)
{
    while (world->highest > 0 && names->versions.of[world->highest] == 0)
        world->highest--;
    if ((names->versions.used >> world->taken & 1) == 0)
        world->taken = 0;
}

/* A worker's bytes, and its ids, which are named when its place is known. */
struct chunk {
    uint8_t bytes[WORKER_BYTES];
    struct coder_ids ids;
};

static bool
are_alike(const struct world_terms *a, const struct world_terms *b)
{
    return a->if_dead == b->if_dead && a->ttl == b->ttl &&
           a->limit == b->limit && a->try_only == b->try_only &&
           a->gains == b->gains && a->beat == b->beat && a->grace == b->grace &&
           a->fails == b->fails;
}

/* Workers of the same terms are alike: their order is that of their bytes. */
static bool
goes_before(const struct world *world, unsigned a, unsigned b,
            const struct chunk *chunks)
{
    const struct world_terms *terms = world->config->terms;

    return are_alike(&terms[a], &terms[b]) &&
           memcmp(chunks[a].bytes, chunks[b].bytes, WORKER_BYTES) < 0;
}

static void
order_workers(const struct world *world, const struct chunk *chunks,
              uint8_t *order)
{
    for (unsigned i = 0; i < world->config->workers; i++) {
        unsigned k = i;

        for (; world->config->symmetric && k > 0 &&
               goes_before(world, i, order[k - 1], chunks);
             k--)
            order[k] = order[k - 1];
        order[k] = (uint8_t)i;
    }
}

static void
strip(struct world *world)
{
    for (unsigned i = 0; i < world->config->workers; i++)
        strip_worker(world, &world->workers[i]);
    resource_strip(world);
    person_strip(world);
    shell_strip(world);
}

static void
name_numbers(const struct world *world, struct names *names)
{
    collect(world, names);
    resource_collect(world, names);
    person_collect(world, names);
    forget_collect(world, names);
    shell_collect(world, names);
    ranks_settle(&names->versions);
    ranks_settle(&names->grants);
}

static void
pack_worker(struct world *world, unsigned index, struct names *names,
            struct chunk *chunk)
{
    struct coder coder = {
        .codec = codec_writer(chunk->bytes, WORKER_BYTES, WORLD_NOW),
        .config = world->config,
        .names = names,
        .left = &chunk->ids,
    };

    chunk->ids.count = 0;
    code_worker(&coder, world, index);
}

static void
pack_workers(struct world *world, struct names *names, uint8_t *order,
             uint8_t *at)
{
    struct chunk chunks[WORLD_WORKERS_MAX];

    for (unsigned i = 0; i < world->config->workers; i++)
        pack_worker(world, i, names, &chunks[i]);
    order_workers(world, chunks, order);
    for (unsigned i = 0; i < world->config->workers; i++) {
        coder_name_left(&chunks[order[i]].ids, names);
        memcpy(at + i * WORKER_BYTES, chunks[order[i]].bytes, WORKER_BYTES);
    }
}

/* In the order of their bytes: which was sent first does not matter. */
static void
pack_late(struct world *world, struct names *names, const uint8_t *order,
          uint8_t *at)
{
    uint8_t places[WORLD_WORKERS_MAX + 1] = {[WORLD_WORKERS_MAX] =
                                                 WORLD_WORKERS_MAX};

    for (unsigned i = 0; i < world->config->workers; i++)
        places[order[i]] = (uint8_t)i;
    memset(at, 0, LATES_BYTES);
    for (unsigned i = 0; i < world->late_count; i++) {
        uint8_t entry[LATE_BYTES];
        struct coder coder = {
            .codec = codec_writer(entry, LATE_BYTES, WORLD_NOW),
            .config = world->config,
            .names = names,
        };
        unsigned k = i;

        world->late[i].worker = places[world->late[i].worker];
        code_late(&coder, &world->late[i]);
        for (;
             k > 0 && memcmp(at + (k - 1) * LATE_BYTES, entry, LATE_BYTES) > 0;
             k--)
            memcpy(at + k * LATE_BYTES, at + (k - 1) * LATE_BYTES, LATE_BYTES);
        memcpy(at + k * LATE_BYTES, entry, LATE_BYTES);
    }
}

static void
pack_world(struct world *world, struct names *names, uint8_t *bytes)
{
    struct coder coder = {
        .codec = codec_writer(bytes, WORLD_BYTES, WORLD_NOW),
        .config = world->config,
        .names = names,
    };

    code_world(&coder, world);
}

void
pack(const struct world *world, uint8_t *bytes)
{
    const struct world_config *config = world->config;
    uint8_t *workers = bytes + WORLD_BYTES + LATES_BYTES;
    struct world bare;
    struct names names = {.ids_count = 0};
    uint8_t order[WORLD_WORKERS_MAX];
    struct coder rest = {
        .codec = codec_writer(workers + config->workers * WORKER_BYTES,
                              rest_size(config), WORLD_NOW),
        .config = config,
        .names = &names,
        .order = order,
    };

    world_copy(&bare, world);
    strip(&bare);
    name_numbers(&bare, &names);
    strip_fences(&bare, &names);
    pack_world(&bare, &names, bytes);
    pack_workers(&bare, &names, order, workers);
    pack_late(&bare, &names, order, bytes + WORLD_BYTES);
    code_rest(&rest, &bare);
}

/* ---- Reading ------------------------------------------------------------- */

static void
unpack_world(const uint8_t *bytes, struct world *world)
{
    struct coder coder = {
        .codec = codec_reader(bytes, WORLD_BYTES),
        .config = world->config,
    };

    code_world(&coder, world);
}

/* A late write's packed position is its index among the late. */
static void
unpack_late(const uint8_t *bytes, struct world *world)
{
    struct coder coder = {
        .codec = codec_reader(bytes, LATES_BYTES),
        .config = world->config,
    };

    for (unsigned i = 0; i < world->late_count; i++) {
        code_late(&coder, &world->late[i]);
        world->late[i].version = world->version;
    }
}

static void
unpack_worker(const uint8_t *bytes, unsigned index, struct world *world)
{
    struct coder coder = {
        .codec = codec_reader(bytes, WORKER_BYTES),
        .config = world->config,
    };

    code_worker(&coder, world, index);
}

void
unpack(const struct world_config *config, const uint8_t *bytes,
       struct world *world)
{
    const uint8_t *workers = bytes + WORLD_BYTES + LATES_BYTES;
    struct coder rest = {
        .codec = codec_reader(workers + config->workers * WORKER_BYTES,
                              rest_size(config)),
        .config = config,
    };

    /* Parts that world_copy leaves out are left alone: most are not there. */
    memset(world, 0, offsetof(struct world, workers));
    world->config = config;
    unpack_world(bytes, world);
    for (unsigned i = 0; i < config->workers; i++)
        unpack_worker(workers + i * WORKER_BYTES, i, world);
    unpack_late(bytes + WORLD_BYTES, world);
    code_rest(&rest, world);
}
