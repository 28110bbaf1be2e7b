#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "base/alloc.h"
#include "report.h"
#include "say.h"
#include "verb.h"

struct clear_order {
    struct hf_cli_target target;
    const char *prefix; /* in the place of names; or NULL */
    const char *reason;
    bool force;
    int64_t fence; /* 0: the present holder */
};

/* One lock that is to be cleared. */
struct clearing {
    struct clearing *next;  /* owned */
    char *name;             /* owned */
    uint64_t fence;         /* of the holder that is meant; 0: the present
                             * one */
    struct hf_query *query; /* owned; NULL: it was told of */
};

/* All of them, in the order in which they were named. */
struct clearings {
    const struct clear_order *reading;
    struct hf_ask *ask;
    struct clearing *first;
    struct clearing **last; /* where the next one goes */
    size_t count;
};

/* ---- What became of one -------------------------------------------------- */

static int
print_json(const struct hf_view *seen, bool cleared)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_text_addf(&out, "{\"cleared\":%s,\"seen\":", cleared ? "true" : "false");
    hf_output_view(&out, seen);
    hf_text_add(&out, "}\n");
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

/* The holder and its fence, for a line about one of several locks. */
static void
add_briefly(struct hf_text *out, const struct hf_view *seen)
{
    if (!hf_report_corrupt(seen)) {
        hf_report_who(out, seen);
        hf_text_add(out, ", ");
    }
    hf_text_addf(out, "fence %" PRIu64, hf_report_fence(seen));
}

static int
say_cleared(const struct clearings *all, const struct hf_view *seen,
            const char *name)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_text_addf(&out, "cleared %s", name);
    if (all->count > 1) {
        hf_text_add(&out, ": ");
        add_briefly(&out, seen);
    }
    hf_text_add(&out, "\n");
    if (all->count == 1 && !hf_report_corrupt(seen))
        hf_report_holder(&out, "  ", seen, !all->reading->force);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
say_not_cleared(const struct clearings *all, const struct hf_view *seen,
                const char *name)
{
    enum hf_life life = hf_report_life(seen);
    bool alive = life == HF_LIFE_BEATING || life == HF_LIFE_RUNNING;
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_text_addf(&out, "holdfast: %s was not cleared: %s", name,
                 alive ? "its holder is alive"
                       : "it changed while it was watched");
    if (all->count > 1) {
        hf_text_add(&out, " (");
        add_briefly(&out, seen);
        hf_text_add(&out, ")");
    }
    hf_text_add(&out, "\n");
    if (all->count == 1 && !hf_report_corrupt(seen))
        hf_report_holder(&out, "holdfast:   ", seen, true);
    hf_say_text(&out);
    return HF_EXIT_ALIVE;
}

/* Another one came, or it was had, given back and had again. */
static int
say_another(const struct hf_view *seen, const char *name, uint64_t fence)
{
    hf_say("%s was not cleared: its fence is %" PRIu64 " by now, not %" PRIu64
           ": another holder has it",
           name, hf_report_fence(seen), fence);
    return HF_EXIT_NONE;
}

/* Tell what was seen, and done: the exit code. */
static int
tell_seen(const struct clearings *all, const struct clearing *one,
          const struct hf_view *seen)
{
    bool cleared = hf_view_number(seen, HF_FIELD_CLEARED) != 0;
    bool another =
        !cleared && one->fence != 0 && hf_report_fence(seen) != one->fence;
    bool none = !cleared && !hf_report_exists(seen);
    struct hf_cli_target target = all->reading->target;
    struct hf_text name = HF_OUTPUT_BUFFER;

    target.name = one->name;
    if (target.json) {
        int code = print_json(seen, cleared);

        if (cleared || code != 0)
            return code;
        return none || another ? HF_EXIT_NONE : HF_EXIT_ALIVE;
    }
    if (none)
        return hf_report_none(&target, hf_client_place(all->ask->client), seen);
    hf_output_quote(&name, one->name);
    if (another)
        return say_another(seen, name.at, one->fence);
    return cleared ? say_cleared(all, seen, name.at)
                   : say_not_cleared(all, seen, name.at);
}

static int
say_failed(const struct clearings *all, const struct clearing *one,
           const struct hf_error *error, enum hf_status status)
{
    struct hf_text name = HF_OUTPUT_BUFFER;

    if (all->count == 1)
        return hf_say_failure(error, status);
    hf_output_quote(&name, one->name);
    hf_say("%s: %s", name.at, error->text);
    return hf_status_exit(status);
}

static int
tell(const struct clearings *all, struct clearing *one)
{
    struct hf_error error = {0};
    enum hf_status status = hf_query_error(one->query, &error);
    struct hf_view *seen;
    int code;

    if (status == HF_OK) {
        seen = hf_query_view(one->query);
        code = tell_seen(all, one, seen);
        hf_view_free(seen);
    } else {
        code = say_failed(all, one, &error, status);
    }
    hf_query_free(one->query);
    one->query = NULL;
    return code;
}

/* ---- Which ones ---------------------------------------------------------- */

static enum hf_status
set_up(const struct clearings *all, const struct clearing *one,
       struct hf_error *error)
{
    const struct clear_order *r = all->reading;
    char fence[24];
    const struct {
        const char *option;
        const char *text;
    } wishes[] = {
        {HF_SPACE, r->target.space},
        {HF_NAME, one->name},
        {HF_REASON, r->reason},
        {HF_FORCE, r->force ? "yes" : "no"},
        {HF_FENCE, one->fence != 0 ? fence : NULL},
    };
    enum hf_status status = HF_OK;

    (void)snprintf(fence, sizeof(fence), "%" PRIu64, one->fence);
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
        if (status == HF_OK && wishes[i].text != NULL)
            status = hf_query_set(one->query, wishes[i].option, wishes[i].text,
                                  error);
    return status;
}

/* One more; 0, or an exit code after having said why not. */
static int
add(struct clearings *all, const char *name, uint64_t fence)
{
    struct clearing *one = hf_new(&hf_alloc_libc, struct clearing);
    struct hf_error error = {0};
    enum hf_status status = HF_E_NOMEM;

    if (one == NULL)
        return hf_say_failure(&error, status);
    *all->last = one;
    all->last = &one->next;
    all->count++;
    one->fence = fence;
    one->name = hf_copy(&hf_alloc_libc, name);
    if (one->name != NULL)
        status = hf_query_new(all->ask->client, HF_CLEAR, &one->query, &error);
    if (status == HF_OK)
        status = set_up(all, one, &error);
    return status == HF_OK ? 0 : hf_say_failure(&error, status);
}

static int
add_row(void *ctx, const struct hf_view *row)
{
    return hf_view_number(row, HF_FIELD_FOREIGN) != 0
               ? 0
               : add(ctx, hf_view_text(row, HF_FIELD_NAME),
                     hf_report_fence(row));
}

/* Those that the place lists now. */
static int
add_listed(struct clearings *all)
{
    struct hf_cli_target target = all->reading->target;
    struct hf_text prefix = HF_OUTPUT_BUFFER;
    int code;

    target.name = all->reading->prefix;
    code = hf_ask_again(all->ask, HF_LIST, &target);
    if (code == 0)
        code = hf_ask_each(all->ask, add_row, all);
    if (code != 0 || all->count > 0)
        return code;
    hf_output_quote(&prefix, target.name);
    hf_say("no lock begins with %s in space %s at %s", prefix.at,
           target.space != NULL ? target.space : "default",
           hf_client_place(all->ask->client));
    return HF_EXIT_NONE;
}

static void
free_all(struct clearings *all)
{
    while (all->first != NULL) {
        struct clearing *one = all->first;

        all->first = one->next;
        hf_query_free(one->query);
        hf_free(&hf_alloc_libc, one->name);
        hf_free(&hf_alloc_libc, one);
    }
}

/* ---- All of them --------------------------------------------------------- */

/* An error of the place says more than the state of a lock. */
static int
graver(int one, int other)
{
    static const int ranks[] = {0, HF_EXIT_NONE, HF_EXIT_ALIVE};
    size_t rank = 0;
    size_t others = 0;

    while (rank < sizeof(ranks) / sizeof(ranks[0]) && ranks[rank] != one)
        rank++;
    while (others < sizeof(ranks) / sizeof(ranks[0]) && ranks[others] != other)
        others++;
    return others > rank ? other : one;
}

static int
start(const struct clearings *all)
{
    int code = 0;

    for (struct clearing *one = all->first; one != NULL; one = one->next) {
        struct hf_error error = {0};
        enum hf_status status = hf_query_start(one->query, &error);

        if (status != HF_OK)
            code = graver(code, say_failed(all, one, &error, status));
        if (status != HF_OK) {
            hf_query_free(one->query);
            one->query = NULL;
        }
    }
    return code;
}

/* Of one lock its holder; of several how many are left, and why there is no
 * answer. */
static void
show(const struct clearings *all, const struct clearing *first, size_t left,
     struct hf_waiting_line *line)
{
    struct hf_view *seen = hf_query_view(first->query);
    struct hf_text name = HF_OUTPUT_BUFFER;
    bool many = all->count > 1;

    if (many)
        hf_text_addf(&name, "%zu of %zu locks", left, all->count);
    else
        hf_output_quote(&name, first->name);
    line->name = name.at;
    line->most = all->reading->force
                     ? (struct hf_duration){0}
                     : hf_report_duration(seen, HF_FIELD_TTL_MS);
    hf_waiting_line_show(
        line,
        many && hf_view_text(seen, HF_FIELD_ERROR)[0] == '\0' ? NULL : seen);
    hf_view_free(seen);
}

/* Report the locks whose query has ended.  Returns the first that goes on;
 * NULL: there is none. */
static struct clearing *
tell_ended(const struct clearings *all, struct hf_waiting_line *line,
           size_t *left, int *code)
{
    struct clearing *first = NULL;

    *left = 0;
    for (struct clearing *one = all->first; one != NULL; one = one->next) {
        if (one->query != NULL &&
            hf_query_state(one->query) == HF_STATE_ENDED) {
            hf_waiting_line_end(line);
            *code = graver(*code, tell(all, one));
        }
        if (one->query == NULL)
            continue;
        ++*left;
        if (first == NULL)
            first = one;
    }
    return first;
}

static int
clear_all(const struct clearings *all)
{
    const struct hf_duration pause = {HF_WAITING_LINE_PAUSE_MS};
    const struct clear_order *r = all->reading;
    struct clearing *first;
    struct hf_waiting_line line;
    size_t left;
    int code = start(all);

    hf_waiting_line_init(&line, r->force ? "clearing" : "watching", "",
                         hf_client_place(all->ask->client));
    line.silent = r->target.json;
    while ((first = tell_ended(all, &line, &left, &code)) != NULL) {
        show(all, first, left, &line);
        (void)hf_query_wait(first->query, pause);
    }
    hf_waiting_line_end(&line);
    return code;
}

/* A wrong question is refused before the place is opened. */
static int
prepare(struct clearings *all)
{
    const struct clear_order *r = all->reading;
    int code = hf_ask_begin(all->ask, HF_CLEAR, &r->target);

    for (size_t i = 0; code == 0 && i < r->target.operands_count; i++)
        code = add(all, r->target.operands[i], (uint64_t)r->fence);
    if (code == 0)
        code = hf_ask_open(all->ask, &r->target);
    if (code == 0 && r->prefix != NULL)
        code = add_listed(all);
    return code;
}

/* ---- The command line ---------------------------------------------------- */

/* The same lock twice would be told of twice, and once wrongly. */
static int
check_names(const struct clear_order *r)
{
    for (size_t i = 0; i < r->target.operands_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(r->target.operands[i], r->target.operands[k]) == 0) {
                struct hf_text name = HF_OUTPUT_BUFFER;

                hf_output_quote(&name, r->target.operands[i]);
                return hf_say_usage("clear", "%s is named twice", name.at);
            }
    return 0;
}

static int
check_line(const struct clear_order *r)
{
    if (r->target.operands_count == 0 && r->prefix == NULL)
        return hf_say_usage("clear", "which lock? (see holdfast clear --help)");
    if (r->target.operands_count > 0 && r->prefix != NULL)
        return hf_say_usage("clear", "either names or --prefix");
    if (r->prefix != NULL && r->prefix[0] == '\0')
        return hf_say_usage("clear", "--prefix is empty: every lock?");
    if (r->fence != 0 && r->target.operands_count != 1)
        return hf_say_usage("clear", "--fence is of one lock: name that alone");
    if (r->reason == NULL || !hf_text_has_word(r->reason, strlen(r->reason)))
        return hf_say_usage("clear", "--reason is required: say why, with a "
                                     "letter or a digit in it");
    return check_names(r);
}

static struct clear_order asked;

static int
clear(struct hf_ask *ask)
{
    struct clearings all = {.reading = &asked, .ask = ask};
    int code = check_line(&asked);

    if (code != 0)
        return code;
    all.last = &all.first;
    code = prepare(&all);
    if (code == 0)
        code = clear_all(&all);
    free_all(&all);
    return code;
}

static const struct hf_option options[] = {
    HF_OPTION(TEXT, "reason", struct clear_order, reason, .value = "TEXT",
              HF_HELP("why; kept with who and when in the audit")),
    HF_OPTION(
        FLAG, "force", struct clear_order, force,
        HF_HELP(
            "do not watch for a sign of life first, and delete it though it "
            "beats meanwhile.  A holder that is alive then loses its lock, "
            "and learns it only at its next beat: until then two may run at "
            "once")),
    HF_OPTION(NUMBER, "fence", struct clear_order, fence, .least = 1,
              .wants = "needs the number of a fence", .value = "N",
              HF_HELP("clear the holder of this fence, and no later one")),
    HF_OPTION(
        TEXT, "prefix", struct clear_order, prefix, .value = "P",
        HF_HELP("all locks whose names begin with P: those holders that the "
                "place lists now, and no later ones")),
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_SPACE("default `default`"),
    HF_VERB_JSON("the answer as one JSON object, for each lock one line"),
    HF_VERB_HELP,
};

const struct hf_verb hf_clear_verb = {
    .name = "clear",
    .brief = "delete the record of a dead holder, by hand",
    .usage =
        "usage: holdfast clear [OPTION...] --reason TEXT NAME...\n"
        "       holdfast clear [OPTION...] --reason TEXT --prefix PREFIX\n"
        "\n"
        "Delete the record of a dead holder by hand, whatever its --if-dead "
        "says.  Watches it for its whole ttl first, and leaves it alone when "
        "it shows life; a holder whose processes are gone from this host is "
        "not watched.  Of several locks all are watched at once, and each has "
        "a line.",
    .exits =
        "0 cleared; 1 it is free, or not of that fence; 75 not cleared: its "
        "holder shows life, or it changed hands meanwhile; 69 the place is "
        "unavailable, 77 permission denied, 64 wrong usage, 65 the record is "
        "not ours.  Of several locks the gravest: 75 goes before 1, and what "
        "is wrong with the place before both.",
    .examples =
        "  holdfast clear --reason 'the machine lost power; schema checked' "
        "\\\n"
        "      migrate\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_OTHERS,
    .values = &asked,
    .run = clear,
};
