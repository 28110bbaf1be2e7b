#include "support/test.h"
#include "unit/support/children.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

/*
 * An observation: several processes, what is proved of them all, and the
 * descriptors that it costs.
 */

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

TEST(no_process_and_too_many_are_no_evidence)
{
    struct hf_process child = start_child();
    struct hf_process many[HF_PROCESSES_MAX + 1];
    struct hf_observation empty = {0};

    kill_child(child);
    bury_child(child);
    for (size_t i = 0; i < HF_PROCESSES_MAX + 1; i++)
        many[i] = child;

    assert_int_equal(look_once(NULL, 0), HF_PRESENCE_UNKNOWN);
    assert_int_equal(look_once(many, HF_PROCESSES_MAX), HF_PRESENCE_GONE);
    assert_int_equal(look_once(many, HF_PROCESSES_MAX + 1),
                     HF_PRESENCE_UNKNOWN);
    assert_int_equal(hf_process_look(&empty), HF_PRESENCE_UNKNOWN);
    hf_process_forget(&empty);
}

/* Their numbers mean something else to kill(2), or their start is unknown. */
TEST(a_process_that_cannot_be_one_is_no_evidence)
{
    struct hf_process child = start_child();
    struct hf_process cases[] = {
        {0, 1},         {-1, 1},        {INT64_MIN, 1},
        {INT64_MAX, 1}, {INT32_MAX, 0}, {(int64_t)INT32_MAX + 1, 1},
    };

    kill_child(child);
    bury_child(child);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_process both[] = {child, cases[i]};

        assert_int_equal(look_once(&cases[i], 1), HF_PRESENCE_UNKNOWN);
        assert_int_equal(look_once(both, 2), HF_PRESENCE_UNKNOWN);
    }
}

TEST(a_waiter_wakes_at_each_end_and_all_must_end)
{
    struct hf_process children[] = {start_child(), start_child()};
    struct pollfd fds[HF_PROCESSES_MAX];
    struct hf_observation observation;
    int descriptors = count_descriptors();

    hf_process_observe(&observation, children, 2);
    assert_int_equal(hf_process_poll_fds(&observation, fds), 2);
    assert_int_equal(poll(fds, 2, 0), 0);
    assert_true((fcntl(fds[0].fd, F_GETFD) & FD_CLOEXEC) != 0);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_THERE);

    kill_child(children[0]);
    assert_int_equal(poll(fds, 2, -1), 1);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_THERE);
    assert_int_equal(hf_process_poll_fds(&observation, fds), 1);
    assert_int_equal(poll(fds, 1, 0), 0);

    kill_child(children[1]);
    assert_int_equal(poll(fds, 1, -1), 1);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_GONE);
    assert_int_equal(hf_process_poll_fds(&observation, fds), 0);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_GONE);

    hf_process_forget(&observation);
    assert_int_equal(count_descriptors(), descriptors);
    bury_child(children[0]);
    bury_child(children[1]);
}

TEST(an_observation_that_is_forgotten_keeps_no_descriptor)
{
    struct hf_process children[] = {start_child(), start_child()};
    int descriptors = count_descriptors();
    struct hf_observation observation;

    hf_process_observe(&observation, children, 2);
    assert_int_equal(count_descriptors(), descriptors + 2);
    hf_process_forget(&observation);
    hf_process_forget(&observation);
    assert_int_equal(count_descriptors(), descriptors);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_UNKNOWN);
    for (size_t i = 0; i < 2; i++) {
        kill_child(children[i]);
        bury_child(children[i]);
    }
}

TEST(without_descriptors_only_a_free_number_is_proof)
{
    struct hf_process child = start_child();
    struct hf_observation observation;
    struct rlimit usual;
    struct rlimit none;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = (struct rlimit){0, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    hf_process_observe(&observation, &child, 1);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_UNKNOWN);

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_THERE);
    hf_process_forget(&observation);

    kill_child(child);
    bury_child(child);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_GONE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}
