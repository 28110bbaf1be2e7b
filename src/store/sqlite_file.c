#include "store/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"

#define PATH_SIZE (HF_PLACE_MAX + 1)

static enum hf_status
fail_system(struct hf_error *error, const char *what, const char *path)
{
    int code = errno;
    char space[128];
    enum hf_status status = HF_E_UNAVAILABLE;

    if (code == EACCES || code == EPERM || code == EROFS)
        status = HF_E_DENIED;
    else if (code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP)
        status = HF_E_INVALID;
    return hf_fail(error, status, "%s %s: %s", what, path,
                   strerror_r(code, space, sizeof(space)));
}

/* Cut the last part off: "/a/b" becomes "/a", "/a" becomes "/". */
static void
cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash == path)
        slash[1] = '\0';
    else if (slash != NULL)
        *slash = '\0';
}

static void
folder_of(const char *path, char *folder)
{
    struct hf_text text;

    hf_text_init(&text, folder, PATH_SIZE);
    hf_text_add(&text, path);
    cut_last(folder);
}

/* Of the file, or of the nearest folder above it that exists. */
static enum hf_status
refuse_network(const struct hf_place *place, struct hf_error *error)
{
    char path[PATH_SIZE];
    struct hf_text text;
    struct statfs found;
    const char *name;

    if (place->network)
        return HF_OK;

    hf_text_init(&text, path, sizeof(path));
    hf_text_add(&text, place->path);
    while (statfs(path, &found) != 0) {
        if (errno != ENOENT || strcmp(path, "/") == 0)
            return fail_system(error, "look at", path);
        cut_last(path);
    }
    name = hf_place_network((uint32_t)found.f_type);
    if (name != NULL)
        return hf_fail(error, HF_E_INVALID,
                       "%s is on a network file system (%s), where SQLite's "
                       "locks are not safe; if you vouch for them, add "
                       "?network=1",
                       place->path, name);
    return HF_OK;
}

static bool
is_default(const struct hf_place *place)
{
    char text[sizeof(place->text)];

    return hf_place_default(text, sizeof(text)) == HF_OK &&
           strcmp(text, place->text) == 0;
}

static enum hf_status
make_folders(const struct hf_place *place, struct hf_error *error)
{
    mode_t mode = is_default(place) ? 0700 : 0777;
    char folder[PATH_SIZE];
    struct stat found;

    folder_of(place->path, folder);
    if (stat(folder, &found) == 0)
        return HF_OK;
    for (char *at = folder + 1;; at++) {
        char kept = *at;

        if (kept != '/' && kept != '\0')
            continue;
        *at = '\0';
        if (mkdir(folder, mode) != 0 && errno != EEXIST)
            return fail_system(error, "make the folder", folder);
        if (kept == '\0')
            return HF_OK;
        *at = kept;
    }
}

/*
 * A folder that its group may write is shared by the group.  One that all may
 * write, with the sticky bit, as /tmp, says nothing about a group.
 */
static bool
is_shared(const struct stat *folder)
{
    bool as_tmp = (folder->st_mode & S_ISVTX) && (folder->st_mode & S_IWOTH);

    return (folder->st_mode & S_IWGRP) && !as_tmp;
}

static bool
set_permissions(int fd, const struct stat *folder)
{
    if (!is_shared(folder))
        return fchmod(fd, 0600) == 0;

    /* A folder without the setgid bit leaves the file in our own group.  If
     * the folder's group is not ours to give, our own stays: the file system
     * would refuse the others of that group anyway. */
    if (fchown(fd, (uid_t)-1, folder->st_gid) != 0 && errno != EPERM)
        return false;
    return fchmod(fd, 0660) == 0;
}

/*
 * An empty file, which appears under its name with its permissions already
 * right, and with no descriptor of it open (see the header).  Where the file
 * system knows no hard links, SQLite creates the file, and modes mean nothing.
 */
static enum hf_status
create(const char *path, const struct stat *folder, struct hf_error *error)
{
    char made[PATH_SIZE + 8];
    enum hf_status status = HF_OK;
    int fd;

    snprintf(made, sizeof(made), "%s.XXXXXX", path);
    fd = mkostemp(made, O_CLOEXEC);
    if (fd < 0)
        return fail_system(error, "create", path);
    if (!set_permissions(fd, folder))
        status = fail_system(error, "set the permissions of", path);
    close(fd);
    if (status == HF_OK && link(made, path) != 0 && errno != EEXIST &&
        errno != EPERM && errno != EOPNOTSUPP)
        status = fail_system(error, "create", path);
    unlink(made);
    return status;
}

enum hf_status
hf_sqlite_file_prepare(const struct hf_place *place, struct hf_error *error)
{
    const char *path = place->path;
    char folder[PATH_SIZE];
    struct stat found;
    enum hf_status status;

    status = refuse_network(place, error);
    if (status != HF_OK)
        return status;

    if (stat(path, &found) == 0) {
        if (S_ISDIR(found.st_mode))
            return hf_fail(error, HF_E_INVALID,
                           "%s is a folder, not a database file", path);
        if (!S_ISREG(found.st_mode))
            return hf_fail(error, HF_E_INVALID, "%s is not a file", path);
        /* SQLite takes one byte, a newline perhaps, for an empty file. */
        if (found.st_size == 1)
            return hf_fail(error, HF_E_CORRUPT,
                           "%s: it is not a SQLite database", path);
        return HF_OK;
    }
    if (errno != ENOENT)
        return fail_system(error, "look at", path);

    status = make_folders(place, error);
    if (status != HF_OK)
        return status;
    folder_of(path, folder);
    if (stat(folder, &found) != 0)
        return fail_system(error, "look at", folder);
    return create(path, &found, error);
}

static void
share(const char *path, const char *suffix, const struct stat *database)
{
    char beside[PATH_SIZE + 8];
    struct stat found;

    snprintf(beside, sizeof(beside), "%s%s", path, suffix);
    if (lstat(beside, &found) != 0 || found.st_gid == database->st_gid)
        return;
    if (found.st_uid == geteuid() &&
        lchown(beside, (uid_t)-1, database->st_gid) != 0)
        return; /* the header says what follows */
}

void
hf_sqlite_file_share(const char *path)
{
    struct stat database;

    if (stat(path, &database) != 0 || !(database.st_mode & S_IWGRP))
        return;
    share(path, "-wal", &database);
    share(path, "-shm", &database);
}
