#include "store/rule.h"

#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/process.h"
#include "wire/head.h"

int64_t
hf_rule_purge_before(struct hf_duration age)
{
    int64_t now_ms = hf_wall_ms();

    /* An age above the clock itself, like HF_FOREVER, spares everything. */
    return age.ms > now_ms ? INT64_MIN : now_ms - age.ms;
}

bool
hf_rule_applies(const struct hf_store_op *op, const struct hf_rule_found *found)
{
    if (op->kind == HF_PUT && !op->new_generation && !found->exists)
        return false;

    switch (op->expect.kind) {
    case HF_EXPECT_VERSION:
        return op->expect.version == found->version;
    case HF_EXPECT_ABSENT:
        return !found->exists;
    case HF_EXPECT_ANYTHING:
        return true;
    }
    return false;
}

static bool
is_guarded(const struct hf_store_group *group, size_t index)
{
    for (size_t i = 0; i < group->ops_count; i++)
        if (i != index && group->ops[i].expect.kind == HF_EXPECT_VERSION)
            return true;
    return false;
}

static bool
is_same(struct hf_key a, struct hf_key b)
{
    return strcmp(a.name, b.name) == 0 && strcmp(a.space, b.space) == 0;
}

/* A key may be in a group once. */
static void
check_keys(const struct hf_store_group *group)
{
    for (size_t i = 0; i < group->ops_count; i++)
        for (size_t k = 0; k < i; k++)
            HF_CHECK(!is_same(group->ops[k].key, group->ops[i].key));
}

enum hf_status
hf_rule_admit(const struct hf_store_group *group, struct hf_error *error)
{
    HF_CHECK(group->ops_count >= 1);
    HF_CHECK(group->ops_count <= HF_GROUP_OPERATIONS_MAX);
    check_keys(group);

    for (size_t i = 0; i < group->ops_count; i++) {
        const struct hf_store_op *op = &group->ops[i];

        if (op->kind == HF_ERASE || op->expect.kind != HF_EXPECT_VERSION)
            HF_CHECK(is_guarded(group, i));
        if (op->kind == HF_PUT && op->value_len > HF_VALUE_MAX)
            return hf_fail(error, HF_E_LIMIT,
                           "a value of %zu bytes is above the limit of %d",
                           op->value_len, HF_VALUE_MAX);
    }
    return HF_OK;
}

bool
hf_rule_claims(const struct hf_store_group *group)
{
    for (size_t i = 0; i < group->ops_count; i++) {
        const struct hf_store_op *op = &group->ops[i];

        if (op->kind == HF_PUT && op->new_generation && op->key.space[0] != '!')
            return true;
    }
    return false;
}

/* Are the processes of who wrote it here, and gone? */
static bool
is_dead(const struct hf_head *head)
{
    const struct hf_owner *owner = &head->claim.owner;
    struct hf_observation observation = {.count = 0};
    struct hf_host host;
    enum hf_presence presence;

    hf_process_host(&host);
    if (!hf_process_is_here(&host, owner->boot, owner->pidns))
        return false;
    hf_process_observe(&observation, owner->processes, owner->processes_count);
    presence = hf_process_look(&observation);
    hf_process_forget(&observation);
    return presence == HF_PRESENCE_GONE;
}

enum hf_status
hf_rule_unserved(const char *kind, const char *path, const char *head,
                 size_t len, struct hf_error *error)
{
    struct hf_head read;

    if (hf_head_decode(head, len, &read, NULL) != HF_OK)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "a lock server's record in it cannot be read: it may "
                       "be served, or be of another Holdfast");
    if (read.address[0] == '\0')
        return HF_OK;
    if (read.node[0] == '\0' || is_dead(&read))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "a lock server has %s, and what it granted may still be "
                       "held: start it again at %.120s, or, if it is gone for "
                       "good, run holdfastd --retire --at %s:%s",
                       read.node[0] == '\0' ? "stopped" : "died", read.address,
                       kind, path);
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "a lock server serves it: name http://%.120s as the place, "
                   "or, if that is gone for good, run holdfastd --retire "
                   "--at %s:%s",
                   read.address, kind, path);
}

enum hf_status
hf_rule_grow(const struct hf_store_op *op, const struct hf_rule_found *found,
             struct hf_error *error)
{
    if (found->version >= HF_RULE_VERSION_MAX)
        return hf_fail(
            error, HF_E_CORRUPT,
            "the row of '%.128s' has a version that no Holdfast gives; "
            "delete the row",
            op->key.name);
    return HF_OK;
}

enum hf_status
hf_rule_clock(int64_t *now_us, struct hf_error *error)
{
    int64_t found_us = hf_wall_us();
    time_t seconds = (time_t)(found_us / 1000000);
    struct tm parts;
    char day[32] = "no date";

    if (found_us >= HF_RULE_CLOCK_MIN_US && found_us <= HF_RULE_CLOCK_MAX_US) {
        *now_us = found_us;
        return HF_OK;
    }
    if (gmtime_r(&seconds, &parts) != NULL)
        strftime(day, sizeof(day), "%Y-%m-%d", &parts);
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "this machine's clock says %s, and fences are made of it: "
                   "set the clock",
                   day);
}

uint64_t
hf_rule_next(const struct hf_rule_found *found, int64_t now_us)
{
    uint64_t now = (uint64_t)now_us;

    return found->version < now ? now : found->version + 1;
}

bool
hf_rule_has_prefix(const struct hf_store_scan *scan, const char *name,
                   size_t name_len)
{
    size_t prefix_len = strlen(scan->prefix);

    return name_len >= prefix_len &&
           memcmp(name, scan->prefix, prefix_len) == 0;
}

bool
hf_rule_comes_after(const struct hf_store_scan *scan, const char *name,
                    size_t name_len)
{
    size_t common;
    int order;

    if (scan->after == NULL)
        return true;
    common = name_len < scan->after_len ? name_len : scan->after_len;
    order = memcmp(name, scan->after, common);
    return order != 0 ? order > 0 : name_len > scan->after_len;
}

struct hf_instant
hf_rule_soonest(const struct hf_store_group *groups, size_t groups_count,
                struct hf_instant until)
{
    for (size_t i = 0; i < groups_count; i++)
        if (groups[i].until.ms != 0)
            until = hf_earlier(until, groups[i].until);
    return until;
}

void
hf_rule_judge(struct hf_store_group *groups, size_t groups_count,
              enum hf_verdict verdict)
{
    for (size_t i = 0; i < groups_count; i++)
        groups[i].verdict = verdict;
}

void
hf_rule_rejudge(struct hf_store_group *groups, size_t groups_count,
                enum hf_verdict from, enum hf_verdict to)
{
    HF_CHECK(to != HF_APPLIED);

    for (size_t i = 0; i < groups_count; i++) {
        if (groups[i].verdict != from)
            continue;
        groups[i].verdict = to;
        for (size_t k = 0; k < groups[i].ops_count; k++)
            groups[i].ops[k].version = 0;
    }
}
