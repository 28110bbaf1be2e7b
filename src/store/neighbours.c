#include "store/neighbours.h"

#include <errno.h>
#include <mntent.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "store/sqlite_place.h"

enum {
    USERS_MAX = 4096, /* of the list */
    TOLD_MAX = 6,     /* what a text has room for */
    ENTRY_SIZE = 4096,
};

#define PATH_SIZE (HF_PLACE_MAX + 1)

static const struct hf_neighbours_host this_host = {
    .users = "/etc/passwd",
    .mounts = "/proc/self/mounts",
    .root = "/var/lib/holdfast/locks.db",
};

struct home_search {
    const struct hf_neighbours_host *host;
    const struct hf_place *own;
    struct stat own_file;
    struct hf_checkup *checkup;
    struct stat found[TOLD_MAX]; /* several users may have one home */
    size_t count;
    size_t unseen;
    char first_unseen[64]; /* whose */
    bool list_cut;
};

/* ---- One place ----------------------------------------------------------- */

enum folder_sight {
    ABSENT,
    THERE,
    CLOSED, /* its folder is there, and may not be entered */
    UNSEEN, /* its folder cannot be seen */
};

/* File systems that wait for another machine.  A place is on one only with
 * ?network=1, which no default place has. */
static bool
is_remote(const char *type)
{
    static const char *const types[] = {
        "9p",   "afs",  "autofs", "beegfs", "ceph",  "cifs",
        "fuse", "gpfs", "lustre", "nfs",    "panfs", "smb",
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strncmp(type, types[i], strlen(types[i])) == 0)
            return true;
    return false;
}

static bool
is_below(const char *path, const char *folder)
{
    size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* Decided by the list of mounts alone.  The longest matching mount counts; of
 * equal ones the last. */
static bool
is_on_network(const char *mounts, const char *path)
{
    FILE *list = setmntent(mounts, "re");
    struct mntent mount;
    char strings[ENTRY_SIZE];
    size_t longest = 0;
    bool remote = false;

    if (list == NULL)
        return false;
    while (getmntent_r(list, &mount, strings, sizeof(strings)) != NULL) {
        size_t len = strlen(mount.mnt_dir);

        if (len < longest || !is_below(path, mount.mnt_dir))
            continue;
        longest = len;
        remote = is_remote(mount.mnt_type);
    }
    endmntent(list);
    return remote;
}

static enum folder_sight
look_at(const char *path, struct stat *found)
{
    char folder[PATH_SIZE];

    if (stat(path, found) == 0)
        return THERE;
    if (errno == ENOENT || errno == ENOTDIR)
        return ABSENT;
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path),
             path);
    if (errno == EACCES && stat(folder, found) == 0)
        return CLOSED;
    return errno == ENOENT ? ABSENT : UNSEEN;
}

/* ---- All of them --------------------------------------------------------- */

static bool
is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool
is_told(const struct home_search *search, const struct stat *found)
{
    for (size_t i = 0; i < search->count && i < TOLD_MAX; i++)
        if (is_same(&search->found[i], found))
            return true;
    return is_same(&search->own_file, found);
}

static void
add_found(struct home_search *search, const char *user, const char *path,
          const struct stat *found, bool closed)
{
    if (is_told(search, found))
        return;
    if (search->count < TOLD_MAX) {
        search->found[search->count] = *found;
        hf_checkup_add(search->checkup, "%s has %s%s", user, path,
                       closed ? ", perhaps: its folder is closed to us" : "");
    }
    search->count++;
}

static void
look_for(struct home_search *search, const char *user, const char *path)
{
    enum folder_sight sight = UNSEEN;
    struct stat found;

    if (strcmp(path, search->own->path) == 0)
        return;
    if (!is_on_network(search->host->mounts, path))
        sight = look_at(path, &found);
    switch (sight) {
    case ABSENT:
        break;
    case THERE:
    case CLOSED:
        add_found(search, user, path, &found, sight == CLOSED);
        break;
    case UNSEEN:
        if (search->unseen++ == 0)
            snprintf(search->first_unseen, sizeof(search->first_unseen), "%s",
                     user);
        break;
    }
}

/* The users that a list on this host names.  Asking for all users may mean
 * asking a whole company's directory. */
static void
look_below_homes(struct home_search *search)
{
    FILE *users = fopen(search->host->users, "re");
    char strings[ENTRY_SIZE];
    char path[PATH_SIZE];
    struct passwd user;
    struct passwd *entry;
    int error = 0;

    search->list_cut = true;
    if (users == NULL)
        return;
    for (size_t i = 0; error == 0 && i < USERS_MAX; i++) {
        error = fgetpwent_r(users, &user, strings, sizeof(strings), &entry);
        if (error != 0 || user.pw_uid == 0 || user.pw_dir[0] != '/')
            continue;
        if (snprintf(path, sizeof(path), "%s/.local/state/holdfast/locks.db",
                     user.pw_dir) < (int)sizeof(path))
            look_for(search, user.pw_name, path);
    }
    search->list_cut = error != ENOENT; /* which is the end */
    (void)fclose(users);
}

static void
tell_rest(const struct home_search *search)
{
    if (search->count > TOLD_MAX)
        hf_checkup_add(search->checkup, "%zu users more have one",
                       search->count - TOLD_MAX);
    if (search->count == 0)
        hf_checkup_add(search->checkup, "none was found below the homes of %s",
                       search->host->users);
    if (search->unseen == 1)
        hf_checkup_add(search->checkup, "the home of %s was not looked into",
                       search->first_unseen);
    if (search->unseen > 1)
        hf_checkup_add(search->checkup,
                       "the homes of %s and %zu more were not looked into",
                       search->first_unseen, search->unseen - 1);
    if (search->list_cut)
        hf_checkup_add(search->checkup, "not all users of %s could be read",
                       search->host->users);
}

void
hf_neighbours_look(const struct hf_neighbours_host *host,
                   const struct hf_place *own, struct hf_checkup *checkup)
{
    struct home_search search = {.host = host, .own = own, .checkup = checkup};

    (void)stat(own->path, &search.own_file);
    look_for(&search, "root", host->root);
    look_below_homes(&search);
    tell_rest(&search);
    if (search.count > 0 && hf_sqlite_place_is_default(own))
        hf_checkup_warn(checkup,
                        "no lock here keeps them out: to share locks, name one "
                        "place to all of them, by --at or HOLDFAST_AT, in a "
                        "folder that their group may write");
}

void
hf_neighbours_of(const struct hf_place *own, struct hf_checkup *checkup)
{
    hf_neighbours_look(&this_host, own, checkup);
}
