#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "base/clock.h"
#include "report.h"
#include "say.h"
#include "verb.h"

enum { LOOK_PAUSE_MS = 1000, FIRST_SIZE = 512 };

/* More than a beat by default; and the time that a place needs for an
 * answer. */
#define LOOK_AT_MOST "3s"
static const struct hf_duration look_at_most = {3000};
static const struct hf_duration answer_at_most = {5000};

/* A change of these is worth a line. */
struct watch_sight {
    bool exists;
    uint64_t fence;
    enum hf_life life;
    int64_t waiters;
    char first[FIRST_SIZE]; /* in line, while there is no holder, and why */
};

static struct watch_sight
sight_of(const struct hf_view *seen)
{
    struct watch_sight sight = {.exists = hf_report_exists(seen)};
    struct hf_text first;

    hf_text_init(&first, sight.first, sizeof(sight.first));
    if (!sight.exists) {
        (void)hf_report_first(&first, seen);
        return sight;
    }
    sight.fence = hf_report_fence(seen);
    sight.life = hf_report_life(seen);
    sight.waiters = hf_view_number(seen, HF_FIELD_WAITERS);
    return sight;
}

/* That a beat is not there yet is nothing new. */
static bool
is_news(const struct watch_sight *before, const struct watch_sight *now)
{
    return before->exists != now->exists || before->fence != now->fence ||
           (before->life != now->life && now->life != HF_LIFE_UNKNOWN) ||
           before->waiters != now->waiters ||
           strcmp(before->first, now->first) != 0;
}

static void
add_line(struct hf_text *out, const struct hf_cli_target *target,
         const struct hf_view *seen)
{
    struct hf_text first = HF_OUTPUT_BUFFER;
    char date[64];

    hf_text_addf(out, "%s  ", hf_output_date(hf_wall_ms(), date, sizeof(date)));
    hf_output_quote(out, target->name);
    if (!hf_report_exists(seen)) {
        hf_text_addf(out, "  %s%s\n",
                     hf_report_first(&first, seen) ? "nobody holds it, but "
                                                   : "free",
                     first.at);
        return;
    }
    hf_text_add(out, "  held by ");
    hf_report_who(out, seen);
    hf_text_addf(out, ", %s, fence %" PRIu64,
                 hf_life_word(hf_report_life(seen)), hf_report_fence(seen));
    if (hf_report_served(seen))
        hf_text_addf(out, ", %s, %" PRId64 " in line",
                     hf_view_text(seen, HF_FIELD_MODE),
                     hf_view_number(seen, HF_FIELD_WAITERS));
    hf_report_add_reason(out, seen);
    hf_report_add_command(out, seen);
    hf_text_add(out, "\n");
}

static bool
print(const struct hf_cli_target *target, const struct hf_view *seen)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (target->json)
        return hf_say_view(seen);
    add_line(&out, target, seen);
    return hf_say_output(&out);
}

/* A watch: the question, and what was seen last. */
struct lock_watch {
    const struct hf_cli_target *target;
    struct hf_instant until;
    struct hf_ask *ask;
    struct watch_sight before;
    bool no_answer; /* at the last look, which was said */
};

/* It is said once.  The state when it answers again is news. */
static int
on_no_answer(struct lock_watch *watch, const struct hf_error *error)
{
    struct hf_text name = HF_OUTPUT_BUFFER;

    if (watch->no_answer)
        return 0;
    hf_output_quote(&name, watch->target->name);
    hf_say("nothing is known about %s, watching on: %s", name.at, error->text);
    watch->no_answer = true;
    watch->before = (struct watch_sight){.waiters = -1};
    return 0;
}

static int
on_seen(struct lock_watch *watch, const struct hf_view *seen)
{
    struct watch_sight now = sight_of(seen);
    bool fine = true;

    watch->no_answer = false;
    if (hf_report_corrupt(seen))
        return hf_status_exit(HF_E_CORRUPT);
    if (is_news(&watch->before, &now))
        fine = print(watch->target, seen);
    watch->before = now;
    return fine ? 0 : HF_EXIT_OURS;
}

/* When a look without an answer is given up. */
static struct hf_instant
look_until(const struct lock_watch *watch)
{
    struct hf_instant now = hf_now();

    return hf_earlier(hf_after(now, answer_at_most),
                      hf_later(watch->until, hf_after(now, look_at_most)));
}

/* One look, which ends at the first sign of life. */
static int
look(struct lock_watch *watch)
{
    struct hf_ask *ask = watch->ask;
    int code = hf_ask_again(ask, HF_EXAMINE, watch->target);
    struct hf_error error = {0};
    enum hf_status status;
    struct hf_view *seen;

    if (code == 0)
        code = hf_ask_set(ask, HF_WATCH, LOOK_AT_MOST);
    if (code != 0)
        return code;
    status = hf_ask_try(ask, look_until(watch), &error);
    if (status == HF_E_UNAVAILABLE)
        return on_no_answer(watch, &error);
    if (status != HF_OK)
        return hf_say_failure(&error, status);
    seen = hf_query_view(ask->query);
    code = on_seen(watch, seen);
    hf_view_free(seen);
    return code;
}

/* Until the next look.  False: the reader of the output has gone. */
static bool
pause_looks(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = 0};

    return poll(&output, 1, LOOK_PAUSE_MS) <= 0 ||
           (output.revents & POLLERR) == 0;
}

static int
watch_on(struct lock_watch *watch)
{
    int code = hf_ask_begin(watch->ask, HF_EXAMINE, watch->target);

    if (code == 0)
        code = hf_ask_open(watch->ask, watch->target);
    while (code == 0 && !hf_reached(hf_now(), watch->until)) {
        code = look(watch);
        if (code == 0 && !pause_looks())
            return 0;
    }
    if (code == 0 && watch->no_answer)
        code = hf_status_exit(HF_E_UNAVAILABLE);
    return code;
}

struct watch_order {
    struct hf_cli_target target;
    const char *limit; /* NULL: none */
};

static struct watch_order asked;

static enum hf_status
set_limit(void *values, const struct hf_option_given *given,
          struct hf_error *error)
{
    struct watch_order *order = values;

    return hf_verb_set_wait(&order->limit, given, error);
}

static int
watch_one(struct hf_ask *ask)
{
    struct lock_watch watch = {
        .target = &asked.target, .ask = ask, .before = {.waiters = -1}};
    struct hf_duration length = HF_FOREVER;

    if (asked.limit != NULL) /* which was looked at */
        (void)!hf_duration_parse(asked.limit, &length, NULL);
    watch.until = hf_after(hf_now(), length);
    return watch_on(&watch);
}

static const struct hf_option options[] = {
    HF_OPTION_SET(NULL, set_limit, .letter = 'w', .value = "DURATION",
                  HF_HELP("for so long; else until it is stopped")),
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_SPACE("default `default`"),
    HF_VERB_JSON("each line as one JSON object, as `why` has it"),
    HF_VERB_HELP,
};

const struct hf_verb hf_watch_verb = {
    .name = "watch",
    .brief = "tell what becomes of one lock, change by change",
    .usage =
        "usage: holdfast watch [OPTION...] NAME\n"
        "\n"
        "Tell what becomes of the lock NAME, a line for each change: who "
        "holds it, whether they are alive, how many are in line.  Looks once "
        "a second.  A place that gives no answer is named once, and looked "
        "at on.",
    .exits = "0; 69 the place gave no answer at the end of -w, 77 permission "
             "denied, 64 wrong usage, 65 the record is not ours.",
    .examples = "  holdfast watch -w 3s migrate\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_ONE_NAME,
    .values = &asked,
    .run = watch_one,
};
