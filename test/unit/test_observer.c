#include "support/test.h"
#include "unit/support/children.h"

#include <dirent.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "client/table/observer.h"

/* The processes of holders, as a client observes them. */

static struct hf_observer observer;
static int epoll_fd;

static int
set_up(void **state)
{
    (void)state;
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    assert_true(epoll_fd >= 0);
    hf_observer_init(&observer, &hf_alloc_libc, epoll_fd);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    hf_observer_fini(&observer);
    close(epoll_fd);
    return 0;
}

static int
count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

#define FIXTURE_TEST(sentence) TEST_IN(set_up, tear_down, sentence)

/* Or a processor would be busy until the dead holder's lock is taken over. */
FIXTURE_TEST(an_end_is_told_once)
{
    struct hf_process child = start_child();
    struct hf_queue queue = {.observed = NULL};
    struct epoll_event event;

    hf_observer_follow(&observer, &queue, &child, 1);
    assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 0);
    kill_child(child);
    assert_int_equal(epoll_wait(epoll_fd, &event, 1, -1), 1);
    assert_ptr_equal(hf_observer_find(&observer, event.data.u64),
                     queue.observed);
    assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 0);
    assert_true(hf_observer_look(queue.observed));
    assert_int_equal(queue.observed->presence, HF_PRESENCE_GONE);
    hf_observer_leave(&observer, &queue);
    bury_child(child);
}

FIXTURE_TEST(holders_that_nobody_waits_for_cost_nothing)
{
    int before = count_descriptors();
    struct hf_process child = start_child();
    struct hf_queue queues[2] = {{.observed = NULL}};

    for (int i = 0; i < 2; i++)
        hf_observer_follow(&observer, &queues[i], &child, 1);
    assert_ptr_equal(queues[0].observed, queues[1].observed);
    assert_true(count_descriptors() > before);
    for (int i = 0; i < 2; i++)
        hf_observer_leave(&observer, &queues[i]);
    assert_int_equal(count_descriptors(), before);
    kill_child(child);
    bury_child(child);
}
