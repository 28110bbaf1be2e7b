#include "store/inspect.h"

#include <inttypes.h>

#include "base/text.h"
#include "store/rule.h"

enum {
    DURATION_SIZE = 32,

    /* Versions may be ahead by a small correction of the clock. */
    STEP_MS = 60 * 1000,

    /* A purge removes 1,000 day-old rows after one release in 64
     * (client/table/worker.c).  So 1,000 rows that are three days old are not
     * bad luck. */
    OLD_MS = 3 * 24 * 3600 * 1000,
    OLD_MANY = 1000,
};

/* ---- Leftovers ----------------------------------------------------------- */

int64_t
hf_inspect_old_ms(void)
{
    return hf_rule_purge_before((struct hf_duration){OLD_MS});
}

static const char *
plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void
hf_inspect_leftovers(const struct hf_inspect_leftovers *left,
                     struct hf_checkup *checkup)
{
    int64_t now_ms = hf_wall_ms();
    int64_t age_ms = left->oldest_ms < now_ms ? now_ms - left->oldest_ms : 0;
    char age[DURATION_SIZE];

    if (left->tombstones == 0 && left->markers == 0) {
        hf_checkup_add(checkup, "none");
        return;
    }
    hf_duration_text((struct hf_duration){age_ms}, age, sizeof(age));
    hf_checkup_add(checkup,
                   "%" PRIu64 " tombstone%s and %" PRIu64
                   " marker%s, the oldest of %s ago",
                   left->tombstones, plural(left->tombstones), left->markers,
                   plural(left->markers), age);
    if (left->old < OLD_MANY)
        return;
    hf_checkup_add(checkup, "%" PRIu64 " should have been purged", left->old);
    hf_checkup_warn(
        checkup, "one release in 64 purges up to 1000: see that those who "
                 "release locks here have room on the disk, or release some: "
                 "for i in $(seq 300); do holdfast run purge -- true; done");
}

/* ---- The clock ----------------------------------------------------------- */

#define SET_CLOCK "set the clock: timedatectl set-ntp true"

void
hf_inspect_clock(uint64_t newest, struct hf_checkup *checkup)
{
    struct hf_error error = {0};
    int64_t now_us = 0;
    int64_t ahead_ms;
    char text[DURATION_SIZE];

    if (hf_rule_clock(&now_us, &error) != HF_OK) {
        hf_checkup_add(checkup, "%s", error.text);
        hf_checkup_fail(checkup, SET_CLOCK);
        return;
    }
    if (newest > (uint64_t)HF_RULE_CLOCK_MAX_US) {
        hf_checkup_add(checkup,
                       "the greatest version in the place, %" PRIu64
                       ", is of no clock",
                       newest);
        hf_checkup_warn(checkup,
                        "somebody wrote it by hand: delete the row that has "
                        "it, or restore the place from a backup");
        return;
    }
    ahead_ms = ((int64_t)newest - now_us) / 1000;
    if (ahead_ms <= 0) {
        hf_duration_text((struct hf_duration){-ahead_ms}, text, sizeof(text));
        hf_checkup_add(checkup, "%s after the newest version in the place",
                       text);
        return;
    }
    hf_duration_text((struct hf_duration){ahead_ms}, text, sizeof(text));
    hf_checkup_add(checkup,
                   "this machine's clock is %s behind the newest version in "
                   "the place",
                   text);
    if (ahead_ms <= STEP_MS)
        return;
    hf_checkup_add(checkup,
                   "until it is right a fence is one more than the last of "
                   "its lock, and a file restored from a backup may "
                   "repeat it");
    hf_checkup_warn(checkup, SET_CLOCK);
}
