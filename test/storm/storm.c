#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/random.h"
#include "bystanders.h"
#include "round.h"
#include "space.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/processes.h"
#include "tree.h"
#include "word.h"

/*
 * storm plain|foreign|untrue KILLS HOLDFAST COMMAND SHIM
 *
 * Eight `holdfast run` at a time, on three locks of one place, until KILLS of
 * them, or of their guards or commands, have been killed with -9: of each one
 * at most, at a moment drawn from the seed.
 *
 *   plain    as it is
 *   foreign  three of four in a pid namespace that sees another one's /proc
 *   untrue   every third fsync is done and reported as failed
 *
 * What is then true: no two commands ran at once, with all that is below them;
 * their fences rise; no bystander was touched; nothing of it is left, and each
 * lock is to be had.
 *
 * A breach prints what led to it.  HF_SEED repeats a storm, as far as that
 * depends on chance alone; HF_KEEP keeps the files.
 */

#define COMPETITORS  8
#define ROUNDS_A_HIT 6 /* a plan that often misses is a mistake */
#define BREACHES_MAX 5 /* then it has shown enough */
#define RELATED_US   6000000
#define LEFT_MS      15000

struct breach {
    unsigned lock;
    uint32_t round;
    int64_t at;
};

struct storm {
    const char *mode;
    struct round_terms terms;
    struct space space;
    struct bystanders bystanders;
    char folder[FOLDER_SIZE];
    char last[FOLDER_SIZE + 32]; /* what is said outside the rounds */
    uint64_t seed;
    int64_t zero;
    int words;
    int signals;
    struct round *rounds; /* owned: all there were */
    uint32_t rounds_count;
    uint32_t rounds_max;
    struct round *competitors[COMPETITORS]; /* of each; NULL: none any more */
    uint64_t highest[STORM_LOCKS];
    struct breach breaches[BREACHES_MAX];
    unsigned breaches_count;
    unsigned wanted;
    unsigned kills;
    unsigned begun;
    unsigned hit[STORM_VICTIMS][STORM_MOMENTS];
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

/* Without anything bad; false when it was not to be had. */
static bool
take_lock(const struct storm *s, unsigned lock)
{
    char name[16];
    const char *argv[] = {s->terms.holdfast, "run", "-w", "20s", name, "--",
                          "/bin/true",       NULL};

    snprintf(name, sizeof(name), "lock-%u", lock);
    return processes_run(
               &(struct processes_start){.argv = argv, .output = s->last}) == 0;
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
    round->plan = storm_plan_draw(s->seed, round->number);
    s->competitors[competitor] = round;
    round_start(round, &s->terms, &s->space);
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
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    (void)!read(s->signals, &info, sizeof(info));
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (bystanders_lost(&s->bystanders, pid))
            continue;
        for (unsigned i = 0; i < COMPETITORS; i++)
            if (s->competitors[i] != NULL && s->competitors[i]->pid == pid) {
                on_end(s, i,
                       WIFEXITED(status) ? WEXITSTATUS(status)
                                         : 128 + WTERMSIG(status));
                break;
            }
    }
}

static void
on_word(struct storm *s, const struct storm_word *word)
{
    struct round *round = &s->rounds[word->round];
    uint64_t *highest;

    HF_CHECK(word->round < s->rounds_count);
    highest = &s->highest[round->plan.lock];
    if (word->kind == STORM_ENDS) {
        round_reaches(round, STORM_AT_END);
        return;
    }
    s->begun++;
    round->fence = word->fence;
    if (round->plan.moment == STORM_AT_END)
        round_look(round);
    round_reaches(round, STORM_WHILE_RUNNING);
    if (word->kind == STORM_OVERLAPS) {
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
    struct storm_word word;

    while (read(s->words, &word, sizeof(word)) == sizeof(word))
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
            printf("%s: %u of %u kills after %.0f s\n", s->mode, s->kills,
                   s->wanted, (double)(now - s->zero) / 1e6);
    }
}

/* False when nothing is left to wait for. */
static bool
wait_for_news(const struct storm *s)
{
    struct pollfd polls[] = {
        {.fd = s->words, .events = POLLIN},
        {.fd = s->signals, .events = POLLIN},
    };
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

    int64_t now = actors_now_us();
    int64_t us = next <= now ? 0 : next - now < 1000000 ? next - now : 1000000;
    struct timespec left = {us / 1000000, us % 1000000 * 1000};

    (void)ppoll(polls, 2, &left, NULL);
    return true;
}

/* ---- The end ------------------------------------------------------------ */

/* Every lock is to be had, when those that are killed have left it. */
static void
take_each(struct storm *s)
{
    struct round last = {.number = s->rounds_count};

    if (s->space.inner >= 0)
        space_choose(&s->space, false);
    for (last.plan.lock = 0; last.plan.lock < STORM_LOCKS; last.plan.lock++)
        if (!take_lock(s, last.plan.lock)) {
            s->left++;
            note_breach(s, &last, "the lock never comes free");
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
    struct pollfd signals = {.fd = s->signals, .events = POLLIN};
    int64_t until = actors_now_us() + LEFT_MS * 1000;

    while (count_left(s, false) > 0 && actors_now_us() < until) {
        (void)poll(&signals, 1, 50);
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
            round_print(round, &s->terms, s->zero);
    }
}

static void
say(const struct storm *s)
{
    char path[FOLDER_SIZE + 32];
    struct stat syncs = {0};

    printf("%s: %u kills in %" PRIu32 " rounds, %u commands begun, %.0f s",
           s->mode, s->kills, s->rounds_count, s->begun,
           (double)(actors_now_us() - s->zero) / 1e6);
    snprintf(path, sizeof(path), "%s/syncs", s->folder);
    if (stat(path, &syncs) == 0)
        printf("; every third of %lld syncs was reported as failed",
               (long long)syncs.st_size);
    printf("\n");
    for (enum storm_victim v = 0; v < STORM_VICTIMS; v++) {
        printf("%s:   %-8s killed", s->mode, storm_victim_word(v));
        for (enum storm_moment m = 0; m < STORM_MOMENTS; m++)
            printf("%s %4u %s", m == 0 ? "" : ",", s->hit[v][m],
                   storm_moment_word(m));
        printf("\n");
    }
    printf("%s: overlaps %u, fences out of order %u, bystanders touched %u of "
           "%u, left over %u, strange ends %u (rights lost to a busy machine: "
           "%u)\n",
           s->mode, s->overlaps, s->disorders, s->bystanders.touched,
           s->bystanders.seen, s->left, s->strange, s->lost);
}

/* One breach brings others: what led to the first of each lock is printed. */
static void
print_breaches(const struct storm *s)
{
    bool printed[STORM_LOCKS] = {false};

    for (unsigned i = 0; i < s->breaches_count; i++) {
        const struct breach *breach = &s->breaches[i];

        if (!printed[breach->lock])
            print_breach(s, breach);
        printed[breach->lock] = true;
    }
}

static bool
judge(struct storm *s)
{
    bool good;

    print_breaches(s);
    good = s->breaches_count == 0 && s->left == 0 &&
           s->bystanders.touched == 0 && s->kills >= s->wanted;
    if (s->kills < s->wanted)
        printf("breach: only %u of %u kills\n", s->kills, s->wanted);
    if (!good)
        printf("%s: to repeat it: HF_SEED=%" PRIu64 "\n", s->mode, s->seed);
    return good;
}

/* ---- The beginning ------------------------------------------------------ */

static uint64_t
choose_seed(void)
{
    const char *given = getenv("HF_SEED");
    uint64_t seed;

    if (given != NULL)
        return strtoull(given, NULL, 10);
    HF_CHECK(hf_random_u64(&seed, NULL) == HF_OK);
    return seed % 1000000;
}

static void
begin(struct storm *s)
{
    char path[FOLDER_SIZE + 32];
    sigset_t signals;

    /* Guards that lose their holdfast come to us. */
    HF_CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    HF_CHECK(sigprocmask(SIG_BLOCK, &signals, NULL) == 0);
    s->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    folder_make(s->folder);
    s->terms.folder = s->folder;
    snprintf(path, sizeof(path), "%s/" STORM_WORDS, s->folder);
    HF_CHECK(mkfifo(path, 0600) == 0);
    s->words = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    HF_CHECK(s->signals >= 0 && s->words >= 0);
    snprintf(path, sizeof(path), "sqlite:%s/locks.db", s->folder);
    HF_CHECK(setenv("HOLDFAST_AT", path, 1) == 0);
    snprintf(s->last, sizeof(s->last), "%s/last", s->folder);
    HF_CHECK(take_lock(s, 0)); /* the file is made by a disk that works */
    s->rounds_max = s->wanted * ROUNDS_A_HIT + COMPETITORS;
    s->rounds = calloc(s->rounds_max, sizeof(*s->rounds));
    HF_CHECK(s->rounds != NULL);
    s->zero = actors_now_us();
    for (unsigned i = 0; i < BYSTANDERS; i++)
        bystanders_turn(&s->bystanders, &s->space);
    for (unsigned i = 0; i < COMPETITORS; i++)
        start_round(s, i);
}

int
main(int argc, char **argv)
{
    struct storm s = {.mode = argc == 6 ? argv[1] : ""};
    bool foreign = strcmp(s.mode, "foreign") == 0;
    bool untrue = strcmp(s.mode, "untrue") == 0;
    bool good;

    if (!foreign && !untrue && strcmp(s.mode, "plain") != 0)
        return 64;
    s.wanted = (unsigned)strtoul(argv[2], NULL, 10);
    s.terms =
        (struct round_terms){argv[3], argv[4], untrue ? argv[5] : NULL, NULL};
    processes_begin((struct hf_duration){60000 + (int64_t)s.wanted * 4000});
    if (!space_open(&s.space, foreign)) {
        printf("skipped: a pid namespace: %s\n", strerror(errno));
        return 77;
    }
    s.seed = choose_seed();
    printf("%s: until %u kills, %d at a time; HF_SEED=%" PRIu64 "\n", s.mode,
           s.wanted, COMPETITORS, s.seed);
    begin(&s);
    while (wait_for_news(&s)) {
        take_words(&s);
        reap(&s);
        strike(&s);
    }
    take_each(&s);
    wait_for_the_rest(&s);
    bystanders_end(&s.bystanders);
    say(&s);
    good = judge(&s);
    space_close(&s.space);
    free(s.rounds);
    folder_remove(s.folder);
    return good ? 0 : 1;
}
