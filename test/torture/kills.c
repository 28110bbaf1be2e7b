#include "kills.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "bystanders.h"
#include "judge.h"
#include "round.h"
#include "space.h"
#include "support/actors.h"
#include "support/processes.h"
#include "support/tree.h"

#define COMPETITORS  8
#define KILLS        60 /* unless HF_KILLS says */
#define ROUNDS_A_HIT 6  /* a plan that often misses is a mistake */
#define BREACHES_MAX 5  /* then it has shown enough */
#define RELATED_US   6000000
#define LEFT_MS      15000

struct breach {
    unsigned lock;
    uint32_t round;
    int64_t at;
};

struct storm {
    struct driver *driver;
    const struct kills_mode *mode;
    struct space space;
    struct bystanders bystanders;
    int64_t zero;
    struct round *rounds; /* owned: all there were */
    uint32_t rounds_count;
    uint32_t rounds_max;
    struct round *competitors[COMPETITORS]; /* of each; NULL: none any more */
    uint64_t highest[ROUND_LOCKS];
    struct breach breaches[BREACHES_MAX];
    unsigned breaches_count;
    unsigned wanted;
    unsigned kills;
    unsigned begun;
    unsigned hit[VICTIMS][ROUND_MOMENTS];
    unsigned overlaps;
    unsigned disorders;
    unsigned strange; /* ends that nothing explains */
    unsigned lost;    /* rights lost to a busy machine */
    unsigned left;
};

static void
note_breach(struct storm *s, const struct round *round, const char *what)
{
    printf("breach at %.3f s: round %" PRIu32 ", lock %u: %s\n",
           (double)(actors_now_us() - s->zero) / 1e6, round->number,
           round->plan.lock, what);
    if (s->breaches_count < BREACHES_MAX)
        s->breaches[s->breaches_count++] =
            (struct breach){round->plan.lock, round->number, actors_now_us()};
}

/* ---- Rounds ------------------------------------------------------------- */

static bool
goes_on(const struct storm *s)
{
    return s->kills < s->wanted && s->breaches_count < BREACHES_MAX &&
           s->rounds_count < s->rounds_max;
}

static void
start_round(struct storm *s, unsigned competitor)
{
    struct round *round = &s->rounds[s->rounds_count];

    *round = (struct round){
        .number = s->rounds_count++,
        .inner = s->space.inner >= 0 && competitor % 4 != 3,
    };
    round->plan = round_plan_draw(s->driver->seed, round->number);
    s->competitors[competitor] = round;
    round_start(round, s->driver, &s->space, s->mode->untrue);
    bystanders_turn(&s->bystanders, &s->space);
}

static void
on_end(struct storm *s, unsigned competitor, int code)
{
    struct round *round = s->competitors[competitor];

    round_end(round, code);
    s->competitors[competitor] = NULL;
    if (round->struck == 0 && code == 76) {
        s->lost++; /* a busy machine: not wrong, only a pity */
    } else if (round->struck == 0 && code != 0) {
        s->strange++;
        note_breach(s, round, "it ended with an exit code for no reason");
    }
    if (goes_on(s))
        start_round(s, competitor);
}

static void
reap(struct storm *s)
{
    int code;
    pid_t pid;

    while ((pid = driver_reap(s->driver, &code)) != 0) {
        if (bystanders_lost(&s->bystanders, pid))
            continue;
        for (unsigned i = 0; i < COMPETITORS; i++)
            if (s->competitors[i] != NULL &&
                s->competitors[i]->victims.holdfast == pid) {
                on_end(s, i, code);
                break;
            }
    }
}

static void
on_word(struct storm *s, const struct ledger_word *word)
{
    struct round *round = &s->rounds[word->seq];
    uint64_t *highest;

    HF_CHECK(word->seq < s->rounds_count);
    highest = &s->highest[round->plan.lock];
    if (word->kind == LEDGER_ENDS) {
        round_reaches(round, ROUND_AT_END);
        return;
    }
    s->begun++;
    round->fence = word->fence;
    if (round->plan.moment == ROUND_AT_END)
        victims_look(&round->victims);
    round_reaches(round, ROUND_WHILE_RUNNING);
    if (word->kind == LEDGER_OVERLAPS) {
        s->overlaps++;
        note_breach(s, round, "two commands run at once");
    }
    if (word->fence <= *highest) {
        s->disorders++;
        note_breach(s, round, "its fence is not above the one before");
    }
    *highest = word->fence;
}

static void
take_words(struct storm *s)
{
    struct ledger_word word;

    while (driver_word(s->driver, &word))
        on_word(s, &word);
}

static void
strike(struct storm *s)
{
    int64_t now = actors_now_us();

    for (unsigned i = 0; i < COMPETITORS && s->kills < s->wanted; i++) {
        struct round *round = s->competitors[i];

        if (round == NULL || now < round->strike_at || !round_strike(round))
            continue;
        s->hit[round->plan.victim][round->plan.moment]++;
        if (++s->kills % (s->wanted / 4 + 1) == 0)
            printf("%s: %u of %u kills after %.0f s\n", s->mode->word, s->kills,
                   s->wanted, (double)(now - s->zero) / 1e6);
    }
}

/* False when nothing is left to wait for. */
static bool
wait_for_news(const struct storm *s)
{
    int64_t next = ROUND_NEVER;
    bool any = false;

    for (unsigned i = 0; i < COMPETITORS; i++) {
        if (s->competitors[i] == NULL)
            continue;
        any = true;
        if (s->competitors[i]->strike_at < next)
            next = s->competitors[i]->strike_at;
    }
    if (!any)
        return false;

    driver_wait(s->driver,
                next == ROUND_NEVER ? INT64_MAX : next - actors_now_us());
    return true;
}

/* ---- The end ------------------------------------------------------------ */

/* Every lock is to be had, when those that are killed have left it. */
static void
take_each(struct storm *s)
{
    struct round last = {.number = s->rounds_count};
    char name[16];

    if (s->space.inner >= 0)
        space_choose(&s->space, false);
    for (last.plan.lock = 0; last.plan.lock < ROUND_LOCKS; last.plan.lock++) {
        snprintf(name, sizeof(name), "lock-%u", last.plan.lock);
        if (!judge_lock(name)) {
            s->left++;
            note_breach(s, &last, "the lock never comes free");
        }
    }
}

static unsigned
count_left(const struct storm *s, bool print)
{
    struct tree tree;
    unsigned count = 0;

    tree_look(&tree);
    for (size_t i = 0; i < tree.count; i++) {
        const struct tree_process *row = &tree.rows[i];

        if (row->pid == getpid() || row->pid == s->space.init ||
            bystanders_has(&s->bystanders, row->pid) || !tree_runs(row) ||
            !tree_is_below(&tree, row->pid, getpid()))
            continue;
        count++;
        if (print)
            printf("breach: %s, process %d, is left over\n", row->name,
                   (int)row->pid);
    }
    tree_close(&tree);
    return count;
}

static void
wait_for_the_rest(struct storm *s)
{
    int64_t until = actors_now_us() + LEFT_MS * 1000;

    while (count_left(s, false) > 0 && actors_now_us() < until) {
        driver_wait(s->driver, 50000);
        reap(s);
        take_words(s);
    }
    s->left += count_left(s, true);
}

/* The rounds of its lock a while before, in the order of their starts. */
static void
print_breach(const struct storm *s, const struct breach *breach)
{
    printf("before the breach of round %" PRIu32 ", at %.3f s, on lock %u:\n",
           breach->round, (double)(breach->at - s->zero) / 1e6, breach->lock);
    for (uint32_t i = 0; i < s->rounds_count; i++) {
        const struct round *round = &s->rounds[i];

        if (round->plan.lock == breach->lock && round->began_at < breach->at &&
            (round->fence != 0 || round->number == breach->round) &&
            round->ended_at > breach->at - RELATED_US)
            round_print(round, s->driver, s->zero);
    }
}

static void
say(const struct storm *s)
{
    char path[FOLDER_SIZE + 32];
    struct stat syncs = {0};

    printf("%s: %u kills in %" PRIu32 " rounds, %u commands begun, %.0f s",
           s->mode->word, s->kills, s->rounds_count, s->begun,
           (double)(actors_now_us() - s->zero) / 1e6);
    snprintf(path, sizeof(path), "%s/syncs", s->driver->folder);
    if (stat(path, &syncs) == 0)
        printf("; every third of %lld syncs was reported as failed",
               (long long)syncs.st_size);
    printf("\n");
    for (enum victim v = 0; v < VICTIMS; v++) {
        printf("%s:   %-8s killed", s->mode->word, victim_word(v));
        for (enum round_moment m = 0; m < ROUND_MOMENTS; m++)
            printf("%s %4u %s", m == 0 ? "" : ",", s->hit[v][m],
                   round_moment_word(m));
        printf("\n");
    }
    printf("%s: overlaps %u, fences out of order %u, bystanders touched %u of "
           "%u, left over %u, strange ends %u (rights lost to a busy machine: "
           "%u)\n",
           s->mode->word, s->overlaps, s->disorders, s->bystanders.touched,
           s->bystanders.seen, s->left, s->strange, s->lost);
}

/* One breach brings others: what led to the first of each lock is printed. */
static void
print_breaches(const struct storm *s)
{
    bool printed[ROUND_LOCKS] = {false};

    for (unsigned i = 0; i < s->breaches_count; i++) {
        const struct breach *breach = &s->breaches[i];

        if (!printed[breach->lock])
            print_breach(s, breach);
        printed[breach->lock] = true;
    }
}

static bool
judge_rounds(struct storm *s)
{
    bool good;

    print_breaches(s);
    good = s->breaches_count == 0 && s->left == 0 &&
           s->bystanders.touched == 0 && s->kills >= s->wanted;
    if (s->kills < s->wanted)
        printf("breach: only %u of %u kills\n", s->kills, s->wanted);
    if (!good)
        printf("%s: to repeat it: HF_SEED=%" PRIu64 "\n", s->mode->word,
               s->driver->seed);
    return good;
}

/* ---- The beginning ------------------------------------------------------ */

static void
begin(struct storm *s)
{
    /* Guards that lose their holdfast come to us. */
    HF_CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    HF_CHECK(judge_lock("lock-0")); /* the file is made by a disk that works */
    s->rounds_max = s->wanted * ROUNDS_A_HIT + COMPETITORS;
    s->rounds = calloc(s->rounds_max, sizeof(*s->rounds));
    HF_CHECK(s->rounds != NULL);
    s->zero = actors_now_us();
    for (unsigned i = 0; i < BYSTANDERS; i++)
        bystanders_turn(&s->bystanders, &s->space);
    for (unsigned i = 0; i < COMPETITORS; i++)
        start_round(s, i);
}

static bool
run(struct storm *s)
{
    begin(s);
    while (wait_for_news(s)) {
        take_words(s);
        reap(s);
        strike(s);
    }
    take_each(s);
    wait_for_the_rest(s);
    bystanders_end(&s->bystanders);
    say(s);
    return judge_rounds(s);
}

int
kills_run(struct driver *driver, const struct kills_mode *mode)
{
    const char *kills = getenv("HF_KILLS");
    struct storm s = {
        .driver = driver,
        .mode = mode,
        .wanted = kills == NULL ? KILLS : (unsigned)strtoul(kills, NULL, 10),
    };
    bool good;

    processes_begin((struct hf_duration){60000 + (int64_t)s.wanted * 4000});
    if (!space_open(&s.space, mode->foreign)) {
        printf("skipped: a pid namespace: %s\n", strerror(errno));
        return 77;
    }
    driver->seed = driver_seed();
    printf("%s: until %u kills, %d at a time; HF_SEED=%" PRIu64 "\n",
           mode->word, s.wanted, COMPETITORS, driver->seed);
    driver_begin(driver);
    good = run(&s);
    space_close(&s.space);
    free(s.rounds);
    driver_end(driver);
    return good ? 0 : 1;
}
