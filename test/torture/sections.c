#include "sections.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/clock.h"
#include "clocks.h"
#include "competitor.h"
#include "judge.h"
#include "support/processes.h"

#define COMPETITORS 16
#define TTL_MS      1000
#define LOOK_MS     20 /* between looks at the frozen */
#define TIME_MS     580000

/* The frozen whom nobody followed for so many ttl go on all the same. */
#define STALL_TTLS 8

struct torture {
    struct driver *driver;
    struct competitor_terms terms;
    const struct sections_mode *mode;
    struct competitor competitors[COMPETITORS];
    struct witness witness;
    char history[FOLDER_SIZE + 16]; /* its folder */
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
    case LEDGER_BEGINS:
    case LEDGER_OVERLAPS:
    case LEDGER_ENDS:
        HF_CHECK(!"a section says none of these");
    }
}

static void
take_words(struct torture *t)
{
    struct ledger_word word;

    while (driver_word(t->driver, &word))
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
    /* The server is killed, too (test/place/run.py). */
    if (code == 69)
        return getenv("HF_PLACE") != NULL;
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
    int code;
    pid_t pid;

    while ((pid = driver_reap(t->driver, &code)) != 0) {
        struct competitor *competitor = t->competitors;

        take_words(t); /* what it said before its end */
        while (competitor < t->competitors + COMPETITORS &&
               competitor->pid != pid)
            competitor++;
        HF_CHECK(competitor < t->competitors + COMPETITORS);
        on_end(t, competitor, code);
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
    struct hf_instant next = HF_NEVER;
    struct hf_instant soon = hf_after(hf_now(), (struct hf_duration){LOOK_MS});

    for (int i = 0; i < COMPETITORS; i++) {
        next = hf_earlier(next, t->competitors[i].strike_at);
        if (t->competitors[i].frost != COMPETITOR_RUNS)
            next = hf_earlier(next, soon);
    }
    next = hf_earlier(next, hf_after(hf_now(), (struct hf_duration){1000}));
    driver_wait(t->driver, hf_between(hf_now(), next).ms * 1000);
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

/* What all processes find in their environment. */
static void
export_terms(const struct competitor_terms *terms)
{
    char text[32];

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

/* ---- All of it ---------------------------------------------------------- */

static struct competitor_terms
terms_of(struct torture *t)
{
    const char *sections = getenv("HF_SECTIONS");

    return (struct competitor_terms){
        .holdfast = t->driver->holdfast,
        .section = t->driver->command,
        .worker = t->driver->other,
        .folder = t->driver->folder,
        .if_dead = t->mode->if_dead,
        .ttl = {TTL_MS},
        .slow = t->mode->slow,
        .seed = t->driver->seed,
        .sections = sections == NULL ? t->mode->sections
                                     : (uint32_t)strtoul(sections, NULL, 10),
        .witness = &t->witness,
    };
}

int
sections_run(struct driver *driver, const struct sections_mode *mode,
             const char *self)
{
    struct torture t = {.driver = driver, .mode = mode};
    bool good;

    processes_begin((struct hf_duration){TIME_MS});
    if (mode->clocks && !clocks_can_move(self))
        return 1;
    driver->seed = driver_seed();
    driver_begin(driver);
    t.terms = terms_of(&t);
    snprintf(t.history, sizeof(t.history), "%s/history", driver->folder);
    printf("%s: 16 competitors, %u sections each; HF_SEED=%" PRIu64 "\n",
           mode->word, t.terms.sections, t.terms.seed);
    begin(&t);
    while (!all_over(&t)) {
        wait_for_news(&t);
        take_words(&t);
        reap(&t);
        on_time(&t);
    }
    good = judge_all(&t);
    history_log_close(&t.witness.log);
    if (mode->history)
        folder_remove(t.history);
    driver_end(driver);
    return good ? 0 : 1;
}
