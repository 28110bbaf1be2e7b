/* The guard alone: this test is the holdfast that it obeys, and watches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/guard.h"

enum {
    GRACE_MS = 60 * 1000, /* longer than any of this may take */
    PATIENCE_MS = 20 * 1000,
};

/* A guard of a takeover lock, and the holdfast's side of the link. */
struct bench {
    struct hf_guard_link link;
    pid_t guard;
};

static void
start(struct bench *bench, char **command)
{
    static const char *const names[] = {"lock", NULL};
    struct hf_guard_link_terms terms = {
        .names = names,
        .space = "default",
        .if_dead = HF_TAKEOVER,
        .grace = {GRACE_MS},
        .command = command,
        .terminal = -1,
        .quiet = true,
    };

    /* The command keeps it so, through its execution. */
    sigemptyset(&terms.signals);
    sigaddset(&terms.signals, SIGTERM);
    assert_true(hf_guard_link_open(&bench->link));
    bench->guard = hf_guard_start(&bench->link, &terms);
    assert_true(bench->guard > 0);
}

static void
say(const struct bench *bench, enum hf_guard_link_word word)
{
    assert_true(
        hf_guard_link_send(bench->link.holdfast_end,
                           &(struct hf_guard_link_message){.word = word}));
}

/* The next thing that the guard says. */
static struct hf_guard_link_message
hear(const struct bench *bench)
{
    struct pollfd end = {.fd = bench->link.holdfast_end, .events = POLLIN};
    struct hf_guard_link_message message;
    bool gone = false;

    assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
    assert_true(hf_guard_link_receive(end.fd, &message, &gone));
    return message;
}

static void
finish(struct bench *bench)
{
    int status = -1;

    assert_int_equal(waitpid(bench->guard, &status, 0), bench->guard);
    assert_int_equal(status, 0);
    hf_guard_link_close(&bench->link);
}

static char sleep_word[] = "sleep";
static char long_word[] = "1000";
static char *sleeps[] = {sleep_word, long_word, NULL};

/* As soon as the grace has begun, the right leaves no time for a command. */
static void
what_is_granted_when_grace_has_begun_is_not_started(void **state)
{
    struct bench bench;
    struct hf_guard_link_message message;

    (void)state;
    start(&bench, sleeps);
    atomic_store(&bench.link.page->right_until_ms, hf_now().ms + GRACE_MS);
    say(&bench, HF_GUARD_LINK_GRANT);
    message = hear(&bench);
    assert_int_equal(message.word, HF_GUARD_LINK_DONE);
    assert_int_equal(message.end, HF_GUARD_LINK_LATE);
    finish(&bench);
}

/* It hears of TERM, and does not go. */
static void
a_command_is_killed_at_the_end_of_its_right_within_its_grace(void **state)
{
    struct bench bench;
    struct hf_guard_link_message message;

    (void)state;
    start(&bench, sleeps);
    atomic_store(&bench.link.page->right_until_ms, hf_now().ms + 3 * GRACE_MS);
    say(&bench, HF_GUARD_LINK_GRANT);
    assert_int_equal(hear(&bench).word, HF_GUARD_LINK_STARTED);
    atomic_store(&bench.link.page->right_until_ms, hf_now().ms + 50);
    say(&bench, HF_GUARD_LINK_END);
    message = hear(&bench);
    if (message.word == HF_GUARD_LINK_ENDING) /* it saw the right first */
        message = hear(&bench);
    assert_int_equal(message.word, HF_GUARD_LINK_DONE);
    assert_int_equal(message.end, HF_GUARD_LINK_CUT);
    assert_true(WIFSIGNALED(message.number));
    assert_int_equal(WTERMSIG(message.number), SIGKILL);
    finish(&bench);
}

/* A holdfast that grants while its guard is stopped, and dies; never returns.
 * The guard's pid goes to `out`. */
static void
grant_and_die(char **command, int out)
{
    struct bench bench;
    int status;

    start(&bench, command);
    kill(bench.guard, SIGSTOP);
    (void)waitpid(bench.guard, &status, WUNTRACED);
    atomic_store(&bench.link.page->right_until_ms, HF_NEVER.ms);
    say(&bench, HF_GUARD_LINK_GRANT);
    (void)!write(out, &bench.guard, sizeof(bench.guard));
    _exit(0);
}

static void
the_grant_of_a_holdfast_that_has_died_starts_nothing(void **state)
{
    char marker[] = "/tmp/holdfast-guard-XXXXXX";
    char rm[] = "rm";
    char *removes[] = {rm, marker, NULL};
    int ends[2];
    int status = -1;
    pid_t guard;
    pid_t holdfast;

    (void)state;
    close(mkstemp(marker));
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    holdfast = fork();
    if (holdfast == 0)
        grant_and_die(removes, ends[1]);
    assert_int_equal(read(ends[0], &guard, sizeof(guard)), sizeof(guard));
    assert_int_equal(waitpid(holdfast, &status, 0), holdfast);
    assert_int_equal(kill(guard, SIGCONT), 0);
    assert_int_equal(waitpid(guard, &status, 0), guard);
    assert_int_equal(access(marker, F_OK), 0);
    unlink(marker);
    close(ends[0]);
    close(ends[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_granted_when_grace_has_begun_is_not_started),
        cmocka_unit_test(
            a_command_is_killed_at_the_end_of_its_right_within_its_grace),
        cmocka_unit_test(the_grant_of_a_holdfast_that_has_died_starts_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
