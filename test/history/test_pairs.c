/* Random histories, of no service at all: what is found by one look from the
 * first event to the last is what is found by a look at every two requests. */
#include "support/test.h"

#include "history/explain.h"
#include "history/support/pairs.h"
#include "lab/server/promises.h"
#include "support/splitmix.h"
#include <stdio.h>
#include <string.h>

enum { SEEDS = 40000, OWNERS = 3, REQUESTS_MAX = 9, SPAN_NS = 60 };

static uint64_t random_state;

static uint32_t
below(uint32_t limit)
{
    return (uint32_t)(splitmix64(&random_state) % limit);
}

/* ---- A history ----------------------------------------------------------- */

static const struct note_name names[] = {{"x", HF_EXCLUSIVE},
                                         {"x", HF_SHARED},
                                         {"y", HF_EXCLUSIVE},
                                         {"y", HF_SHARED}};

/* What is written of one request, and when. */
struct script {
    struct hf_text *text;
    struct note note;
};

static void
write_next(struct script *script, enum note_kind kind, uint32_t within_ns)
{
    script->note.kind = kind;
    script->note.at_ns += below(within_ns);
    note_write(script->text, &script->note);
}

/* Lowered, extended, given back, or nothing of that.  Its fence is more often
 * than not a right one. */
static void
write_granted(struct script *script)
{
    script->note.fence = (uint64_t)script->note.at_ns + below(12);
    script->note.until_ns = script->note.at_ns + 5 + below(SPAN_NS / 4);
    write_next(script, NOTE_GRANTED, 6);
    if (below(4) == 0) {
        write_next(script, NOTE_LOWER, 6);
        if (below(2) == 0)
            write_next(script, NOTE_LOWERED, 6);
    }
    if (below(4) == 0) {
        script->note.until_ns += below(10);
        write_next(script, NOTE_EXTENDED, 6);
    }
    if (below(3) == 0)
        return;
    write_next(script, NOTE_RELEASE, 10);
    if (below(3) > 0)
        write_next(script, NOTE_OVER, 10);
}

static void
write_request(struct hf_text *text, uint64_t n)
{
    uint32_t first = below(4);
    struct script script = {
        .text = text,
        .note =
            {
                .at_ns = 1 + below(SPAN_NS),
                .request = {"s", below(OWNERS), n},
                .if_dead = below(2) == 0 ? HF_REFUSE : HF_TAKEOVER,
                .names = names + first,
                .names_count = first == 1 && below(2) == 0 ? 2 : 1,
            },
    };

    write_next(&script, NOTE_ASK, 1);
    script.note.at_ns += below(10);
    switch (below(12)) {
    case 0:
        write_next(&script, NOTE_HELD, 6);
        break;
    case 1:
        if (below(2) == 0)
            write_next(&script, NOTE_OVER, 6);
        break;
    default:
        write_granted(&script);
        break;
    }
}

static const char *
find_history(char *buffer, size_t size, uint64_t seed)
{
    uint32_t requests = 1 + (uint32_t)(seed % REQUESTS_MAX);
    struct hf_text text;

    random_state = seed;
    hf_text_init(&text, buffer, size);
    for (uint64_t n = 1; n <= requests; n++)
        write_request(&text, n);
    assert_false(hf_text_cut(&text));
    return buffer;
}

/* ---- Both say the same --------------------------------------------------- */

static unsigned
bit_of(const char *promise)
{
    if (strcmp(promise, SERVER_OVERLAP) == 0)
        return PAIRS_OVERLAP;
    if (strcmp(promise, SERVER_OVERRIDDEN) == 0)
        return PAIRS_OVERRIDDEN;
    if (strcmp(promise, SERVER_FENCES) == 0)
        return PAIRS_FENCES;
    return strcmp(promise, SERVER_UNTRUE_NO) == 0 ? PAIRS_UNTRUE_NO : 0;
}

static bool
is_same(const struct verdict *verdict, const struct pairs_found *found)
{
    if (verdict->breaches == 0 || found->broken == 0)
        return verdict->breaches == 0 && found->broken == 0;
    return verdict->at_ns == found->at_ns &&
           (found->broken & bit_of(verdict->promise)) != 0;
}

TEST(both_find_the_same)
{
    static unsigned counts[16];
    unsigned consistent = 0;
    char buffer[8192];

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *lines = find_history(buffer, sizeof(buffer), seed);
        struct history_text text = {"random", lines, strlen(lines)};
        struct history history = {.events_count = 0};
        struct hf_error error = {0};
        struct pairs_found found;
        struct verdict verdict;

        if (history_read(&history, &text, 1, &error) != HF_OK)
            fail_msg("seed %u: %s\n%s", (unsigned)seed, error.text, lines);
        assert_int_equal(check_history(&history, &verdict, &error), HF_OK);
        pairs_look(&history, &found);
        if (!is_same(&verdict, &found))
            fail_msg("seed %u: %s at %lld; every two: %u at %lld\n%s",
                     (unsigned)seed,
                     verdict.breaches > 0 ? verdict.promise : "nothing",
                     (long long)verdict.at_ns, found.broken,
                     (long long)found.at_ns, lines);
        consistent += verdict.breaches == 0;
        if (verdict.breaches > 0)
            counts[bit_of(verdict.promise)]++;
        history_free(&history);
    }
    printf("%u consistent; first broken: %u overlaps, %u overridden, %u "
           "fences, %u untrue\n",
           consistent, counts[PAIRS_OVERLAP], counts[PAIRS_OVERRIDDEN],
           counts[PAIRS_FENCES], counts[PAIRS_UNTRUE_NO]);
    assert_true(consistent > SEEDS / 20);
    assert_true(counts[PAIRS_OVERLAP] > SEEDS / 100);
    assert_true(counts[PAIRS_OVERRIDDEN] > SEEDS / 100);
    assert_true(counts[PAIRS_FENCES] > SEEDS / 100);
    assert_true(counts[PAIRS_UNTRUE_NO] > SEEDS / 100);
}
