#include "support/test.h"
#include "unit/support/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * The trace: every event and effect of every lock, for debugging; to the
 * caller's function, or to the file that HOLDFAST_TRACE names.
 */

#define SECRET_REASON  "the-password-is-xyzzy"
#define SECRET_COMMAND "--token=plugh"

/* Everything that was said, a line each; a client calls one at a time. */
struct transcript {
    char text[64 * 1024];
    size_t len;
    unsigned lines;
    bool broken; /* a line with a newline in it, or an empty one */
};

static void
take_down(void *ctx, const char *line)
{
    struct transcript *transcript = ctx;
    size_t len = strlen(line);

    if (len == 0 || strchr(line, '\n') != NULL ||
        transcript->len + len + 2 > sizeof(transcript->text)) {
        transcript->broken = true;
        return;
    }
    memcpy(transcript->text + transcript->len, line, len);
    transcript->len += len;
    transcript->text[transcript->len++] = '\n';
    transcript->lines++;
}

static struct hf_client *
new_client(void)
{
    struct hf_client *client = NULL;

    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    return client;
}

/* What has a reason and a command in every place where there can be one. */
static void
live_a_life(struct hf_client *client)
{
    struct hf_lock *lock = hold(client, "deploy", HF_REASON, SECRET_REASON,
                                HF_COMMAND, SECRET_COMMAND, NULL);
    struct hf_lock *waiter = ask_for(client, "deploy", HF_REASON, SECRET_REASON,
                                     HF_COMMAND, SECRET_COMMAND, NULL);

    hf_view_free(examine(client, "deploy", NULL));
    hf_view_free(clear(client, "deploy", HF_REASON, SECRET_REASON, HF_FORCE,
                       "yes", NULL));
    hf_lock_free(lock);
    hf_lock_free(waiter);
    close_client(client);
}

TEST(the_trace_tells_of_every_lock_but_no_secret)
{
    static struct transcript transcript;
    struct hf_client *client = new_client();

    hf_client_trace(client, take_down, &transcript);
    assert_int_equal(hf_client_open(client, "memory:secret", NULL), HF_OK);
    live_a_life(client);
    assert_false(transcript.broken);
    assert_true(transcript.lines > 8);
    assert_non_null(strstr(transcript.text, " acquire\n"));
    assert_non_null(strstr(transcript.text, "\nexamine default/deploy "));
    assert_null(strstr(transcript.text, SECRET_REASON));
    assert_null(strstr(transcript.text, SECRET_COMMAND));
    assert_null(strstr(transcript.text, "xyzzy"));
    assert_null(strstr(transcript.text, "plugh"));
}

TEST(the_trace_can_be_ended_before_the_client_is_open_and_not_later)
{
    static struct transcript none;
    static struct transcript late;
    struct hf_client *client = new_client();

    hf_client_trace(client, take_down, &none);
    hf_client_trace(client, NULL, NULL);
    assert_int_equal(hf_client_open(client, "memory:ended", NULL), HF_OK);
    hf_client_trace(client, take_down, &late);
    live_a_life(client);
    assert_int_equal(none.lines, 0);
    assert_int_equal(late.lines, 0);
}

/* ---- HOLDFAST_TRACE ------------------------------------------------------ */

struct trace_file {
    struct file_place place;
    char path[80];
};

static void
set_trace(struct trace_file *file)
{
    make_place(&file->place);
    snprintf(file->path, sizeof(file->path), "%s/trace", file->place.folder);
    assert_int_equal(setenv("HOLDFAST_TRACE", file->path, 1), 0);
}

static void
unset_trace(const struct trace_file *file)
{
    assert_int_equal(unsetenv("HOLDFAST_TRACE"), 0);
    (void)unlink(file->path);
    remove_place(&file->place);
}

/* The lines of the file, each of which begins with our pid. */
static unsigned
count_lines(const struct trace_file *file, bool *told_secret)
{
    FILE *lines = fopen(file->path, "r");
    char line[4096];
    char head[24];
    unsigned count = 0;

    snprintf(head, sizeof(head), "%ld ", (long)getpid());
    while (lines != NULL && fgets(line, sizeof(line), lines) != NULL) {
        assert_int_equal(strncmp(line, head, strlen(head)), 0);
        *told_secret = *told_secret || strstr(line, SECRET_REASON) != NULL ||
                       strstr(line, SECRET_COMMAND) != NULL;
        count++;
    }
    if (lines != NULL)
        fclose(lines);
    return count;
}

TEST(every_client_adds_to_the_file_that_the_environment_names)
{
    struct trace_file file;
    bool told_secret = false;
    unsigned once;

    set_trace(&file);
    live_a_life(open_client("memory:file"));
    once = count_lines(&file, &told_secret);
    live_a_life(open_client("memory:file"));
    assert_true(once > 8);
    assert_true(count_lines(&file, &told_secret) > once + 8);
    assert_false(told_secret);
    unset_trace(&file);
}

TEST(whoever_chooses_a_trace_does_not_write_that_file)
{
    static struct transcript transcript;
    struct trace_file file;
    struct hf_client *one = new_client();
    struct hf_client *other = new_client();

    set_trace(&file);
    hf_client_trace(one, take_down, &transcript);
    hf_client_trace(other, NULL, NULL);
    assert_int_equal(hf_client_open(one, "memory:chosen", NULL), HF_OK);
    live_a_life(one);
    assert_int_equal(hf_client_open(other, "memory:chosen", NULL), HF_OK);
    live_a_life(other);
    assert_true(transcript.lines > 8);
    assert_int_equal(access(file.path, F_OK), -1);
    unset_trace(&file);
}

TEST(a_file_that_cannot_be_written_to_is_told_and_may_be_tried_again)
{
    struct hf_client *client = new_client();
    struct hf_error error = {0};
    struct trace_file file;

    assert_int_equal(setenv("HOLDFAST_TRACE", "/nowhere/trace", 1), 0);
    assert_int_equal(hf_client_open(client, "memory:nowhere", &error),
                     HF_E_INVALID);
    assert_string_equal(error.text, "HOLDFAST_TRACE: /nowhere/trace cannot be "
                                    "written to");
    set_trace(&file);
    assert_int_equal(hf_client_open(client, "nowhere:x", NULL), HF_E_INVALID);
    assert_int_equal(hf_client_open(client, "memory:nowhere", NULL), HF_OK);
    live_a_life(client);
    unset_trace(&file);
}

/* However far it got: its descriptors are its own until it is closed, and it
 * needs no more of them the second time. */
TEST(an_open_that_failed_half_way_leaves_nothing_open)
{
    struct hf_client *client = new_client();
    struct trace_file file;
    struct rlimit before;
    struct rlimit few;
    unsigned failed = 0;
    int next;
    int after;

    set_trace(&file);
    next = dup(STDIN_FILENO);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)next + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    while (hf_client_open(client, "memory:half-way", NULL) != HF_OK) {
        assert_true(++failed < 20);
        few.rlim_cur++;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    }
    assert_true(failed > 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    live_a_life(client);
    after = dup(STDIN_FILENO);
    close(after);
    assert_true(after <= next);
    unset_trace(&file);
}
