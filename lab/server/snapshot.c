#include "lab/server/snapshot.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/claims.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/line.h"
#include "core/lockspace/list.h"
#include "core/lockspace/load.h"
#include "core/lockspace/names.h"
#include "core/lockspace/owners.h"

#define SPACE "s"
#define TERM  1

enum { LANE = 1 }; /* the number of every client's */

enum flag {
    FLAG_HANDED = 1,
    FLAG_STORED = 2,
    FLAG_TO_PUT = 4,
    FLAG_FREE = 8,
    FLAG_UNTOLD = 16,
};

/* Of a session that was loaded. */
enum loaded_flag {
    LOADED_UNHEARD = 1,
    LOADED_SAYS_SILENT = 2,
    LOADED_TO_SAY = 4,
    LOADED_TO_TAKE_BACK = 8,
    LOADED_MAY_COME_BACK = 16,
};

static const char *const names[SNAPSHOT_NAMES] = {"a", "b", "c"};

struct hf_lockspace_config
snapshot_lockspace(unsigned blocking, unsigned resume_grace,
                   unsigned takeover_grace)
{
    enum { ENOUGH = 24 };

    return (struct hf_lockspace_config){
        .limits = {.sessions = SNAPSHOT_CLIENTS,
                   .lanes = SNAPSHOT_CLIENTS,
                   .claims = ENOUGH,
                   .waiters = SNAPSHOT_CLIENTS,
                   .names = SNAPSHOT_NAMES,
                   .spaces = 1,
                   .parts = 2 * ENOUGH,
                   .texts = SNAPSHOT_NAMES + 1,
                   .session_lanes = 1,
                   .session_waiters = 1,
                   .session_grants = SNAPSHOT_CLAIMS + 1,
                   .space_waiters = 2 * ENOUGH,
                   .space_grants = 2 * ENOUGH,
                   .request_names = SNAPSHOT_NAMES,
                   .search = 2 * ENOUGH,
                   .record_bytes = 4096},
        .blocking = {blocking},
        .resume_grace = {resume_grace},
        .takeover_grace = {takeover_grace},
        .ttl_max = {1000},
        .seed = 1,
    };
}

struct hf_want
snapshot_want(unsigned name, enum hf_mode mode)
{
    return (struct hf_want){
        .space = {SPACE, strlen(SPACE)},
        .name = {names[name], strlen(names[name])},
        .mode = mode,
    };
}

/* ---- Ticks --------------------------------------------------------------- */

static int64_t
tick_ms(const struct snapshot_config *config)
{
    return config->tick.ms == 0 ? 1 : config->tick.ms;
}

static uint8_t
until(const struct snapshot_config *config, struct hf_instant now,
      struct hf_instant at)
{
    int64_t left_ms = hf_between(now, at).ms;
    int64_t most_ms = SNAPSHOT_NEVER * tick_ms(config);

    if (left_ms >= most_ms)
        return SNAPSHOT_NEVER;
    return (uint8_t)((left_ms + tick_ms(config) - 1) / tick_ms(config));
}

static struct hf_instant
in(const struct snapshot_config *config, uint8_t ticks)
{
    if (ticks == SNAPSHOT_NEVER)
        return HF_NEVER;
    return hf_after(SNAPSHOT_NOW,
                    (struct hf_duration){ticks * tick_ms(config)});
}

static struct hf_instant
ago(const struct snapshot_config *config, uint8_t ticks)
{
    return hf_after(SNAPSHOT_NOW,
                    (struct hf_duration){-(int64_t)ticks * tick_ms(config)});
}

/* ---- Taking -------------------------------------------------------------- */

/* NULL: it is not in it. */
static const struct hf_timers_node *
node_of(const struct hf_lockspace *ls, const struct hf_timers *heap,
        uint32_t item)
{
    const uint32_t *places = hf_pool_behind(ls, heap->places);
    const struct hf_timers_node *nodes = hf_pool_behind(ls, heap->nodes);

    return places[item] == 0 ? NULL : &nodes[places[item] - 1];
}

static unsigned
name_number(const struct hf_lockspace *ls, uint32_t name)
{
    char text = '\0';

    hf_strings_copy(ls, &ls->texts, hf_name_text(hf_name_at(ls, name)), &text,
                    1);
    return (unsigned)(text - names[0][0]);
}

/* Of two of one name: did the onlooker come before the one in line?  Who is
 * behind is so of the first in line, for it is by this that it is told. */
static bool
looked_before(const struct hf_ls_part *onlooker,
              const struct hf_ls_part *in_line)
{
    return onlooker->clear || (in_line->links.prev != 0 &&
                               !hf_part_came_before(in_line, onlooker));
}

static uint8_t place_of(const struct hf_lockspace *ls,
                        const struct hf_ls_claim *claim);

/* The greater of `most` and the place of that part's claim. */
static uint8_t
further(const struct hf_lockspace *ls, uint32_t at, uint8_t most)
{
    uint8_t place = place_of(ls, hf_claim_at(ls, hf_part_at(ls, at)->claim));

    return place > most ? place : most;
}

/* The furthest place of those of its name who came before that part. */
static uint8_t
place_before(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    bool looks_on = hf_claim_at(ls, part->claim)->looks_on;
    const struct hf_ls_name *name = hf_name_at(ls, part->name);
    uint32_t at = looks_on ? name->line.first
                  : name->onlookers != 0
                      ? hf_onlookers_at(ls, part->name)->all.first
                      : 0;
    uint8_t most = 0;

    for (; at != 0; at = hf_part_at(ls, at)->links.next) {
        const struct hf_ls_part *other = hf_part_at(ls, at);

        HF_CHECK(hf_claim_at(ls, other->claim)->looks_on != looks_on);
        if (looks_on ? !looked_before(part, other) : looked_before(other, part))
            most = further(ls, at, most);
    }
    if (!looks_on && part->links.prev != 0)
        most = further(ls, part->links.prev, most);
    return most;
}

/* The longest line of those that stand before it: of each name, one after the
 * other.  In this alone, who only looks stands before who comes later. */
static uint8_t
place_of(const struct hf_lockspace *ls, const struct hf_ls_claim *claim)
{
    uint8_t most = 0;

    for (uint32_t at = claim->parts; at != 0; at = hf_part_at(ls, at)->next) {
        uint8_t place = place_before(ls, hf_part_at(ls, at));

        most = place > most ? place : most;
    }
    return (uint8_t)(most + 1);
}

static uint8_t
rank_of_gathered(const struct hf_lockspace *ls, uint32_t item)
{
    const struct hf_timers_node *nodes = hf_pool_behind(ls, ls->gathered.nodes);
    const struct hf_timers_node *own = node_of(ls, &ls->gathered, item);
    uint8_t rank = 1;

    for (uint32_t i = 0; i < ls->gathered.count; i++)
        if (nodes[i].at_ms < own->at_ms ||
            (nodes[i].at_ms == own->at_ms &&
             (int32_t)(nodes[i].turn - own->turn) < 0))
            rank++;
    return rank;
}

static uint8_t
timer_of_claim(const struct hf_lockspace *ls,
               const struct snapshot_config *config, uint32_t item,
               struct hf_instant now)
{
    const struct hf_timers_node *node = node_of(ls, &ls->timers, item);

    return node == NULL ? SNAPSHOT_NEVER
                        : until(config, now, (struct hf_instant){node->at_ms});
}

/* Of a grant: ticks until it is given back, and one; 0: it is not. */
static uint8_t
kept_of_claim(const struct hf_lockspace *ls,
              const struct snapshot_config *config, uint32_t number,
              struct hf_instant now)
{
    uint8_t timer =
        timer_of_claim(ls, config, hf_item_of_claim(ls, number), now);

    return timer == SNAPSHOT_NEVER ? 0 : (uint8_t)(timer + 1);
}

/* A session's timer may be too early, and follows when it is due. */
static uint8_t
timer_of_session(const struct hf_lockspace *ls,
                 const struct snapshot_config *config, uint32_t number)
{
    const struct hf_timers_node *node = node_of(ls, &ls->timers, number);
    struct hf_instant end = hf_owners_end_of_ttl(hf_session_at(ls, number));

    return node == NULL ? SNAPSHOT_NEVER
                        : until(config, end, (struct hf_instant){node->at_ms});
}

/* Is it still to be seen whether it comes back soon? */
static bool
may_come_back(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);
    const struct hf_timers_node *node = node_of(ls, &ls->timers, number);

    return session->unheard && !session->says_silent && node != NULL &&
           node->at_ms < hf_owners_end_of_ttl(session).ms;
}

static uint8_t
loaded_of_session(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);
    unsigned bits = 0;

    if (session->unheard)
        bits |= LOADED_UNHEARD;
    if (session->says_silent)
        bits |= LOADED_SAYS_SILENT;
    if (session->pending == HF_PENDING_SILENCE)
        bits |= LOADED_TO_SAY;
    if (session->pending == HF_PENDING_PUT)
        bits |= LOADED_TO_TAKE_BACK;
    if (may_come_back(ls, number))
        bits |= LOADED_MAY_COME_BACK;
    return (uint8_t)bits;
}

static void
take_wait(const struct hf_lockspace *ls, const struct snapshot_config *config,
          uint32_t number, struct hf_instant now,
          struct snapshot_claim *snapshot)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint32_t item = hf_item_of_claim(ls, number);

    snapshot->limit = until(config, now, claim->wait_end);
    if (claim->state == HF_CLAIM_ASKED) {
        snapshot->state = SNAPSHOT_GATHERED;
        snapshot->waited =
            (uint8_t)(hf_between(claim->since, now).ms / tick_ms(config));
        snapshot->place = rank_of_gathered(ls, item);
        return;
    }
    snapshot->state = SNAPSHOT_WAITING;
    snapshot->place = place_of(ls, claim);
    snapshot->timer = timer_of_claim(ls, config, item, now);
}

static void
take_claim(const struct hf_lockspace *ls, const struct snapshot_config *config,
           uint32_t number, struct hf_instant now,
           struct snapshot_claim *snapshot)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);

    snapshot->n = (uint8_t)claim->n;
    snapshot->stream = (uint8_t)claim->stream;
    snapshot->flags =
        (uint8_t)((claim->handed ? FLAG_HANDED : 0) |
                  (claim->stored ? FLAG_STORED : 0) |
                  (claim->looks_on ? FLAG_FREE : 0) |
                  (claim->untold ? FLAG_UNTOLD : 0) |
                  (claim->pending == HF_PENDING_PUT ? FLAG_TO_PUT : 0));
    for (uint32_t at = claim->parts; at != 0; at = hf_part_at(ls, at)->next)
        snapshot->modes[name_number(ls, hf_part_at(ls, at)->name)] =
            (uint8_t)(hf_part_at(ls, at)->mode + 1);
    if (claim->state == HF_CLAIM_ASKED || claim->state == HF_CLAIM_WAITING) {
        take_wait(ls, config, number, now, snapshot);
        return;
    }
    snapshot->state =
        claim->state == HF_CLAIM_HELD ? SNAPSHOT_HELD : SNAPSHOT_REVOKED;
    snapshot->fence = (uint8_t)claim->fence;
    snapshot->waited = kept_of_claim(ls, config, number, now);
}

static void
take_lane(const struct hf_lockspace *ls, const struct snapshot_config *config,
          uint32_t number, struct hf_instant now,
          struct snapshot_client *snapshot)
{
    const struct hf_ls_lane *lane = hf_lane_at(ls, number);
    unsigned count = 0;

    snapshot->lane = 1;
    snapshot->state = lane->state;
    snapshot->over = lane->over;
    snapshot->n = (uint8_t)lane->n;
    snapshot->a = (uint8_t)lane->a;
    for (uint32_t at = lane->held.first; at != 0;
         at = hf_claim_at(ls, at)->mates.next) {
        HF_CHECK(count < SNAPSHOT_CLAIMS);
        take_claim(ls, config, at, now, &snapshot->claims[count++]);
    }
    if (hf_claims_waits(lane)) {
        HF_CHECK(count < SNAPSHOT_CLAIMS);
        take_claim(ls, config, lane->current, now, &snapshot->claims[count]);
    }
}

void
snapshot_take(const struct hf_lockspace *ls,
              const struct snapshot_config *config, struct hf_instant now,
              struct snapshot *snapshot)
{
    *snapshot = (struct snapshot){
        .next_fence = (uint8_t)ls->next_fence,
        .gathers = until(config, now, ls->gather_until),
        .holds = until(config, now, ls->hold_until),
    };
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++) {
        const struct hf_ls_session *session = hf_session_at(ls, at);
        struct snapshot_client *client;
        int64_t silent;

        if (session->state == HF_SESSION_FREE)
            continue;
        HF_CHECK(session->id >= 1 && session->id <= config->clients);
        client = &snapshot->clients[session->id - 1];
        silent = hf_between(session->heard_at, now).ms;
        client->session = session->state;
        client->silent =
            (uint8_t)((silent < config->ttl.ms ? silent : config->ttl.ms) /
                      tick_ms(config));
        client->recorded = session->recorded;
        if (session->state != HF_SESSION_OVER) {
            client->timer = timer_of_session(ls, config, at);
            client->loaded = loaded_of_session(ls, at);
        }
        if (session->lanes != 0)
            take_lane(ls, config, session->lanes, now, client);
    }
}

static void
set_due(struct hf_lockspace *ls, uint32_t number, struct hf_instant now,
        bool sessions_first)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);
    struct hf_instant end = hf_owners_end_of_ttl(session);

    if (session->state != HF_SESSION_FREE && hf_reached(now, end) &&
        node_of(ls, &ls->timers, number) != NULL)
        hf_timers_set(ls, &ls->timers, number, sessions_first ? 0 : end.ms);
}

void
snapshot_order_timers(struct hf_lockspace *ls, struct hf_instant now,
                      unsigned first, bool sessions_first)
{
    uint32_t number = hf_owners_session(ls, first + 1);

    if (number != 0)
        set_due(ls, number, now, sessions_first);
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++)
        if (at != number)
            set_due(ls, at, now, sessions_first);
}

/* ---- Building ------------------------------------------------------------ */

static void
build_session(struct hf_lockspace *ls, unsigned client,
              const struct snapshot_config *config,
              const struct snapshot_client *from)
{
    uint32_t number = hf_owners_open(ls, &(struct hf_loaded_session){
                                             .id = client + 1,
                                             .ttl = config->ttl,
                                             .if_dead = config->if_dead,
                                         });
    struct hf_ls_session *session = hf_session_at(ls, number);

    session->heard_at = ago(config, from->silent);
    session->heard = from->lane; /* one message of it at least, or none */
    session->recorded = from->recorded;
    if (from->session == HF_SESSION_OVER) {
        hf_journal_end_session(ls, number);
        return;
    }
    if (from->lane != 0) {
        uint32_t at = hf_owners_add_lane(ls, number, LANE);
        struct hf_ls_lane *lane = hf_lane_at(ls, at);

        lane->n = from->n;
        lane->a = from->a;
        lane->over = from->over;
    }
}

static struct hf_ls_lane *
lane_of(struct hf_lockspace *ls, unsigned client, uint32_t *number)
{
    *number = hf_owners_lane(ls, hf_owners_session(ls, client + 1), LANE);
    return hf_lane_at(ls, *number);
}

/* A claim of that client with its names, ASKED. */
static uint32_t
build_claim(struct hf_lockspace *ls, unsigned client,
            const struct snapshot_claim *from)
{
    uint32_t lane_number;
    struct hf_ls_lane *lane = lane_of(ls, client, &lane_number);
    uint32_t number = hf_claims_add(ls, lane_number, (struct hf_bytes){0});
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    claim->n = from->n;
    claim->stream = from->stream;
    claim->handed = (from->flags & FLAG_HANDED) != 0;
    claim->looks_on = (from->flags & FLAG_FREE) != 0;
    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++) {
        enum hf_mode mode = (enum hf_mode)(from->modes[i] - 1);
        struct hf_want want;

        if (from->modes[i] == 0)
            continue;
        want = snapshot_want(i, mode);
        HF_CHECK(hf_line_attach(ls, number, hf_names_get(ls, &want), mode));
    }
    if (claim->n == lane->n)
        lane->current = number;
    return number;
}

static void
build_held(struct hf_lockspace *ls, const struct snapshot_config *config,
           unsigned client, const struct snapshot_claim *from)
{
    uint32_t number = build_claim(ls, client, from);
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_session *session = hf_claims_session_of(ls, claim);

    hf_claims_hold(ls, number, from->fence);
    hf_claims_list(ls, number);
    ls->kept_count += from->waited != 0;
    if (from->waited != 0)
        hf_timers_set(ls, &ls->timers, hf_item_of_claim(ls, number),
                      in(config, (uint8_t)(from->waited - 1)).ms);
    claim->stored = (from->flags & FLAG_STORED) != 0;
    if (claim->n != hf_lane_at(ls, claim->lane)->n)
        hf_owners_set_old(ls, number);
    if (from->state == SNAPSHOT_REVOKED) {
        hf_claims_take_back(ls, number);
        claim->state = HF_CLAIM_REVOKED;
        hf_list_add(ls, &session->revoked, hf_list_work, number);
        session->revoked_count++;
    } else if ((from->flags & FLAG_TO_PUT) != 0) {
        hf_journal_put(ls, number);
    }
}

static void
build_waiting(struct hf_lockspace *ls, const struct snapshot_config *config,
              unsigned client, const struct snapshot_claim *from)
{
    uint32_t number = build_claim(ls, client, from);
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    claim->wait_end = in(config, from->limit);
    hf_claims_start_waiting(ls, number);
    if (from->state == SNAPSHOT_GATHERED) {
        claim->since = ago(config, from->waited);
        hf_timers_set(ls, &ls->gathered, hf_item_of_claim(ls, number),
                      claim->since.ms);
        return;
    }
    hf_line_enter(ls, number);
    if (from->timer != SNAPSHOT_NEVER)
        hf_timers_set(ls, &ls->timers, hf_item_of_claim(ls, number),
                      in(config, from->timer).ms);
    if ((from->flags & FLAG_UNTOLD) != 0) {
        hf_line_delist(ls, number); /* its lane will be PARKED */
        hf_claims_set_untold(ls, number, hf_journal_mark(ls));
    }
}

/* What its claims leave to be said of the lane. */
static void
build_lane_state(struct hf_lockspace *ls, unsigned client, uint8_t state)
{
    uint32_t number;
    struct hf_ls_lane *lane = lane_of(ls, client, &number);

    if (state == HF_LANE_PARKED)
        hf_line_delist(ls, lane->current);
    lane->state = state;
}

static void
build_loaded(struct hf_lockspace *ls, uint32_t number, unsigned loaded)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    if ((loaded & LOADED_TO_TAKE_BACK) != 0) {
        session->says_silent = true;
        hf_journal_heard(ls, number);
    }
    session->unheard = (loaded & LOADED_UNHEARD) != 0;
    session->says_silent = (loaded & LOADED_SAYS_SILENT) != 0;
    if ((loaded & LOADED_TO_SAY) != 0)
        hf_journal_silence(ls, number);
}

/* Nor what they leave of the session: one that is suspected is given a timer
 * when it loses what it held last. */
static void
build_session_state(struct hf_lockspace *ls, unsigned client,
                    const struct snapshot_config *config,
                    const struct snapshot_client *from)
{
    uint32_t number = hf_owners_session(ls, client + 1);
    struct hf_ls_session *session = hf_session_at(ls, number);

    session->state = from->session;
    build_loaded(ls, number, from->loaded);
    if (from->timer == SNAPSHOT_NEVER)
        return;
    if ((from->loaded & LOADED_MAY_COME_BACK) != 0)
        hf_timers_set(ls, &ls->timers, number, hf_load_first_timer(session).ms);
    else
        hf_timers_set(ls, &ls->timers, number,
                      hf_owners_end_of_ttl(session).ms +
                          from->timer * tick_ms(config));
}

static bool
is_there(const struct snapshot_client *client)
{
    return client->session != HF_SESSION_FREE &&
           client->session != HF_SESSION_OVER;
}

typedef void build_fn(struct hf_lockspace *ls,
                      const struct snapshot_config *config, unsigned client,
                      const struct snapshot_claim *from);

static bool
is_held(const struct snapshot_claim *claim)
{
    return claim->state >= SNAPSHOT_HELD;
}

/* The claims that are held, or those that wait, in the order of their fences or
 * places. */
static void
build_in_order(struct hf_lockspace *ls, const struct snapshot_config *config,
               const struct snapshot *snapshot, bool held, build_fn *build)
{
    unsigned left = 0;

    for (unsigned rank = 0; rank == 0 || left > 0; rank++) {
        left = 0;
        for (unsigned i = 0; i < config->clients * SNAPSHOT_CLAIMS; i++) {
            unsigned client = i / SNAPSHOT_CLAIMS;
            const struct snapshot_claim *claim =
                &snapshot->clients[client].claims[i % SNAPSHOT_CLAIMS];
            unsigned own = held ? claim->fence : claim->place;

            if (claim->state == SNAPSHOT_NONE || is_held(claim) != held)
                continue;
            if (own == rank)
                build(ls, config, client, claim);
            left += own > rank;
        }
    }
}

struct hf_lockspace *
snapshot_build(const struct snapshot *snapshot,
               const struct snapshot_config *config,
               struct snapshot_block *block)
{
    struct hf_lockspace *ls;

    HF_CHECK(hf_lockspace_size(&config->lockspace) <= sizeof(block->bytes));
    memset(block, 0, sizeof(*block));
    ls = hf_lockspace_init(block->bytes, &config->lockspace);
    ls->state = HF_LOCKSPACE_SERVING;
    ls->now = SNAPSHOT_NOW;
    ls->term = TERM;
    ls->next_fence = snapshot->next_fence;
    ls->gather_until = in(config, snapshot->gathers);
    ls->served_at =
        hf_after(ls->gather_until,
                 (struct hf_duration){-config->lockspace.takeover_grace.ms});
    ls->hold_until = in(config, snapshot->holds);
    for (unsigned i = 0; i < config->clients; i++)
        if (snapshot->clients[i].session != HF_SESSION_FREE)
            build_session(ls, i, config, &snapshot->clients[i]);
    build_in_order(ls, config, snapshot, true, build_held);
    build_in_order(ls, config, snapshot, false, build_waiting);
    for (unsigned i = 0; i < config->clients; i++)
        if (snapshot->clients[i].lane != 0)
            build_lane_state(ls, i, snapshot->clients[i].state);
    for (unsigned i = 0; i < config->clients; i++)
        if (is_there(&snapshot->clients[i]))
            build_session_state(ls, i, config, &snapshot->clients[i]);
    return ls;
}
