#include "support/files.h"
#include "support/journals.h"
#include "support/test.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "base/fd.h"
#include "journal/scribe.h"
#include "store/place.h"

/* The thread that makes a journal's calls, and what it tells its loop. */

static void
wake(void *ctx)
{
    const int *told = ctx;

    (void)eventfd_write(*told, 1);
}

/* It has told something since. */
static void
await_told(int fd)
{
    struct pollfd told = {.fd = fd, .events = POLLIN};
    eventfd_t drained;

    assert_int_equal(poll(&told, 1, 10 * 1000), 1);
    assert_int_equal(eventfd_read(fd, &drained), 0);
}

/* A loop that is busy watches again at each turn, and takes nothing. */
TEST_IN(files_set_up, files_tear_down, a_change_is_told_once_until_it_is_taken)
{
    const struct files *files = *state;
    const struct hf_head head = journals_head("n1", "db1:7420");
    int fd = eventfd(0, EFD_CLOEXEC);
    struct hf_scribe_config config = {
        .alloc = &hf_alloc_libc,
        .told = wake,
        .ctx = &fd,
    };
    struct hf_scribe_told told;
    struct hf_journal *journal = journals_open(files->place);
    struct hf_scribe *scribe;

    journals_put(journal, &head, NULL, 0);
    hf_journal_close(journal);
    assert_int_equal(hf_place_parse(files->place, &config.place, NULL), HF_OK);
    assert_int_equal(hf_scribe_open(&config, &scribe, NULL), HF_OK);
    /* Only an open file is looked at, and a load opens it. */
    hf_scribe_load(scribe, 1);
    await_told(fd);
    assert_true(hf_scribe_take(scribe, &told));
    for (unsigned turn = 0; turn < 20; turn++) {
        hf_scribe_watch(scribe, 1);
        await_told(fd);
    }
    assert_true(hf_scribe_take(scribe, &told));
    assert_int_equal(told.kind, HF_SCRIBE_HINT);
    assert_false(hf_scribe_take(scribe, &told));
    hf_scribe_close(scribe);
    hf_fd_close(&fd);
}
