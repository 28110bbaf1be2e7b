/* Lines: those that are written are read, and what is no line is named. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "history/files.h"
#include "history/log.h"

static enum hf_status
read_lines(struct history *history, struct history_text *text,
           const char *lines, struct hf_error *error)
{
    *history = (struct history){.events_count = 0};
    *text = (struct history_text){"log", lines, strlen(lines)};
    return history_read(history, text, 1, error);
}

static void
expect_corrupt(const char *lines, const char *why)
{
    struct history history;
    struct history_text text;
    struct hf_error error = {0};

    assert_int_equal(read_lines(&history, &text, lines, &error), HF_E_CORRUPT);
    assert_string_equal(error.text, why);
    history_free(&history);
}

static void
expect_read(const char *lines, size_t events, size_t torn)
{
    struct history history;
    struct history_text text;
    struct hf_error error = {0};

    if (read_lines(&history, &text, lines, &error) != HF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(history.events_count, events);
    assert_int_equal(history.torn_count, torn);
    history_free(&history);
}

/* ---- Reading ------------------------------------------------------------- */

static void
what_is_no_line_is_named(void **state)
{
    (void)state;
    expect_corrupt("x ask a/1/1 takeover exclusive x\n",
                   "log:1: this is no number");
    expect_corrupt("-1 restoring\n", "log:1: this is no number");
    expect_corrupt("01 restoring\n", "log:1: this is no number");
    expect_corrupt("9223372036854775808 restoring\n",
                   "log:1: this is no instant");
    expect_corrupt("18446744073709551616 restoring\n",
                   "log:1: this is no number");
    expect_corrupt("1\n", "log:1: something is missing at its end");
    expect_corrupt("\n1 asks a/1/1\n", "log:2: there is no such event");
    expect_corrupt("1  restoring\n",
                   "log:1: one blank stands between two words");
    expect_corrupt("1 restoring \n",
                   "log:1: one blank stands between two words");
    expect_corrupt("1 restoring a\n",
                   "log:1: there is more than belongs to it");
}

static void
a_request_is_of_a_lane_of_a_session(void **state)
{
    (void)state;
    expect_corrupt("1 ask a takeover exclusive x\n",
                   "log:1: a request is SESSION/LANE/NUMBER");
    expect_corrupt("1 ask a/1 takeover exclusive x\n",
                   "log:1: a request is SESSION/LANE/NUMBER");
    expect_corrupt("1 ask a/1/1/1 takeover exclusive x\n",
                   "log:1: a request is SESSION/LANE/NUMBER");
    expect_corrupt("1 ask a/b/1 takeover exclusive x\n",
                   "log:1: a request is SESSION/LANE/NUMBER");
    expect_corrupt("1 ask a/1/01 takeover exclusive x\n",
                   "log:1: a request is SESSION/LANE/NUMBER");
    expect_corrupt("1 ask /1/1 takeover exclusive x\n",
                   "log:1: this is no session");
    expect_corrupt("1 end a/1\n", "log:1: this is no session");
}

static void
what_belongs_to_an_event_is_there(void **state)
{
    (void)state;
    expect_corrupt("1 ask a/1/1\n", "log:1: something is missing at its end");
    expect_corrupt("1 ask a/1/1 never exclusive x\n",
                   "log:1: there is no such word");
    expect_corrupt("1 ask a/1/1 refuse\n", "log:1: it asks for nothing");
    expect_corrupt("1 ask a/1/1 refuse x exclusive\n",
                   "log:1: there is no such word");
    expect_corrupt("1 ask a/1/1 refuse shared x exclusive\n",
                   "log:1: there is more than belongs to it");
    expect_corrupt("1 ask a/1/1 refuse shared x shared y exclusive x\n",
                   "log:1: it names one lock twice");
    expect_corrupt("1 ask a/1/1 refuse shared x\n2 granted a/1/1 5\n",
                   "log:2: something is missing at its end");
    expect_corrupt("1 ask a/1/1 refuse shared x\n2 granted a/1/1 0 9\n",
                   "log:2: no fence is 0");
    expect_corrupt("1 clear x\n", "log:1: something is missing at its end");
}

static void
what_makes_no_sense_is_named(void **state)
{
    (void)state;
    expect_corrupt("1 release a/1/1\n", "log:1: it was not asked for before");
    expect_corrupt("1 release a/1/1\n2 ask a/1/1 takeover shared x\n",
                   "log:1: it was not asked for before");
    expect_corrupt("1 ask a/1/1 takeover shared x\n"
                   "2 ask a/1/1 takeover shared x\n",
                   "log:2: it is asked for twice");
    expect_corrupt("1 ask a/1/1 takeover shared x\n2 lost a/1/1\n",
                   "log:2: it was not granted before");
    expect_corrupt("1 ask a/1/1 takeover shared x\n2 granted a/1/1 5 9\n"
                   "3 lower a/1/1 y\n",
                   "log:3: it has not asked for that name");
    expect_corrupt("1 restored\n", "log:1: it was not being restored");
    expect_corrupt("1 restoring\n2 restoring\n", "log:2: it is being restored");
}

static void
a_line_without_its_end_is_left_out(void **state)
{
    (void)state;
    expect_read("1 ask a/1/1 takeover shared x\n2 rel", 1, 1);
    expect_read("1 ask a/1/1 takeover shared x\n2 release a/1/1", 1, 1);
    expect_read("", 0, 0);
    expect_read("\n\n", 0, 0);
}

/* ---- Writing ------------------------------------------------------------- */

#define REQUEST                                                                \
    {                                                                          \
        "5f0c", 1, UINT64_MAX                                                  \
    }
static const struct note_name names[] = {
    {"report", HF_EXCLUSIVE},
    {"a b%\n\xc3\xa4", HF_SHARED},
};

static const struct note notes[] = {
    {.at_ns = 1,
     .kind = NOTE_ASK,
     .request = REQUEST,
     .if_dead = HF_REFUSE,
     .names = names,
     .names_count = 2},
    {.at_ns = 2,
     .kind = NOTE_GRANTED,
     .request = REQUEST,
     .fence = UINT64_MAX,
     .until_ns = INT64_MAX},
    {.at_ns = 3, .kind = NOTE_EXTENDED, .request = REQUEST, .until_ns = 7},
    {.at_ns = 4,
     .kind = NOTE_LOWER,
     .request = REQUEST,
     .names = names,
     .names_count = 1},
    {.at_ns = 5,
     .kind = NOTE_LOWERED,
     .request = REQUEST,
     .names = names,
     .names_count = 1},
    {.at_ns = 6, .kind = NOTE_RELEASE, .request = REQUEST},
    {.at_ns = 7, .kind = NOTE_OVER, .request = REQUEST},
    {.at_ns = 8, .kind = NOTE_HELD, .request = REQUEST},
    {.at_ns = 9, .kind = NOTE_TIMED_OUT, .request = REQUEST},
    {.at_ns = 10, .kind = NOTE_LOST, .request = REQUEST},
    {.at_ns = 11, .kind = NOTE_END, .request = REQUEST},
    {.at_ns = 12, .kind = NOTE_GONE, .request = REQUEST},
    {.at_ns = 13,
     .kind = NOTE_CLEAR,
     .names = names + 1,
     .names_count = 1,
     .fence = 5},
    {.at_ns = 14, .kind = NOTE_RESTORING},
    {.at_ns = 15, .kind = NOTE_RESTORED},
};

static const char written[] =
    "1 ask 5f0c/1/18446744073709551615 refuse exclusive report "
    "shared a%20b%25%0A\xc3\xa4\n"
    "2 granted 5f0c/1/18446744073709551615 18446744073709551615 "
    "9223372036854775807\n"
    "3 extended 5f0c/1/18446744073709551615 7\n"
    "4 lower 5f0c/1/18446744073709551615 report\n"
    "5 lowered 5f0c/1/18446744073709551615 report\n"
    "6 release 5f0c/1/18446744073709551615\n"
    "7 over 5f0c/1/18446744073709551615\n"
    "8 held 5f0c/1/18446744073709551615\n"
    "9 timed-out 5f0c/1/18446744073709551615\n"
    "10 lost 5f0c/1/18446744073709551615\n"
    "11 end 5f0c\n"
    "12 gone 5f0c\n"
    "13 clear a%20b%25%0A\xc3\xa4 5\n"
    "14 restoring\n"
    "15 restored\n";

enum { NOTES = sizeof(notes) / sizeof(notes[0]) };

static void
every_event_is_written_and_read(void **state)
{
    char buffer[4096];
    struct hf_text text;
    struct history history;
    struct history_text read;
    struct hf_error error = {0};

    (void)state;
    hf_text_init(&text, buffer, sizeof(buffer));
    for (size_t i = 0; i < NOTES; i++)
        note_write(&text, &notes[i]);
    assert_string_equal(buffer, written);
    assert_int_equal(read_lines(&history, &read, written, &error), HF_OK);
    assert_int_equal(history.events_count, NOTES);
    for (size_t i = 0; i < NOTES; i++) {
        const struct history_event *event = &history.events[i];

        assert_int_equal(event->at_ns, notes[i].at_ns);
        assert_int_equal(event->kind, notes[i].kind);
        assert_int_equal(event->fence, notes[i].fence);
        assert_int_equal(event->until_ns, notes[i].until_ns);
    }
    assert_int_equal(history.locks.count, 2);
    assert_int_equal(history.requests_count, 1);
    assert_int_equal(history.requests[0]->if_dead, HF_REFUSE);
    assert_true(history.requests[0]->wants[0].exclusive);
    assert_false(history.requests[0]->wants[1].exclusive);
    history_free(&history);
}

/* ---- Files --------------------------------------------------------------- */

static char folder[] = "/tmp/holdfast-history-XXXXXX";

static int
make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static const char *
path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int
remove_folder(void **state)
{
    (void)state;
    (void)unlink(path_of("one"));
    (void)unlink(path_of("two"));
    return rmdir(folder);
}

/* In a process that kills itself in the end. */
static void
write_and_die(const char *name, size_t from, size_t to)
{
    pid_t pid = fork();
    struct history_log log;

    assert_true(pid >= 0);
    if (pid == 0) {
        HF_CHECK(history_log_open(&log, path_of(name)));
        for (size_t i = from; i < to; i++)
            history_log_write(&log, notes[i]);
        (void)raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void
what_was_written_before_a_kill_is_there(void **state)
{
    struct history_files files = {.count = 0};
    struct history history = {.events_count = 0};
    struct hf_error error = {0};

    (void)state;
    write_and_die("two", 0, 1);
    write_and_die("one", 1, NOTES);
    assert_int_equal(history_files_add(&files, folder, &error), HF_OK);
    assert_int_equal(files.count, 2);
    assert_int_equal(history_read(&history, files.texts, files.count, &error),
                     HF_OK);
    assert_int_equal(history.events_count, NOTES);
    assert_int_equal(history.torn_count, 0);
    history_free(&history);
    history_files_free(&files);
}

static void
a_file_is_of_one_process(void **state)
{
    struct history_log log;

    (void)state;
    assert_false(history_log_open(&log, path_of("one")));
    history_log_write(&log, notes[0]); /* which does nothing */
    history_log_close(&log);
}

static void
what_has_no_instant_is_stamped_now(void **state)
{
    struct history_files files = {.count = 0};
    struct history history = {.events_count = 0};
    struct hf_error error = {0};
    int64_t before = history_now_ns();
    struct history_log log;

    (void)state;
    assert_int_equal(unlink(path_of("one")), 0);
    assert_true(history_log_open(&log, path_of("one")));
    history_log_write(&log, (struct note){.kind = NOTE_RESTORING});
    history_log_close(&log);
    assert_int_equal(history_files_add(&files, path_of("one"), &error), HF_OK);
    assert_int_equal(history_read(&history, files.texts, 1, &error), HF_OK);
    assert_true(before <= history.events[0].at_ns);
    assert_true(history.events[0].at_ns <= history_now_ns());
    history_free(&history);
    history_files_free(&files);
}

static void
a_file_that_is_not_there_is_named(void **state)
{
    struct history_files files = {.count = 0};
    struct hf_error error = {0};
    char expected[256];

    (void)state;
    snprintf(expected, sizeof(expected), "%s: No such file or directory",
             path_of("three"));
    assert_int_equal(history_files_add(&files, path_of("three"), &error),
                     HF_E_UNAVAILABLE);
    assert_string_equal(error.text, expected);
    history_files_free(&files);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_line_is_named),
        cmocka_unit_test(a_request_is_of_a_lane_of_a_session),
        cmocka_unit_test(what_belongs_to_an_event_is_there),
        cmocka_unit_test(what_makes_no_sense_is_named),
        cmocka_unit_test(a_line_without_its_end_is_left_out),
        cmocka_unit_test(every_event_is_written_and_read),
        cmocka_unit_test(what_was_written_before_a_kill_is_there),
        cmocka_unit_test(a_file_is_of_one_process),
        cmocka_unit_test(what_has_no_instant_is_stamped_now),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
