#include "lab/world/person.h"

#include "base/check.h"
#include "lab/world/promise.h"
#include "lab/world/stored.h"

enum { PERSON_BYTES = 20, PATIENCE_TICKS = 2 };

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

/* Its question goes out, unless a call is under way. */
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
    p->mail.sight.heartbeat.id = 0; /* it compares none */
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
code_examiner(struct coder *coder, struct hf_examiner *x)
{
    struct codec *codec = &coder->codec;
    struct hf_evidence *e = &x->evidence;

    CODE_BITS(codec, 1, x->answered);
    CODE_BITS(codec, 1, x->unsettled);
    CODE_BITS(codec, 1, x->question.waiting);
    CODE_BITS(codec, 1, e->present);
    CODE_BITS(codec, 1, e->beat_seen);
    CODE_BITS(codec, 1, e->same_holder);
    CODE_BITS(codec, 1, e->running);
    CODE_BITS(codec, 1, e->gone);
    CODE_BITS(codec, 4, x->state);
    CODE_BITS(codec, 4, x->question.kind);
    CODE_BITS(codec, 4, x->asked_with);
    CODE_BITS(codec, 4, x->question.failures);
    code_evidence(coder, e);
    CODE_VERSION(coder, x->version);
    code_since(codec, &x->question.asked_at, x->question.waiting,
               x->question.config.call);
    codec_ahead(codec, &x->question.again_at);
}

/* Which calls, of those it may know of, are the same. */
struct calls {
    bool is_other;    /* the call under way is not of the last question */
    bool is_first;    /* it is of the first clear */
    bool asked_first; /* the last question is */
};

static void
code_calls(struct codec *codec, struct world_person *p)
{
    struct hf_examiner *x = &p->examiner;
    uint64_t asked = x->question.number;
    struct calls calls = {
        .is_other = p->mail.number != asked,
        .is_first = p->mail.out && p->mail.number == x->first_clear,
        .asked_first = asked == x->first_clear,
    };

    CODE_BITS(codec, 1, calls.is_other);
    CODE_BITS(codec, 1, calls.is_first);
    CODE_BITS(codec, 1, calls.asked_first);
    if (!codec->reads)
        return;
    x->question.number = ASKED;
    p->mail.number = calls.is_other ? OWED : ASKED;
    if (calls.is_first)
        x->first_clear = p->mail.number;
    else if (calls.asked_first)
        x->first_clear = ASKED;
}

static void
code_person(struct coder *coder, struct world *world)
{
    struct codec *codec = &coder->codec;
    struct world_person *p = &world->person;
    uint64_t *token = &p->examiner.evidence.token;
    uint64_t *shown = &p->mail.sight.token;
    bool has_ended = !codec->reads && world_has_ended(world, *token);
    bool shown_ended = !codec->reads && world_has_ended(world, *shown);

    CODE_BITS(codec, 1, p->mail.out);
    CODE_BITS(codec, 1, p->mail.served);
    CODE_BITS(codec, 1, p->mail.slow);
    CODE_BITS(codec, 1, p->mail.reads);
    CODE_BITS(codec, 1, p->examiner.question.late);
    CODE_BITS(codec, 1, has_ended);
    CODE_BITS(codec, 1, shown_ended);
    codec_byte_ends(codec);
    code_examiner(coder, &p->examiner);
    code_calls(codec, p);
    codec_byte_ends(codec);
    code_answer(coder, &p->mail);
    if (!codec->reads)
        return;
    if (p->mail.out && !p->mail.reads)
        p->mail.write = clear_of(&p->examiner);
    if (has_ended)
        world_end_token(world, *token);
    if (shown_ended)
        world_end_token(world, *shown);
}

void
person_code(struct coder *coder, struct world *world)
{
    struct world_person *p = &world->person;
    struct coder part;

    if (!world->config->examines)
        return;
    part = *coder;
    part.codec = codec_part(&coder->codec, PERSON_BYTES);
    if (coder->codec.reads) {
        *p = (struct world_person){.there = false};
        init_examiner(&p->examiner);
    }
    CODE(&part.codec, p->there);
    if (p->there)
        code_person(&part, world);
    else
        *p = (struct world_person){.there = false};
    codec_end(&part.codec);
}
