#include "unit/support/clients.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const struct hf_duration short_ttl = {700};

struct hf_client *
open_client(const char *place)
{
    struct hf_client *client = NULL;
    struct hf_error error = {0};

    if (hf_open(place, NULL, &client, &error) != HF_OK)
        fail_msg("open %s: %s", place, error.text);
    return client;
}

struct hf_acquired
acquire(struct hf_client *client, const char *name,
        const struct hf_acquire_options *options)
{
    struct hf_acquired acquired = {0};
    struct hf_error error = {0};

    if (hf_acquire(client, name, options, &acquired, &error) != HF_OK)
        fail_msg("acquire %s: %s", name, error.text);
    return acquired;
}

struct hf_lock *
hold(struct hf_client *client, const char *name,
     const struct hf_acquire_options *options)
{
    struct hf_acquired acquired = acquire(client, name, options);

    assert_int_equal(acquired.outcome, HF_GRANTED);
    assert_non_null(acquired.lock);
    return acquired.lock;
}

/* ---- Waiting ------------------------------------------------------------- */

static void *
compete(void *arg)
{
    struct waiter *waiter = arg;

    waiter->status = hf_acquire(waiter->client, "deploy", &waiter->options,
                                &waiter->acquired, &waiter->error);
    return NULL;
}

static void
tell_seen(void *ctx, const struct hf_diagnosis *seen)
{
    const struct waiter *waiter = ctx;

    if (seen->record.exists)
        (void)!write(waiter->seen[1], "!", 1);
}

void
start_waiting(struct waiter *waiter)
{
    char byte;

    assert_int_equal(pipe(waiter->seen), 0);
    waiter->options.on_waiting = tell_seen;
    waiter->options.ctx = waiter;
    assert_int_equal(pthread_create(&waiter->thread, NULL, compete, waiter), 0);
    assert_int_equal(read(waiter->seen[0], &byte, 1), 1);
}

void
stop_waiting(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    close(waiter->seen[0]);
    close(waiter->seen[1]);
}

/* ---- Other processes ----------------------------------------------------- */

void
make_place(struct file_place *place)
{
    snprintf(place->folder, sizeof(place->folder), "/tmp/holdfast-test-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->url, sizeof(place->url), "sqlite:%s/locks.db",
             place->folder);
}

void
remove_place(const struct file_place *place)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[80];

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        snprintf(path, sizeof(path), "%s/locks.db%s", place->folder, ends[i]);
        unlink(path);
    }
    rmdir(place->folder);
}

/* In a child there is no cmocka to fail. */
static bool
is_granted(const char *place, const char *name,
           const struct hf_acquire_options *options)
{
    struct hf_client *client = NULL;
    struct hf_acquired acquired = {0};

    return hf_open(place, NULL, &client, NULL) == HF_OK &&
           hf_acquire(client, name, options, &acquired, NULL) == HF_OK &&
           acquired.outcome == HF_GRANTED;
}

pid_t
hold_and_die(const char *place, const char *name,
             const struct hf_acquire_options *options)
{
    siginfo_t info;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(is_granted(place, name, options) ? 0 : 1);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(info.si_status, 0);
    return child;
}

pid_t
hold_until_killed(const char *place, const char *name,
                  const struct hf_acquire_options *options)
{
    char byte;
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (is_granted(place, name, options) && write(ends[1], "!", 1) == 1)
            (void)pause();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}
