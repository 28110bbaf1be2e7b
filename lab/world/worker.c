#include "lab/world/worker.h"

#include <stddef.h>

#include "base/check.h"
#include "lab/world/forget.h"
#include "lab/world/names.h"
#include "lab/world/promise.h"
#include "lab/world/resource.h"
#include "lab/world/stored.h"

unsigned
worker_first_alike(const struct world_config *config, unsigned worker)
{
    unsigned first = 0;

    while (config->terms[first].ttl != config->terms[worker].ttl ||
           config->terms[first].beat != config->terms[worker].beat ||
           config->terms[first].if_dead != config->terms[worker].if_dead)
        first++;
    return first;
}

static struct world_write
write_of(const struct world *world, unsigned worker,
         const struct hf_request *request)
{
    const struct hf_op *op = &request->ops[0];

    HF_CHECK(op->expect.kind == HF_EXPECT_VERSION);
    return (struct world_write){
        .kind = op->kind,
        .claims = op->new_generation,
        .version = op->expect.version,
        .id = op->heartbeat.id,
        .over = request->ops_count == 2 ? request->ops[1].subject : 0,
        .worker = worker,
        .terms = worker_first_alike(world->config, worker),
    };
}

static void
on_notice(struct world *world, unsigned worker, enum hf_notice_kind notice,
          const struct world_mail *heard)
{
    struct world_worker *w = &world->workers[worker];

    if (notice == HF_NOTICE_GRANTED) {
        w->in_section = true;
        w->doubts = false;
        promise_grant(world, worker);
        resource_grant(world, worker);
    } else if (notice == HF_NOTICE_LOST) {
        w->in_section = w->doubts = false;
    } else if (notice == HF_NOTICE_IN_DOUBT || notice == HF_NOTICE_CERTAIN) {
        w->doubts = notice == HF_NOTICE_IN_DOUBT;
    } else if (notice == HF_NOTICE_SUSPECTED) {
        promise_death(world, HF_SUSPECTED_DEAD, heard);
    }
}

/* Did it end because the holder is dead?  That it is suspected was told before,
 * unless it ends by what it has just read. */
static bool
ends_with_a_death(const struct hf_contender *c, const struct world_mail *heard)
{
    if (c->state != HF_CONTENDER_ENDED || c->status != HF_OK)
        return false;
    return c->outcome == HF_GONE ||
           (c->outcome == HF_SUSPECTED_DEAD && heard->out && heard->reads);
}

/* Would the claim before its last have had the same id?  A contender like it,
 * which has made two claims less, makes one. */
static bool
chose_it_before(const struct world_config *config, unsigned worker,
                const struct hf_contender *c)
{
    const struct hf_sight absent = {.kind = HF_SIGHT_ABSENT, .version = 1};
    struct hf_contender other;
    struct hf_effect effect;

    if (c->claims < 2)
        return false;
    worker_init_contender(config, worker, &other);
    other.claims = c->claims - 2;
    hf_contender_step(&other, hf_event(HF_ON_ACQUIRE, WORLD_NOW));
    while (hf_contender_next(&other, &effect))
        ; /* it looks */
    hf_contender_step(&other, hf_found(WORLD_NOW, 1, absent));
    return other.keeper.heartbeat.id == c->keeper.heartbeat.id;
}

/* Ids are random and large; in the world they are small, and as distinct as the
 * machine chose them: `last` is that of its claim before. */
static void
name_claim(struct world *world, unsigned worker, uint64_t last)
{
    struct world_worker *w = &world->workers[worker];
    uint64_t *id = &w->contender.keeper.heartbeat.id;
    uint64_t name;

    if (*id < NAMES_MAX)
        return;
    name = last;
    if (last == 0 || !chose_it_before(world->config, worker, &w->contender))
        name = stored_new_id(world);
    if (w->mail.out && w->mail.write.id == *id)
        w->mail.write.id = name;
    *id = name;
}

static bool
write_is_out(const struct world_worker *w)
{
    return w->mail.out && !w->mail.served && !w->mail.reads;
}

/* Nobody waits for the call any more; what it writes may still apply. */
static void
let_go(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    if (write_is_out(w))
        stored_keep_late(world, w->mail.write);
    w->mail = (struct world_mail){.out = false};
}

/* Its question goes out, unless a call is under way. */
static void
send(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];
    const struct hf_question *question = &w->contender.keeper.question;
    struct hf_request request;

    if (w->mail.out || !question->waiting)
        return;
    hf_keeper_request(&w->contender.keeper, &request);
    w->mail = (struct world_mail){
        .out = true,
        .reads = request.read,
        .number = request.number,
    };
    if (!request.read)
        w->mail.write = write_of(world, worker, &request);
}

/* Is this the answer of the call that is under way? */
static bool
ends_call(const struct world_mail *mail, const struct hf_event *event)
{
    if (event->kind == HF_ON_FOUND)
        return mail->out && event->found.number == mail->number;
    return event->kind == HF_ON_ANSWER && mail->out &&
           event->answer.number == mail->number;
}

/* Step the contender, and take in what it tells; returns the number of a write
 * that it superseded before it was sent, or 0. */
static uint64_t
step(struct world *world, unsigned worker, struct hf_event event)
{
    struct world_worker *w = &world->workers[worker];
    struct hf_contender *c = &w->contender;
    enum hf_outcome before = hf_contender_check(c, WORLD_NOW);
    static const struct world_mail nothing;
    const struct world_mail *heard = &nothing;
    struct world_mail ended;
    struct hf_question *question = &w->contender.keeper.question;
    bool waits = question->waiting && question->kind != HF_ASK_READ &&
                 (!w->mail.out || w->mail.number != question->number);
    uint64_t number = question->number;
    struct hf_effect effect;

    if (ends_call(&w->mail, &event)) {
        ended = w->mail;
        heard = &ended;
        w->mail = (struct world_mail){.out = false};
    }
    hf_contender_step(c, event);
    while (hf_contender_next(c, &effect))
        if (effect.kind == HF_DO_NOTIFY)
            on_notice(world, worker, effect.notice, heard);
    promise_step(world, worker, before);
    if (ends_with_a_death(c, heard))
        promise_death(world, c->outcome, heard);
    if (waits && (!question->waiting || question->number != number))
        return number;
    return 0;
}

/* A record that the place brought back, of a worker that had settled, has no
 * owner. */
static void
forsake(struct world *world, unsigned worker)
{
    if (world->forgot && world->exists &&
        world->id == world->workers[worker].contender.keeper.heartbeat.id)
        world->id = stored_new_id(world);
}

/* There is no process any more. */
static void
clear(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    *w = (struct world_worker){.phase = w->phase};
    world->heard[worker] = (struct world_mail){.out = false};
}

/* The claim of a process, as far as it is known. */
struct world_process {
    uint64_t token; /* or 0 */
    uint64_t id;    /* or 0 */
};

static struct world_process
process_of(const struct world_worker *w)
{
    const struct hf_keeper *k = &w->contender.keeper;
    bool works = w->alive && k->state != HF_KEEPER_IDLE;

    return (struct world_process){
        .token = works ? k->token : 0,
        .id = w->alive ? k->heartbeat.id : 0,
    };
}

/* From now on it can be seen that it is gone. */
static void
end_process(struct world *world, const struct world_process *process)
{
    world_end_token(world, process->token);
    if (world->exists && process->id != 0 && world->id == process->id)
        world_end_token(world, world->token);
}

/* Every event enters here.  A worker that is cut off from the store gives the
 * call up with the question: nothing comes back from it. */
void
worker_pump(struct world *world, unsigned worker, struct hf_event event)
{
    struct world_worker *w = &world->workers[worker];
    struct world_process process = process_of(w);
    uint64_t unsent = step(world, worker, event);

    while (unsent != 0)
        unsent = step(world, worker,
                      hf_answer(WORLD_NOW, unsent, HF_UNAVAILABLE, 0));
    if (w->cut && worker_is_owed(w))
        let_go(world, worker);
    send(world, worker);
    name_claim(world, worker, process.id);
    if (w->contender.state == HF_CONTENDER_ENDED) {
        let_go(world, worker);
        promise_end(world, worker);
        forsake(world, worker);
        end_process(world, &process);
        clear(world, worker);
    }
}

/* A refuse lock's holder may be said to be dead thereupon.  (Looked at only in
 * worlds that are searched in full: else a reader would look at what
 * reduction.h takes for the holder's own.) */
static void
read_record(const struct world *world, struct world_mail *mail)
{
    unsigned owner = world_owner(world);
    const struct world_config *config = world->config;
    bool refuse = (config->same_host || config->suspects) && world->exists &&
                  !world->foreign &&
                  world->config->terms[world->terms].if_dead == HF_REFUSE;

    mail->sight = stored_read(world);
    mail->of_dead = refuse && world_has_ended(world, world->token);
    mail->of_believer = refuse && owner != WORLD_WORKERS_MAX &&
                        hf_contender_check(&world->workers[owner].contender,
                                           WORLD_NOW) == HF_GRANTED;
}

void
worker_serve(struct world *world, unsigned worker)
{
    struct world_mail *mail = &world->workers[worker].mail;

    mail->served = true;
    if (world->workers[worker].unaware) {
        mail->went_back = true;
        mail->verdict = HF_UNAVAILABLE;
        mail->sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
        return;
    }
    if (mail->reads) {
        read_record(world, mail);
        return;
    }
    mail->verdict = stored_apply(world, &mail->write);
    mail->version = mail->verdict == HF_APPLIED ? world->version : 0;
}

void
worker_init_contender(const struct world_config *config, unsigned worker,
                      struct hf_contender *contender)
{
    const struct world_terms *terms = &config->terms[worker];
    struct hf_contender_config own = {
        .terms = world_terms_of(config, worker),
        .grace = world_ticks(terms->grace),
        .limit = terms->limit == 0 ? HF_FOREVER : world_ticks(terms->limit),
        .try_only = terms->try_only,
        .fail_suspected = terms->fails,
        .seed = worker + 1,
    };

    if (terms->try_only)
        own.limit = own.terms.ttl;
    hf_contender_init(contender, &own);
}

void
worker_hand_on(struct world *world, unsigned worker)
{
    struct hf_contender *c = &world->workers[worker].contender;
    struct hf_evidence evidence = c->evidence;

    worker_init_contender(world->config, worker, c);
    hf_contender_inherit(c, &evidence);
    worker_pump(world, worker, hf_event(HF_ON_ACQUIRE, WORLD_NOW));
}

void
worker_return(struct world *world, unsigned worker, uint64_t version)
{
    struct world_worker *w = &world->workers[worker];

    w->alive = true;
    worker_init_contender(world->config, worker, &w->contender);
    hf_contender_return(&w->contender, version);
    worker_pump(world, worker, hf_event(HF_ON_ACQUIRE, WORLD_NOW));
}

void
worker_return_in_vain(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    worker_return(world, worker, ++world->given);
    if (world->forgot)
        return; /* of what the place has lost: it is never given again */
    world->given--;
    w->contender.claimed_version = w->contender.keeper.version = 0;
    w->contender.keeper.inflight.writes[0].version = 0;
    w->mail.write.version = 0;
}

void
worker_begin(struct world *world, unsigned worker)
{
    worker_return(world, worker, 0);
}

void
worker_release(struct world *world, unsigned worker)
{
    world->workers[worker].in_section = false;
    worker_pump(world, worker, hf_event(HF_ON_RELEASE, WORLD_NOW));
}

/* Its client has the other place open from now on, and says so. */
static void
tell_went_back(struct world *world, unsigned worker)
{
    world->workers[worker].unaware = false;
    if (world->workers[worker].alive)
        worker_pump(world, worker, hf_event(HF_ON_WENT_BACK, WORLD_NOW));
}

void
worker_deliver(struct world *world, unsigned worker)
{
    struct world_mail mail = world->workers[worker].mail;

    if (mail.slow)
        forget_excuse(world);
    if (mail.reads)
        worker_pump(world, worker,
                    hf_found(WORLD_NOW, mail.number, mail.sight));
    else
        worker_pump(
            world, worker,
            hf_answer(WORLD_NOW, mail.number, mail.verdict, mail.version));
    if (mail.went_back)
        tell_went_back(world, worker);
    if (world->config->hints && world->workers[worker].alive)
        world->heard[worker] = mail;
}

/* Its write may still apply, and has no owner. */
static void
vanish(struct world *world, unsigned worker, bool ended)
{
    let_go(world, worker);
    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].worker == worker) {
            world->late[i].worker = WORLD_WORKERS_MAX;
            world->late[i].ended = ended && world->config->same_host;
        }
    clear(world, worker);
}

void
worker_crash(struct world *world, unsigned worker)
{
    struct world_process process = process_of(&world->workers[worker]);

    vanish(world, worker, true);
    end_process(world, &process);
}

void
worker_abandon(struct world *world, unsigned worker)
{
    struct hf_contender *c = &world->workers[worker].contender;
    struct hf_effect effect;

    hf_contender_step(c, hf_event(HF_ON_ABANDON, WORLD_NOW));
    HF_CHECK(c->state == HF_CONTENDER_ENDED);
    while (hf_contender_next(c, &effect))
        HF_CHECK(effect.kind == HF_DO_NOTIFY);
    vanish(world, worker, false);
}

void
worker_answer_unavailable(struct world *world, unsigned worker)
{
    struct world_mail *mail = &world->workers[worker].mail;

    forget_excuse(world);
    mail->served = true;
    mail->verdict = HF_UNAVAILABLE;
    mail->version = 0;
}

void
worker_answer_unknown(struct world *world, unsigned worker, enum world_act how)
{
    struct world_mail *mail = &world->workers[worker].mail;

    forget_excuse(world);
    if (how == ACT_UNKNOWN_APPLIED)
        worker_serve(world, worker);
    else if (how == ACT_UNKNOWN_LATER)
        stored_keep_late(world, mail->write);
    mail->served = true;
    mail->verdict = HF_UNKNOWN;
    mail->version = 0;
}

/* ---- Time --------------------------------------------------------------- */

/* Its clock has gone on by so many ticks: every instant it knows is as much
 * further in the past. */
static void
pass(struct hf_contender *c, int count)
{
    world_age(&c->limit_at, count);
    world_age(&c->evidence.first_at, count);
    world_age(&c->evidence.shown_at, count);
    world_age(&c->keeper.question.asked_at, count);
    world_age(&c->keeper.question.again_at, count);
    world_age(&c->keeper.right_until, count);
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        world_age(&c->keeper.inflight.writes[i].at, count);
}

/* A clock that gains g in every ttl ticks of its own counts ttl of them while
 * the others count ttl - g. */
static int
ticks_of(const struct world_terms *terms, unsigned *phase)
{
    int period = terms->ttl - terms->gains;
    int before = (int)*phase * terms->gains / period;
    int after = (int)(*phase + 1) * terms->gains / period;

    *phase = (*phase + 1) % (unsigned)period;
    return 1 + after - before;
}

void
worker_tick(const struct world_config *config, unsigned worker,
            struct world_worker *w)
{
    const struct world_terms *terms = &config->terms[worker];
    int count = terms->gains == 0 ? 1 : ticks_of(terms, &w->phase);

    if (w->alive)
        pass(&w->contender, count);
    if (w->mail.out && w->mail.age < (unsigned)config->latency)
        w->mail.age++;
}
