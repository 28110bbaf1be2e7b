#include "simulate/table/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simulate/table/promise.h"
#include "simulate/table/truth.h"
#include "store/rule.h"

#define WALL_MS 1700000000000

/* ---- The way there ------------------------------------------------------- */

static bool
is_faulty(const struct world *world)
{
    return world->shape.fault_chance > 0 &&
           world->now.ms < world->shape.faults_end;
}

static bool
is_away(const struct world *world)
{
    return world->now.ms >= world->away_from &&
           world->now.ms < world->away_until;
}

static int64_t
draw_latency(struct world *world)
{
    return (int64_t)world_draw(world, (uint64_t)world->shape.latency_ms + 1);
}

static void
note_fault(struct client *client, int64_t at)
{
    if (client->last_fault < at)
        client->last_fault = at;
}

/* Its connection swallows what comes back, or all of it, and is given up when
 * it has been silent for too long. */
static void
swallow(struct world *world, struct call *call)
{
    struct client *client = &world->clients[call->client];
    const struct hf_table_batch *batch = call->batch;
    struct hf_duration silence = hf_silence_limit(
        &client->silence, world->now,
        hf_rule_soonest(batch->groups, batch->groups_count, batch->until));

    client->swallowed_at = world->now.ms;
    world->swallowed++;
    call->swallowed = true;
    call->answer_lost = true;
    if (world_draw(world, 2) == 0)
        call->executes_at = -1;
    call->answers_at = world->now.ms + silence.ms;
    note_fault(client, call->answers_at);
}

static bool
is_swallowed(const struct world *world, const struct client *client)
{
    return world->shape.swallow_ms > 0 &&
           world->now.ms >= client->swallowed_at + world->shape.swallow_ms;
}

/* What becomes of it: when it is done there, when it comes back, and how. */
static void
draw_fate(struct world *world, struct call *call)
{
    struct client *client = &world->clients[call->client];
    int64_t now = world->now.ms;
    int64_t until = call->batch->until.ms;
    int64_t slow;

    call->executes_at = now + draw_latency(world);
    call->answers_at = call->executes_at + draw_latency(world);
    if (call->answers_at - now > SLOW_MS)
        note_fault(client, call->answers_at);
    if (is_swallowed(world, client)) {
        swallow(world, call);
        return;
    }
    if (!is_faulty(world))
        return;
    if (is_away(world)) {
        note_fault(client, call->answers_at);
        call->executes_at = -1;
        return;
    }
    if (world_draw(world, 1000) >= world->shape.fault_chance)
        return;
    slow = (int64_t)world_draw(world, 6000);
    switch (world_draw(world, 4)) {
    case 0: /* slow, and well */
        call->executes_at += (int64_t)world_draw(world, (uint64_t)slow + 1);
        call->answers_at =
            now + slow > call->executes_at ? now + slow : call->executes_at;
        break;
    case 1: /* it never gets there */
        call->answers_at = now + slow;
        call->executes_at = -1;
        call->answer_lost = world_draw(world, 2) == 0;
        break;
    case 2: /* it is done, and nobody hears of it */
        call->answers_at = call->executes_at + slow;
        call->answer_lost = true;
        break;
    default: /* it is done after it was given up */
        call->answers_at = now + slow;
        call->executes_at = call->answers_at + (int64_t)world_draw(world, 4000);
        call->answer_lost = true;
        break;
    }
    if (until > now && call->answers_at > until)
        call->answers_at = until; /* a store gives up then */
    if (call->executes_at > call->answers_at)
        call->answer_lost = true;
    if (call->executes_at > call->answers_at && call->batch->keys_count > 0)
        call->executes_at = -1; /* a read that nobody waits for */
    note_fault(client, call->answers_at);
}

static void
set_alarm(struct world *world, struct call *call)
{
    int64_t at = INT64_MAX;

    if (call->executes_at >= 0)
        at = call->executes_at;
    if (call->answers_at >= 0 && call->answers_at < at)
        at = call->answers_at;
    hf_heap_set(&world->alarms, &call->alarm, (struct hf_instant){at});
}

/* Who asks in this batch, and names that outlive their queues. */
static void
remember(struct world *world, struct call *call)
{
    struct hf_table_batch *batch = call->batch;

    (void)world;
    call->actors = hf_arena_take(&call->arena, (batch->items_count + 1) *
                                                   sizeof(struct actor *));
    HF_CHECK(call->actors != NULL);
    for (size_t i = 0; i < batch->items_count; i++)
        call->actors[i] = batch->items[i].examine != NULL
                              ? (struct actor *)batch->items[i].examine
                              : (struct actor *)batch->items[i].queue->first;
    for (size_t g = 0; g < batch->groups_count; g++)
        for (size_t o = 0; o < batch->groups[g].ops_count; o++) {
            struct hf_key *key = &batch->groups[g].ops[o].key;

            key->space = hf_arena_copy(&call->arena, key->space);
            key->name = hf_arena_copy(&call->arena, key->name);
        }
}

bool
place_call(struct world *world, size_t index)
{
    struct client *client = &world->clients[index];
    struct call *call = calloc(1, sizeof(*call));

    HF_CHECK(call != NULL);
    call->arena.alloc = &hf_alloc_libc;
    call->client = index;
    call->sent_at = world->now;
    call->alarm.kind = ALARM_CALL;
    if (!hf_batch_take(&client->manager, &call->arena, world->now,
                       WALL_MS + world->now.ms, &call->batch)) {
        hf_arena_fini(&call->arena);
        free(call);
        return false;
    }
    world->store_calls++;
    if (call->batch->groups_count > 0)
        world->writes++;
    else
        world->reads++;
    remember(world, call);
    draw_fate(world, call);
    world_say(world, "client %zu calls: done at %lld, back at %lld%s", index,
              (long long)call->executes_at, (long long)call->answers_at,
              call->answer_lost ? ", lost" : "");
    call->next = client->calls;
    client->calls = call;
    client->calls_count++;
    set_alarm(world, call);
    return true;
}

/* ---- There --------------------------------------------------------------- */

/* Those who want the key are told, mostly. */
static void
hint_all(struct world *world, size_t key)
{
    for (size_t c = 0; c < world->shape.clients; c++) {
        struct client *client = &world->clients[c];
        struct hint *hint;

        if (client->dead || client->behind ||
            hf_queue_find(&client->manager,
                          (struct hf_key){"default", world->names[key]}) ==
                NULL)
            continue;
        if (is_faulty(world) && world_draw(world, 10) == 0) {
            note_fault(client, world->now.ms);
            continue;
        }
        hint = calloc(1, sizeof(*hint));
        HF_CHECK(hint != NULL);
        hint->alarm.kind = ALARM_HINT;
        hint->client = c;
        hint->key = key;
        hf_heap_set(&world->alarms, &hint->alarm,
                    (struct hf_instant){
                        world->now.ms +
                        (int64_t)world_draw(
                            world, (uint64_t)world->shape.wake_ms + 1)});
    }
}

static void
commit(struct world *world, struct call *call)
{
    struct hf_table_batch *batch = call->batch;

    for (size_t i = 0; i < batch->items_count; i++) {
        struct hf_store_group *group = &batch->groups[batch->items[i].index];
        struct actor *actor = call->actors[i];
        uint64_t erased;

        group->verdict = HF_UNAVAILABLE;
        erased = hf_memory_table_try(&world->table, group, NULL);
        if (erased > 0)
            hf_memory_table_raise(&world->table, erased);
        if (group->verdict != HF_APPLIED)
            continue;
        promise_applied(world, actor, &group->ops[0]);
        truth_applied(world, actor, &group->ops[0]);
        hint_all(world, actor->key);
    }
}

static void
read_one(struct world *world, struct call *call, size_t index)
{
    struct hf_key key = call->batch->keys[index];
    struct hf_reading *reading = &call->batch->readings[index];
    struct hf_rule_found found = hf_memory_table_find(&world->table, key);
    const struct hf_memory_row *row;
    struct hf_stored stored;

    *reading = (struct hf_reading){
        .sight = {.kind = HF_SIGHT_ABSENT, .version = found.version},
    };
    if (!found.exists)
        return;
    row = world->table.rows[hf_memory_table_position(&world->table, key)];
    reading->sight.token = row->token;
    reading->stamp_ms = row->stamp_ms;
    stored = (struct hf_stored){
        .text = row->value,
        .len = row->value_len,
        .room = row->value_len + 1,
    };
    HF_CHECK(hf_reading_take(reading, &stored, &call->arena));
}

static void
execute(struct world *world, struct call *call)
{
    struct client *client = &world->clients[call->client];

    call->executes_at = -1;
    if (client->behind) { /* so it finds that this place is gone */
        call->failed = true;
        client->behind = false;
        client->untold = true;
        note_fault(client, world->now.ms);
    } else if (call->batch->groups_count > 0) {
        commit(world, call);
    }
    for (size_t i = 0; !call->failed && i < call->batch->keys_count; i++)
        read_one(world, call, i);
}

/* ---- Back ---------------------------------------------------------------- */

static void
unlink_call(struct client *client, const struct call *call)
{
    struct call **link = &client->calls;

    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
}

static void
free_call(struct world *world, struct call *call)
{
    hf_heap_set(&world->alarms, &call->alarm, HF_NEVER);
    hf_arena_fini(&call->arena);
    free(call);
}

/* What the store says: of what was lost, that nothing is known, or that it was
 * surely not done. */
static void
answer(struct world *world, struct call *call)
{
    struct client *client = &world->clients[call->client];
    struct hf_table_batch *batch = call->batch;
    struct hf_table_batch given = *batch;
    bool done = call->executed && !call->failed && !call->answer_lost;

    if (!done) {
        batch->status = HF_E_UNAVAILABLE;
        batch->error = (struct hf_error){HF_E_UNAVAILABLE, "lost"};
    }
    hf_trouble_answer(&client->manager.trouble, batch->groups_count > 0,
                      done ? NULL : &batch->error);
    if (!done && batch->groups_count > 0) {
        /* its own verdicts stay, for it may be done later */
        given.groups = hf_arena_take(&call->arena, batch->groups_count *
                                                       sizeof(*given.groups));
        HF_CHECK(given.groups != NULL);
        memcpy(given.groups, batch->groups,
               batch->groups_count * sizeof(*given.groups));
        for (size_t g = 0; g < batch->groups_count; g++)
            given.groups[g].verdict =
                call->answer_lost ? HF_UNKNOWN : HF_UNAVAILABLE;
        batch->groups = given.groups;
    }
    hf_manager_answer(&client->manager, batch, world->now);
}

static void
come_back(struct world *world, struct call *call)
{
    struct client *client = &world->clients[call->client];
    struct hf_store_group *groups = call->batch->groups;

    if (call->swallowed)
        hf_silence_failed(&client->silence,
                          hf_between(call->sent_at, world->now));
    else
        hf_silence_answered(&client->silence,
                            hf_between(call->sent_at, world->now));
    call->answers_at = -1;
    client->calls_count--;
    if (client->dead)
        return; /* taken back by place_forget */
    answer(world, call);
    call->answered = true;
    call->batch->groups = groups;
    if (!client->untold)
        return;
    world_say(world, "client %zu finds that the place went back", call->client);
    client->untold = false;
    note_fault(client, world->now.ms);
    hf_manager_went_back(&client->manager, world->now);
}

void
place_step(struct world *world, struct call *call)
{
    struct client *client = &world->clients[call->client];
    int64_t now = world->now.ms;

    if (call->executes_at >= 0 && call->executes_at <= now) {
        execute(world, call);
        call->executed = true;
    } else if (client->frozen_until > now && !client->dead) {
        call->answers_at = client->frozen_until;
    } else {
        come_back(world, call);
    }
    if (call->executes_at < 0 && call->answered) {
        unlink_call(client, call);
        free_call(world, call);
    } else {
        set_alarm(world, call);
    }
}

/* As if every call had failed. */
void
place_forget(struct world *world, size_t index)
{
    struct client *client = &world->clients[index];

    while (client->calls != NULL) {
        struct call *call = client->calls;

        client->calls = call->next;
        if (!call->answered) {
            call->answer_lost = true;
            call->executed = false;
            client->dead = false;
            answer(world, call);
        }
        free_call(world, call);
    }
}

void
place_fini(struct world *world)
{
    hf_memory_table_fini(&world->table);
    for (;;) {
        struct hf_heap_node *alarm = hf_heap_first(&world->alarms);

        if (alarm == NULL)
            break;
        hf_heap_set(&world->alarms, alarm, HF_NEVER);
        if (alarm->kind == ALARM_HINT)
            free(HF_CONTAINER(alarm, struct hint, alarm));
    }
}
