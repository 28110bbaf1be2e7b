#include "client/table/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "client/settings.h"
#include "client/table/state.h"
#include "core/keeper.h"

/*
 * Is the place sound, and this host?  Each check is a row; the store adds those
 * that depend on its kind.
 *
 * The cost of a durable commit is measured by a few.  They write one record in
 * a space that no lock can have, and delete it again.  That leaves a tombstone,
 * always of the same name, which a purge removes as any other.  A doctor that
 * is killed in between leaves the record, and the next doctor goes on from it.
 */
#define PROBE_SPACE "!doctor"
#define PROBE_NAME  "probe"

enum {
    READ_MS = 3000,    /* time limit of a read, as everywhere */
    COMMIT_MS = 10000, /* time limit of a commit: a slower one is of no use
                          to a lock */
    ENOUGH_MS = 2000,  /* of commits; after that only the last one is made */
    TRIES = 20,        /* if another doctor writes, too */

    TEXT_SIZE = 32,

    /* A waiter makes many reads: a slower one is felt. */
    READ_US = 1000 * 1000,

    /* A lock should still be granted and kept if a write is so many times
     * slower than the slowest that was measured. */
    RESERVE = 4,

    /* At least so many processes should be able to beat at one place: all their
     * commits are serial. */
    BEATERS_MIN = 10,
    BEATERS_MAX = 10000, /* more than anybody counts */
};

struct doctor {
    struct hf_job *job;
    struct hf_store *store;
};

/* ---- The probe ----------------------------------------------------------- */

static struct hf_instant
in_ms(int64_t ms)
{
    return hf_after(hf_now(), (struct hf_duration){ms});
}

struct probe {
    struct hf_store *store;
    uint64_t version; /* that is expected */
    bool there;       /* the record exists */
    int64_t took_us[HF_DOCTOR_COMMITS_MAX];
    size_t count;
    struct hf_error error; /* of what failed */
};

static void
take_record(void *ctx, size_t index, const struct hf_record *record)
{
    struct probe *probe = ctx;

    (void)index;
    probe->version = record->version;
    probe->there = record->exists;
}

static enum hf_status
read_probe(struct probe *probe)
{
    const struct hf_key key = {PROBE_SPACE, PROBE_NAME};

    return hf_store_get(probe->store, &key, 1, in_ms(READ_MS), take_record,
                        probe, &probe->error);
}

/* One commit, timed if it was applied. */
static enum hf_verdict
write_probe(struct probe *probe, enum hf_op_kind kind)
{
    static const char value[] = "{\"probe\":\"holdfast doctor\"}";
    struct hf_store_op op = {
        .kind = kind,
        .key = {PROBE_SPACE, PROBE_NAME},
        .expect = {HF_EXPECT_VERSION, probe->version},
        .new_generation = kind == HF_PUT,
        .value = value,
        .value_len = sizeof(value) - 1,
    };
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    int64_t from_us = hf_now_us();
    int64_t took_us;

    hf_store_commit(probe->store, &group, 1, in_ms(COMMIT_MS), &probe->error);
    took_us = hf_now_us() - from_us;
    if (group.verdict != HF_APPLIED)
        return group.verdict;
    probe->version = op.version;
    probe->there = kind == HF_PUT;
    probe->took_us[probe->count++] = took_us;
    return HF_APPLIED;
}

/* Some puts, and a delete.  HF_REFUSED: another doctor wrote all the time, and
 * deletes it. */
static enum hf_verdict
measure(struct probe *probe)
{
    const struct hf_instant enough = in_ms(ENOUGH_MS);
    enum hf_verdict verdict = HF_REFUSED;

    for (size_t i = 0; i < TRIES; i++) {
        bool late = hf_reached(hf_now(), enough);
        bool last = probe->count == HF_DOCTOR_COMMITS_MAX - 1 ||
                    (late && probe->count > 0);

        if (late && i > 0 && !last)
            break; /* all were refused */
        if (verdict == HF_REFUSED && read_probe(probe) != HF_OK)
            return HF_UNAVAILABLE;
        if (last && !probe->there)
            break; /* the other doctor has deleted it */
        verdict = write_probe(probe, last ? HF_DELETE : HF_PUT);
        if (verdict == HF_UNAVAILABLE || verdict == HF_UNKNOWN)
            return verdict;
        if (last && verdict == HF_APPLIED)
            break;
    }
    return probe->count > 0 ? HF_APPLIED : verdict;
}

/* A write whose answer was lost may have left the record. */
static void
tidy_up(struct hf_store *store)
{
    struct probe probe = {.store = store};

    if (read_probe(&probe) == HF_OK && probe.there)
        (void)write_probe(&probe, HF_DELETE);
}

/* ---- What the latency means ---------------------------------------------- */

/* "83us", "3.1ms", "400ms", "2.5s" */
static const char *
text_of(int64_t us, char text[TEXT_SIZE])
{
    if (us < 1000)
        snprintf(text, TEXT_SIZE, "%" PRId64 "us", us);
    else if (us < 10 * 1000)
        snprintf(text, TEXT_SIZE, "%" PRId64 ".%" PRId64 "ms", us / 1000,
                 us % 1000 / 100);
    else
        hf_duration_text((struct hf_duration){us / 1000}, text, TEXT_SIZE);
    return text;
}

/* The terms of a lock that asks for this ttl, or for none (0). */
static struct hf_keeper_config
terms_for(int64_t ttl_ms)
{
    const struct hf_settings settings = {.ttl = {ttl_ms}};
    struct hf_contender_config config = hf_settings_config(&settings);

    return (struct hf_keeper_config){
        .terms = config.terms,
        .grace = config.grace,
        .margin = hf_margin(config.terms.ttl),
    };
}

static int64_t
slowest_us(const struct hf_keeper_config *config)
{
    return hf_keeper_slowest(config).ms * 1000;
}

/* The shortest ttl that makes sense here; 0: none does. */
static int64_t
shortest_ttl_ms(int64_t took_us)
{
    static const int64_t seconds[] = {3,  5,   10,  15,  20,   30,  45,
                                      60, 120, 300, 600, 1800, 3600};

    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        struct hf_keeper_config config = terms_for(seconds[i] * 1000);

        if (RESERVE * took_us <= slowest_us(&config))
            return seconds[i] * 1000;
    }
    return 0;
}

static void
sort(int64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        int64_t value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static void
blame_latency(enum hf_grade grade, int64_t ttl_ms,
              const struct hf_store_kind *kind, struct hf_checkup *checkup)
{
    char ttl[TEXT_SIZE];

    hf_duration_text((struct hf_duration){ttl_ms}, ttl, sizeof(ttl));
    if (ttl_ms == 0)
        hf_checkup_grade(checkup, grade, "%s: no ttl would do", kind->quicker);
    else
        hf_checkup_grade(checkup, grade,
                         "%s, or %s; until then ask for a longer ttl: --ttl %s",
                         kind->quicker, kind->busy, ttl);
}

/* Compare with a lock of the default terms; `ttl_ms` is the shortest that makes
 * sense. */
static void
judge_latency(int64_t median_us, int64_t worst_us, int64_t ttl_ms,
              const struct hf_store_kind *kind, struct hf_checkup *checkup)
{
    struct hf_keeper_config usual = terms_for(0);
    int64_t beat_us = usual.terms.beat.ms * 1000;
    int64_t longer_ms = ttl_ms == 0 || ttl_ms > usual.terms.ttl.ms
                            ? ttl_ms
                            : 2 * usual.terms.ttl.ms;

    if (median_us > slowest_us(&usual))
        blame_latency(HF_GRADE_FAIL, longer_ms, kind, checkup);
    else if (RESERVE * worst_us > slowest_us(&usual) ||
             BEATERS_MIN * median_us > beat_us)
        blame_latency(HF_GRADE_WARN, longer_ms, kind, checkup);
}

static void
say_what_for(int64_t median_us, int64_t ttl_ms, struct hf_checkup *checkup)
{
    struct hf_keeper_config usual = terms_for(0);
    int64_t beaters = usual.terms.beat.ms * 1000 / (median_us + 1);
    char beat[TEXT_SIZE];
    char ttl[TEXT_SIZE];

    hf_duration_text((struct hf_duration){ttl_ms}, ttl, sizeof(ttl));
    hf_duration_text(usual.terms.beat, beat, sizeof(beat));
    if (ttl_ms == 0)
        hf_checkup_add(checkup, "good for no ttl");
    else if (beaters < 1)
        hf_checkup_add(checkup,
                       "good for a ttl from %s up, and not for a beat every %s",
                       ttl, beat);
    else if (beaters > BEATERS_MAX)
        hf_checkup_add(checkup,
                       "good for a ttl from %s up, and for more than %d "
                       "processes that beat every %s",
                       ttl, BEATERS_MAX, beat);
    else
        hf_checkup_add(checkup,
                       "good for a ttl from %s up, and for %" PRId64
                       " process%s at most that beat every %s",
                       ttl, beaters, beaters == 1 ? "" : "es", beat);
}

void
hf_doctor_latency(const int64_t *took_us, size_t count,
                  const struct hf_store_kind *kind, struct hf_checkup *checkup)
{
    struct hf_keeper_config usual = terms_for(0);
    int64_t sorted[HF_DOCTOR_COMMITS_MAX];
    int64_t median_us;
    int64_t worst_us;
    int64_t ttl_ms;
    char median[TEXT_SIZE];
    char worst[TEXT_SIZE];
    char most[TEXT_SIZE];
    char ttl[TEXT_SIZE];

    HF_CHECK(count > 0 && count <= HF_DOCTOR_COMMITS_MAX);
    memcpy(sorted, took_us, count * sizeof(sorted[0]));
    sort(sorted, count);
    median_us = sorted[count / 2];
    worst_us = sorted[count - 1];
    ttl_ms = shortest_ttl_ms(worst_us);
    hf_checkup_add(checkup,
                   "a durable commit takes %s (median of %zu, the slowest %s), "
                   "and the usual ttl of %s allows %s",
                   text_of(median_us, median), count, text_of(worst_us, worst),
                   hf_duration_text(usual.terms.ttl, ttl, sizeof(ttl)),
                   text_of(slowest_us(&usual), most));
    say_what_for(median_us, ttl_ms, checkup);
    judge_latency(median_us, worst_us, ttl_ms, kind, checkup);
}

/* ---- What the evidence means --------------------------------------------- */

/* No process can be taken for one of a record's holder. */
static void
say_blind(const char *cause, const char *remedy, struct hf_checkup *checkup)
{
    hf_checkup_add(checkup,
                   "%s: a holder that dies on this host, too, is known by its "
                   "silence for its ttl alone",
                   cause);
    hf_checkup_warn(checkup, "%s", remedy);
}

void
hf_doctor_evidence(const struct hf_process_survey *survey,
                   struct hf_checkup *checkup)
{
    if (!survey->knows_boot) {
        say_blind("the boot id cannot be read",
                  "mount /proc where this runs: mount -t proc proc /proc",
                  checkup);
    } else if (!survey->knows_processes) {
        say_blind("/proc does not show this pid namespace",
                  "mount one that does: mount -t proc proc /proc (unshare has "
                  "--mount-proc)",
                  checkup);
    } else if (!survey->knows_starts) {
        say_blind("this process is in a time namespace, where start times are "
                  "shifted",
                  "run what locks outside of it", checkup);
    } else if (!survey->has_pidfds) {
        hf_checkup_add(checkup, "the kernel gives no pidfd: the end of a "
                                "holder on this host is seen only when its "
                                "record is looked at");
        hf_checkup_warn(
            checkup, "let pidfd_open through, in the seccomp profile or by a "
                     "kernel from 5.3 on; or allow more open files: ulimit -n");
    } else if (!survey->sees_others) {
        hf_checkup_add(checkup, "the end of a holder on this host is seen at "
                                "once, but not that another user's still runs: "
                                "/proc hides it");
        hf_checkup_warn(checkup, "mount -o remount,hidepid=0 /proc");
    } else {
        hf_checkup_add(checkup, "the end of a holder on this host is seen at "
                                "once; on another host, or in another pid "
                                "namespace, it is known by its silence for its "
                                "ttl alone");
    }
}

/* ---- The checks ---------------------------------------------------------- */

static void
check_reachable(const struct doctor *doctor, struct hf_checkup *checkup)
{
    struct probe probe = {.store = doctor->store};
    int64_t from_us = hf_now_us();
    int64_t took_us;
    char took[TEXT_SIZE];

    if (read_probe(&probe) != HF_OK) {
        hf_store_blame(doctor->store, &probe.error, checkup);
        return;
    }
    took_us = hf_now_us() - from_us;
    hf_checkup_add(checkup, "a read is answered in %s", text_of(took_us, took));
    if (took_us > READ_US)
        hf_checkup_warn(checkup, "%s", doctor->store->place.kind->busy);
}

static void
check_latency(const struct doctor *doctor, struct hf_checkup *checkup)
{
    struct probe probe = {.store = doctor->store};

    if (doctor->job->look_only) {
        hf_checkup_add(checkup, "not measured: opened to look only");
        return;
    }
    switch (measure(&probe)) {
    case HF_APPLIED:
        hf_doctor_latency(probe.took_us, probe.count, doctor->store->place.kind,
                          checkup);
        break;
    case HF_REFUSED:
        hf_checkup_add(checkup, "not measured: other doctors are at work");
        hf_checkup_warn(checkup, "ask again");
        break;
    case HF_UNAVAILABLE:
    case HF_UNKNOWN:
        tidy_up(doctor->store);
        hf_store_blame(doctor->store, &probe.error, checkup);
        break;
    }
}

static void
check_evidence(const struct doctor *doctor, struct hf_checkup *checkup)
{
    struct hf_process_survey survey;

    (void)doctor;
    hf_process_survey(&survey);
    hf_doctor_evidence(&survey, checkup);
}

static void
check_neighbours(const struct doctor *doctor, struct hf_checkup *checkup)
{
    hf_store_neighbours(doctor->store, checkup);
}

static void
add_row(void *ctx, const struct hf_checkup *checkup)
{
    const struct doctor *doctor = ctx;
    struct hf_view *row = hf_query_page_add(&doctor->job->page, HF_VIEW_CHECK);

    if (row != NULL)
        row->check = *checkup;
}

static void
make(struct doctor *doctor, const char *name,
     void (*check)(const struct doctor *doctor, struct hf_checkup *checkup))
{
    struct hf_checkup checkup = {.check = name};

    check(doctor, &checkup);
    add_row(doctor, &checkup);
}

enum hf_status
hf_job_doctor(struct hf_job *job, struct hf_store *store,
              struct hf_error *error)
{
    struct doctor doctor = {.job = job, .store = store};

    (void)error; /* what is wrong is a row */
    make(&doctor, "reachable", check_reachable);
    hf_store_inspect(store, in_ms(READ_MS), add_row, &doctor);
    make(&doctor, "latency", check_latency);
    make(&doctor, "evidence", check_evidence);
    make(&doctor, "neighbours", check_neighbours);
    return HF_OK;
}
