#include "core/examiner.h"

#include "base/check.h"

#define BIT(state) (1u << (state))

/* Failures in a row before the person is told. */
#define FAILURES_MAX 5

/* How often a forced clear is tried again after a beat came between.  A holder
 * that beats faster than that cannot be cleared. */
#define AGAIN_MAX 20

/* A read has so many times the patience of a clear. */
#define CALLS 5

/* Without a hint, how often to look for a beat. */
#define LOOK_EVERY_MS 500

/* Which states may follow which: the diagram in examiner.h, in code. */
static const unsigned allowed[] = {
    [HF_EXAMINER_IDLE] = BIT(HF_EXAMINER_LOOKING) | BIT(HF_EXAMINER_ENDED),
    [HF_EXAMINER_LOOKING] = BIT(HF_EXAMINER_WATCHING) |
                            BIT(HF_EXAMINER_CLEARING) | BIT(HF_EXAMINER_ENDED),
    [HF_EXAMINER_WATCHING] = BIT(HF_EXAMINER_CLEARING) | BIT(HF_EXAMINER_ENDED),
    [HF_EXAMINER_CLEARING] = BIT(HF_EXAMINER_ENDED),
    [HF_EXAMINER_ENDED] = 0,
};

static void
check_invariants(const struct hf_examiner *x)
{
    switch (x->state) {
    case HF_EXAMINER_IDLE:
    case HF_EXAMINER_ENDED:
        HF_CHECK(!x->question.waiting);
        break;
    case HF_EXAMINER_LOOKING:
    case HF_EXAMINER_WATCHING:
        HF_CHECK(!x->cleared);
        HF_CHECK(!x->unsettled);
        break;
    case HF_EXAMINER_CLEARING:
        HF_CHECK(x->config.clear);
        break;
    }
}

static void
move_to(struct hf_examiner *x, enum hf_examiner_state next)
{
    HF_CHECK(allowed[x->state] & BIT(next));
    x->state = next;
}

static void
end(struct hf_examiner *x, enum hf_status status)
{
    hf_question_stop(&x->question);
    x->status = status;
    move_to(x, HF_EXAMINER_ENDED);
    hf_outbox_notify(&x->outbox, HF_NOTICE_ENDED);
}

static void
ask(struct hf_examiner *x, enum hf_question_kind question,
    struct hf_instant now)
{
    x->asked_with = hf_evidence_proof(&x->evidence, now);
    hf_question_ask(&x->question, question, now);
    hf_outbox_add(&x->outbox, HF_OUTBOX_ASK);
}

static void
on_failed(struct hf_examiner *x, struct hf_instant now)
{
    hf_question_pause(&x->question, now);
    if (x->question.failures >= FAILURES_MAX)
        end(x, x->unsettled ? HF_E_UNKNOWN : HF_E_UNAVAILABLE);
}

static void
clear_at(struct hf_examiner *x, uint64_t version, struct hf_instant now)
{
    x->version = version;
    x->unsettled = false;
    ask(x, HF_ASK_CLEAR, now);
    x->first_clear = x->question.number;
}

static void
start_clearing(struct hf_examiner *x, uint64_t version, struct hf_instant now)
{
    move_to(x, HF_EXAMINER_CLEARING);
    clear_at(x, version, now);
}

static void
conclude(struct hf_examiner *x, enum hf_finding finding, struct hf_instant now)
{
    bool dead = finding == HF_FINDING_UNCHANGED || finding == HF_FINDING_GONE;

    x->finding = finding;
    if (x->config.clear && (dead || x->config.force))
        start_clearing(x, x->evidence.version, now);
    else
        end(x, HF_OK);
}

static struct hf_instant
watch_ends(const struct hf_examiner *x)
{
    return hf_after(x->evidence.first_at, x->config.watch);
}

static void
watch(struct hf_examiner *x, struct hf_instant now)
{
    struct hf_instant when = hf_after(now, (struct hf_duration){LOOK_EVERY_MS});

    when = hf_earlier(when, hf_evidence_stale_at(&x->evidence));
    hf_question_rest(&x->question, when);
}

static void
on_lock_seen(struct hf_examiner *x, const struct hf_sight *sight,
             struct hf_instant now)
{
    bool first = x->evidence.token == 0;
    bool unchanged = hf_evidence_lock(&x->evidence, sight, now);

    if (x->state == HF_EXAMINER_LOOKING)
        move_to(x, HF_EXAMINER_WATCHING);
    if (x->config.force)
        conclude(x, HF_FINDING_NONE, now);
    else if (!first && !unchanged)
        conclude(x, HF_FINDING_ALIVE, now);
    else if (x->asked_with == HF_PROOF_GONE)
        conclude(x, HF_FINDING_GONE, now);
    else if (x->asked_with == HF_PROOF_UNCHANGED)
        conclude(x, HF_FINDING_UNCHANGED, now);
    else if (hf_reached(now, watch_ends(x)))
        conclude(x, HF_FINDING_NONE, now);
    else if (hf_evidence_proof(&x->evidence, now) != HF_PROOF_NONE)
        ask(x, HF_ASK_READ, now); /* it came while that read was out */
    else
        watch(x, now);
}

static bool
is_same_holder(const struct hf_examiner *x, const struct hf_sight *sight)
{
    return sight->kind == HF_SIGHT_LOCK && sight->token == x->evidence.token;
}

/* Forced: has the holder beaten meanwhile?  Then no clear that was sent has
 * been applied, nor can be. */
static bool
has_beaten(struct hf_examiner *x, const struct hf_sight *sight)
{
    return x->config.force && is_same_holder(x, sight) &&
           x->again++ < AGAIN_MAX;
}

/* The version to be deleted is gone.  A clear without an answer may have done
 * that, unless the same holder has beaten since; or the holder gave back, or
 * another took over or cleared. */
static void
end_past(struct hf_examiner *x, const struct hf_sight *sight)
{
    bool unknown = x->unsettled && !is_same_holder(x, sight);

    if (sight->kind == HF_SIGHT_LOCK)
        x->finding = HF_FINDING_ALIVE;
    end(x, unknown ? HF_E_UNKNOWN : HF_OK);
}

/* After a refused clear: the version is gone, by our own clear or by another
 * write. */
static void
on_found_clearing(struct hf_examiner *x, const struct hf_sight *sight,
                  struct hf_instant now)
{
    if (sight->kind != HF_SIGHT_ABSENT && sight->version == x->version) {
        on_failed(x, now); /* refused by the other operation of the group */
        return;
    }
    if (has_beaten(x, sight)) {
        clear_at(x, sight->version, now);
        return;
    }
    end_past(x, sight);
}

/* Is a clear wanted, but not of this holder? */
static bool
spares(const struct hf_examiner *x, const struct hf_sight *sight)
{
    return x->config.clear && x->config.token != 0 &&
           sight->kind != HF_SIGHT_ABSENT && sight->token != x->config.token;
}

static void
on_found(struct hf_examiner *x, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_question_answered(&x->question, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        on_failed(x, event->at);
        return;
    }

    x->answered = true;
    x->found = sight->kind;
    if (x->state == HF_EXAMINER_CLEARING) {
        on_found_clearing(x, sight, event->at);
        return;
    }
    if (spares(x, sight))
        end(x, HF_OK);
    else if (sight->kind == HF_SIGHT_LOCK)
        on_lock_seen(x, sight, event->at);
    else if (sight->kind == HF_SIGHT_CORRUPT && x->config.clear &&
             x->config.force)
        start_clearing(x, sight->version, event->at);
    else
        end(x, HF_OK);
}

/* All writes since the first clear are the same clear of one version: applied
 * or refused is true of all of them, whenever it is told.  An earlier write was
 * refused. */
static void
on_answer(struct hf_examiner *x, const struct hf_event *event)
{
    bool expected = hf_question_answered(&x->question, event->answer.number);
    bool fact = event->answer.verdict == HF_APPLIED ||
                event->answer.verdict == HF_REFUSED;
    bool reads = x->question.waiting && x->question.kind == HF_ASK_READ;

    if (x->state != HF_EXAMINER_CLEARING || (!expected && (!fact || reads)) ||
        event->answer.number < x->first_clear)
        return;

    switch (event->answer.verdict) {
    case HF_APPLIED:
        x->cleared = true;
        end(x, HF_OK);
        break;
    case HF_REFUSED:
        if (event->answer.number == x->first_clear)
            x->unsettled = false; /* the version was gone before all of them */
        ask(x, HF_ASK_READ, event->at);
        break;
    case HF_UNKNOWN:
        x->unsettled = true;
        on_failed(x, event->at);
        break;
    case HF_UNAVAILABLE:
        on_failed(x, event->at);
        break;
    }
}

static bool
is_active(const struct hf_examiner *x)
{
    return x->state != HF_EXAMINER_IDLE && x->state != HF_EXAMINER_ENDED;
}

static void
on_stop(struct hf_examiner *x)
{
    bool open = x->unsettled ||
                (x->question.waiting && x->question.kind == HF_ASK_CLEAR);

    if (x->state != HF_EXAMINER_ENDED)
        end(x, open ? HF_E_UNKNOWN : HF_E_CANCELLED);
}

/* The place went back: look again. */
static void
on_went_back(struct hf_examiner *x, struct hf_instant now)
{
    if (x->state == HF_EXAMINER_CLEARING) {
        end(x, HF_E_UNAVAILABLE);
    } else if (is_active(x)) {
        x->evidence = (struct hf_evidence){0};
        ask(x, HF_ASK_READ, now);
    }
}

static void
on_clock(struct hf_examiner *x, struct hf_instant now)
{
    if (!is_active(x))
        return;
    if (hf_question_silence(&x->question, now) == HF_SILENCE_OVER) {
        if (x->question.kind == HF_ASK_CLEAR)
            x->unsettled = true;
        on_failed(x, now);
    }
    if (!is_active(x) || x->question.waiting)
        return;
    if (x->state == HF_EXAMINER_WATCHING && hf_reached(now, watch_ends(x)))
        conclude(x, HF_FINDING_NONE, now);
    else if (hf_reached(now, x->question.again_at))
        ask(x, x->state == HF_EXAMINER_CLEARING ? HF_ASK_CLEAR : HF_ASK_READ,
            now);
}

static void
look_sooner(struct hf_examiner *x, struct hf_instant now)
{
    if (x->state == HF_EXAMINER_WATCHING && !x->question.waiting &&
        x->question.failures == 0)
        ask(x, HF_ASK_READ, now);
}

static void
on_processes(struct hf_examiner *x, const struct hf_event *event)
{
    if (x->state != HF_EXAMINER_WATCHING)
        return;
    hf_evidence_processes(&x->evidence, event->processes.version,
                          event->processes.gone);
    if (x->evidence.gone)
        look_sooner(x, event->at);
}

void
hf_examiner_init(struct hf_examiner *x, const struct hf_examiner_config *config)
{
    *x = (struct hf_examiner){.config = *config, .found = HF_SIGHT_NONE};
    hf_question_init(&x->question, &(struct hf_question_config){
                                       .least = config->patience,
                                       .most = config->patience,
                                       .call = {CALLS * config->patience.ms},
                                   });
}

void
hf_examiner_step(struct hf_examiner *x, struct hf_event event)
{
    HF_CHECK(x->outbox.count == 0);

    switch (event.kind) {
    case HF_ON_EXAMINE:
        move_to(x, HF_EXAMINER_LOOKING);
        ask(x, HF_ASK_READ, event.at);
        break;
    case HF_ON_ANSWER:
        on_answer(x, &event);
        break;
    case HF_ON_FOUND:
        on_found(x, &event);
        break;
    case HF_ON_PROCESSES:
        on_processes(x, &event);
        break;
    case HF_ON_HINT:
        look_sooner(x, event.at);
        break;
    case HF_ON_CANCEL:
    case HF_ON_ABANDON:
        on_stop(x);
        break;
    case HF_ON_WENT_BACK:
        on_went_back(x, event.at);
        break;
    case HF_ON_CLOCK:
        break;
    case HF_ON_ACQUIRE:
    case HF_ON_CLAIM:
    case HF_ON_WRITE:
    case HF_ON_RELEASE:
        HF_CHECK(!"an event for another machine");
    }
    on_clock(x, event.at); /* every event tells the time */

    check_invariants(x);
}

void
hf_examiner_request(const struct hf_examiner *x, struct hf_request *request)
{
    *request = (struct hf_request){
        .number = x->question.number,
        .read = x->question.kind == HF_ASK_READ,
    };
    if (request->read)
        return;
    request->ops_count = 2;
    request->ops[0] = (struct hf_op){
        .kind = HF_DELETE,
        .target = HF_TARGET_LOCK,
        .expect = {HF_EXPECT_VERSION, x->version},
    };
    request->ops[1] = (struct hf_op){
        .kind = HF_PUT,
        .target = HF_TARGET_AUDIT,
        .expect = {HF_EXPECT_ABSENT, 0},
        .new_generation = true,
        .subject = x->version,
    };
}

bool
hf_examiner_next(struct hf_examiner *x, struct hf_effect *effect)
{
    uint8_t entry;

    if (!hf_outbox_take(&x->outbox, &entry))
        return false;

    if (entry != HF_OUTBOX_ASK) {
        *effect = (struct hf_effect){.kind = HF_DO_NOTIFY,
                                     .notice = (enum hf_notice_kind)entry};
        return true;
    }
    *effect = (struct hf_effect){.kind = HF_DO_ASK};
    hf_examiner_request(x, &effect->request);
    return true;
}

struct hf_instant
hf_examiner_deadline(const struct hf_examiner *x)
{
    struct hf_instant deadline = hf_question_deadline(&x->question);

    if (!is_active(x))
        return HF_NEVER;
    if (x->state == HF_EXAMINER_WATCHING && !x->question.waiting)
        return hf_earlier(deadline, watch_ends(x));
    return deadline;
}

bool
hf_examiner_asking(const struct hf_examiner *x, uint64_t *number)
{
    *number = x->question.number;
    return x->question.waiting;
}

bool
hf_examiner_watching(const struct hf_examiner *x, uint64_t *version)
{
    if (x->state != HF_EXAMINER_WATCHING || x->question.failures > 0)
        return false;
    *version = x->evidence.version;
    return true;
}
