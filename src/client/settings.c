#include "client/settings.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/text.h"
#include "wire/name.h"

#define TTL_MS        30000
#define TTL_REFUSE_MS 60000
#define BEAT_MS       2000
#define GRACE_MS      10000
#define LIMIT_MS      600000

/* ---- Names --------------------------------------------------------------- */

enum hf_status
hf_settings_check_space(const char *space, struct hf_error *error)
{
    return hf_name_check_space(space, strlen(space), error);
}

enum hf_status
hf_settings_check_name(const char *name, struct hf_error *error)
{
    if (name == NULL)
        return hf_fail(error, HF_E_INVALID, "no name was given");
    return hf_name_check(name, strlen(name), error);
}

enum hf_status
hf_settings_name(struct hf_settings *settings, const struct hf_alloc *alloc,
                 const char *name, struct hf_error *error)
{
    enum hf_status status = hf_settings_check_name(name, error);

    if (status != HF_OK)
        return status;
    return hf_option_copy(&settings->name, alloc, name, error);
}

static bool
has_name(const struct hf_settings *settings, const char *name)
{
    bool has = strcmp(settings->name, name) == 0;

    for (size_t i = 0; i < settings->others_count; i++)
        has = has || strcmp(settings->others[i].name, name) == 0;
    return has;
}

enum hf_status
hf_settings_add(struct hf_settings *settings, const struct hf_alloc *alloc,
                const char *name, enum hf_mode mode, struct hf_error *error)
{
    enum hf_status status = hf_settings_check_name(name, error);
    size_t count = settings->others_count;
    struct hf_settings_name *more;

    if (status != HF_OK)
        return status;
    if (has_name(settings, name))
        return hf_fail(error, HF_E_INVALID, "lock %s: it is named twice", name);
    if (count + 1 == HF_SERVED_NAMES_MAX)
        return hf_fail(error, HF_E_INVALID,
                       "more than %d names under one grant",
                       HF_SERVED_NAMES_MAX);
    more = hf_calloc(alloc, count + 1, sizeof(*more));
    if (more == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    if (count > 0)
        memcpy(more, settings->others, count * sizeof(*more));
    more[count].mode = mode;
    status = hf_option_copy(&more[count].name, alloc, name, error);
    if (status != HF_OK) {
        hf_free(alloc, more);
        return status;
    }
    hf_free(alloc, settings->others);
    settings->others = more;
    settings->others_count = count + 1;
    return HF_OK;
}

const char *
hf_settings_space(const struct hf_settings *settings)
{
    return settings->space == NULL ? "default" : settings->space;
}

/* ---- Options ------------------------------------------------------------- */

static enum hf_status
set_wait(void *values, const struct hf_option_given *given,
         struct hf_error *error)
{
    static const struct hf_option row = {.kind = HF_OPTION_DURATION,
                                         .most = INT64_MAX};
    struct hf_settings *settings = values;
    struct hf_duration wait = HF_FOREVER;
    bool try_only = strcmp(given->text, "try") == 0;
    enum hf_status status = HF_OK;

    if (!try_only)
        status = hf_option_set(&row, &wait, given, error);
    if (status != HF_OK)
        return status;
    settings->wait = wait;
    settings->wait_set = true;
    settings->try_only = try_only;
    return HF_OK;
}

/* "812 813": the start times are learnt when the lock is started. */
static enum hf_status
set_processes(void *values, const struct hf_option_given *given,
              struct hf_error *error)
{
    const struct hf_alloc *alloc = given->alloc;
    struct hf_settings *settings = values;
    struct hf_process pids[HF_PROCESSES_MAX];
    struct hf_process *kept;
    size_t count = 0;
    const char *at = given->text;

    for (;;) {
        char *end;
        long pid;

        at += strspn(at, " ");
        if (*at == '\0')
            break;
        pid = strtol(at, &end, 10);
        if (!isdigit((unsigned char)*at) || (*end != ' ' && *end != '\0') ||
            pid <= 0 || pid > INT32_MAX)
            return hf_fail(error, HF_E_INVALID,
                           "processes are numbers with spaces between them");
        if (count == HF_PROCESSES_MAX)
            return hf_fail(error, HF_E_INVALID, "more than %d processes",
                           HF_PROCESSES_MAX);
        pids[count++] = (struct hf_process){.pid = pid};
        at = end;
    }
    if (count == 0)
        return hf_fail(error, HF_E_INVALID, "no process is named");
    kept = hf_calloc(alloc, count, sizeof(*kept));
    if (kept == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    memcpy(kept, pids, count * sizeof(*kept));
    hf_free(alloc, settings->processes);
    settings->processes = kept;
    settings->processes_count = count;
    return HF_OK;
}

static enum hf_status
check_lane(const char *lane, struct hf_error *error)
{
    return hf_name_check_part("lane", lane, strlen(lane), HF_NAME_MAX, error);
}

static const char *const dead_words[] = {"takeover", "refuse", NULL};
static const char *const suspected_words[] = {"wait", "fail", NULL};
static const char *const mode_words[] = {"exclusive", "shared", "until-free",
                                         NULL};

static const struct hf_option rows[] = {
    HF_OPTION(TEXT, HF_SPACE, struct hf_settings, space,
              .check = hf_settings_check_space),
    HF_OPTION(WORD, HF_IF_DEAD, struct hf_settings, if_dead,
              .words = dead_words),
    HF_OPTION(DURATION, HF_TTL, struct hf_settings, ttl, .least = 1),
    HF_OPTION(DURATION, HF_BEAT, struct hf_settings, beat, .least = 1),
    HF_OPTION(DURATION, HF_GRACE, struct hf_settings, grace,
              .given = offsetof(struct hf_settings, grace_set)),
    HF_OPTION_SET(HF_WAIT, set_wait, .help = NULL),
    HF_OPTION(FLAG, HF_IF_SUSPECTED, struct hf_settings, fail_suspected,
              .words = suspected_words),
    HF_OPTION_PLAIN(TEXT, HF_REASON, struct hf_settings, reason),
    HF_OPTION_PLAIN(TEXT, HF_COMMAND, struct hf_settings, command),
    HF_OPTION_SET(HF_PROCESSES, set_processes, .help = NULL),
    HF_OPTION(TEXT, HF_LANE, struct hf_settings, lane, .check = check_lane),
    HF_OPTION(WORD, HF_MODE, struct hf_settings, mode, .words = mode_words),
};

enum hf_status
hf_settings_set(struct hf_settings *settings, const struct hf_alloc *alloc,
                const char *option, const char *text, struct hf_error *error)
{
    static const struct hf_options options = HF_OPTIONS(rows);
    const struct hf_option_given given = {option, text, alloc};

    if (option == NULL || text == NULL)
        return hf_fail(error, HF_E_INVALID, "an option and a text are needed");
    return hf_options_set(&options, settings, "a lock has", &given, error);
}

void
hf_settings_fini(struct hf_settings *settings, const struct hf_alloc *alloc)
{
    hf_free(alloc, settings->space);
    hf_free(alloc, settings->name);
    hf_free(alloc, settings->reason);
    hf_free(alloc, settings->command);
    hf_free(alloc, settings->lane);
    hf_free(alloc, settings->processes);
    for (size_t i = 0; i < settings->others_count; i++)
        hf_free(alloc, settings->others[i].name);
    hf_free(alloc, settings->others);
    *settings = (struct hf_settings){0};
}

/* ---- Terms --------------------------------------------------------------- */

static int64_t
at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

/* The documented defaults; a ttl too short for beats of 2 s gets more. */
struct hf_contender_config
hf_settings_config(const struct hf_settings *s)
{
    int64_t ttl_ms = s->ttl.ms;
    int64_t beat_ms = s->beat.ms;
    int64_t grace_ms = s->grace.ms;
    int64_t wait_ms = s->wait_set ? s->wait.ms : LIMIT_MS;

    if (ttl_ms == 0)
        ttl_ms = s->if_dead == HF_REFUSE ? TTL_REFUSE_MS : TTL_MS;
    if (!s->grace_set)
        grace_ms = at_most(GRACE_MS, ttl_ms / 3);
    if (beat_ms == 0) {
        int64_t margin_ms = hf_margin((struct hf_duration){ttl_ms}).ms;

        beat_ms = at_most(BEAT_MS, (ttl_ms - margin_ms - grace_ms) / 3);
        if (beat_ms < 1)
            beat_ms = 1;
    }
    return (struct hf_contender_config){
        .terms = {s->if_dead, {ttl_ms}, {beat_ms}},
        .grace = {grace_ms},
        .limit = {s->try_only ? ttl_ms : wait_ms},
        .try_only = s->try_only,
        .fail_suspected = s->fail_suspected,
    };
}

enum hf_status
hf_settings_check_terms(const struct hf_settings *settings,
                        struct hf_error *error)
{
    const struct hf_contender_config config = hf_settings_config(settings);
    char ttl[32];
    char least[32];
    int64_t beat_ms = config.terms.beat.ms;
    int64_t grace_ms = config.grace.ms;
    int64_t ttl_ms = config.terms.ttl.ms;
    struct hf_duration needed = {0};

    if (hf_terms_valid(&config.terms, config.grace))
        return HF_OK;

    hf_duration_text(config.terms.ttl, ttl, sizeof(ttl));
    if (ttl_ms > HF_TTL_MAX_MS || beat_ms > HF_TTL_MAX_MS ||
        grace_ms > HF_TTL_MAX_MS)
        return hf_fail(error, HF_E_INVALID,
                       "ttl, beat and grace can be a week at most");
    if (ttl_ms < HF_TTL_MIN_MS)
        return hf_fail(error, HF_E_INVALID,
                       "a ttl of %s is too short: at least %d ms", ttl,
                       HF_TTL_MIN_MS);
    needed.ms = 3 * beat_ms + grace_ms + hf_margin(config.terms.ttl).ms;
    hf_duration_text(needed, least, sizeof(least));
    return hf_fail(error, HF_E_INVALID,
                   "a ttl of %s is too short: three beats, the grace and the "
                   "margin need %s",
                   ttl, least);
}

/* ---- Who claims ---------------------------------------------------------- */

static bool
is_there(int64_t pid)
{
    return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

enum hf_status
hf_settings_find_processes(struct hf_settings *settings, struct hf_error *error)
{
    struct hf_process *processes = settings->processes;

    for (size_t i = 0; i < settings->processes_count; i++) {
        if (!is_there(processes[i].pid))
            return hf_fail(error, HF_E_INVALID, "there is no process %lld",
                           (long long)processes[i].pid);
        if (hf_process_find(processes[i].pid, &processes[i], NULL) != HF_OK)
            processes[i].start = 0;
    }
    return HF_OK;
}

/* Either all processes or none: the end of some must never be taken for the end
 * of all. */
static void
fill_processes(const struct hf_self *self, const struct hf_settings *settings,
               struct hf_owner *owner)
{
    const struct hf_process *processes = &self->process;
    size_t count = 1;

    if (settings->processes_count > 0) {
        processes = settings->processes;
        count = settings->processes_count;
    }
    for (size_t i = 0; i < count; i++)
        if (processes[i].start == 0)
            return;
    memcpy(owner->processes, processes, count * sizeof(*processes));
    owner->processes_count = count;
}

void
hf_settings_owner(const struct hf_settings *settings,
                  const struct hf_self *self, int64_t since_ms,
                  struct hf_owner *owner)
{
    const char *command =
        settings->command == NULL ? self->command : settings->command;
    const char *reason = settings->reason == NULL ? "" : settings->reason;

    *owner = (struct hf_owner){
        .since_ms = since_ms,
        .pidns = self->host.pidns,
    };
    memcpy(owner->host, self->host.name, sizeof(owner->host));
    memcpy(owner->boot, self->host.boot, sizeof(owner->boot));
    memcpy(owner->user, self->user, sizeof(owner->user));
    hf_text_show(owner->command, sizeof(owner->command), command,
                 strlen(command));
    hf_text_show(owner->reason, sizeof(owner->reason), reason, strlen(reason));
    fill_processes(self, settings, owner);
}
