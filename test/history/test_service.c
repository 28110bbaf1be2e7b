/* Histories of a simulated lock service, by seeds: they are consistent, unless
 * a mistake is planted. */
#include "support/test.h"

#include "history/explain.h"
#include "history/support/service.h"
#include "lab/server/promises.h"
#include <stdio.h>
#include <string.h>

enum { SEEDS = 200, MISTAKEN = 40, STEPS = 3000 };

static char lines[1 << 22];

struct outcome {
    struct history history;
    struct verdict verdict;
};

/* The lines stay until the next run. */
static void
run(const struct service_terms *terms, struct outcome *outcome)
{
    static struct history_text read;
    struct hf_error error = {0};
    struct hf_text text;

    hf_text_init(&text, lines, sizeof(lines));
    service_run(terms, &text);
    read = (struct history_text){"simulated", lines, text.len};
    *outcome = (struct outcome){.history.events_count = 0};
    if (history_read(&outcome->history, &read, 1, &error) != HF_OK)
        fail_msg("seed %u: %s", (unsigned)terms->seed, error.text);
    assert_int_equal(
        check_history(&outcome->history, &outcome->verdict, &error), HF_OK);
}

static void
explain_seed(const struct service_terms *terms, const struct verdict *verdict)
{
    char buffer[4096];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    explain(verdict, &text);
    fail_msg("%s: seed %u: %s", service_mistake_text(terms->mistake),
             (unsigned)terms->seed, buffer);
}

TEST(a_correct_service_is_consistent)
{
    size_t granted = 0;
    size_t events = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct service_terms terms = {seed, SERVICE_CORRECT, STEPS};
        struct outcome outcome;

        run(&terms, &outcome);
        if (outcome.verdict.breaches > 0)
            explain_seed(&terms, &outcome.verdict);
        granted += outcome.history.granted_count;
        events += outcome.history.events_count;
        history_free(&outcome.history);
    }
    printf("%u seeds: %zu events, %zu grants\n", SEEDS, events, granted);
    assert_true(granted > 30 * SEEDS);
}

/* Two who hold what conflicts: who is told first may have the higher fence. */
#define TWO_HOLD SERVER_OVERLAP, SERVER_OVERRIDDEN, SERVER_FENCES

/* Which promise a mistake breaks, and which others it may break before; NULL:
 * no more. */
enum { ALLOWED_MAX = 4 };

static const char *const may_break[SERVICE_MISTAKES][ALLOWED_MAX] = {
    [SERVICE_GRANTS_TWO] = {TWO_HOLD},
    [SERVICE_SHARES_ANY] = {TWO_HOLD},
    [SERVICE_FIRST_NAME] = {TWO_HOLD},
    [SERVICE_FENCE_FALLS] = {SERVER_FENCES},
    [SERVICE_FENCE_STANDS] = {SERVER_FENCES},
    [SERVICE_RESTORED_FENCE] = {SERVER_FENCES},
    [SERVICE_FORGETS] = {TWO_HOLD, SERVER_GRANT_LOST},
    [SERVICE_EARLY] = {TWO_HOLD, SERVER_GRANT_LOST},
    [SERVICE_RIGHT_LATE] = {TWO_HOLD, SERVER_GRANT_LOST},
    [SERVICE_REFUSE_BY_TIME] = {SERVER_OVERRIDDEN, SERVER_GRANT_LOST},
    [SERVICE_KEEPS] = {SERVER_UNTRUE_NO},
    [SERVICE_TAKES_LATE] = {SERVER_GHOST},
    [SERVICE_GRANTS_AGAIN] = {SERVER_TWICE_GIVEN, TWO_HOLD},
    [SERVICE_LOWERS_ALL] = {TWO_HOLD},
    [SERVICE_CLEARS_ANY] = {TWO_HOLD, SERVER_GRANT_LOST},
    [SERVICE_RELEASES_NEXT] = {TWO_HOLD, SERVER_GRANT_LOST},
    [SERVICE_UNTRUE_NO] = {SERVER_UNTRUE_NO},
};

static bool
is_of(const char *const *allowed, const char *promise)
{
    for (unsigned i = 0; i < ALLOWED_MAX && allowed[i] != NULL; i++)
        if (strcmp(allowed[i], promise) == 0)
            return true;
    return false;
}

struct found {
    unsigned seeds; /* that show it */
    unsigned own;   /* by the promise that it breaks */
};

static void
find(enum service_mistake mistake, struct found *found)
{
    for (uint64_t seed = 1; seed <= MISTAKEN; seed++) {
        struct service_terms terms = {seed, mistake, STEPS};
        struct outcome outcome;

        run(&terms, &outcome);
        if (outcome.verdict.breaches > 0) {
            found->seeds++;
            if (!is_of(may_break[mistake], outcome.verdict.promise))
                explain_seed(&terms, &outcome.verdict);
            found->own +=
                strcmp(may_break[mistake][0], outcome.verdict.promise) == 0;
        }
        history_free(&outcome.history);
    }
}

TEST(every_mistake_is_found)
{
    for (int i = SERVICE_CORRECT + 1; i < SERVICE_MISTAKES; i++) {
        enum service_mistake mistake = (enum service_mistake)i;
        struct found found = {0, 0};

        find(mistake, &found);
        printf("%s: found by %u of %u seeds, %u times as \"%s\"\n",
               service_mistake_text(mistake), found.seeds, MISTAKEN, found.own,
               may_break[mistake][0]);
        assert_true(found.own > 0);
    }
}
