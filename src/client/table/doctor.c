
#include "base/fail.h"
#include "client/table/checks.h"
#include "client/table/state.h"

/*
 * Is the place sound, and this host?  One row a check: what only the kind of
 * store can tell, it tells itself; what the figures mean, checks.h says.
 */

/*
 * What a durable commit costs is found out by some.  They write one record in
 * a space of our own, which no lock can have, and delete it again; what is left
 * is a tombstone, always the same one, which a purge takes with the others.
 * One who is killed in between leaves a record that the next one goes on from.
 */
#define PROBE_SPACE "!doctor"
#define PROBE_NAME  "probe"

enum {
    READ_MS = 3000,    /* patience with one read, as everywhere */
    COMMIT_MS = 10000, /* and with one commit: more is of no use to a lock */
    ENOUGH_MS = 2000,  /* of commits, after which none is begun but the last */
    TRIES = 20,        /* where another doctor is at it */
};

struct doctor {
    struct hf_job *job;
    struct hf_store *store;
};

static void
tell(void *ctx, const struct hf_checkup *checkup)
{
    struct doctor *doctor = ctx;
    struct hf_view *row = hf_query_page_add(&doctor->job->page, HF_VIEW_CHECK);

    if (row != NULL)
        row->check = *checkup;
}

static struct hf_instant
in_ms(int64_t ms)
{
    return hf_after(hf_now(), (struct hf_duration){ms});
}

/* ---- The probe ----------------------------------------------------------- */

struct probe {
    struct hf_store *store;
    uint64_t version; /* to expect */
    bool there;       /* one of ours may be */
    int64_t took_us[HF_CHECKS_COMMITS_MAX];
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

/* Puts, and a delete; HF_REFUSED: another doctor wrote, who deletes it, too. */
static enum hf_verdict
measure(struct probe *probe)
{
    const struct hf_instant enough = in_ms(ENOUGH_MS);
    enum hf_verdict verdict = HF_REFUSED;

    for (size_t i = 0; i < TRIES; i++) {
        bool late = hf_reached(hf_now(), enough);
        bool last = probe->count == HF_CHECKS_COMMITS_MAX - 1 ||
                    (late && probe->count > 0);

        if (late && i > 0 && !last)
            break; /* nothing but refusals */
        if (verdict == HF_REFUSED && read_probe(probe) != HF_OK)
            return HF_UNAVAILABLE;
        if (last && !probe->there)
            break; /* the other one has deleted it */
        verdict = write_probe(probe, last ? HF_DELETE : HF_PUT);
        if (verdict == HF_UNAVAILABLE || verdict == HF_UNKNOWN)
            return verdict;
        if (last && verdict == HF_APPLIED)
            break;
    }
    return probe->count > 0 ? HF_APPLIED : verdict;
}

/* A failed write may have been one that came through after all. */
static void
tidy_up(struct doctor *doctor)
{
    struct probe probe = {.store = doctor->store};

    if (read_probe(&probe) == HF_OK && probe.there)
        (void)write_probe(&probe, HF_DELETE);
}

static void
check_latency(struct doctor *doctor)
{
    struct hf_checkup checkup = {.check = "latency"};
    struct probe probe = {.store = doctor->store};

    if (doctor->job->look_only) {
        hf_checkup_add(&checkup, "not measured: opened to look only");
        tell(doctor, &checkup);
        return;
    }
    switch (measure(&probe)) {
    case HF_APPLIED:
        hf_checks_latency(probe.took_us, probe.count, &checkup);
        break;
    case HF_REFUSED:
        hf_checkup_add(&checkup, "not measured: other doctors are at work");
        hf_checkup_blame(&checkup, HF_GRADE_WARN, "ask again");
        break;
    case HF_UNAVAILABLE:
    case HF_UNKNOWN:
        tidy_up(doctor);
        hf_store_blame(doctor->store, &probe.error, &checkup);
        break;
    }
    tell(doctor, &checkup);
}

/* ---- The others ---------------------------------------------------------- */

static void
check_reachable(struct doctor *doctor)
{
    struct hf_checkup checkup = {.check = "reachable"};
    struct probe probe = {.store = doctor->store};
    int64_t from_us = hf_now_us();

    if (read_probe(&probe) == HF_OK)
        hf_checks_reachable(hf_now_us() - from_us, &checkup);
    else
        hf_store_blame(doctor->store, &probe.error, &checkup);
    tell(doctor, &checkup);
}

static void
check_evidence(struct doctor *doctor)
{
    struct hf_checkup checkup = {.check = "evidence"};
    struct hf_process_survey survey;

    hf_process_survey(&survey);
    hf_checks_evidence(&survey, &checkup);
    tell(doctor, &checkup);
}

static void
check_neighbours(struct doctor *doctor)
{
    struct hf_checkup checkup = {.check = "neighbours"};

    hf_store_neighbours(doctor->store, &checkup);
    tell(doctor, &checkup);
}

enum hf_status
hf_job_doctor(struct hf_job *job, struct hf_store *store,
              struct hf_error *error)
{
    struct doctor doctor = {.job = job, .store = store};

    (void)error; /* what is wrong is a row */
    check_reachable(&doctor);
    hf_store_inspect(store, in_ms(READ_MS), tell, &doctor);
    check_latency(&doctor);
    check_evidence(&doctor);
    check_neighbours(&doctor);
    return HF_OK;
}
