#include "lab/world/person.h"

#include "base/check.h"
#include "lab/world/layout.h"
#include "lab/world/promise.h"
#include "lab/world/stored.h"

enum { PERSON_BYTES = 18, PATIENCE_TICKS = 2 };

static bool
clear_is_out(const struct world_person *p)
{
    return p->mail.out && !p->mail.served && !p->mail.reads;
}

static struct world_write
clear_of(const struct hf_examiner *x)
{
    return (struct world_write){
        .kind = HF_DELETE,
        .looked = true,
        .version = x->version,
        .worker = WORLD_WORKERS_MAX,
    };
}

/* The delete of the very version that was watched, and of nothing else. */
static void
check_request(const struct hf_examiner *x, const struct hf_request *request)
{
    const struct hf_op *op = &request->ops[0];

    HF_CHECK(request->read == (x->question.kind == HF_ASK_READ));
    HF_CHECK(request->read ||
             (op->kind == HF_DELETE && op->expect.kind == HF_EXPECT_VERSION &&
              op->expect.version == x->version));
}

/* What is asked goes out, unless a call is under way. */
static void
send(struct world_person *p)
{
    const struct hf_examiner *x = &p->examiner;

    if (!x->question.waiting || p->mail.out)
        return;
    p->mail = (struct world_mail){
        .out = true,
        .reads = x->question.kind == HF_ASK_READ,
        .number = x->question.number,
    };
    if (!p->mail.reads)
        p->mail.write = clear_of(x);
}

/* As worker_pump. */
static void
pump(struct world *world, struct hf_event event)
{
    struct world_person *p = &world->person;
    struct hf_effect effect;

    hf_examiner_step(&p->examiner, event);
    while (hf_examiner_next(&p->examiner, &effect))
        if (effect.kind == HF_DO_ASK)
            check_request(&p->examiner, &effect.request);
    send(p);
    if (p->examiner.state != HF_EXAMINER_ENDED)
        return;
    if (clear_is_out(p))
        stored_keep_late(world, p->mail.write);
    *p = (struct world_person){0};
}

static void
init_examiner(struct hf_examiner *x)
{
    const struct hf_examiner_config config = {
        .watch = HF_FOREVER,
        .patience = world_ticks(PATIENCE_TICKS),
        .clear = true,
    };

    hf_examiner_init(x, &config);
}

bool
person_is_there(const struct world *world)
{
    return world->config->examines && world->person.there;
}

bool
person_may_come(const struct world *world, unsigned who)
{
    return who == 0 && world->config->examines && !world->person.there;
}

void
person_come(struct world *world, unsigned who)
{
    (void)who;
    world->person.there = true;
    init_examiner(&world->person.examiner);
    pump(world, hf_event(HF_ON_EXAMINE, WORLD_NOW));
}

/* ---- What becomes of its question --------------------------------------- */

bool
person_may_be_served(const struct world *world, unsigned who)
{
    return who == 0 && person_is_there(world) && world->person.mail.out &&
           !world->person.mail.served;
}

void
person_serve(struct world *world, unsigned who)
{
    struct world_mail *mail = &world->person.mail;

    (void)who;
    mail->served = true;
    if (mail->reads) {
        mail->sight = stored_read(world);
        return;
    }
    mail->verdict = stored_apply(world, &mail->write);
    mail->version = mail->verdict == HF_APPLIED ? world->version : 0;
}

bool
person_may_hear(const struct world *world, unsigned who)
{
    return who == 0 && person_is_there(world) && world->person.mail.out &&
           world->person.mail.served;
}

void
person_hear(struct world *world, unsigned who)
{
    struct world_mail mail = world->person.mail;

    (void)who;
    world->person.mail = (struct world_mail){.out = false};
    if (mail.reads)
        pump(world, hf_found(WORLD_NOW, mail.number, mail.sight));
    else
        pump(world,
             hf_answer(WORLD_NOW, mail.number, mail.verdict, mail.version));
}

bool
person_clears(const struct world *world, unsigned who)
{
    return person_may_be_served(world, who) && !world->person.mail.reads;
}

void
person_lose_question(struct world *world, unsigned who)
{
    struct world_mail *mail = &world->person.mail;

    (void)who;
    mail->served = true;
    mail->verdict = HF_UNKNOWN;
    mail->version = 0;
    mail->sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
}

void
person_lose_answer(struct world *world, unsigned who)
{
    person_serve(world, who);
    person_lose_question(world, who);
}

void
person_delay_question(struct world *world, unsigned who)
{
    stored_keep_late(world, world->person.mail.write);
    person_lose_question(world, who);
}

void
person_refuse_to_answer(struct world *world, unsigned who)
{
    struct world_mail *mail = &world->person.mail;

    (void)who;
    mail->served = true;
    mail->verdict = HF_UNAVAILABLE;
    mail->version = 0;
}

bool
person_may_be_slow(const struct world *world, unsigned who)
{
    return who == 0 && person_is_there(world) && world->person.mail.out &&
           !world->person.mail.slow;
}

void
person_be_slow(struct world *world, unsigned who)
{
    (void)who;
    world->person.mail.slow = true;
}

/* ---- Time, and evidence ------------------------------------------------- */

bool
person_is_due(const struct world *world, unsigned who)
{
    const struct world_person *p = &world->person;

    return who == 0 && person_is_there(world) &&
           hf_reached(WORLD_NOW, hf_examiner_deadline(&p->examiner));
}

void
person_look_at_clock(struct world *world, unsigned who)
{
    (void)who;
    pump(world, hf_event(HF_ON_CLOCK, WORLD_NOW));
}

bool
person_may_see_gone(const struct world *world, unsigned who)
{
    const struct hf_examiner *x = &world->person.examiner;
    uint64_t version;

    return who == 0 && world->config->same_host && person_is_there(world) &&
           !x->evidence.gone && hf_examiner_watching(x, &version) &&
           world_has_ended(world, x->evidence.token);
}

void
person_see_gone(struct world *world, unsigned who)
{
    uint64_t version = world->person.examiner.evidence.version;

    (void)who;
    pump(world, hf_processes(WORLD_NOW, version, true));
}

bool
person_may_be_hinted(const struct world *world, unsigned who)
{
    return who == 0 && world->config->hints && person_is_there(world);
}

void
person_hint(struct world *world, unsigned who)
{
    (void)who;
    pump(world, hf_event(HF_ON_HINT, WORLD_NOW));
}

void
person_tick(struct world *world)
{
    struct hf_examiner *x = &world->person.examiner;

    if (!person_is_there(world))
        return;
    world_age(&x->evidence.first_at, 1);
    world_age(&x->evidence.shown_at, 1);
    world_age(&x->question.asked_at, 1);
    world_age(&x->question.again_at, 1);
}

bool
person_is_busy(const struct world *world)
{
    const struct world_mail *mail = &world->person.mail;

    return person_is_there(world) &&
           (person_is_due(world, 0) || (mail->out && !mail->slow));
}

/* ---- Packing ------------------------------------------------------------ */

size_t
person_size(const struct world_config *config)
{
    return config->examines ? PERSON_BYTES : 0;
}

void
person_strip(struct world *world)
{
    struct world_person *p = &world->person;
    struct hf_examiner *x = &p->examiner;
    bool reads;

    if (!world->config->examines)
        return;
    reads = x->question.waiting && x->question.kind == HF_ASK_READ;
    if (x->state == HF_EXAMINER_CLEARING) {
        x->evidence = (struct hf_evidence){0};
    } else {
        x->version = 0;
        x->first_clear = 0;
    }
    if (!reads || x->state == HF_EXAMINER_CLEARING)
        x->asked_with = HF_PROOF_NONE;
    if (!reads)
        x->question.late = false;
    if (!p->mail.served || !p->mail.reads)
        p->mail.sight = (struct hf_sight){0};
}

void
person_collect(const struct world *world, struct names *names)
{
    const struct world_person *p = &world->person;

    if (!world->config->examines)
        return;
    ranks_add(&names->versions, p->examiner.version);
    ranks_add(&names->versions, p->examiner.evidence.version);
    ranks_add(&names->versions, p->examiner.evidence.token);
    ranks_add(&names->versions, p->mail.version);
    ranks_add(&names->versions, p->mail.sight.version);
    ranks_add(&names->versions, p->mail.sight.token);
}

static void
pack_person(const struct world *world, const struct names *names, uint8_t *at)
{
    const struct world_person *p = &world->person;
    const struct hf_examiner *x = &p->examiner;
    const struct hf_evidence *e = &x->evidence;
    const bool life[] = {
        p->there,    p->mail.out,  p->mail.served,      p->mail.slow,
        x->answered, x->unsettled, x->question.waiting, e->present};
    const bool seen[] = {e->beat_seen, e->same_holder, e->running, e->gone,
                         x->question.late};
    const bool call[] = {p->mail.reads,
                         p->mail.number != x->question.number,
                         p->mail.out && p->mail.number == x->first_clear,
                         x->question.number == x->first_clear,
                         world_has_ended(world, e->token),
                         world_has_ended(world, p->mail.sight.token)};

    at[0] = layout_bits(life, 8);
    at[1] = layout_bits(seen, 5);
    at[17] = p->there ? layout_bits(call, 6) : 0;
    at[2] = (uint8_t)(x->state | x->question.kind << 4);
    at[3] = (uint8_t)(x->asked_with | (unsigned)x->question.failures << 4);
    at[4] = names_version(names, e->version);
    at[5] = names_version(names, e->token);
    at[6] = layout_terms_index(world->config, &e->terms);
    at[7] = e->present ? layout_since(e->shown_at, e->terms.ttl) : 0;
    at[8] = names_version(names, x->version);
    at[9] = x->question.waiting
                ? layout_since(x->question.asked_at, x->question.config.call)
                : 0;
    at[10] = p->there ? layout_until(x->question.again_at) : 0;
    at[11] = (uint8_t)p->mail.verdict;
    at[12] = names_version(names, p->mail.version);
    at[13] = (uint8_t)p->mail.sight.kind;
    at[14] = names_version(names, p->mail.sight.version);
    at[15] = names_version(names, p->mail.sight.token);
    at[16] = layout_terms_index(world->config, &p->mail.sight.terms);
}

void
person_pack(const struct world *world, const struct names *names, uint8_t *at)
{
    if (world->config->examines)
        pack_person(world, names, at);
}

static void
unpack_examiner(const struct world_config *config, const uint8_t *at,
                struct hf_examiner *x)
{
    struct hf_evidence *e = &x->evidence;

    init_examiner(x);
    x->answered = layout_bit(at[0], 4);
    x->unsettled = layout_bit(at[0], 5);
    x->question.waiting = layout_bit(at[0], 6);
    e->present = layout_bit(at[0], 7);
    e->beat_seen = layout_bit(at[1], 0);
    e->same_holder = layout_bit(at[1], 1);
    e->running = layout_bit(at[1], 2);
    e->gone = layout_bit(at[1], 3);
    x->question.late = layout_bit(at[1], 4);
    x->state = at[2] & 15;
    x->question.kind = at[2] >> 4;
    x->asked_with = at[3] & 15;
    x->question.failures = at[3] >> 4;
    e->version = at[4];
    e->token = at[5];
    e->terms = layout_terms(config, at[6]);
    e->shown_at = e->first_at = layout_ago(at[7]);
    x->version = at[8];
    x->question.asked_at = layout_ago(at[9]);
    x->question.again_at = layout_in(at[10]);
    x->question.number = ASKED;
    if (layout_bit(at[17], 2))
        x->first_clear = layout_bit(at[17], 1) ? OWED : ASKED;
    else if (layout_bit(at[17], 3))
        x->first_clear = ASKED;
}

void
person_unpack(const uint8_t *at, struct world *world)
{
    struct world_person *p = &world->person;

    if (!world->config->examines)
        return;
    *p = (struct world_person){.there = layout_bit(at[0], 0)};
    if (!p->there)
        return;
    unpack_examiner(world->config, at, &p->examiner);
    p->mail = (struct world_mail){
        .out = layout_bit(at[0], 1),
        .served = layout_bit(at[0], 2),
        .slow = layout_bit(at[0], 3),
        .reads = layout_bit(at[17], 0),
        .number = layout_bit(at[17], 1) ? OWED : ASKED,
        .verdict = at[11],
        .version = at[12],
        .sight = {.kind = at[13],
                  .version = at[14],
                  .token = at[15],
                  .terms = layout_terms(world->config, at[16])},
    };
    if (p->mail.out && !p->mail.reads)
        p->mail.write = clear_of(&p->examiner);
    if (layout_bit(at[17], 4))
        world_end_token(world, p->examiner.evidence.token);
    if (layout_bit(at[17], 5))
        world_end_token(world, p->mail.sight.token);
}
