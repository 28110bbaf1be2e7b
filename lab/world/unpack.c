#include "world/layout.h"
#include "world/pack.h"
#include "world/resource.h"
#include "world/worker.h"

static struct hf_terms
terms_at(const struct world_config *config, uint8_t index)
{
    if (index == NO_TERMS)
        return (struct hf_terms){0};
    return (struct hf_terms){
        config->terms[index].if_dead,
        {(int64_t)config->terms[index].ttl * WORLD_TICK_MS},
        {WORLD_TICK_MS},
    };
}

static struct hf_instant
at_ticks(uint8_t count)
{
    if (count == NEVER)
        return HF_NEVER;
    return (struct hf_instant){WORLD_NOW.ms + (int64_t)count * WORLD_TICK_MS};
}

static struct hf_instant
ticks_ago(uint8_t count)
{
    return (struct hf_instant){WORLD_NOW.ms - (int64_t)count * WORLD_TICK_MS};
}

static bool
bit(uint8_t byte, unsigned index)
{
    return (byte >> index & 1) != 0;
}

static void
unpack_machine(const struct world_config *config, const uint8_t *at,
               struct hf_contender *c)
{
    struct hf_sighting *s = &c->sighting;
    struct hf_keeper *k = &c->keeper;

    c->state = at[3] & 15;
    k->state = at[3] >> 4;
    c->status = at[4] & 15;
    c->outcome = at[4] >> 4;
    c->asked_with = at[5] & 15;
    k->asker.question = at[5] >> 4;
    c->claims = at[6] & 1;
    k->asker.failures = at[6] >> 4;
    c->limit_at = at_ticks(at[7]);
    s->version = at[8];
    s->token = at[9];
    s->terms = terms_at(config, at[10]);
    s->shown_at = ticks_ago(at[11]);
    s->first_at = s->shown_at;
    c->claimed_version = at[12];
    k->version = at[13];
    k->token = at[14];
    k->over = at[15];
    k->heartbeat.id = at[16];
    k->right_until = at_ticks(at[17]);
    k->asker.asked_at = ticks_ago(at[18]);
    k->asker.again_at = at_ticks(at[19]);
    k->asker.number = 1;
}

static void
unpack_mail(const struct world_config *config, const uint8_t *at,
            struct world_worker *w)
{
    struct world_mail *mail = &w->mail;

    if (!mail->out)
        return;
    mail->slow = bit(at[6], 1);
    mail->verdict = at[20];
    mail->version = at[21];
    mail->sight = (struct hf_sight){
        .kind = at[22],
        .version = at[23],
        .token = at[24],
        .heartbeat = {.id = at[25]},
        .terms = terms_at(config, at[26]),
    };
}

static void
unpack_worker(const struct world_config *config, unsigned index,
              const uint8_t *at, struct world_worker *w)
{
    struct hf_contender *c = &w->contender;

    *w = (struct world_worker){.phase = at[1]};
    if (!bit(at[0], 0))
        return;
    worker_init_contender(config, index, c);
    w->alive = true;
    w->frozen = bit(at[0], 1);
    w->cut = bit(at[6], 2);
    w->cleared = bit(at[6], 3);
    w->in_section = bit(at[0], 2);
    c->suspected = bit(at[0], 3);
    c->failing = bit(at[0], 4);
    c->answered = bit(at[0], 5);
    w->mail.out = bit(at[0], 6);
    w->mail.served = bit(at[0], 7);
    c->sighting.present = bit(at[2], 0);
    c->sighting.beat_seen = bit(at[2], 1);
    c->sighting.same_holder = bit(at[2], 2);
    c->sighting.running = bit(at[2], 3);
    c->sighting.gone = bit(at[2], 4);
    c->keeper.asker.waiting = bit(at[2], 5);
    c->keeper.unsettled = bit(at[2], 6);
    c->keeper.must_read = bit(at[2], 7);
    unpack_machine(config, at, c);
    unpack_mail(config, at, w);
}

static void
unpack_late(const uint8_t *at, struct world *world)
{
    for (unsigned i = 0; i < world->late_count; i++, at += LATE_BYTES) {
        unsigned code = (at[0] - 1u) & 15;

        world->late[i] = (struct world_write){
            .kind = code / 2,
            .claims = code % 2 != 0,
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

    *world = (struct world){
        .config = config,
        .exists = bit(bytes[0], 0),
        .late_count = bytes[0] >> 4,
        .version = bytes[1],
        .token = bytes[2],
        .marker = bytes[3],
        .id = bytes[4],
        .terms = bytes[5],
        .highest = bytes[6],
        .taken = bytes[7],
    };
    for (unsigned i = 0; i < config->workers; i++)
        unpack_worker(config, i, workers + i * WORKER_BYTES,
                      &world->workers[i]);
    /* A late write's packed position is its index among the late. */
    unpack_late(bytes + WORLD_BYTES, world);
    resource_unpack(workers + config->workers * WORKER_BYTES, world);
}
