#include "support/files.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/*
 * One file under several paths.  SQLite keeps its log beside the path, so that
 * two paths of one file are two places, unless they lead to one by symbolic
 * links.
 */

static struct files
other_path(const struct files *files, const char *path)
{
    struct files other = *files;

    snprintf(other.path, sizeof(other.path), "%.400s", path);
    snprintf(other.place, sizeof(other.place), "sqlite:%.400s", path);
    return other;
}

static struct files
other_name(const struct files *files, const char *name)
{
    char path[SUITE_PLACE_SIZE];

    snprintf(path, sizeof(path), "%s/%.100s", files->folder, name);
    return other_path(files, path);
}

static void
expect_refusal(const struct files *files, const char *words)
{
    struct hf_error error = {.status = HF_OK};

    assert_int_equal(files_refuse(files, &error), HF_E_UNAVAILABLE);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(a_file_with_two_names_is_refused_under_both)
{
    const struct files *files = *state;
    struct files other = other_name(files, "other.db");

    hf_store_close(files_open(files));
    assert_int_equal(link(files->path, other.path), 0);
    expect_refusal(files, "has 2 names (hard links)");
    expect_refusal(&other, "has 2 names (hard links)");
    assert_int_equal(unlink(other.path), 0);
    hf_store_close(files_open(files));
}

/* While it is made it never has two: whoever looks meanwhile is let in. */
static bool
open_often(void *ctx)
{
    for (int i = 0; i < 50; i++)
        hf_store_close(files_open(ctx));
    return true;
}

FIXTURE_TEST(a_file_that_is_just_being_made_has_one_name)
{
    struct files *files = *state;

    for (int round = 0; round < 10; round++) {
        pid_t others[] = {suite_start(open_often, files),
                          suite_start(open_often, files),
                          suite_start(open_often, files)};

        for (size_t i = 0; i < 3; i++)
            assert_int_equal(suite_end_of(others[i]), 0);
        suite_destroy_folder(files->folder);
        suite_remake_folder(files->folder);
    }
}

/* In a mount namespace of its own, where only root may mount. */
static bool
refuse_a_mounted_file(void *ctx)
{
    const struct files *files = ctx;
    struct files other = other_name(files, "mounted.db");

    files_poke(other.path, 0, "", 0);
    assert_int_equal(mount(files->path, other.path, NULL, MS_BIND, NULL), 0);
    expect_refusal(&other, "is mounted without its folder");
    hf_store_close(files_open(files)); /* the first path is whole */
    return true;
}

static bool
take_a_mounted_folder(void *ctx)
{
    const struct files *files = ctx;
    char folder[SUITE_PLACE_SIZE];
    char path[SUITE_PLACE_SIZE];
    struct files other;

    snprintf(folder, sizeof(folder), "%.400s/mounted", files->folder);
    snprintf(path, sizeof(path), "%.400s/locks.db", folder);
    other = other_path(files, path);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mount(files->folder, folder, NULL, MS_BIND, NULL), 0);
    hf_store_close(files_open(&other));
    return true;
}

static bool
enter_namespace(void *ctx)
{
    (void)ctx;
    return unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool
mounted_file(void *ctx)
{
    return enter_namespace(NULL) && refuse_a_mounted_file(ctx);
}

static bool
mounted_folder(void *ctx)
{
    return enter_namespace(NULL) && take_a_mounted_folder(ctx);
}

static void
need_namespaces(void)
{
    if (suite_end_of(suite_start(enter_namespace, NULL)) == 0)
        return;
    print_message("needs a mount namespace, which is not allowed here\n");
    skip();
}

FIXTURE_TEST(a_file_that_is_mounted_by_itself_is_refused)
{
    need_namespaces();
    hf_store_close(files_open(*state));
    assert_int_equal(suite_end_of(suite_start(mounted_file, *state)), 0);
}

FIXTURE_TEST(a_folder_that_is_mounted_is_taken)
{
    need_namespaces();
    hf_store_close(files_open(*state));
    assert_int_equal(suite_end_of(suite_start(mounted_folder, *state)), 0);
}

/* ---- Symbolic links ------------------------------------------------------ */

FIXTURE_TEST(names_that_are_linked_symbolically_are_one_place)
{
    const struct files *files = *state;
    struct files linked = other_name(files, "linked.db");
    struct hf_store *one = files_open(files);
    struct hf_store *other;
    uint64_t version = suite_absent(one, suite_key("a"));

    assert_int_equal(symlink("locks.db", linked.path), 0);
    other = files_open(&linked);
    suite_apply(one, suite_put(suite_key("a"), version, "x"));
    suite_expect_value(other, suite_key("a"), "x");
    hf_store_close(other);
    hf_store_close(one);
}

/* The file is made where the links lead, and is the user's alone. */
FIXTURE_TEST(a_link_to_nothing_yet_makes_the_file_it_names)
{
    const struct files *files = *state;
    struct files first = other_name(files, "first.db");
    struct files second = other_name(files, "second.db");
    struct stat made;

    assert_int_equal(chmod(files->folder, 0755), 0);
    assert_int_equal(symlink("second.db", first.path), 0);
    assert_int_equal(symlink(files->path, second.path), 0);
    hf_store_close(files_open(&first));
    assert_int_equal(lstat(files->path, &made), 0);
    assert_true(S_ISREG(made.st_mode));
    assert_int_equal(made.st_mode & 07777, 0600);
}

FIXTURE_TEST(links_in_a_circle_are_refused)
{
    const struct files *files = *state;
    struct files other = other_name(files, "other.db");
    struct hf_error error = {.status = HF_OK};

    assert_int_equal(symlink(other.path, files->path), 0);
    assert_int_equal(symlink(files->path, other.path), 0);
    assert_int_equal(files_refuse(files, &error), HF_E_INVALID);
    assert_non_null(strstr(error.text, "symbolic links"));
}

FIXTURE_TEST(a_folder_that_cannot_be_made_is_said_plainly)
{
    struct files other = other_path(*state, "/proc/holdfast/locks.db");
    struct hf_error error = {.status = HF_OK};

    assert_int_not_equal(files_refuse(&other, &error), HF_OK);
    assert_non_null(
        strstr(error.text, "cannot make the folder /proc/holdfast"));
}
