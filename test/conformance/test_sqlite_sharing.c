#include "support/files.h"
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/place.h"

/*
 * Folders, modes, and several users on one file.  Other users can be had only
 * by root; where the tests are run by somebody else, those that need them say
 * so and are skipped.
 */

enum { ANN = 20001, BOB = 20002, TEAM = 20000, ANNS_OWN = 20003 };

static mode_t
mode_of(const struct files *files, const char *suffix)
{
    char path[SUITE_PLACE_SIZE + 16];
    struct stat found;

    snprintf(path, sizeof(path), "%s%s", files->path, suffix);
    assert_int_equal(stat(path, &found), 0);
    return found.st_mode & 07777;
}

static void
expect_modes(const struct files *files, mode_t mode)
{
    assert_int_equal(mode_of(files, ""), mode);
    assert_int_equal(mode_of(files, "-wal"), mode);
    assert_int_equal(mode_of(files, "-shm"), mode);
}

static bool
touch(void *ctx)
{
    struct hf_store *store = files_open(ctx);
    struct hf_key key = suite_key("a");
    struct hf_record record;

    assert_int_equal(get_one(store, key, suite_soon(), &record, NULL), HF_OK);
    suite_apply(store, suite_put(key, record.version, "x"));
    hf_store_close(store);
    return true;
}

static bool
touch_under_a_hard_umask(void *ctx)
{
    umask(077);
    return touch(ctx);
}

/* For good: only in a child. */
static void
become(uid_t user, gid_t own)
{
    const gid_t groups[] = {TEAM};

    assert_int_equal(setgroups(1, groups), 0);
    assert_int_equal(setgid(own), 0);
    assert_int_equal(setuid(user), 0);
    umask(077);
}

static bool
touch_as_ann(void *ctx)
{
    become(ANN, ANNS_OWN);
    return touch(ctx);
}

static bool
touch_as_bob(void *ctx)
{
    become(BOB, TEAM);
    return touch(ctx);
}

static void
need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("needs root, to be two users\n");
    skip();
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(the_file_is_the_users_alone)
{
    struct files *files = *state;

    assert_int_equal(chmod(files->folder, 0755), 0);
    assert_int_equal(suite_end_of(suite_start(touch, files)), 0);
    expect_modes(files, 0600);
}

FIXTURE_TEST(in_a_group_writable_folder_the_group_may_write)
{
    struct files *files = *state;

    assert_int_equal(chmod(files->folder, 0770), 0);
    assert_int_equal(suite_end_of(suite_start(touch_under_a_hard_umask, files)),
                     0);
    expect_modes(files, 0660);
}

FIXTURE_TEST(in_a_folder_like_tmp_the_file_is_the_users_alone)
{
    struct files *files = *state;

    assert_int_equal(chmod(files->folder, 01777), 0);
    assert_int_equal(suite_end_of(suite_start(touch, files)), 0);
    expect_modes(files, 0600);
}

FIXTURE_TEST(modes_that_somebody_chose_are_kept)
{
    struct files *files = *state;

    assert_int_equal(chmod(files->folder, 0770), 0);
    files_poke(files->path, 0, "", 0);
    assert_int_equal(chmod(files->path, 0640), 0);
    assert_int_equal(suite_end_of(suite_start(touch, files)), 0);
    expect_modes(files, 0640);
}

/* Each of the two may be first, and find what the other left behind: also the
 * log and the shared memory, and also without the folder's setgid bit. */
FIXTURE_TEST(two_users_of_a_group_share_a_file)
{
    static const mode_t modes[] = {0770, 02770};
    struct files *files = *state;

    need_root();
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        suite_destroy_folder(files->folder);
        suite_remake_folder(files->folder);
        assert_int_equal(chown(files->folder, 0, TEAM), 0);
        assert_int_equal(chmod(files->folder, modes[i]), 0);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(suite_end_of(suite_start(touch_as_ann, files)), 0);
            assert_int_equal(suite_end_of(suite_start(touch_as_bob, files)), 0);
        }
        expect_modes(files, 0660);

        /* Somebody at a prompt closes last: the log is gone, bob makes it. */
        files_sql(files->path, "SELECT count(*) FROM holdfast_records");
        assert_int_equal(suite_end_of(suite_start(touch_as_bob, files)), 0);
        assert_int_equal(suite_end_of(suite_start(touch_as_ann, files)), 0);
    }
}

/* ---- Refusals ------------------------------------------------------------ */

static bool
be_denied(void *ctx)
{
    struct hf_error error = {.status = HF_OK};

    become(BOB, BOB);
    assert_int_equal(files_refuse(ctx, &error), HF_E_DENIED);
    assert_true(strlen(error.text) > 0);
    print_message("    %s\n", error.text);
    return true;
}

FIXTURE_TEST(a_file_that_may_only_be_read_is_denied)
{
    struct files *files = *state;

    need_root();
    hf_store_close(files_open(files));
    assert_int_equal(chmod(files->folder, 0777), 0);
    assert_int_equal(chmod(files->path, 0644), 0);
    assert_int_equal(suite_end_of(suite_start(be_denied, files)), 0);
}

FIXTURE_TEST(a_file_that_may_not_be_read_is_denied)
{
    struct files *files = *state;

    need_root();
    hf_store_close(files_open(files));
    assert_int_equal(chmod(files->folder, 0777), 0);
    assert_int_equal(suite_end_of(suite_start(be_denied, files)), 0);
}

FIXTURE_TEST(a_folder_that_may_not_be_written_is_denied)
{
    struct files *files = *state;

    need_root();
    assert_int_equal(chmod(files->folder, 0755), 0);
    assert_int_equal(suite_end_of(suite_start(be_denied, files)), 0);

    /* Also where the file is there, but its log cannot be made. */
    hf_store_close(files_open(files));
    files_sql(files->path, "SELECT count(*) FROM holdfast_records");
    assert_int_equal(chmod(files->path, 0666), 0);
    assert_int_equal(suite_end_of(suite_start(be_denied, files)), 0);
}

FIXTURE_TEST(a_folder_that_may_not_be_entered_is_denied)
{
    struct files *files = *state;

    need_root();
    assert_int_equal(chmod(files->folder, 0700), 0);
    assert_int_equal(suite_end_of(suite_start(be_denied, files)), 0);
}

/* ---- Folders that are not there yet -------------------------------------- */

FIXTURE_TEST(folders_on_the_way_are_made)
{
    struct files *files = *state;
    struct files below = *files;
    char folder[SUITE_PLACE_SIZE];

    snprintf(below.place, sizeof(below.place), "sqlite:%.400s/a/b/locks.db",
             files->folder);
    hf_store_close(files_open(&below));
    hf_store_close(files_open(&below));
    snprintf(folder, sizeof(folder), "%.400s/a/b", files->folder);
    suite_destroy_folder(folder);
    snprintf(folder, sizeof(folder), "%.400s/a", files->folder);
    suite_destroy_folder(folder);
}

static mode_t
folder_mode(const char *folder, const char *below)
{
    char path[SUITE_PLACE_SIZE];
    struct stat found;

    snprintf(path, sizeof(path), "%s%s", folder, below);
    assert_int_equal(stat(path, &found), 0);
    return found.st_mode & 07777;
}

static bool
open_default_place(void *ctx)
{
    struct files own = *(struct files *)ctx;

    if (geteuid() == 0)
        become(ANN, ANNS_OWN);
    umask(0);
    assert_int_equal(setenv("XDG_STATE_HOME", own.folder, 1), 0);
    assert_int_equal(hf_place_default(own.place, sizeof(own.place)), HF_OK);
    hf_store_close(files_open(&own));
    return true;
}

FIXTURE_TEST(the_default_places_folder_is_the_users_alone)
{
    struct files *files = *state;
    char folder[SUITE_PLACE_SIZE];

    assert_int_equal(chmod(files->folder, 0777), 0);
    assert_int_equal(suite_end_of(suite_start(open_default_place, files)), 0);
    assert_int_equal(folder_mode(files->folder, "/holdfast"), 0700);
    assert_int_equal(folder_mode(files->folder, "/holdfast/locks.db"), 0600);
    snprintf(folder, sizeof(folder), "%s/holdfast", files->folder);
    suite_destroy_folder(folder);
}

static bool
open_relative_place(void *ctx)
{
    struct files own = *(struct files *)ctx;
    struct hf_error error;

    assert_int_equal(chdir(own.folder), 0);
    snprintf(own.place, sizeof(own.place), "sqlite:locks.db");
    assert_int_equal(files_refuse(&own, &error), HF_E_INVALID);
    return true;
}

FIXTURE_TEST(a_relative_place_is_refused_and_not_made)
{
    struct files *files = *state;
    uint64_t before = files_fingerprint(files->folder);

    assert_int_equal(suite_end_of(suite_start(open_relative_place, files)), 0);
    assert_true(files_fingerprint(files->folder) == before);
}
