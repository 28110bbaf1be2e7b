#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "support/folder.h"
#include "support/killable_store.h"
#include "support/locks.h"
#include "support/processes.h"

/*
 * A holder dies; a taker takes its lock over, beats, and releases.  So many
 * others are killed just before or just after their n-th step at the store, for
 * every n that it needed.  Whatever one left, a third one is granted the lock,
 * with a higher fence, and leaves nothing.  Once the deaths are seen by their
 * processes, once only by a record that stands unchanged for its ttl.
 */

#define STEPS_MAX 64
#define WHOLE     2 /* scenes in which the taker is not killed */
#define SCENES    (WHOLE + STEPS_MAX * 4)
#define TTL       "3s" /* a write may take 875 ms: they are many */

/* Shared by the processes of a scene. */
struct scene {
    char name[32];
    struct killable_plan plan;
    bool hidden;        /* no process of theirs is listed */
    unsigned steps;     /* that the taker took */
    uint64_t fence;     /* of the dead */
    bool taken;         /* the taker was granted */
    bool got_through;   /* the taker was not killed */
    bool well_followed; /* all is as it must be */
};

static const char *place;
static pid_t stage; /* a process that outlives every scene */

static struct hf_lock *
take(const struct scene *scene, struct hf_client *client)
{
    char processes[16];

    snprintf(processes, sizeof(processes), "%d",
             (int)(scene->hidden ? stage : getpid()));
    return hold(client, scene->name, HF_TTL, TTL, HF_WAIT, "60s", HF_PROCESSES,
                processes, NULL);
}

static void
hold_and_die(struct scene *scene)
{
    scene->fence = hf_lock_fence(take(scene, open_client(place)));
    (void)raise(SIGKILL);
}

/* Or until it is lost, on a machine that is too busy for the short ttl. */
static void
wait_for_beat(const struct hf_lock *lock)
{
    int64_t right_ms = hf_lock_right_ms(lock);

    while (hf_lock_right_ms(lock) == right_ms &&
           hf_lock_check(lock) == HF_GRANTED)
        poll(NULL, 0, 5);
}

static void
take_over(struct scene *scene)
{
    struct hf_client *client =
        open_client_on(killable_store_open(place, scene->plan), place);
    struct hf_lock *lock = take(scene, client);

    HF_CHECK(hf_lock_fence(lock) > scene->fence);
    scene->taken = true;
    wait_for_beat(lock);
    HF_CHECK(give_back(lock) == HF_OK);
    close_client(client);
    scene->got_through = true;
}

static void
follow(struct scene *scene)
{
    struct hf_client *client = open_client(place);
    struct hf_query *list =
        new_query(client, HF_LIST, HF_PREFIX, scene->name, NULL);
    struct hf_lock *lock = take(scene, client);
    uint64_t fence = hf_lock_fence(lock);

    HF_CHECK(give_back(lock) == HF_OK);
    HF_CHECK(ask(list) == HF_OK);
    scene->well_followed = fence > scene->fence && hf_query_next(list) == NULL;
    hf_query_free(list);
    close_client(client);
}

static void
run_alone(struct scene *scene, void (*part)(struct scene *))
{
    pid_t child = fork();

    HF_CHECK(child >= 0);
    if (child == 0) {
        part(scene);
        _exit(0);
    }
    (void)processes_wait(child);
}

static void
play(struct scene *scene)
{
    run_alone(scene, hold_and_die);
    run_alone(scene, take_over);
    run_alone(scene, follow);
    _exit(0);
}

static bool
judge_scene(const struct scene *scene)
{
    if (!scene->well_followed)
        printf("%s: a taker killed %s step %u%s leaves the lock stuck\n",
               scene->name, scene->plan.before ? "before" : "after",
               scene->plan.step, scene->hidden ? ", unseen," : "");
    return scene->well_followed;
}

/* All of these at once; false: one was not well followed. */
static bool
play_all(struct scene *scenes, unsigned count)
{
    pid_t players[SCENES];
    bool good = true;

    for (unsigned i = 0; i < count; i++) {
        struct scene *scene = &scenes[i];

        snprintf(scene->name, sizeof(scene->name), "scene-%u.", count + i);
        scene->plan.taken = &scene->steps;
        players[i] = fork();
        HF_CHECK(players[i] >= 0);
        if (players[i] == 0)
            play(scene);
    }
    for (unsigned i = 0; i < count; i++) {
        (void)processes_wait(players[i]);
        good = judge_scene(&scenes[i]) && good;
    }
    return good;
}

/* How many steps a taker needs at most. */
static unsigned
count_steps(struct scene *scenes)
{
    unsigned steps = 0;

    scenes[0].hidden = true;
    HF_CHECK(play_all(scenes, WHOLE));
    for (unsigned i = 0; i < WHOLE; i++) {
        HF_CHECK(scenes[i].got_through);
        if (scenes[i].steps > steps)
            steps = scenes[i].steps;
    }
    steps *= 2; /* in a crowd it may need so many */
    HF_CHECK(steps <= STEPS_MAX);
    return steps;
}

int
main(void)
{
    char folder[FOLDER_SIZE];
    char url[FOLDER_SIZE + 32];
    unsigned taken = 0;
    unsigned through = 0;
    unsigned count;
    bool good;
    struct scene *scenes =
        mmap(NULL, SCENES * sizeof(*scenes), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    processes_begin((struct hf_duration){100000});
    HF_CHECK(scenes != MAP_FAILED);
    folder_make(folder);
    snprintf(url, sizeof(url), "sqlite:%s/locks.db", folder);
    place = url;
    stage = getpid();
    count = 4 * count_steps(scenes);
    scenes += WHOLE;
    for (unsigned i = 0; i < count; i++) {
        scenes[i].plan.step = i / 4 + 1;
        scenes[i].plan.before = i % 2 == 0;
        scenes[i].hidden = i / 2 % 2 == 0;
    }
    good = play_all(scenes, count);
    for (unsigned i = 0; i < count; i++) {
        taken += scenes[i].taken;
        through += scenes[i].got_through;
    }
    folder_remove(folder);
    printf("%u takers: %u died before their grant, %u after it, %u got "
           "through\n",
           count, count - taken, taken - through, through);
    HF_CHECK(taken > through);
    return good ? 0 : 1;
}
