#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "support/clocks.h"
#include "support/competitor.h"
#include "support/folder.h"
#include "support/judge.h"
#include "support/ledger.h"
#include "support/processes.h"

/*
 * torture takeover|refuse|clocks HOLDFAST SECTION WORKER
 *
 * Sixteen processes compete for one lock in a SQLite file, three of four with
 * `holdfast run`, the others with libholdfast, while holdfast, its guard or
 * its command are killed with -9, one of them a round, and all three are
 * stopped past the ttl.  What is then true is said in judge.h.
 *
 * clocks: the wall clocks of some are a day ahead or behind (libfaketime with
 * FAKETIME_DONT_FAKE_MONOTONIC: that no decision rests on them), of others so
 * is every clock (without it: that no two processes' clocks are compared).
 *
 * takeover: all that is asked and told is written down, too, as a history.
 *
 * HF_SEED repeats a run, as far as that depends on chance alone; HF_SECTIONS
 * is the number of sections of each competitor; HF_KEEP keeps the files.
 */

#define COMPETITORS 16
#define TTL_MS      1000
#define LOOK_MS     20 /* between looks at the frozen */
#define TIME_MS     580000

/* The frozen whom nobody followed for so many ttl go on all the same. */
#define STALL_TTLS 8

struct mode {
    const char *word;
    enum hf_if_dead if_dead;
    uint32_t sections; /* of each competitor */
    unsigned slow;     /* see fault_draw */
    bool clocks;
    bool history;
};

static const struct mode modes[] = {
    {"takeover", HF_TAKEOVER, 1000, 1, false, true},
    {"refuse", HF_REFUSE, 100, 4, false, false},
    {"clocks", HF_TAKEOVER, 100, 4, true, false},
};

struct torture {
    struct competitor_terms terms;
    const struct mode *mode;
    struct competitor competitors[COMPETITORS];
    struct witness witness;
    char history[FOLDER_SIZE + 16]; /* its folder */
    int words;                      /* from the sections */
    int signals;                    /* SIGCHLD */
    uint32_t done;
    uint64_t highest; /* fence of a section that is done */
    unsigned struck;  /* kills by the driver that hit */
    unsigned faults[FAULTS];
    unsigned lost;    /* lost its right without a fault */
    unsigned cleared; /* by hand */
    unsigned stalled; /* frozen in a commit */
    unsigned strange; /* exit codes that nothing explains */
    struct hf_instant began;
};

/* ---- Words from the sections -------------------------------------------- */

static void
on_done(struct torture *t, const struct ledger_word *word)
{
    struct competitor *competitor = &t->competitors[word->competitor];
    uint32_t all = COMPETITORS * t->terms.sections;

    if (word->seq >= competitor->seq) {
        competitor->seq = word->seq + 1;
        competitor->attempt = 0;
        t->done++;
        if (t->done % (all / 8) == 0)
            printf("%s: %u of %u sections after %" PRId64 " ms\n",
                   t->mode->word, t->done, all,
                   hf_between(t->began, hf_now()).ms);
    }
    if (word->fence > t->highest)
        t->highest = word->fence;
}

static void
on_word(struct torture *t, const struct ledger_word *word)
{
    struct competitor *competitor;

    HF_CHECK(word->competitor < COMPETITORS);
    competitor = &t->competitors[word->competitor];
    switch ((enum ledger_word_kind)word->kind) {
    case LEDGER_DONE:
        on_done(t, word);
        break;
    case LEDGER_STOPPING:
        competitor_freeze(competitor, word->pids, word->fence);
        break;
    case LEDGER_THAWED:
        competitor_thaw_rest(competitor);
        break;
    }
}

static void
take_words(struct torture *t)
{
    struct ledger_word word;

    while (read(t->words, &word, sizeof(word)) == sizeof(word))
        on_word(t, &word);
}

/* ---- Ends --------------------------------------------------------------- */

static bool
explained(const struct torture *t, const struct competitor *competitor,
          int code)
{
    bool refuse = t->mode->if_dead == HF_REFUSE;

    if (code == 0)
        return true;
    /* Another one cleared it before, or came after it. */
    if (competitor->clearing)
        return code == 1 || code == 75 || code == 128 + SIGTERM;
    if (competitor->library)
        return code == 128 + SIGKILL;
    if (refuse && code == 73)
        return true;
    return competitor->fault != FAULT_NONE;
}

static void
on_end(struct torture *t, struct competitor *competitor, int code)
{
    bool over = competitor->seq == t->terms.sections;

    competitor->pid = 0;
    t->faults[competitor->fault]++;
    t->cleared += competitor->clearing && code == 0;
    if (code == 76 && competitor->fault == FAULT_NONE &&
        !competitor->clearing) {
        t->lost++; /* a busy machine: not wrong, only a pity */
    } else if (!explained(t, competitor, code)) {
        t->strange++;
        printf("breach: competitor %u section %u, %s: exit code %d\n",
               competitor->number, competitor->seq,
               fault_word(competitor->fault), code);
        competitor_show_output(&t->terms, competitor);
    }
    if (over || t->strange > 20)
        return;
    if (code == 73 && !competitor->clearing && !competitor->library)
        competitor_clear(&t->terms, competitor);
    else
        competitor_start(&t->terms, competitor);
}

static void
reap(struct torture *t)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    (void)!read(t->signals, &info, sizeof(info));
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct competitor *competitor = t->competitors;

        take_words(t); /* what it said before its end */
        while (competitor < t->competitors + COMPETITORS &&
               competitor->pid != pid)
            competitor++;
        HF_CHECK(competitor < t->competitors + COMPETITORS);
        on_end(t, competitor,
               WIFEXITED(status) ? WEXITSTATUS(status)
                                 : 128 + WTERMSIG(status));
    }
}

/* ---- Time --------------------------------------------------------------- */

static bool
frozen_for(const struct competitor *competitor, int64_t ms)
{
    struct hf_duration length = {ms};

    return competitor->frost == COMPETITOR_FROZEN &&
           hf_reached(hf_now(), hf_after(competitor->frozen_at, length));
}

/*
 * The frozen go on when their right is surely over.  A takeover lock's: when
 * somebody came after them; the command first, to try its write, and when it
 * has tried, the others.  A refuse lock's: after a time; they hold it still.
 *
 * Whoever was stopped in the middle of a commit has stopped the file for all:
 * nobody can come after it, and it goes on after a longer time.
 */
static void
thaw(struct torture *t, struct competitor *competitor)
{
    int64_t ttl_ms = t->terms.ttl.ms;

    if (t->mode->if_dead == HF_REFUSE) {
        if (!frozen_for(competitor, ttl_ms * 3 / 2))
            return;
        competitor_thaw_command(competitor);
        competitor_thaw_rest(competitor);
    } else if (frozen_for(competitor, 0) &&
               t->highest > competitor->frozen_fence) {
        competitor_thaw_command(competitor);
    } else if (frozen_for(competitor, ttl_ms * STALL_TTLS)) {
        t->stalled++;
        competitor_thaw_command(competitor);
        competitor_thaw_rest(competitor);
    }
}

static void
on_time(struct torture *t)
{
    for (int i = 0; i < COMPETITORS; i++) {
        struct competitor *competitor = &t->competitors[i];

        if (hf_reached(hf_now(), competitor->strike_at))
            t->struck += competitor_strike(&t->terms, competitor);
        competitor_look_frozen(competitor);
        thaw(t, competitor);
    }
}

static void
wait_for_news(struct torture *t)
{
    struct pollfd polls[] = {
        {.fd = t->words, .events = POLLIN},
        {.fd = t->signals, .events = POLLIN},
    };
    struct hf_instant next = HF_NEVER;
    struct hf_instant soon = hf_after(hf_now(), (struct hf_duration){LOOK_MS});
    int64_t wait_ms;

    for (int i = 0; i < COMPETITORS; i++) {
        next = hf_earlier(next, t->competitors[i].strike_at);
        if (t->competitors[i].frost != COMPETITOR_RUNS)
            next = hf_earlier(next, soon);
    }
    wait_ms = hf_between(hf_now(), next).ms;
    (void)poll(polls, 2, wait_ms > 1000 ? 1000 : (int)wait_ms);
}

static bool
all_over(const struct torture *t)
{
    for (int i = 0; i < COMPETITORS; i++)
        if (t->competitors[i].pid != 0)
            return false;
    return true;
}

/* ---- The end ------------------------------------------------------------ */

static void
say(const struct torture *t, const struct judge_found *found)
{
    printf("%s: %" PRIu64 " fenced writes, %" PRIu64 " notes in %" PRId64
           " ms; killed with -9 in a section: holdfast %u (%u with a command "
           "deaf to TERM), guard %u, command %u; at any moment: %u; cleared by "
           "hand: %u\n",
           t->mode->word, found->writes, found->notes,
           hf_between(t->began, hf_now()).ms,
           t->faults[FAULT_KILL_HOLDFAST] + t->faults[FAULT_KILL_HOLDFAST_DEAF],
           t->faults[FAULT_KILL_HOLDFAST_DEAF], t->faults[FAULT_KILL_GUARD],
           t->faults[FAULT_KILL_COMMAND], t->struck, t->cleared);
    printf("%s: frozen past the ttl: %" PRIu64
           ", late writes refused by their fence: %" PRIu64
           ", frozen in the middle of a commit: %u; rights lost to a busy "
           "machine: %u; breaches: %" PRIu64 "\n",
           t->mode->word, found->frozen, found->refused, t->stalled, t->lost,
           found->breaches + t->strange);
}

static bool
judge_all(const struct torture *t)
{
    struct judge_case what = {
        .folder = t->terms.folder,
        .competitors = COMPETITORS,
        .sections = t->terms.sections,
        .spare_frozen = t->mode->if_dead == HF_TAKEOVER,
    };
    struct judge_found found;

    if (!judge(&what, &found)) {
        printf("breach: the ledger cannot be read\n");
        return false;
    }
    say(t, &found);
    if (t->mode->history && !judge_history(t->history))
        return false;
    return found.breaches == 0 && t->strange == 0 && judge_lock("torture");
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

/* What all processes find in their environment. */
static void
export_terms(const struct competitor_terms *terms)
{
    char text[600];

    snprintf(text, sizeof(text), "sqlite:%s/locks.db", terms->folder);
    HF_CHECK(setenv("HOLDFAST_AT", text, 1) == 0);
    snprintf(text, sizeof(text), "%" PRId64 "ms", terms->ttl.ms);
    HF_CHECK(setenv("HF_TTL", text, 1) == 0);
    HF_CHECK(setenv("HF_IF_DEAD", hf_if_dead_word(terms->if_dead), 1) == 0);
    snprintf(text, sizeof(text), "%u", terms->slow);
    HF_CHECK(setenv("HF_SLOW", text, 1) == 0);
}

static void
begin_history(struct torture *t)
{
    if (t->mode->history) {
        HF_CHECK(mkdir(t->history, 0700) == 0);
        HF_CHECK(setenv("HF_HISTORY", t->history, 1) == 0);
    } else {
        HF_CHECK(unsetenv("HF_HISTORY") == 0);
    }
    witness_open(&t->witness, "driver");
}

static void
begin(struct torture *t)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    HF_CHECK(sigprocmask(SIG_BLOCK, &signals, NULL) == 0);
    t->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    t->words = ledger_make(t->terms.folder);
    HF_CHECK(t->signals >= 0 && t->words >= 0);
    export_terms(&t->terms);
    begin_history(t);
    t->began = hf_now();
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        t->competitors[i] = (struct competitor){
            .number = i,
            .library = i % 4 == 3,
            .clock = t->mode->clocks ? clocks_of(i / 4) : NULL,
        };
        competitor_start(&t->terms, &t->competitors[i]);
    }
}

/* ---- Main --------------------------------------------------------------- */

static const struct mode *
find_mode(const char *word)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(modes[i].word, word) == 0)
            return &modes[i];
    return NULL;
}

int
main(int argc, char **argv)
{
    struct torture t = {.mode = argc == 5 ? find_mode(argv[1]) : NULL};
    const char *sections = getenv("HF_SECTIONS");
    char folder[FOLDER_SIZE];
    bool good;

    if (argc == 4 && strcmp(argv[1], "moved") == 0)
        return clocks_moved(argv[2], argv[3]);
    if (t.mode == NULL)
        return 64;
    processes_begin((struct hf_duration){TIME_MS});
    if (t.mode->clocks && !clocks_can_move(argv[0]))
        return 1;
    folder_make(folder);
    t.terms = (struct competitor_terms){
        .holdfast = argv[2],
        .section = argv[3],
        .worker = argv[4],
        .folder = folder,
        .if_dead = t.mode->if_dead,
        .ttl = {TTL_MS},
        .slow = t.mode->slow,
        .seed = choose_seed(),
        .sections = sections == NULL ? t.mode->sections
                                     : (uint32_t)strtoul(sections, NULL, 10),
        .witness = &t.witness,
    };
    snprintf(t.history, sizeof(t.history), "%s/history", folder);
    printf("%s: 16 competitors, %u sections each; HF_SEED=%" PRIu64 "\n",
           t.mode->word, t.terms.sections, t.terms.seed);
    begin(&t);
    while (!all_over(&t)) {
        wait_for_news(&t);
        take_words(&t);
        reap(&t);
        on_time(&t);
    }
    good = judge_all(&t);
    history_log_close(&t.witness.log);
    if (t.mode->history)
        folder_remove(t.history);
    folder_remove(folder);
    return good ? 0 : 1;
}
