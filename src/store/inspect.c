#include "store/inspect.h"

#include <inttypes.h>

#include "base/text.h"
#include "store/place.h"
#include "store/rule.h"

enum {
    DURATION_SIZE = 32,
    WORD_SIZE = 4 * HF_PLACE_MAX,

    /* Versions may be ahead by what a clock is corrected in passing. */
    STEP_MS = 60 * 1000,

    /* A purge takes what is a day old, 1,000 at a time, after one release in
     * 64 (client/table/worker.c): that 1,000 of three days are still there is
     * no bad luck. */
    OLD_MS = 3 * 24 * 3600 * 1000,
    OLD_MANY = 1000,
};

const char *
hf_inspect_quote(const char *path, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_add(&out, "'");
    for (; *path != '\0'; path++) {
        if (*path == '\'')
            hf_text_add(&out, "'\\''");
        else
            hf_text_add_bytes(&out, path, 1);
    }
    hf_text_add(&out, "'");
    return buffer;
}

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
    hf_checkup_blame(checkup, HF_GRADE_WARN,
                     "one release in 64 purges up to 1000: see that those who "
                     "release locks here have room on the disk, or release "
                     "some: for i in $(seq 300); do holdfast run purge -- "
                     "true; done");
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
        hf_checkup_blame(checkup, HF_GRADE_FAIL, SET_CLOCK);
        return;
    }
    if (newest > (uint64_t)HF_RULE_CLOCK_MAX_US) {
        hf_checkup_add(checkup,
                       "the greatest version in the place, %" PRIu64
                       ", is of no clock",
                       newest);
        hf_checkup_blame(checkup, HF_GRADE_WARN,
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
    hf_checkup_blame(checkup, HF_GRADE_WARN, SET_CLOCK);
}

/* ---- The file system ----------------------------------------------------- */

void
hf_inspect_filesystem(uint32_t type, bool network, struct hf_checkup *checkup)
{
    enum hf_place_keeps keeps = HF_PLACE_KEEPS;
    const char *remote = hf_place_network(type);
    const char *name = hf_place_filesystem(type, &keeps);

    if (remote != NULL) {
        hf_checkup_add(checkup,
                       "on a network file system (%s), where SQLite's locks "
                       "are safe only while one machine alone opens it",
                       remote);
        hf_checkup_blame(checkup, network ? HF_GRADE_WARN : HF_GRADE_FAIL,
                         "move the place to a local disk");
        return;
    }
    if (name == NULL) {
        hf_checkup_add(checkup, "on a file system of type 0x%" PRIx32, type);
        return;
    }
    switch (keeps) {
    case HF_PLACE_KEEPS:
        hf_checkup_add(checkup, "on %s", name);
        break;
    case HF_PLACE_UNTIL_RESTART:
        hf_checkup_add(checkup, "on %s: gone after a restart", name);
        hf_checkup_blame(checkup, HF_GRADE_WARN,
                         "move the place to a disk, unless no lock need "
                         "outlive a restart");
        break;
    case HF_PLACE_IN_CONTAINER:
        hf_checkup_add(checkup,
                       "on %s: if that is a container's, gone with "
                       "it, and not seen by others",
                       name);
        hf_checkup_blame(checkup, HF_GRADE_WARN,
                         "mount a volume that all who lock share, and put the "
                         "place there");
        break;
    }
}

/* ---- No answer ----------------------------------------------------------- */

void
hf_inspect_failure(const struct hf_error *error, const char *path,
                   struct hf_checkup *checkup)
{
    char word[WORD_SIZE];

    hf_checkup_add(checkup, "%s", error->text);
    hf_inspect_quote(path, word, sizeof(word));
    if (path[0] == '\0') {
        hf_checkup_blame(checkup, HF_GRADE_FAIL, "name another place");
        return;
    }
    switch (error->status) {
    case HF_E_DENIED:
        hf_checkup_blame(checkup, HF_GRADE_FAIL,
                         "let this user read and write it, and all beside "
                         "it: ls -la \"$(dirname %s)\"",
                         word);
        break;
    case HF_E_CORRUPT:
        hf_checkup_blame(checkup, HF_GRADE_FAIL,
                         "restore it from a backup, or name another place; to "
                         "see what is wrong: sqlite3 %s 'PRAGMA "
                         "integrity_check'",
                         word);
        break;
    case HF_E_LIMIT:
        hf_checkup_blame(checkup, HF_GRADE_FAIL,
                         "allow this process more open files: ulimit -n");
        break;
    case HF_E_NOMEM:
        hf_checkup_blame(checkup, HF_GRADE_FAIL, "free memory: free -h");
        break;
    case HF_OK:
    case HF_E_INVALID:
    case HF_E_UNAVAILABLE:
    case HF_E_UNKNOWN:
    case HF_E_CANCELLED:
        hf_checkup_blame(checkup, HF_GRADE_FAIL,
                         "see who keeps it locked: fuser -v %s; and whether "
                         "its disk is full: df -h %s",
                         word, word);
        break;
    }
}
