#include "support/files.h"
#include "support/journals.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/hash.h"

/*
 * When a store folds its log into the database, and how often it syncs their
 * folder: with the first commit to a log whose name is not known to be durable,
 * and never again.
 *
 * SQLite opens the folder to sync it, by a call that a test may replace.
 */

typedef int open_folder_fn(const char *path, int *fd);

static open_folder_fn *open_folder;
static unsigned opened;

static int
count_and_open(const char *path, int *fd)
{
    opened++;
    return open_folder(path, fd);
}

static int
set_up(void **state)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    sqlite3_syscall_ptr found = vfs->xGetSystemCall(vfs, "openDirectory");

    assert_non_null(found);
    if (found != (sqlite3_syscall_ptr)count_and_open)
        open_folder = (open_folder_fn *)found;
    assert_int_equal(vfs->xSetSystemCall(vfs, "openDirectory",
                                         (sqlite3_syscall_ptr)count_and_open),
                     SQLITE_OK);
    return files_set_up(state);
}

/* Are there such attributes? */
static bool
can_note(const struct files *files)
{
    return setxattr(files->folder, "user.holdfast.test", "", 0, 0) == 0;
}

/* One commit by a store of its own: how often it synced the folder. */
static unsigned
commit_once(const struct files *files)
{
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    struct hf_record record;

    assert_int_equal(get_one(store, key, suite_soon(), &record, NULL), HF_OK);
    opened = 0;
    suite_apply(store, suite_put(key, record.version, "text"));
    hf_store_close(store);
    return opened;
}

static void
log_of(const struct files *files, char name[SUITE_PLACE_SIZE])
{
    snprintf(name, SUITE_PLACE_SIZE, "%.400s-wal", files->path);
}

#define FIXTURE_TEST(sentence) TEST_IN(set_up, files_tear_down, sentence)

FIXTURE_TEST(the_folder_is_synced_for_a_new_log_and_not_again)
{
    const struct files *files = *state;

    if (!can_note(files))
        skip();
    assert_int_equal(commit_once(files), 1);
    assert_int_equal(commit_once(files), 0);
    assert_int_equal(commit_once(files), 0);
}

/* Whoever closes the place last, with SQLite's own program, removes it. */
FIXTURE_TEST(it_is_synced_for_a_log_that_was_made_anew)
{
    const struct files *files = *state;
    struct stat found;
    char log[SUITE_PLACE_SIZE];

    if (!can_note(files))
        skip();
    (void)commit_once(files);
    files_sql(files->path, "SELECT count(*) FROM locks");
    log_of(files, log);
    assert_int_equal(stat(log, &found), -1);
    assert_int_equal(commit_once(files), 1);
    assert_int_equal(commit_once(files), 0);
}

/* A copy takes the note along, which is then another file's. */
FIXTURE_TEST(it_is_synced_for_a_log_that_was_copied)
{
    const struct files *files = *state;
    uint64_t number = 1;
    char log[SUITE_PLACE_SIZE];

    if (!can_note(files))
        skip();
    (void)commit_once(files);
    log_of(files, log);
    assert_int_equal(
        setxattr(log, "user.holdfast.named", &number, sizeof(number), 0), 0);
    assert_int_equal(commit_once(files), 1);
    assert_int_equal(commit_once(files), 0);
}

/* Of the database's file, as it stands. */
static uint64_t
hash_of(const struct files *files)
{
    FILE *file = fopen(files->path, "re");
    uint64_t hash = HF_HASH_SEED;
    char bytes[4096];
    size_t len;

    assert_non_null(file);
    while ((len = fread(bytes, 1, sizeof(bytes), file)) > 0)
        hash = hf_hash_bytes(hash, bytes, len);
    assert_int_equal(fclose(file), 0);
    return hash;
}

/* More pages than a log has that is not folded into the file. */
static void
write_often(struct hf_journal *journal, const char *node)
{
    const struct hf_head head = journals_head(node, "db1:7420");

    for (int i = 0; i < 300; i++)
        journals_put(journal, &head, NULL, 0);
}

/* Heads without a node, while something is granted. */
FIXTURE_TEST(a_journals_log_is_not_folded_while_it_would_hide_a_loss)
{
    const struct files *files = *state;
    struct hf_journal *journal = journals_open(files->place);
    uint64_t before = hash_of(files);

    write_often(journal, "");
    assert_true(hash_of(files) == before);
    write_often(journal, "n1");
    assert_true(hash_of(files) != before);
    hf_journal_close(journal);
}

/* What a leader's writes leave of its log. */
static struct hf_journal *
begin_term(const struct files *files)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    struct hf_journal *journal = journals_open(files->place);

    journals_put(journal, &head, NULL, 0);
    assert_int_equal(hf_journal_secure(journal, (struct hf_duration){1000},
                                       suite_soon(), NULL),
                     HF_OK);
    return journal;
}

/* A process that keeps the lock under which a log is folded, as SQLite has it
 * in the -shm (WAL_CKPT_LOCK), and says so. */
static bool
keep_from_folding(void *ctx)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 121, .l_len = 1};
    const struct files *files = ctx;
    char shm[SUITE_PLACE_SIZE + 8];
    char said[SUITE_PLACE_SIZE + 8];
    int fd;

    snprintf(shm, sizeof(shm), "%s-shm", files->path);
    fd = open(shm, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fcntl(fd, F_SETLKW, &lock) != 0)
        return false;
    snprintf(said, sizeof(said), "%s-locked", files->path);
    files_poke(said, 0, "locked", 6);
    for (;;)
        pause();
}

/* Another node's thread may fold it just now. */
FIXTURE_TEST(a_term_waits_for_who_folds_the_log)
{
    struct files *files = *state;
    struct hf_journal *journal = begin_term(files);
    struct hf_duration patience = {300};
    char said[SUITE_PLACE_SIZE + 8];
    struct hf_instant until;
    pid_t child = suite_start(keep_from_folding, files);

    snprintf(said, sizeof(said), "%s-locked", files->path);
    while (access(said, F_OK) != 0)
        assert_int_equal(poll(NULL, 0, 1), 0);
    until = hf_after(hf_now(), patience);
    assert_int_equal(
        hf_journal_secure(journal, (struct hf_duration){1000}, until, NULL),
        HF_E_UNAVAILABLE);
    assert_true(hf_reached(hf_now(), until));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_not_equal(suite_end_of(child), 0);
    assert_int_equal(hf_journal_secure(journal, (struct hf_duration){1000},
                                       suite_soon(), NULL),
                     HF_OK);
    hf_journal_close(journal);
}

/* By a thread of its own: no batch waits for it. */
FIXTURE_TEST(a_leaders_log_is_folded_and_no_batch_waits_for_it)
{
    const struct files *files = *state;
    struct hf_journal *journal = begin_term(files);
    uint64_t before = hash_of(files);
    struct hf_instant end = suite_soon();

    while (hash_of(files) == before && !hf_reached(hf_now(), end))
        write_often(journal, "n1");
    assert_true(hash_of(files) != before);
    assert_int_equal(hf_journal_log(journal).waits, 0);
    hf_journal_close(journal);
}

/* Nor is it by that thread, for longer than that gathers. */
FIXTURE_TEST(a_leaders_log_is_not_folded_when_it_leaves)
{
    const struct files *files = *state;
    const struct hf_head leaves = journals_head("", "db1:7420");
    struct hf_journal *journal = begin_term(files);
    struct hf_instant until;
    uint64_t before;

    write_often(journal, "n1");
    journals_put(journal, &leaves, NULL, 0);
    before = hash_of(files);
    until = hf_after(hf_now(), (struct hf_duration){400});
    while (!hf_reached(hf_now(), until))
        write_often(journal, "");
    assert_true(hash_of(files) == before);
    hf_journal_close(journal);
}

/* A log that never has a rest is folded by a batch, at a bound. */
FIXTURE_TEST(a_log_is_bounded_however_much_is_written)
{
    enum { BOUND = 8 << 20, CHANGES = 1000 };
    static struct hf_journal_change rows[CHANGES];
    const struct files *files = *state;
    const struct hf_head head = journals_head("n1", "db1:7420");
    struct hf_journal *journal = begin_term(files);
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){60000});
    char log[SUITE_PLACE_SIZE + 8];
    struct stat found;

    (void)snprintf(log, sizeof(log), "%s-wal", files->path);
    for (uint64_t i = 0; hf_journal_log(journal).waits < 2; i++) {
        for (uint64_t k = 0; k < CHANGES; k++)
            rows[k] = journals_session(i * CHANGES + k + 1);
        journals_put(journal, &head, rows, CHANGES);
        assert_int_equal(stat(log, &found), 0);
        assert_true(found.st_size < BOUND + BOUND / 4);
        assert_false(hf_reached(hf_now(), end));
    }
    hf_journal_close(journal);
}

/* ---- Who follows --------------------------------------------------------- */

/* How often somebody rang since the last call. */
static unsigned
rings(int watch)
{
    struct inotify_event event;
    unsigned count = 0;

    while (read(watch, &event, sizeof(event)) == sizeof(event))
        count++;
    return count;
}

static uint64_t
go_on(struct hf_journal *journal, const char *node, uint64_t version)
{
    struct hf_head head = journals_head(node, "db1:7420");
    const struct hf_journal_write write = {.head = &head, .expect = version};

    assert_int_equal(
        hf_journal_write(journal, &write, journals_soon(), &version, NULL),
        HF_APPLIED);
    return version;
}

FIXTURE_TEST(who_follows_hears_of_few_batches_but_at_once_of_the_end)
{
    const struct files *files = *state;
    struct hf_journal *journal = begin_term(files);
    uint64_t version = journals_read(journal).version;
    struct hf_instant begun = hf_now();
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char log[SUITE_PLACE_SIZE + 8];
    unsigned heard = 0;
    int64_t took_ms;

    (void)snprintf(log, sizeof(log), "%s-wal", files->path);
    assert_true(inotify_add_watch(watch, log, IN_CLOSE) >= 0);
    for (int i = 0; i < 200; i++) {
        version = go_on(journal, "n1", version);
        heard += rings(watch);
    }
    took_ms = hf_between(begun, hf_now()).ms;
    assert_in_range(heard, 0, took_ms / 50 + 1);
    version = go_on(journal, "n1", version);
    (void)rings(watch);
    (void)go_on(journal, "", version);
    assert_int_equal(rings(watch), 1);
    close(watch);
    hf_journal_close(journal);
}
