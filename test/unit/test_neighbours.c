#include "support/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/neighbours.h"
#include "store/place.h"

/* Whose default places a doctor finds on a host, by lists of the test's. */

struct host {
    char folder[32];
    char users[64];
    char mounts[64];
    char root[64];
    struct hf_neighbours_host lists;
    struct hf_place own;
};

static void
write_line(const char *path, const char *line)
{
    FILE *file = fopen(path, "ae");

    assert_non_null(file);
    assert_true(fputs(line, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void
add_user(struct host *host, const char *user, int uid, const char *home)
{
    char line[256];

    snprintf(line, sizeof(line), "%s:x:%d:%d::%s/%s:/bin/sh\n", user, uid, uid,
             host->folder, home);
    write_line(host->users, line);
}

static void
add_mount(struct host *host, const char *folder, const char *type)
{
    char line[256];

    snprintf(line, sizeof(line), "x %s%s %s rw 0 0\n", host->folder, folder,
             type);
    write_line(host->mounts, line);
}

/* A file `name` in the folder, with all that are above it. */
static void
make_file(struct host *host, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s%s", host->folder, name);
    for (char *at = path + strlen(host->folder) + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        (void)mkdir(path, 0755);
        *at = '/';
    }
    write_line(path, "");
}

static int
set_up(void **state)
{
    static struct host host;

    host = (struct host){.folder = "/tmp/holdfast-XXXXXX"};
    assert_non_null(mkdtemp(host.folder));
    snprintf(host.users, sizeof(host.users), "%s/users", host.folder);
    snprintf(host.mounts, sizeof(host.mounts), "%s/mounts", host.folder);
    snprintf(host.root, sizeof(host.root), "%s/var/locks.db", host.folder);
    host.lists =
        (struct hf_neighbours_host){host.users, host.mounts, host.root};
    assert_int_equal(hf_place_parse("sqlite:/srv/locks.db", &host.own, NULL),
                     HF_OK);
    write_line(host.users, "");
    *state = &host;
    return 0;
}

static int
remove_one(const char *path, const struct stat *found, int kind,
           struct FTW *where)
{
    (void)found;
    (void)kind;
    (void)where;
    return remove(path);
}

static int
tear_down(void **state)
{
    const struct host *host = *state;

    return nftw(host->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Paths are told without the folder. */
static void
expect(struct host *host, enum hf_grade grade, const char *expected)
{
    struct hf_checkup checkup = {.check = "neighbours"};
    size_t len = strlen(host->folder);
    char *at;

    hf_neighbours_look(&host->lists, &host->own, &checkup);
    while ((at = strstr(checkup.found, host->folder)) != NULL)
        memmove(at, at + len, strlen(at + len) + 1);
    assert_string_equal(checkup.found, expected);
    assert_int_equal(checkup.grade, grade);
    assert_int_equal(checkup.remedy[0] != '\0', grade != HF_GRADE_OK);
}

#define STATE                  "/.local/state/holdfast/locks.db"

#define FIXTURE_TEST(sentence) TEST_IN(set_up, tear_down, sentence)

FIXTURE_TEST(a_host_without_others_has_none)
{
    struct host *host = *state;

    add_user(host, "ann", 20001, "ann");
    expect(host, HF_GRADE_OK, "none was found below the homes of /users");
}

FIXTURE_TEST(roots_and_those_below_homes_are_found)
{
    struct host *host = *state;

    make_file(host, "/var/locks.db");
    make_file(host, "/ann" STATE);
    add_user(host, "ann", 20001, "ann");
    expect(host, HF_GRADE_OK, "root has /var/locks.db; ann has /ann" STATE);
}

FIXTURE_TEST(who_has_a_default_place_too_is_warned)
{
    struct host *host = *state;
    char text[256];

    make_file(host, "/ann" STATE);
    add_user(host, "ann", 20001, "ann");
    assert_int_equal(hf_place_default(text, sizeof(text)), HF_OK);
    assert_int_equal(hf_place_parse(text, &host->own, NULL), HF_OK);
    expect(host, HF_GRADE_WARN, "ann has /ann" STATE);
}

/* Neither by its name nor, when a link leads there, by another. */
FIXTURE_TEST(the_place_itself_and_a_home_of_two_are_told_once)
{
    struct host *host = *state;
    char path[128];

    make_file(host, "/ann" STATE);
    make_file(host, "/bob" STATE);
    snprintf(path, sizeof(path), "%s/link", host->folder);
    assert_int_equal(symlink("ann", path), 0);
    snprintf(path, sizeof(path), "sqlite:%s/ann" STATE, host->folder);
    assert_int_equal(hf_place_parse(path, &host->own, NULL), HF_OK);
    add_user(host, "ann", 20001, "ann");
    add_user(host, "ann2", 20002, "link");
    add_user(host, "bob", 20003, "bob");
    add_user(host, "bob2", 20004, "bob");
    expect(host, HF_GRADE_OK, "bob has /bob" STATE);
}

/* It might never answer; no default place is there. */
FIXTURE_TEST(nothing_on_the_network_is_touched)
{
    struct host *host = *state;

    make_file(host, "/far/ann" STATE);
    make_file(host, "/far/near/bob" STATE);
    make_file(host, "/farther/eve" STATE);
    add_mount(host, "/far", "nfs4");
    add_mount(host, "/far/near", "ext4");
    add_user(host, "ann", 20001, "far/ann");
    add_user(host, "bob", 20002, "far/near/bob");
    add_user(host, "eve", 20003, "farther/eve");
    expect(host, HF_GRADE_OK,
           "bob has /far/near/bob" STATE "; eve has /farther/eve" STATE
           "; the home of ann was not looked into");
}

FIXTURE_TEST(more_than_a_text_has_room_for_are_counted)
{
    struct hf_checkup checkup = {.check = "neighbours"};
    struct host *host = *state;

    for (int i = 0; i < 9; i++) {
        char user[16];
        char path[64];

        snprintf(user, sizeof(user), "u%d", i);
        snprintf(path, sizeof(path), "/%s" STATE, user);
        make_file(host, path);
        add_user(host, user, 20001 + i, user);
    }
    hf_neighbours_look(&host->lists, &host->own, &checkup);
    assert_non_null(strstr(checkup.found, "u5 has "));
    assert_null(strstr(checkup.found, "u6"));
    assert_non_null(strstr(checkup.found, "; 3 users more have one"));
}

FIXTURE_TEST(a_list_that_cannot_be_read_is_told)
{
    struct host *host = *state;

    assert_int_equal(unlink(host->users), 0);
    expect(host, HF_GRADE_OK,
           "none was found below the homes of /users; not all users of "
           "/users could be read");
}
