#include "tale/riak/riak.h"

#include "base/check.h"
#include "tale/riak/parts.h"

_Static_assert(sizeof(struct riak_op) == 5 + RIAK_N_MAX,
               "a request is bytes without padding");
_Static_assert(sizeof(struct riak) <= 112,
               "with two workers beside it, 128 bytes");

/* Where a step happens: a request and a partition, or a partition. */
static uint8_t
about(unsigned op, unsigned partition)
{
    return (uint8_t)(op * RIAK_N_MAX + partition);
}

static struct riak_op *
free_op(struct riak *riak)
{
    for (unsigned i = 0; i < RIAK_OPS_MAX; i++)
        if (riak->ops[i].kind == RIAK_OP_NONE)
            return &riak->ops[i];
    return NULL;
}

bool
riak_ready(const struct riak *riak)
{
    return riak->ops[RIAK_OPS_MAX - 1].kind == RIAK_OP_NONE;
}

void
riak_issue(struct riak *riak, unsigned worker, struct key_request request)
{
    struct riak_worker *who = &riak->workers[worker];
    struct riak_op *op = free_op(riak);

    HF_CHECK(op != NULL);
    HF_CHECK(who->state == RIAK_IDLE);
    who->state = RIAK_WAITING;
    *op = (struct riak_op){
        .kind = RIAK_OP_WRITE,
        .owner = (worker + 1) & 0xf,
    };
    switch (request.kind) {
    case KEY_WRITE:
        HF_CHECK(request.value.id != 0);
        op->extra[RIAK_ID] = request.value.id;
        op->extra[RIAK_STAMP] = request.value.stamp;
        break;
    case KEY_REMOVE:
        if (!request.with_context || who->context == 0)
            op->kind = RIAK_OP_LOOK;
        break;
    case KEY_READ:
        op->kind = RIAK_OP_READ;
        break;
    }
    if (op->kind == RIAK_OP_WRITE && request.with_context)
        op->extra[RIAK_CONTEXT] = who->context;
    if (op->kind != RIAK_OP_WRITE)
        riak_read_start(riak, op);
    riak_tidy(riak);
}

bool
riak_answered(const struct riak *riak, unsigned worker)
{
    return riak->workers[worker].state >= RIAK_ANSWERED;
}

bool
riak_answer(struct riak *riak, unsigned worker, struct key_answer *answer)
{
    struct riak_worker *who = &riak->workers[worker];
    unsigned tombstones = 0;

    if (!riak_answered(riak, worker))
        return false;
    *answer = (struct key_answer){
        .kind = (enum key_answer_kind)(who->state - RIAK_ANSWERED),
    };
    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++) {
        if ((who->siblings & riak_bit(i)) == 0)
            continue;
        if (riak->writes[i].id == 0)
            tombstones++;
        else if (answer->count < KEY_SIBLINGS_MAX)
            answer->siblings[answer->count++] = riak->writes[i];
    }
    for (; tombstones > 0 && answer->count < KEY_SIBLINGS_MAX; tombstones--)
        answer->count++;
    who->state = RIAK_IDLE;
    who->siblings = 0;
    riak_tidy(riak);
    return true;
}

void
riak_done(struct riak *riak, unsigned worker)
{
    riak->workers[worker].context = 0;
    riak_tidy(riak);
}

static void
add(struct key_step *steps, unsigned *count, struct key_step step)
{
    HF_CHECK(*count < KEY_STEPS_MAX);
    steps[(*count)++] = step;
}

/* Where a write may be coordinated.  When it will be refused, or the first of
 * the list does it, there is no choice: that is the first primary that is up,
 * or a fallback. */
static unsigned
coordinators(const struct riak *riak)
{
    unsigned up = riak_all(riak) & ~(unsigned)riak->down;

    if (!riak->rules.first && !riak_write_refused(riak))
        return riak_all(riak);
    return up != 0 ? up & ~(up - 1) : 1;
}

static void
add_op(const struct riak *riak, unsigned index, struct key_step *steps,
       unsigned *count)
{
    const struct riak_op *op = &riak->ops[index];
    unsigned where = op->to;
    uint8_t code = RIAK_WRITE_ARRIVES;

    if (op->kind == RIAK_OP_WRITE) {
        where = coordinators(riak);
        code = RIAK_COORDINATES;
    } else if (op->kind == RIAK_OP_READ || op->kind == RIAK_OP_LOOK) {
        code = RIAK_READ_ARRIVES;
    }
    for (unsigned i = 0; where != 0; i++, where >>= 1)
        if ((where & 1) != 0)
            add(steps, count, (struct key_step){code, about(index, i), false});
    if (op->kind == RIAK_OP_OWING && op->owner == 0 &&
        (op->to == 0 || riak_ready(riak)))
        add(steps, count,
            (struct key_step){RIAK_LOOKS_BACK, about(index, 0), false});
}

unsigned
riak_steps(const struct riak *riak, struct key_step steps[KEY_STEPS_MAX])
{
    unsigned count = 0;

    for (unsigned i = 0; i < RIAK_OPS_MAX && riak->ops[i].kind != RIAK_OP_NONE;
         i++)
        add_op(riak, i, steps, &count);
    for (unsigned i = 0; i < riak->rules.n; i++) {
        unsigned bit = riak_bit(i);
        bool down = (riak->down & bit) != 0;
        uint8_t where = (uint8_t)i;

        if (riak->away[i].clock != 0 && !down)
            add(steps, &count, (struct key_step){RIAK_HANDS_OFF, where, false});
        if ((riak->reaping & bit) != 0)
            add(steps, &count, (struct key_step){RIAK_REAPS, where, false});
        if ((riak->doomed & bit) != 0)
            add(steps, &count, (struct key_step){RIAK_FORGETS, where, false});
        add(steps, &count,
            (struct key_step){down ? RIAK_COMES_BACK : RIAK_GOES_DOWN, where,
                              !down});
    }
    return count;
}

/* riak_kv_vnode:do_delete: only what is a tombstone here, too. */
static void
reap(struct riak *riak, unsigned partition)
{
    unsigned bit = riak_bit(partition);

    riak->reaping = riak->reaping & ~bit & 0xf;
    if ((riak->down & bit) != 0 || !riak_tombstone(riak, riak->home[partition]))
        return;
    if (riak->rules.delete_mode == RIAK_LATER)
        riak->doomed = (riak->doomed | bit) & 0xf;
    else
        riak_put_home(riak, partition, (struct riak_object){0});
}

/* The delete process reads all replicas, in a request of its own. */
static void
look_back(struct riak *riak, struct riak_op *op)
{
    struct riak_op *reader = op;

    op->kind = RIAK_OP_SPREAD;
    if (op->to != 0)
        reader = free_op(riak);
    HF_CHECK(reader != NULL);
    *reader = (struct riak_op){.kind = RIAK_OP_READ};
    riak_read_start(riak, reader);
}

void
riak_step(struct riak *riak, struct key_step step)
{
    unsigned place = step.about % RIAK_N_MAX;
    unsigned bit = riak_bit(place);
    struct riak_op *op = &riak->ops[step.about / RIAK_N_MAX];

    switch ((enum riak_happening_kind)step.code) {
    case RIAK_COORDINATES:
        riak_write_coordinate(riak, op, place);
        break;
    case RIAK_WRITE_ARRIVES:
        riak_write_arrive(riak, op, place);
        break;
    case RIAK_READ_ARRIVES:
        riak_read_arrive(riak, op, place);
        break;
    case RIAK_LOOKS_BACK:
        look_back(riak, op);
        break;
    case RIAK_HANDS_OFF:
        riak_put_home(riak, place,
                      riak_merge(riak, riak->home[place], riak->away[place]));
        riak->away[place] = (struct riak_object){0};
        break;
    case RIAK_REAPS:
        reap(riak, place);
        break;
    case RIAK_FORGETS:
        riak_put_home(riak, place, (struct riak_object){0});
        break;
    case RIAK_GOES_DOWN: /* and its timers are gone */
        riak->down = (riak->down | bit) & 0xf;
        riak->doomed = riak->doomed & ~bit & 0xf;
        break;
    case RIAK_COMES_BACK:
        riak->down = riak->down & ~bit & 0xf;
        break;
    }
    riak_tidy(riak);
}

/* What a request on its way writes: its own value, or the newest it has. */
static struct key_value
value_of(const struct riak *riak, const struct riak_op *op)
{
    struct key_value value = {0};

    if (op->kind == RIAK_OP_WRITE)
        return (struct key_value){op->extra[RIAK_ID], op->extra[RIAK_STAMP]};
    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++)
        if ((op->object.siblings & riak_bit(i)) != 0)
            value = riak->writes[i];
    return value;
}

unsigned
riak_step_worker(const struct riak *riak, struct key_step step)
{
    const struct riak_op *op = &riak->ops[step.about / RIAK_N_MAX];

    if (step.code > RIAK_LOOKS_BACK || op->owner == 0)
        return KEY_WORKERS_MAX;
    return op->owner - 1u;
}

struct riak_happening
riak_describe(const struct riak *riak, struct key_step step)
{
    unsigned place = step.about % RIAK_N_MAX;
    unsigned bit = riak_bit(place);
    const struct riak_op *op = &riak->ops[step.about / RIAK_N_MAX];
    struct riak_happening what = {
        .kind = (enum riak_happening_kind)step.code,
        .worker = riak_step_worker(riak, step),
        .partition = place,
    };

    if (what.kind == RIAK_HANDS_OFF)
        what.fallback = true;
    if (what.kind == RIAK_REAPS)
        what.lost = (riak->down & bit) != 0;
    if (step.code > RIAK_LOOKS_BACK)
        return what;
    if (what.kind == RIAK_COORDINATES) {
        what.fallback = (riak->down & bit) != 0;
        what.refused = riak_write_refused(riak);
    } else if (what.kind != RIAK_LOOKS_BACK) {
        what.fallback = (op->fallback & bit) != 0;
        what.lost = !what.fallback && (riak->down & bit) != 0;
    }
    if (what.kind == RIAK_COORDINATES || what.kind == RIAK_WRITE_ARRIVES)
        what.value = value_of(riak, op);
    return what;
}
