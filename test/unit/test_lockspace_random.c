#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "lab/check.h"
#include "unit/support/oracle.h"

/*
 * A lockspace and an oracle are given the same random events, and must say the
 * same after each; beside them stands a store, which must show no two grants
 * that conflict, and whatever an answer that is due tells of.
 *
 * HF_SEED=N runs one seed of each test; HF_WORLDS=N so many; HF_SHARE=N one in
 * so many, where a sanitizer makes everything slow.
 */
enum {
    NOBODY = ORACLE_SESSIONS - 1, /* its session is never open */
    SENT = 64,                    /* messages remembered, to come once more */
    RECORDS = 1024,
    ANSWERS = 4096,
    OPERATIONS_MAX = 64,
    FENCES = 4096,
    AUDIT_SIZE = 128,
};

struct shape {
    unsigned sessions;
    unsigned lanes;
    unsigned names;
    unsigned wants;  /* at most, of a request */
    bool takes_over; /* there is a grace in which places are taken [L5] */
    unsigned steps;
    unsigned worlds;
};

struct record {
    bool on;
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t fence;
    uint8_t modes[ORACLE_NAMES];
};

/* A message as it was sent, to an incarnation of its session. */
struct sent {
    struct oracle_message message;
    uint64_t id;
};

struct due {
    uint64_t mark;
    uint64_t fence; /* GRANTED */
    struct sent of; /* RELEASED, CLEARED */
    enum hf_answer_kind kind;
};

struct world {
    const struct shape *shape;
    uint64_t seed;
    uint64_t random;
    struct hf_lockspace_config config;
    struct hf_lockspace *ls;
    void *spare; /* another block, into which it moves now and then */
    struct oracle oracle;
    uint64_t ids[ORACLE_SESSIONS]; /* of the present incarnations */
    uint64_t last_id;
    uint64_t last_stream;
    uint64_t last_mark;
    uint64_t last_fence;
    struct sent sent[SENT];
    size_t sent_count;

    /* The store, and the batch that is on its way. */
    struct record records[RECORDS];
    bool recorded[4096]; /* sessions, by id */
    bool audited[FENCES];
    struct hf_change changes[OPERATIONS_MAX];
    struct record puts[OPERATIONS_MAX];
    size_t changes_count;
    struct hf_batch batch;
    bool under_way;
    struct due dues[ANSWERS];
    size_t dues_first, dues_count;

    size_t steps, grants, timeouts, deadlocks, clears, checked, others, late;
};

static struct world world;

static void
on_abort(int number)
{
    (void)number;
    printf("seed %llu, step %zu\n", (unsigned long long)world.seed,
           world.steps);
    fflush(stdout);
    _exit(1);
}

/* xorshift64* (Vigna 2016) */
static uint64_t
below(struct world *w, uint64_t range)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (w->random * UINT64_C(2685821657736338717) >> 16) % range;
}

static bool
chance(struct world *w, unsigned percent)
{
    return below(w, 100) < percent;
}

/* ---- What was answered --------------------------------------------------- */

static bool
is_same(const struct oracle_answer *a, const struct hf_answer *b)
{
    if (a->stream != b->stream || a->kind != b->kind)
        return false;
    if (b->kind == HF_ANSWER_OVER)
        return a->over == b->over;
    if (b->kind == HF_ANSWER_BLOCKING_TIMEOUT)
        return (a->parked != NULL) ==
               (b->blocked.remaining.ms > 0 || b->blocked.park.ms > 0);
    if (b->kind == HF_ANSWER_GRANTED)
        return a->grant != NULL || a->fence == b->fence;
    if (b->kind == HF_ANSWER_NOT_SUSPECTED)
        return a->silent == b->suspected.silent.ms &&
               a->rest == b->suspected.rest.ms;
    return b->kind != HF_ANSWER_ALIVE ||
           hf_fence_sum_equal(&a->held, &b->alive.held);
}

/* What is listed is what is summed, whatever was granted since. */
static void
check_listed(struct world *w, const struct hf_answer *alive)
{
    struct hf_fence_sum sum = {0};
    uint32_t cursor = 0;
    uint64_t fence;

    while (sum.count < alive->alive.held.count &&
           hf_lockspace_held(w->ls, alive->alive.session, &cursor, &fence))
        hf_fence_sum_add(&sum, fence);
    HF_CHECK(hf_fence_sum_equal(&sum, &alive->alive.held));
}

static void
expect(struct world *w, const struct hf_answer *answer)
{
    struct oracle *o = &w->oracle;
    unsigned i = 0;

    HF_CHECK(answer->mark > w->last_mark);
    w->last_mark = answer->mark;
    while (i < o->answers_count && !is_same(&o->answers[i], answer))
        i++;
    if (i == o->answers_count)
        printf("stream %llu: kind %d over %d was not expected\n",
               (unsigned long long)answer->stream, (int)answer->kind,
               answer->kind == HF_ANSWER_OVER ? (int)answer->over : -1);
    HF_CHECK(i < o->answers_count);
    if (o->answers[i].grant != NULL) {
        HF_CHECK(answer->fence > w->last_fence);
        w->last_fence = answer->fence;
        o->answers[i].grant->fence = answer->fence;
        w->grants++;
    }
    if (o->answers[i].parked != NULL)
        o->answers[i].parked->told_by = answer->mark;
    w->timeouts += answer->kind == HF_ANSWER_BLOCKING_TIMEOUT;
    w->others += answer->kind == HF_ANSWER_OTHER;
    if (answer->kind == HF_ANSWER_ALIVE)
        check_listed(w, answer);
    o->answers[i] = o->answers[--o->answers_count];
}

/* Hand it to the machine, whose oracle has been asked, and compare. */
static void
step(struct world *w, struct hf_lockspace_event event, const struct sent *of)
{
    struct hf_answer answer;

    event.at.ms = w->oracle.now;
    hf_lockspace_step(w->ls, &event);
    while (hf_lockspace_next(w->ls, &answer)) {
        expect(w, &answer);
        if (answer.kind != HF_ANSWER_GRANTED &&
            answer.kind != HF_ANSWER_RELEASED &&
            answer.kind != HF_ANSWER_CLEARED)
            continue;
        HF_CHECK(w->dues_count < ANSWERS);
        w->dues[w->dues_count++] = (struct due){
            .mark = answer.mark,
            .fence = answer.kind == HF_ANSWER_GRANTED ? answer.fence : 0,
            .of = of != NULL ? *of : (struct sent){.id = 0},
            .kind = answer.kind,
        };
    }
    if (w->oracle.answers_count > 0)
        printf("stream %llu: kind %d was missing\n",
               (unsigned long long)w->oracle.answers[0].stream,
               (int)w->oracle.answers[0].kind);
    HF_CHECK(w->oracle.answers_count == 0);
    HF_CHECK((hf_lockspace_cycle_len(w->ls) > 1) ==
             (w->oracle.deadlocks > w->deadlocks));
    w->deadlocks = w->oracle.deadlocks;
    hf_lockspace_check(w->ls);
}

/* ---- Messages ------------------------------------------------------------ */

static struct hf_want
want_of(unsigned name, uint8_t mode)
{
    static const char *const names[ORACLE_NAMES] = {
        "a", "b", "a-name-that-needs-more-than-one-piece", "d", "e", "f"};

    return (struct hf_want){
        .space = {name % 2 == 0 ? "even" : "odd", name % 2 == 0 ? 4u : 3u},
        .name = {names[name], strlen(names[name])},
        .mode = mode == ORACLE_SHARED ? HF_SHARED : HF_EXCLUSIVE,
    };
}

static size_t
wants_of(const uint8_t *modes, struct hf_want *wants)
{
    size_t count = 0;

    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (modes[i] != ORACLE_NOTHING)
            wants[count++] = want_of(i, modes[i]);
    return count;
}

/* What is to be said of a clear of that fence: of many lengths. */
static struct hf_bytes
audit_of(uint64_t fence, char text[AUDIT_SIZE])
{
    int len = snprintf(text, AUDIT_SIZE, "%0*llu", (int)(fence * 7 % 97) + 1,
                       (unsigned long long)fence);

    return (struct hf_bytes){text, (size_t)len};
}

static void
fill_acquire(struct hf_message *message, const struct oracle_message *m,
             struct hf_want *wants)
{
    message->acquire.wants = wants;
    message->acquire.wants_count = wants_of(m->modes, wants);
    message->acquire.free = m->free;
    message->acquire.wait = m->wait;
    message->acquire.remaining.ms = m->remaining;
    message->acquire.park.ms = m->park;
    message->acquire.waited.ms = m->waited;
    message->acquire.note = (struct hf_bytes){"a note", 6};
    message->acquire.key = (struct hf_of_key){
        .given = m->of_key,
        .ttl_given = !m->no_ttl,
        .if_dead_given = !m->no_refuse,
        .ttl = {m->ttl},
        .if_dead = m->refuse ? HF_REFUSE : HF_TAKEOVER,
        .any_mode = m->no_modes ? UINT64_MAX : 0,
    };
}

static void
fill(struct hf_message *message, const struct sent *sent, struct hf_want *wants)
{
    static char audit[AUDIT_SIZE];
    const struct oracle_message *m = &sent->message;

    *message = (struct hf_message){
        .kind = m->kind,
        .stream = m->stream,
        .session = sent->id,
        .term = 7,
        .lowest = m->lowest,
        .lane = m->lane,
        .n = m->n,
        .a = m->a,
    };
    if (m->kind == HF_MESSAGE_OPEN) {
        message->open.ttl.ms = m->ttl;
        message->open.if_dead = m->refuse ? HF_REFUSE : HF_TAKEOVER;
        message->open.of_key = m->of_key;
        message->open.of_acquire = m->of_acquire;
    } else if (m->kind == HF_MESSAGE_ACQUIRE) {
        fill_acquire(message, m, wants);
    } else if (m->kind == HF_MESSAGE_CHANGE && wants_of(m->modes, wants) > 0) {
        message->change = wants[0];
    } else if (m->kind == HF_MESSAGE_CLEAR && wants_of(m->modes, wants) > 0) {
        message->clear.lock = wants[0];
        message->clear.fence = m->fence;
        message->clear.at_once = m->at_once;
        message->clear.audit = audit_of(m->fence, audit);
    }
}

static void
send(struct world *w, struct sent sent)
{
    struct hf_lockspace_event event = {.kind = HF_SPACE_MESSAGE};
    struct hf_want wants[ORACLE_NAMES];

    sent.message.stream = ++w->last_stream;
    if (sent.message.kind != HF_MESSAGE_OPEN &&
        sent.message.kind != HF_MESSAGE_CLEAR &&
        sent.id != w->ids[sent.message.session])
        sent.message.session = NOBODY; /* an incarnation that is over */
    w->sent[w->sent_count++ % SENT] = sent;
    w->late += sent.message.late;
    fill(&event.message, &sent, wants);
    oracle_message(&w->oracle, &sent.message);
    step(w, event, &sent);
}

/* The first name alone is what a change or a clear is about. */
static void
pick_names(struct world *w, struct oracle_message *m, unsigned most)
{
    unsigned count = (unsigned)below(w, most) + 1;

    for (unsigned i = 0; i < count; i++)
        m->modes[below(w, w->shape->names)] =
            chance(w, 45) ? ORACLE_SHARED : ORACLE_EXCLUSIVE;
}

static void
pick_request(struct world *w, struct oracle_message *m)
{
    const struct oracle_lane *lane =
        &w->oracle.sessions[m->session].lanes[m->lane];

    m->n = lane->n + (chance(w, 55) ? 1 : 0);
    if (m->n > 1 && chance(w, 6))
        m->n -= below(w, m->n);
    if (m->n == 0)
        m->n = 1;
    m->a = m->n == lane->n ? lane->a + 1 : 1;
    if (chance(w, 15))
        m->a = below(w, m->a + 1);
    pick_names(w, m, w->shape->wants);
    m->free = chance(w, 8);
    m->wait = chance(w, 15)   ? HF_WAIT_TRY
              : chance(w, 40) ? HF_WAIT_LIMITED
                              : HF_WAIT_FOREVER;
    m->remaining = (int64_t)below(w, 30);
    m->park = chance(w, 20) ? (int64_t)below(w, 50) : 0;
    m->waited = chance(w, 50) ? (int64_t)below(w, 16) : 0;
}

/* Mostly what the key was first for. */
static void
pick_of_key(struct world *w, struct oracle_message *m)
{
    const struct oracle_session *session = &w->oracle.sessions[m->session];

    m->of_key = true;
    m->ttl = session->ttl + (chance(w, 10) ? 1 : 0);
    m->refuse = session->refuse != chance(w, 10);
    m->no_ttl = chance(w, 50);
    m->no_refuse = chance(w, 50);
    m->no_modes = chance(w, 30);
    if (session->asked && chance(w, 80)) {
        memcpy(m->modes, session->asked_modes, sizeof(m->modes));
        m->free = session->asked_free;
    }
    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (m->no_modes && m->modes[i] != ORACLE_NOTHING)
            m->modes[i] = ORACLE_EXCLUSIVE;
}

/* Mostly of a grant that is there. */
static void
pick_old(struct world *w, struct oracle_message *m)
{
    const struct oracle_lane *lane =
        &w->oracle.sessions[m->session].lanes[m->lane];

    m->n = lane->n;
    for (unsigned i = 0; i < ORACLE_GRANTS && chance(w, 40); i++)
        if (lane->grants[i].on)
            m->n = lane->grants[i].n;
    if (m->n == 0 || chance(w, 5))
        m->n++;
    m->a = 1;
}

static void
pick_clear(struct world *w, struct oracle_message *m)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        const struct oracle_lane *lane =
            &w->oracle.sessions[below(w, w->shape->sessions)]
                 .lanes[below(w, w->shape->lanes)];
        const struct oracle_grant *grant =
            &lane->grants[below(w, ORACLE_GRANTS)];

        if (lane->known && grant->on)
            m->fence = grant->fence;
    }
    m->at_once = chance(w, 50);
    pick_names(w, m, 1);
}

static void
random_message(struct world *w)
{
    struct sent sent = {0};
    struct oracle_message *m = &sent.message;
    struct oracle_session *session;

    m->session = (unsigned)below(w, w->shape->sessions);
    m->lane = (unsigned)below(w, w->shape->lanes);
    session = &w->oracle.sessions[m->session];
    m->lowest = session->lowest;
    sent.id = w->ids[m->session];
    if (!session->open || chance(w, 1)) {
        m->kind = HF_MESSAGE_OPEN;
        m->ttl = 20 + (int64_t)below(w, 60);
        m->refuse = chance(w, 30);
        m->of_key = chance(w, 40);
        m->of_acquire = chance(w, 40);
        m->late = !session->open && w->oracle.now < session->ended_until &&
                  m->of_key && chance(w, 50);
        if (!session->open && !m->late)
            sent.id = w->ids[m->session] = ++w->last_id;
    } else if (chance(w, 55)) {
        m->kind = HF_MESSAGE_ACQUIRE;
        pick_request(w, m);
        if (session->of_key && chance(w, 70))
            pick_of_key(w, m);
    } else if (chance(w, 50)) {
        m->kind = HF_MESSAGE_RELEASE;
        pick_old(w, m);
    } else if (chance(w, 45)) {
        m->kind = HF_MESSAGE_KEEP_ALIVE;
        m->lowest += chance(w, 3);
    } else if (chance(w, 60)) {
        m->kind = HF_MESSAGE_CHANGE;
        pick_old(w, m);
        pick_names(w, m, 1);
    } else if (chance(w, 70)) {
        m->kind = HF_MESSAGE_CLEAR;
        pick_clear(w, m);
    } else {
        m->kind = HF_MESSAGE_END;
    }
    send(w, sent);
}

/* ---- Everything else ----------------------------------------------------- */

static const struct sent *
some_sent(struct world *w)
{
    size_t count = w->sent_count < SENT ? w->sent_count : SENT;

    return count == 0 ? NULL : &w->sent[below(w, count)];
}

/* A message comes once more, on another stream. */
static void
duplicate(struct world *w)
{
    const struct sent *sent = some_sent(w);

    if (sent != NULL && sent->message.kind != HF_MESSAGE_OPEN &&
        sent->message.session != NOBODY &&
        sent->message.kind != HF_MESSAGE_KEEP_ALIVE)
        send(w, *sent);
}

/* Of the grant that the request has, and now and then of one before it. */
static uint64_t
fence_of(struct world *w, const struct oracle_message *message)
{
    const struct oracle_grant *grant =
        oracle_grant(&w->oracle, message->session, message->lane, message->n);

    if (grant == NULL)
        return 0;
    return grant->fence - (below(w, 5) == 0 ? 1 : 0);
}

static void
about_a_stream(struct world *w, enum hf_lockspace_event_kind kind)
{
    const struct sent *sent = some_sent(w);
    struct oracle_message message;

    if (sent == NULL || sent->message.kind != HF_MESSAGE_ACQUIRE ||
        sent->message.session == NOBODY ||
        sent->id != w->ids[sent->message.session] ||
        !w->oracle.sessions[sent->message.session].open)
        return;
    message = sent->message;
    message.fence = fence_of(w, &message);
    message.cut = chance(w, 50);
    if (kind == HF_SPACE_HANDED)
        oracle_handed(&w->oracle, &message);
    else
        oracle_stream_ends(&w->oracle, &message);
    step(w,
         (struct hf_lockspace_event){
             .kind = kind,
             .request = {.stream = message.stream,
                         .session = sent->id,
                         .lane = message.lane,
                         .n = message.n,
                         .fence = message.fence,
                         .cut = message.cut},
         },
         NULL);
}

/* Whatever answer of it nobody read. */
static void
about_unread(struct world *w)
{
    unsigned session = (unsigned)below(w, ORACLE_SESSIONS);

    oracle_unread(&w->oracle, session);
    step(w,
         (struct hf_lockspace_event){
             .kind = HF_SPACE_UNREAD,
             .request = {.session = w->ids[session]},
         },
         NULL);
}

static void
tell_time(struct world *w)
{
    w->oracle.now += (int64_t)below(w, 6);
    oracle_clock(&w->oracle);
    step(w,
         (struct hf_lockspace_event){.kind = HF_SPACE_CLOCK,
                                     .read_until = {w->oracle.now}},
         NULL);
}

/* The same bytes in another block are the same machine. */
static void
move(struct world *w)
{
    void *from = w->ls;

    memcpy(w->spare, from, hf_lockspace_size(&w->config));
    memset(from, 0xee, hf_lockspace_size(&w->config));
    w->ls = w->spare;
    w->spare = from;
}

/* ---- The store ----------------------------------------------------------- */

static unsigned
index_of_name(struct world *w, const struct hf_look_name *name)
{
    char text[64];
    size_t len = hf_look_text(w->ls, name->name, text, sizeof(text));

    for (unsigned i = 0; i < ORACLE_NAMES; i++) {
        struct hf_want want = want_of(i, ORACLE_SHARED);

        if (want.name.len == len && memcmp(want.name.at, text, len) == 0)
            return i;
    }
    HF_CHECK(!"a name that nobody asked for");
    return 0;
}

static struct record
read_put(struct world *w, const struct hf_change *change)
{
    struct record record = {.on = true, .fence = change->key};
    struct hf_look_claim grant;
    struct hf_look_name name;
    enum hf_mode mode;
    uint32_t cursor = 0;

    hf_look_grant_at(w->ls, change->number, &grant);
    HF_CHECK(grant.fence == change->key);
    record.session = grant.session;
    record.lane = grant.lane;
    record.n = grant.n;
    while (hf_look_grant_names(w->ls, change->number, &cursor, &name, &mode))
        record.modes[index_of_name(w, &name)] =
            mode == HF_SHARED ? ORACLE_SHARED : ORACLE_EXCLUSIVE;
    return record;
}

/* Each clear is audited once, and in its own words. */
static void
read_audit(struct world *w, const struct hf_change *change)
{
    struct hf_string text = hf_look_audit_at(w->ls, change->number);
    char said[AUDIT_SIZE];
    char expected[AUDIT_SIZE];
    struct hf_bytes all = audit_of(change->key, expected);

    HF_CHECK(change->key < FENCES && !w->audited[change->key]);
    HF_CHECK(text.len == all.len);
    hf_look_text(w->ls, text, said, sizeof(said));
    HF_CHECK(memcmp(said, expected, all.len) == 0);
}

static void
begin_batch(struct world *w)
{
    struct hf_budget budget = {2 + (uint32_t)below(w, 6), 16384};

    w->changes_count = 0;
    hf_lockspace_begin(w->ls, budget);
    while (hf_lockspace_take(w->ls, &w->changes[w->changes_count])) {
        const struct hf_change *change = &w->changes[w->changes_count];

        if (change->kind == HF_CHANGE_PUT_GRANT)
            w->puts[w->changes_count] = read_put(w, change);
        if (change->kind == HF_CHANGE_PUT_AUDIT)
            read_audit(w, change);
        w->changes_count++;
    }
    hf_lockspace_fix(w->ls, &w->batch);
    HF_CHECK(w->changes_count == w->batch.operations &&
             w->batch.operations <= budget.operations);
    w->under_way = true;
    hf_lockspace_check(w->ls);
}

static struct record *
record_of(struct world *w, uint64_t fence)
{
    for (size_t i = 0; i < RECORDS; i++)
        if (w->records[i].on && w->records[i].fence == fence)
            return &w->records[i];
    return NULL;
}

static void
put_record(struct world *w, const struct record *record)
{
    struct record *at = record_of(w, record->fence);

    for (size_t i = 0; at == NULL; i++) {
        HF_CHECK(i < RECORDS);
        if (!w->records[i].on)
            at = &w->records[i];
    }
    *at = *record;
    HF_CHECK(w->recorded[record->session]);
}

static void
apply(struct world *w)
{
    for (size_t i = 0; i < w->changes_count; i++) {
        const struct hf_change *change = &w->changes[i];
        struct record *record;

        switch (change->kind) {
        case HF_CHANGE_PUT_SESSION:
            w->recorded[change->key] = true;
            break;
        case HF_CHANGE_DELETE_SESSION:
            HF_CHECK(w->recorded[change->key]);
            w->recorded[change->key] = false;
            break;
        case HF_CHANGE_PUT_GRANT:
            put_record(w, &w->puts[i]);
            break;
        case HF_CHANGE_DELETE_GRANT:
            record = record_of(w, change->key);
            HF_CHECK(record != NULL);
            record->on = false;
            break;
        case HF_CHANGE_PUT_AUDIT:
            w->audited[change->key] = true;
            break;
        }
    }
}

static bool
is_valid(const struct world *w, const struct record *record)
{
    return record->on && w->recorded[record->session];
}

static bool
clash(const struct record *a, const struct record *b)
{
    if (a->session == b->session && a->lane == b->lane)
        return false;
    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (a->modes[i] != ORACLE_NOTHING && b->modes[i] != ORACLE_NOTHING &&
            (a->modes[i] == ORACLE_EXCLUSIVE ||
             b->modes[i] == ORACLE_EXCLUSIVE))
            return true;
    return false;
}

static void
check_store(const struct world *w)
{
    for (size_t i = 0; i < RECORDS; i++)
        for (size_t j = 0; j < i && is_valid(w, &w->records[i]); j++)
            HF_CHECK(!is_valid(w, &w->records[j]) ||
                     !clash(&w->records[i], &w->records[j]));
}

/* Does any grant of that fence still stand, in the oracle? */
static bool
stands(struct world *w, uint64_t fence)
{
    for (unsigned s = 0; s < ORACLE_SESSIONS; s++)
        for (unsigned l = 0; l < ORACLE_LANES; l++)
            for (unsigned g = 0; g < ORACLE_GRANTS; g++) {
                const struct oracle_grant *grant =
                    &w->oracle.sessions[s].lanes[l].grants[g];

                if (grant->on && !grant->revoked && grant->fence == fence)
                    return true;
            }
    return false;
}

static void
check_due(struct world *w, const struct due *due)
{
    w->checked++;
    if (due->kind == HF_ANSWER_GRANTED) {
        const struct record *record = record_of(w, due->fence);

        HF_CHECK(!stands(w, due->fence) ||
                 (record != NULL && is_valid(w, record)));
        return;
    }
    if (due->kind == HF_ANSWER_CLEARED) {
        HF_CHECK(w->audited[due->of.message.fence]);
        w->clears++;
        return;
    }
    for (size_t i = 0; i < RECORDS; i++)
        HF_CHECK(!is_valid(w, &w->records[i]) ||
                 w->records[i].session != due->of.id ||
                 w->records[i].lane != due->of.message.lane ||
                 w->records[i].n != due->of.message.n);
}

static void
end_batch(struct world *w)
{
    w->under_way = false;
    apply(w);
    check_store(w);
    oracle_applied(&w->oracle, w->batch.through);
    step(w,
         (struct hf_lockspace_event){
             .kind = HF_SPACE_BATCH,
             .batch = {w->batch.number, HF_APPLIED},
         },
         NULL);
    while (w->dues_first < w->dues_count &&
           w->dues[w->dues_first].mark <= w->batch.through)
        check_due(w, &w->dues[w->dues_first++]);
}

/* The answer of a batch of long ago. */
static void
answer_late(struct world *w)
{
    if (w->batch.number <= 1)
        return;
    oracle_nothing(&w->oracle);
    step(w,
         (struct hf_lockspace_event){
             .kind = HF_SPACE_BATCH,
             .batch = {w->batch.number - 1, HF_REFUSED},
         },
         NULL);
}

/* ---- Worlds -------------------------------------------------------------- */

static void
random_step(struct world *w)
{
    uint64_t dice = below(w, 100);

    w->oracle.now += (int64_t)below(w, 2);
    if (dice < 60)
        random_message(w);
    else if (dice < 67)
        duplicate(w);
    else if (dice < 75)
        about_a_stream(w, HF_SPACE_STREAM_ENDED);
    else if (dice < 79)
        about_a_stream(w, HF_SPACE_HANDED);
    else if (dice < 81)
        about_unread(w);
    else if (dice < 90)
        tell_time(w);
    else if (dice < 98)
        w->under_way ? end_batch(w) : begin_batch(w);
    else if (dice < 99)
        answer_late(w);
    else
        move(w);
}

static const struct hf_lockspace_config world_config = {
    .limits =
        {
            .sessions = 64,
            .keys = 256,
            .lanes = 64,
            .claims = 512,
            .waiters = 32,
            .names = 16,
            .spaces = 2,
            .parts = 2048,
            .texts = 1024,
            .session_lanes = 8,
            .session_waiters = 8,
            .session_grants = 128,
            .space_waiters = 64,
            .space_grants = 512,
            .request_names = 6,
            .search = 4096,
            .record_bytes = 4096,
        },
    .blocking = {9}, /* so short that it has no random part */
    .resume_grace = {5},
    .ttl_max = {100},
    .seed = 1,
};

static void
serve(struct world *w, struct hf_lockspace *ls)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_SERVE,
        .at = {w->oracle.now},
        .serve = {.term = 7,
                  .next_fence = 1,
                  .wall_us = 5,
                  .age = {w->oracle.now - w->oracle.begun_at}},
    };

    hf_lockspace_step(ls, &event);
    HF_CHECK(hf_lockspace_serving(ls));
}

static void
load(struct hf_lockspace *ls, const struct record *record)
{
    struct hf_want wants[ORACLE_NAMES];
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_LOAD_GRANT,
        .grant = {
            .fence = record->fence,
            .session = record->session,
            .lane = record->lane,
            .n = record->n,
            .wants = wants,
            .wants_count = wants_of(record->modes, wants),
        }};

    hf_lockspace_step(ls, &event);
}

/* Another leader finds in the store what it takes, and the same grants. */
static void
succeed(struct world *w)
{
    struct hf_lockspace *ls;
    uint64_t from = 0;
    size_t valid = 0;

    memset(w->spare, 0, hf_lockspace_size(&w->config));
    ls = hf_lockspace_init(w->spare, &w->config);
    for (uint64_t id = 1; id <= w->last_id; id++)
        if (w->recorded[id])
            hf_lockspace_step(ls, &(struct hf_lockspace_event){
                                      .kind = HF_SPACE_LOAD_SESSION,
                                      .session = {.id = id, .ttl = {50}}});
    for (;;) {
        const struct record *next = NULL;

        for (size_t i = 0; i < RECORDS; i++)
            if (w->records[i].on && w->records[i].fence > from &&
                (next == NULL || w->records[i].fence < next->fence))
                next = &w->records[i];
        if (next == NULL)
            break;
        from = next->fence;
        load(ls, next);
        HF_CHECK(hf_lockspace_believes(ls, next->session, next->fence) ==
                 is_valid(w, next));
        valid += is_valid(w, next);
    }
    serve(w, ls);
    hf_lockspace_check(ls);
    w->checked += valid;
}

static void
run_world(struct world *w, const struct shape *shape, uint64_t seed)
{
    void *block;
    void *spare;

    *w = (struct world){
        .shape = shape,
        .seed = seed,
        .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
        .config = world_config,
        .oracle = {.now = 1000, .blocking = 9, .resume_grace = 5},
    };
    if (shape->takes_over) {
        w->config.takeover_grace.ms = 8;
        w->oracle.gather_from = 1000;
        w->oracle.gather_until = 1008;
        w->oracle.begun_at = 1000 - 1 - (int64_t)below(w, 4);
    }
    block = calloc(1, hf_lockspace_size(&w->config));
    spare = calloc(1, hf_lockspace_size(&w->config));
    HF_CHECK(block != NULL && spare != NULL);
    w->ls = hf_lockspace_init(block, &w->config);
    w->spare = spare;
    serve(w, w->ls);
    for (w->steps = 0; w->steps < shape->steps; w->steps++)
        random_step(w);
    succeed(w);
    free(block);
    free(spare);
}

static uint64_t
from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void
run_worlds(const struct shape *shape)
{
    uint64_t only = from_environment("HF_SEED", 0);
    uint64_t share = shape->worlds / from_environment("HF_SHARE", 1);
    uint64_t count = only != 0 ? 1 : from_environment("HF_WORLDS", share);
    size_t grants = 0, timeouts = 0, lost = 0, done = 0, deadlocks = 0;
    size_t clears = 0, unread = 0;
    size_t checked = 0, others = 0, late = 0, polls = 0, ungranted = 0;

    for (uint64_t i = 0; i < count; i++) {
        run_world(&world, shape, only != 0 ? only : i + 1);
        grants += world.grants;
        timeouts += world.timeouts;
        lost += world.oracle.lost;
        polls += world.oracle.polls;
        ungranted += world.oracle.ungranted;
        done += world.oracle.done;
        unread += world.oracle.unread;
        deadlocks += world.deadlocks;
        clears += world.clears;
        checked += world.checked;
        others += world.others;
        late += world.late;
    }
    printf("%llu worlds: %zu grants, %zu blocking timeouts, %zu places kept "
           "for a poll, %zu places lost, %zu of them granted, %zu sessions "
           "done, %zu unread, %zu deadlocks, %zu clears, %zu other requests, "
           "%zu late opens, %zu looks at the store\n",
           (unsigned long long)count, grants, timeouts, polls, lost, ungranted,
           done, unread, deadlocks, clears, others, late, checked);
    if (only != 0)
        return;
    /* What never happened proves nothing. */
    assert_true(grants > count * 2);
    assert_true(timeouts > count / 10);
    assert_true(polls > 0);
    assert_true(lost > ungranted && ungranted > 0);
    assert_true(done > count / 10);
    assert_true(unread > 0);
    assert_true(deadlocks > count / 10);
    assert_true(clears > 0);
    assert_true(checked > count * 2);
    assert_true(others > count / 2);
    assert_true(late > 0);
}

static void
four_lanes_and_three_names_do_what_the_oracle_says(void **state)
{
    const struct shape shape = {2, 2, 3, 2, false, 250, 1500};

    (void)state;
    run_worlds(&shape);
}

static void
four_lanes_take_their_places_again_as_the_oracle_says(void **state)
{
    const struct shape shape = {4, 1, 3, 2, true, 50, 6000};

    (void)state;
    run_worlds(&shape);
}

static void
many_lanes_and_six_names_do_what_the_oracle_says(void **state)
{
    const struct shape shape = {5, 3, 6, 4, false, 250, 500};

    (void)state;
    run_worlds(&shape);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_lanes_and_three_names_do_what_the_oracle_says),
        cmocka_unit_test(four_lanes_take_their_places_again_as_the_oracle_says),
        cmocka_unit_test(many_lanes_and_six_names_do_what_the_oracle_says),
    };
    struct sigaction action = {.sa_handler = on_abort};

    sigaction(SIGABRT, &action, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
