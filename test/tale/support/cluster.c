#include "tale/support/cluster.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One "name=value" of the settings; returns what comes after it. */
static const char *
set_one(struct riak_config *config, const char *text)
{
    char name[24] = "";
    char value[24] = "";
    size_t name_len = strcspn(text, "=");
    size_t value_len = strcspn(text + name_len, " ");

    assert_true(name_len < sizeof(name) && value_len <= sizeof(value));
    memcpy(name, text, name_len);
    memcpy(value, text + name_len + 1, value_len - 1);
    assert_int_equal(riak_config_set(config, name, value, NULL), HF_OK);
    text += name_len + value_len;
    return text + strspn(text, " ");
}

void
start(struct riak *riak, const char *settings)
{
    struct riak_config config = riak_config_default;

    while (*settings != '\0')
        settings = set_one(&config, settings);
    assert_int_equal(riak_config_check(&config, NULL), HF_OK);
    riak_init(riak, &config);
}

static void
send_value(struct riak *riak, unsigned worker, uint8_t id, bool with_context)
{
    riak_issue(riak, worker,
               (struct key_request){
                   .kind = KEY_WRITE,
                   .with_context = with_context,
                   .value = {.id = id},
               });
}

void
send_read(struct riak *riak, unsigned worker)
{
    riak_issue(riak, worker, (struct key_request){.kind = KEY_READ});
}

void
send_write(struct riak *riak, unsigned worker, uint8_t id)
{
    send_value(riak, worker, id, false);
}

void
send_update(struct riak *riak, unsigned worker, uint8_t id)
{
    send_value(riak, worker, id, true);
}

void
send_remove(struct riak *riak, unsigned worker, bool with_context)
{
    riak_issue(riak, worker,
               (struct key_request){
                   .kind = KEY_REMOVE,
                   .with_context = with_context,
               });
}

static bool
find(const struct riak *riak, enum riak_happening_kind kind, unsigned worker,
     unsigned partition, struct key_step *step)
{
    struct key_step steps[KEY_STEPS_MAX];
    unsigned count = riak_steps(riak, steps);

    for (unsigned i = 0; i < count; i++) {
        struct riak_happening what = riak_describe(riak, steps[i]);

        if (what.kind == kind && what.worker == worker &&
            what.partition == partition) {
            *step = steps[i];
            return true;
        }
    }
    return false;
}

bool
can(const struct riak *riak, enum riak_happening_kind kind, unsigned worker,
    unsigned partition)
{
    struct key_step step;

    return find(riak, kind, worker, partition, &step);
}

void
happen(struct riak *riak, enum riak_happening_kind kind, unsigned worker,
       unsigned partition)
{
    struct key_step step;

    assert_true(find(riak, kind, worker, partition, &step));
    riak_step(riak, step);
}

struct key_answer
take(struct riak *riak, unsigned worker)
{
    struct key_answer answer;

    assert_true(riak_answer(riak, worker, &answer));
    return answer;
}

void
arrive(struct riak *riak, unsigned worker, unsigned first)
{
    static const enum riak_happening_kind kinds[] = {RIAK_WRITE_ARRIVES,
                                                     RIAK_READ_ARRIVES};

    for (unsigned i = first; i < riak->rules.n; i++)
        for (unsigned kind = 0; kind < 2; kind++) {
            unsigned whose = riak_answered(riak, worker) ? NOBODY : worker;

            if (can(riak, kinds[kind], whose, i))
                happen(riak, kinds[kind], whose, i);
        }
}

struct key_answer
read_by(struct riak *riak, unsigned worker)
{
    send_read(riak, worker);
    arrive(riak, worker, 0);
    return take(riak, worker);
}

enum key_answer_kind
write_by(struct riak *riak, unsigned worker, uint8_t id, unsigned coordinator)
{
    send_write(riak, worker, id);
    happen(riak, RIAK_COORDINATES, worker, coordinator);
    arrive(riak, worker, 0);
    return take(riak, worker).kind;
}

enum key_answer_kind
update_by(struct riak *riak, unsigned worker, uint8_t id, unsigned coordinator)
{
    send_update(riak, worker, id);
    happen(riak, RIAK_COORDINATES, worker, coordinator);
    arrive(riak, worker, 0);
    return take(riak, worker).kind;
}

void
drain(struct riak *riak)
{
    for (unsigned rounds = 0; rounds < 1000; rounds++) {
        struct key_step steps[KEY_STEPS_MAX];
        unsigned count = riak_steps(riak, steps);
        unsigned i = 0;

        while (i < count &&
               (steps[i].fault || steps[i].code == RIAK_HANDS_OFF ||
                steps[i].code == RIAK_COMES_BACK))
            i++;
        if (i == count)
            return;
        riak_step(riak, steps[i]);
    }
    fail_msg("there is no end to it");
}

static uint8_t
value_of(const struct riak *riak, struct riak_object object)
{
    uint8_t id = 0;

    assert_int_equal(object.siblings & (object.siblings - 1), 0);
    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++)
        if ((object.siblings >> i & 1) != 0)
            id = riak->writes[i].id;
    return id;
}

uint8_t
at_home(const struct riak *riak, unsigned partition)
{
    return value_of(riak, riak->home[partition]);
}

uint8_t
at_fallback(const struct riak *riak, unsigned partition)
{
    return value_of(riak, riak->away[partition]);
}

bool
bare(const struct riak *riak, unsigned partition)
{
    return riak->home[partition].clock == 0;
}
