/* Many events: what takes n * n would not end in the time of a test. */
#include "support/test.h"

#include "base/alloc.h"
#include "history/check.h"

enum { REQUESTS = 100000, LINE_MAX_LEN = 80, STEP_NS = 10 };

static void
write_one(struct hf_text *text, uint64_t n, int64_t at_ns, enum note_kind kind)
{
    note_write(text, &(struct note){
                         .at_ns = at_ns,
                         .kind = kind,
                         .request = {"s", n, 1},
                         .names = &(struct note_name){"x", HF_SHARED},
                         .names_count = 1,
                         .fence = n + 1,
                         .until_ns = INT64_MAX,
                     });
}

static void
check(const struct hf_text *lines, struct verdict *verdict)
{
    struct history_text text = {"many", lines->at, lines->len};
    struct history history = {.events_count = 0};
    struct hf_error error = {0};

    if (history_read(&history, &text, 1, &error) != HF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(history.granted_count, REQUESTS);
    assert_int_equal(check_history(&history, verdict, &error), HF_OK);
    history_free(&history);
}

/* All share one lock, all at once, and only the last is wrong. */
TEST(a_hundred_thousand_at_once_are_looked_at_once)
{
    size_t size = (size_t)4 * REQUESTS * LINE_MAX_LEN;
    char *buffer = hf_calloc(&hf_alloc_libc, size, 1);
    struct hf_text lines;
    struct verdict verdict;

    assert_non_null(buffer);
    hf_text_init(&lines, buffer, size);
    for (uint64_t n = 0; n < REQUESTS; n++) {
        int64_t at_ns = 1 + (int64_t)n * STEP_NS;
        int64_t end_ns = at_ns + (int64_t)REQUESTS * STEP_NS;

        write_one(&lines, n, at_ns, NOTE_ASK);
        write_one(&lines, n, at_ns + 1, NOTE_GRANTED);
        write_one(&lines, n, end_ns, NOTE_RELEASE);
        write_one(&lines, n, end_ns + 1, NOTE_OVER);
    }
    assert_false(hf_text_cut(&lines));
    check(&lines, &verdict);
    assert_int_equal(verdict.breaches, 0);
    hf_text_addf(&lines, "50001 ask t/1/1 takeover exclusive x\n"
                         "50002 held t/1/1\n"
                         "9000001 ask t/1/2 takeover exclusive x\n"
                         "9000002 held t/1/2\n");
    check(&lines, &verdict);
    assert_int_equal(verdict.breaches, 1);
    assert_int_equal(verdict.at_ns, 9000002);
    hf_free(&hf_alloc_libc, buffer);
}
