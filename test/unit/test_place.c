#include "support/test.h"

#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/memory.h"
#include "store/place.h"
#include "store/sqlite.h"
#include "store/sqlite_file.h"

static struct hf_place
parsed(const char *text)
{
    struct hf_place place = {.network = true};
    struct hf_error error = {.status = HF_OK};

    if (hf_place_parse(text, &place, &error) != HF_OK)
        fail_msg("%s: %s", text, error.text);
    return place;
}

/* The status, which *error and nothing else was told. */
static enum hf_status
refused(const char *text)
{
    struct hf_place place = {.path = "untouched"};
    struct hf_error error = {.status = HF_OK};
    enum hf_status status = hf_place_parse(text, &place, &error);

    assert_int_not_equal(status, HF_OK);
    assert_int_equal(error.status, status);
    assert_true(strlen(error.text) > 0);
    assert_string_equal(place.path, "untouched");
    return status;
}

TEST(a_memory_place_has_a_name)
{
    struct hf_place place = parsed("memory:test");

    assert_ptr_equal(place.kind, &hf_memory_kind);
    assert_string_equal(place.path, "test");
    assert_string_equal(place.text, "memory:test");
    assert_false(place.network);
    assert_string_equal(parsed("memory:").path, "");
}

TEST(a_sqlite_place_has_a_path)
{
    struct hf_place place = parsed("sqlite:/var/lib/locks.db");

    assert_ptr_equal(place.kind, &hf_sqlite_kind);
    assert_string_equal(place.path, "/var/lib/locks.db");
    assert_string_equal(place.text, "sqlite:/var/lib/locks.db");
    assert_false(place.network);
}

TEST(an_empty_host_is_no_part_of_the_path)
{
    assert_string_equal(parsed("sqlite:///a/b.db").path, "/a/b.db");
    assert_int_equal(refused("sqlite://host/a.db"), HF_E_INVALID);
    assert_int_equal(refused("sqlite://a.db"), HF_E_INVALID);
}

TEST(percent_and_two_digits_are_one_byte)
{
    struct hf_place place = parsed("sqlite:/a%20b/%25%3f%C3%A9.db");

    assert_string_equal(place.path, "/a b/%?\xc3\xa9.db");
    assert_string_equal(place.text, "sqlite:/a b/%25%3F\xc3\xa9.db");
    assert_string_equal(parsed(place.text).path, place.path);
    assert_int_equal(refused("sqlite:/a%2"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a%"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a%zz"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a%2?network=1"), HF_E_INVALID);
}

TEST(control_characters_are_refused_in_any_spelling)
{
    assert_int_equal(refused("sqlite:/a\nb"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a%00b"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a%1Bb"), HF_E_INVALID);
    assert_int_equal(refused("memory:a%7F"), HF_E_INVALID);
}

TEST(network_is_the_only_option)
{
    struct hf_place place = parsed("sqlite:/a.db?network=1");

    assert_true(place.network);
    assert_string_equal(place.path, "/a.db");
    assert_string_equal(place.text, "sqlite:/a.db?network=1");
    assert_int_equal(refused("sqlite:/a.db?"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a.db?network=0"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a.db?network=1&mode=ro"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a.db?mode=ro"), HF_E_INVALID);
    assert_int_equal(refused("memory:a?network=1"), HF_E_INVALID);
}

/* Its error tells `meant`, the one to write, which is not relative. */
static void
expect_relative(const char *text, const char *meant)
{
    struct hf_place place;
    struct hf_error error = {.status = HF_OK};
    const char *told;

    assert_int_equal(hf_place_parse(text, &place, &error), HF_E_INVALID);
    told = strstr(error.text, "sqlite:");
    if (told == NULL || strcmp(told, meant) != 0)
        fail_msg("%s: %s", text, error.text);
    (void)parsed(told);
}

TEST(a_relative_path_is_refused_with_the_whole_one)
{
    char folder[] = "/tmp/holdfast-100%-XXXXXX";
    char encoded[64];
    char meant[128];
    char before[512];

    assert_non_null(getcwd(before, sizeof(before)));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    snprintf(encoded, sizeof(encoded), "sqlite:/tmp/holdfast-100%%25-%s",
             folder + strlen("/tmp/holdfast-100%-"));
    snprintf(meant, sizeof(meant), "%s/locks.db", encoded);
    expect_relative("sqlite:locks.db", meant);
    expect_relative("sqlite:./locks.db", meant);
    snprintf(meant, sizeof(meant), "%s/../a%%20b.db?network=1", encoded);
    expect_relative("sqlite:../a%20b.db?network=1", meant);
    assert_int_equal(chdir("/"), 0);
    expect_relative("sqlite:locks.db", "sqlite:/locks.db");
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST(a_relative_path_is_refused_where_no_folder_is)
{
    char folder[] = "/tmp/holdfast-gone-XXXXXX";
    char before[512];

    assert_non_null(getcwd(before, sizeof(before)));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(rmdir(folder), 0);
    expect_relative("sqlite:locks.db", "sqlite:/path/locks.db");
    assert_int_equal(chdir(before), 0);
}

/* No shell has put a folder for it. */
TEST(a_home_that_is_written_as_a_tilde_is_refused)
{
    setenv("HOME", "/home/ann", 1);
    expect_relative("sqlite:~/a/x.db", "sqlite:/home/ann/a/x.db");
    expect_relative("sqlite:~ann/x.db", "sqlite:/path/locks.db");
    expect_relative("sqlite:~", "sqlite:/path/locks.db");
}

TEST(what_names_no_file_is_refused)
{
    assert_int_equal(refused("sqlite:"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:?network=1"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/a/"), HF_E_INVALID);
    assert_int_equal(refused("sqlite:/"), HF_E_INVALID);
}

TEST(what_is_no_url_of_ours_is_refused)
{
    assert_int_equal(refused(""), HF_E_INVALID);
    assert_int_equal(refused("/var/lib/locks.db"), HF_E_INVALID);
    assert_int_equal(refused("locks.db"), HF_E_INVALID);
    assert_int_equal(refused("SQLITE:/a.db"), HF_E_INVALID);
    assert_int_equal(refused("mysql://db/locks"), HF_E_INVALID);
    assert_int_equal(refused("bad\x1b[31m"), HF_E_INVALID);
}

TEST(a_path_too_long_for_sqlite_is_a_limit)
{
    char text[HF_PLACE_MAX + 16];

    memset(text, 'a', sizeof(text));
    memcpy(text, "sqlite:/", 8);
    text[8 + 499] = '\0'; /* with the slash, 500 bytes */
    assert_int_equal(strlen(parsed(text).path), 500);
    text[8 + 499] = 'a';
    text[8 + 500] = '\0';
    assert_int_equal(refused(text), HF_E_INVALID);
    text[8 + 500] = 'a';
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(refused(text), HF_E_INVALID);
}

/* ---- The default place --------------------------------------------------- */

static void
expect_default(const char *state_home, const char *home, const char *expected)
{
    char place[256];

    if (state_home != NULL)
        setenv("XDG_STATE_HOME", state_home, 1);
    else
        unsetenv("XDG_STATE_HOME");
    if (home != NULL)
        setenv("HOME", home, 1);
    else
        unsetenv("HOME");
    assert_int_equal(hf_place_default(place, sizeof(place)), HF_OK);
    assert_string_equal(place, expected);
    assert_string_equal(parsed(place).text, expected);
}

TEST(the_default_is_the_users_state_folder)
{
    uid_t me = geteuid();

    if (me == 0) {
        expect_default("/x", "/y", "sqlite:/var/lib/holdfast/locks.db");
        assert_int_equal(seteuid(20001), 0);
    }
    expect_default("/x", "/y", "sqlite:/x/holdfast/locks.db");
    expect_default("/100%", "/y", "sqlite:/100%25/holdfast/locks.db");
    expect_default(NULL, "/y", "sqlite:/y/.local/state/holdfast/locks.db");
    expect_default("", "/y", "sqlite:/y/.local/state/holdfast/locks.db");
    expect_default("x", "/y", "sqlite:/y/.local/state/holdfast/locks.db");
    if (me == 0)
        assert_int_equal(seteuid(0), 0);
}

TEST(a_default_that_does_not_fit_is_a_limit)
{
    char place[] = "untouched";

    assert_int_equal(hf_place_default(place, sizeof(place)), HF_E_LIMIT);
    assert_string_equal(place, "untouched");
}

TEST(a_user_without_a_home_has_no_default)
{
    char place[256] = "untouched";

    if (geteuid() != 0) {
        print_message("needs root, to be a user without an entry\n");
        skip();
    }
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_int_equal(seteuid(20001), 0);
    assert_int_equal(hf_place_default(place, sizeof(place)), HF_E_INVALID);
    assert_int_equal(seteuid(0), 0);
    assert_string_equal(place, "untouched");
}

/* ---- Network file systems ------------------------------------------------ */

TEST(file_systems_of_the_network_are_known)
{
    assert_string_equal(hf_sqlite_file_network(NFS_SUPER_MAGIC), "NFS");
    assert_string_equal(hf_sqlite_file_network(SMB_SUPER_MAGIC), "SMB");
    assert_string_equal(hf_sqlite_file_network(CIFS_SUPER_MAGIC), "CIFS");
    assert_string_equal(hf_sqlite_file_network(SMB2_SUPER_MAGIC), "SMB2");
    assert_string_equal(hf_sqlite_file_network(AFS_SUPER_MAGIC), "AFS");
    assert_string_equal(hf_sqlite_file_network(AFS_FS_MAGIC), "AFS");
    assert_string_equal(hf_sqlite_file_network(CEPH_SUPER_MAGIC), "Ceph");
    assert_string_equal(hf_sqlite_file_network(V9FS_MAGIC), "9P");
    assert_string_equal(hf_sqlite_file_network(FUSE_SUPER_MAGIC), "FUSE");
    assert_string_equal(hf_sqlite_file_network(OCFS2_SUPER_MAGIC), "OCFS2");
    assert_string_equal(hf_sqlite_file_network(CODA_SUPER_MAGIC), "Coda");
    assert_string_equal(hf_sqlite_file_network(NCP_SUPER_MAGIC), "NCP");
    assert_string_equal(hf_sqlite_file_network(0x0bd00bd0), "Lustre");
    assert_string_equal(hf_sqlite_file_network(0x47504653), "GPFS");
    assert_string_equal(hf_sqlite_file_network(0x01161970), "GFS2");
}

TEST(local_file_systems_are_let_through)
{
    assert_null(hf_sqlite_file_network(EXT4_SUPER_MAGIC));
    assert_null(hf_sqlite_file_network(XFS_SUPER_MAGIC));
    assert_null(hf_sqlite_file_network(BTRFS_SUPER_MAGIC));
    assert_null(hf_sqlite_file_network(TMPFS_MAGIC));
    assert_null(hf_sqlite_file_network(OVERLAYFS_SUPER_MAGIC));
    assert_null(hf_sqlite_file_network(F2FS_SUPER_MAGIC));
    assert_null(hf_sqlite_file_network(MSDOS_SUPER_MAGIC));
    assert_null(hf_sqlite_file_network(0x2fc12fc1)); /* ZFS */
}
