#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/clock.h"
#include "support/folder.h"
#include "support/locks.h"
#include "support/processes.h"

/*
 * 1,000 requests of one client wait in line for one lock of a SQLite file, at
 * first behind another client, then behind each other, while the client holds
 * another lock with a right of little more than a second: that is never at
 * risk of being lost, and a waiter costs neither a descriptor nor a thread.
 *
 * HF_LOCKS: so many, where a sanitizer makes everything slow.
 */

#define WAITERS_MAX 1000
#define HELD_FOR_MS 4500 /* three ttl */

struct line {
    struct hf_client *client;
    struct hf_lock *beating; /* with a ttl of 1.5 s */
    struct hf_lock *waiters[WAITERS_MAX];
    size_t count;
    size_t granted;
};

/* How many entries a folder of /proc has. */
static size_t
count_entries(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    HF_CHECK(folder != NULL);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* One thread takes all notices there are; whoever is granted gives back. */
static void
take_notices(struct line *line)
{
    const struct hf_notice *notice;

    while ((notice = hf_client_next(line->client)) != NULL) {
        struct hf_lock **waiter = hf_notice_user(notice);

        HF_CHECK((hf_notice_news(notice) & (HF_NEWS_LOST | HF_NEWS_IN_DOUBT)) ==
                 0);
        if (waiter == NULL || (hf_notice_news(notice) & HF_NEWS_GRANTED) == 0)
            continue;
        line->granted++;
        hf_lock_free(*waiter);
        *waiter = NULL;
    }
    HF_CHECK(hf_lock_check(line->beating) == HF_GRANTED);
}

static void
wait_for_notices(const struct line *line)
{
    struct pollfd fd = {.fd = hf_client_fd(line->client), .events = POLLIN};

    (void)poll(&fd, 1, 100);
}

static void
begin_all(struct line *line)
{
    size_t descriptors = count_entries("/proc/self/fd");
    size_t threads = count_entries("/proc/self/task");

    for (size_t i = 0; i < line->count; i++) {
        struct hf_lock *waiter =
            new_lock(line->client, "line", HF_WAIT, "forever", NULL);

        line->waiters[i] = waiter;
        hf_lock_set_user(waiter, &line->waiters[i]);
        HF_CHECK(hf_lock_start(waiter, NULL) == HF_OK);
    }
    HF_CHECK(count_entries("/proc/self/fd") <= descriptors + 1); /* a pidfd */
    HF_CHECK(count_entries("/proc/self/task") == threads);
}

int
main(void)
{
    static struct line line;
    const char *count = getenv("HF_LOCKS");
    char folder[FOLDER_SIZE];
    char place[FOLDER_SIZE + 32];
    struct hf_client *other;
    struct hf_lock *held;
    struct hf_instant begun;
    int64_t waited_ms;

    processes_begin((struct hf_duration){100000});
    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    line.count = count == NULL ? WAITERS_MAX : strtoul(count, NULL, 10);
    HF_CHECK(line.count <= WAITERS_MAX);
    other = open_client(place);
    held = hold(other, "line", NULL);
    line.client = open_client(place);
    line.beating = hold(line.client, "beating", HF_TTL, "1500ms", NULL);
    begin_all(&line);

    begun = hf_now();
    while (hf_between(begun, hf_now()).ms < HELD_FOR_MS) {
        take_notices(&line);
        wait_for_notices(&line);
    }
    HF_CHECK(line.granted == 0);
    hf_lock_free(held);
    begun = hf_now();
    while (line.granted < line.count) {
        take_notices(&line);
        wait_for_notices(&line);
    }
    waited_ms = hf_between(begun, hf_now()).ms;
    printf("%zu waiters of one client had the lock one after another in "
           "%" PRId64 " ms\n",
           line.count, waited_ms);
    HF_CHECK(give_back(line.beating) == HF_OK);
    close_client(line.client);
    close_client(other);
    folder_remove(folder);
    return 0;
}
