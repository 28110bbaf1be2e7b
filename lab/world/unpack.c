#include <stddef.h>
#include <string.h>

#include "lab/world/forget.h"
#include "lab/world/layout.h"
#include "lab/world/pack.h"
#include "lab/world/person.h"
#include "lab/world/resource.h"
#include "lab/world/shell.h"
#include "lab/world/worker.h"

static void
unpack_machine(const struct world_config *config, const uint8_t *at,
               struct hf_contender *c)
{
    struct hf_evidence *e = &c->evidence;
    struct hf_keeper *k = &c->keeper;

    c->state = at[3] & 7;
    k->state = at[3] >> 4;
    c->status = at[4] & 15;
    c->outcome = at[4] >> 4;
    c->asked_with = at[5] & 3;
    k->question.kind = at[5] >> 4 & 7;
    c->claims = at[6] & 1;
    k->question.failures = at[6] >> 4;
    c->limit_at = layout_in(at[7]);
    e->version = at[8];
    e->token = at[9];
    e->terms = layout_terms(config, at[10]);
    e->shown_at = layout_ago(at[11]);
    e->first_at = e->shown_at;
    c->claimed_version = at[12];
    k->version = at[13];
    k->token = at[14];
    k->over = at[15];
    k->heartbeat.id = at[16];
    k->right_until = layout_in(at[17]);
    k->question.asked_at = layout_ago(at[18]);
    k->question.again_at = layout_in(at[19]);
    k->question.number = ASKED;
    if (k->question.waiting && k->question.kind != HF_ASK_READ)
        k->inflight.writes[0] = (struct hf_sent){
            .number = ASKED,
            .kind = k->question.kind,
            .at = k->question.asked_at,
            .version = k->version,
        };
}

static enum hf_question_kind
question_of(const struct world_write *write)
{
    if (write->kind == HF_DELETE)
        return HF_ASK_DELETE;
    return write->claims ? HF_ASK_CLAIM : HF_ASK_BEAT;
}

/* The call, and what its contender remembers of the write. */
static void
unpack_call(const struct world_config *config, unsigned index,
            const uint8_t *at, struct world_worker *w)
{
    struct world_mail *mail = &w->mail;
    struct hf_keeper *k = &w->contender.keeper;
    bool owed = layout_bit(at[0], 1);

    k->question.late = layout_bit(at[0], 4);
    k->question.took = world_ticks(at[1]);
    w->unaware = layout_bit(at[0], 5);
    if (!mail->out)
        return;
    mail->reads = layout_bit(at[0], 0);
    mail->number = owed && (at[2] & LAST_QUESTION) == 0 ? OWED : ASKED;
    mail->age = (at[2] & ~LAST_QUESTION) >> 2;
    mail->went_back = layout_bit(at[0], 6);
    mail->of_believer = layout_bit(at[0], 7);
    if (mail->reads)
        return;
    mail->write = (struct world_write){
        .kind = at[2] & 3,
        .claims = layout_bit(at[0], 3),
        .version = at[3],
        .id = at[6],
        .over = at[4],
        .worker = index,
        .terms = worker_first_alike(config, index),
    };
    if (owed && layout_bit(at[0], 2))
        k->inflight.writes[1] = (struct hf_sent){
            .number = mail->number,
            .kind = question_of(&mail->write),
            .at = layout_ago(at[5]),
            .version = mail->write.version,
        };
}

static void
unpack_mail(const struct world_config *config, const uint8_t *at,
            struct world_worker *w)
{
    struct world_mail *mail = &w->mail;

    if (!mail->out)
        return;
    mail->slow = layout_bit(at[6], 1);
    mail->of_dead = layout_bit(at[5], 7);
    mail->verdict = at[20];
    mail->version = at[21];
    mail->sight = (struct hf_sight){
        .kind = at[22],
        .version = at[23],
        .token = at[24],
        .heartbeat = {.id = at[25]},
        .terms = layout_terms(config, at[26]),
    };
}

static void
unpack_worker(const struct world_config *config, unsigned index,
              const uint8_t *at, struct world_worker *w)
{
    struct hf_contender *c = &w->contender;

    *w = (struct world_worker){.phase = at[1]};
    if (!layout_bit(at[0], 0))
        return;
    worker_init_contender(config, index, c);
    w->alive = true;
    w->frozen = layout_bit(at[0], 1);
    w->cut = layout_bit(at[6], 2);
    w->cleared = layout_bit(at[6], 3);
    w->doubts = layout_bit(at[3], 3);
    w->in_section = layout_bit(at[0], 2);
    c->suspected = layout_bit(at[0], 3);
    c->failing = layout_bit(at[0], 4);
    c->answered = layout_bit(at[0], 5);
    w->mail.out = layout_bit(at[0], 6);
    w->mail.served = layout_bit(at[0], 7);
    c->evidence.present = layout_bit(at[2], 0);
    c->evidence.beat_seen = layout_bit(at[2], 1);
    c->evidence.same_holder = layout_bit(at[2], 2);
    c->evidence.running = layout_bit(at[2], 3);
    c->evidence.gone = layout_bit(at[2], 4);
    c->keeper.question.waiting = layout_bit(at[2], 5);
    c->keeper.inflight.forgot_claim = layout_bit(at[2], 6);
    c->keeper.must_read = layout_bit(at[2], 7);
    unpack_machine(config, at, c);
    unpack_mail(config, at, w);
    unpack_call(config, index, at + CALL_AT, w);
}

/* Of which processes it can be seen that they are gone. */
static void
unpack_ended(const uint8_t *at, const struct world_worker *w,
             struct world *world)
{
    if (layout_bit(at[5], 2))
        world_end_token(world, w->contender.evidence.token);
    if (layout_bit(at[5], 3))
        world_end_token(world, w->mail.sight.token);
}

static void
unpack_late(const uint8_t *at, struct world *world)
{
    for (unsigned i = 0; i < world->late_count; i++, at += LATE_BYTES) {
        unsigned code = (at[0] - 1u) & 15;

        world->late[i] = (struct world_write){
            .kind = code / 2 % 2,
            .claims = code % 2 != 0,
            .looked = code / 4 % 2 != 0,
            .ended = code / 8 != 0,
            .version = world->version,
            .id = at[1],
            .over = at[2],
            .worker = (at[0] - 1u) >> 4,
            .terms = at[3],
        };
    }
}

void
unpack(const struct world_config *config, const uint8_t *bytes,
       struct world *world)
{
    const uint8_t *workers = bytes + WORLD_BYTES + WORLD_LATE_MAX * LATE_BYTES;
    const uint8_t *after = workers + config->workers * WORKER_BYTES;

    /* What world_copy leaves out is left alone: most of it is not there. */
    memset(world, 0, offsetof(struct world, workers));
    world->config = config;
    world->exists = layout_bit(bytes[0], 0);
    world->foreign = layout_bit(bytes[0], 1);
    world->late_count = bytes[0] >> 4;
    world->version = bytes[1];
    world->token = bytes[2];
    world->marker = bytes[3];
    world->id = bytes[4];
    world->terms = bytes[5];
    world->highest = bytes[6];
    world->taken = bytes[7];
    if (layout_bit(bytes[0], 2))
        world_end_token(world, world->token);
    for (unsigned i = 0; i < config->workers; i++) {
        const uint8_t *at = workers + i * WORKER_BYTES;

        unpack_worker(config, i, at, &world->workers[i]);
        unpack_ended(at, &world->workers[i], world);
    }
    /* A late write's packed position is its index among the late. */
    unpack_late(bytes + WORLD_BYTES, world);
    resource_unpack(after, world);
    after += resource_size(config);
    person_unpack(after, world);
    after += person_size(config);
    forget_unpack(after, world);
    shell_unpack(after + forget_size(config), world);
}
