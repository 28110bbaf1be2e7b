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
#include "store/sqlite_place.h"

#define PATH_SIZE (HF_PLACE_MAX + 1)

enum { LINKS_MAX = 40 }; /* like the kernel */

static enum hf_status
fail_system(struct hf_error *error, const char *what, const char *path)
{
    int code = errno;
    char space[128];
    enum hf_status status = HF_E_UNAVAILABLE;

    if (code == EACCES || code == EPERM || code == EROFS)
        status = HF_E_DENIED;
    else if (code == EMFILE || code == ENFILE)
        status = HF_E_LIMIT;
    else if (code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP)
        status = HF_E_INVALID;
    return hf_fail(error, status, "cannot %s %s: %s", what, path,
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

/* Follow the symbolic links at the end of `path`, even if the target does not
 * exist.  SQLite follows them too, and would create the file with a mode of its
 * own. */
static enum hf_status
follow_links(char path[PATH_SIZE], struct hf_error *error)
{
    for (int links = 0; links < LINKS_MAX; links++) {
        char target[PATH_SIZE];
        char whole[PATH_SIZE];
        struct hf_text text;
        ssize_t len = readlink(path, target, sizeof(target) - 1);

        if (len < 0) /* not a link; other errors are found later */
            return HF_OK;
        target[len] = '\0';
        hf_text_init(&text, whole, sizeof(whole));
        if (target[0] != '/') {
            cut_last(path);
            hf_text_add(&text, path);
            hf_text_add(&text, "/");
        }
        hf_text_add(&text, target);
        if (hf_text_cut(&text))
            return hf_fail(error, HF_E_INVALID,
                           "the symbolic link at %s is too long", path);
        memcpy(path, whole, text.len + 1);
    }
    return hf_fail(error, HF_E_INVALID, "%s: too many symbolic links", path);
}

/* ---- File systems -------------------------------------------------------- */

/* From linux/magic.h, statfs(2) and the sources of file systems. */
static const struct {
    uint32_t type;
    const char *name;
} network_types[] = {
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x00c36400, "Ceph"},
    {0x01021997, "9P"},
    {0x65735546, "FUSE"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
    {0x013111a8, "IBRIX"},
    {0xaad7aaea, "PanFS"},
    {0x786f4256, "VirtualBox shared folder"},
    {0xbacbacbc, "VMware shared folder"},
};

const char *
hf_sqlite_file_network(uint32_t filesystem_type)
{
    size_t count = sizeof(network_types) / sizeof(network_types[0]);

    for (size_t i = 0; i < count; i++)
        if (network_types[i].type == filesystem_type)
            return network_types[i].name;
    return NULL;
}

/* From linux/magic.h and the sources of file systems. */
static const struct {
    uint32_t type;
    const char *name;
    enum hf_sqlite_file_keeps keeps;
} local_types[] = {
    {0x0000ef53, "ext4", HF_SQLITE_FILE_KEEPS}, /* or ext2, ext3 */
    {0x58465342, "xfs", HF_SQLITE_FILE_KEEPS},
    {0x9123683e, "btrfs", HF_SQLITE_FILE_KEEPS},
    {0x2fc12fc1, "zfs", HF_SQLITE_FILE_KEEPS},
    {0xf2f52010, "f2fs", HF_SQLITE_FILE_KEEPS},
    {0xca451a4e, "bcachefs", HF_SQLITE_FILE_KEEPS},
    {0x00003434, "nilfs2", HF_SQLITE_FILE_KEEPS},
    {0x3153464a, "jfs", HF_SQLITE_FILE_KEEPS},
    {0x52654973, "reiserfs", HF_SQLITE_FILE_KEEPS},
    {0x7366746e, "ntfs3", HF_SQLITE_FILE_KEEPS},
    {0x5346544e, "ntfs", HF_SQLITE_FILE_KEEPS},
    {0x00004d44, "vfat", HF_SQLITE_FILE_KEEPS},
    {0x2011bab0, "exfat", HF_SQLITE_FILE_KEEPS},
    {0x794c7630, "overlay", HF_SQLITE_FILE_IN_CONTAINER},
    {0x01021994, "tmpfs", HF_SQLITE_FILE_UNTIL_RESTART},
    {0x858458f6, "ramfs", HF_SQLITE_FILE_UNTIL_RESTART},
};

const char *
hf_sqlite_file_system(uint32_t filesystem_type,
                      enum hf_sqlite_file_keeps *keeps)
{
    size_t count = sizeof(local_types) / sizeof(local_types[0]);

    for (size_t i = 0; i < count; i++) {
        if (local_types[i].type != filesystem_type)
            continue;
        *keeps = local_types[i].keeps;
        return local_types[i].name;
    }
    return NULL;
}

/* ---- Making ready -------------------------------------------------------- */

/* Of the file, or of the nearest existing folder above it. */
static enum hf_status
refuse_network(const struct hf_place *place, const char *file,
               struct hf_error *error)
{
    char path[PATH_SIZE];
    struct hf_text text;
    struct statfs found;
    const char *name;

    if (place->network)
        return HF_OK;

    hf_text_init(&text, path, sizeof(path));
    hf_text_add(&text, file);
    while (statfs(path, &found) != 0) {
        if (errno != ENOENT || strcmp(path, "/") == 0)
            return fail_system(error, "look at", path);
        cut_last(path);
    }
    name = hf_sqlite_file_network((uint32_t)found.f_type);
    if (name != NULL)
        return hf_fail(error, HF_E_INVALID,
                       "%s is on a network file system (%s), where SQLite's "
                       "locks are not safe; if you vouch for them, add "
                       "?network=1",
                       place->path, name);
    return HF_OK;
}

static enum hf_status
make_folders(const char *path, mode_t mode, struct hf_error *error)
{
    char folder[PATH_SIZE];
    struct stat found;

    folder_of(path, folder);
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

/* A folder that its group may write is shared by the group.  One that everybody
 * may write, with the sticky bit, like /tmp, says nothing about a group. */
static bool
is_shared(const struct stat *folder)
{
    bool as_tmp = (folder->st_mode & S_ISVTX) && (folder->st_mode & S_IWOTH);

    return (folder->st_mode & S_IWGRP) && !as_tmp;
}

/* By name, so that no descriptor of it is needed (see the header). */
static bool
set_permissions(const char *path, const struct stat *folder)
{
    if (!is_shared(folder))
        return chmod(path, 0600) == 0;

    /* Without the setgid bit the file gets our own group.  If we may not give
     * the folder's group, our own stays: the file system would refuse the
     * others anyway. */
    if (chown(path, (uid_t)-1, folder->st_gid) != 0 && errno != EPERM)
        return false;
    return chmod(path, 0660) == 0;
}

bool
hf_sqlite_file_permit(const char *path, const char *folder)
{
    struct stat found;

    return stat(folder, &found) == 0 && set_permissions(path, &found);
}

/* Rename the made file to the place's name, unless that exists.  A hard link
 * would give the file two names for a moment, which is refused.  If the file
 * system cannot do this, make an empty file there and then set its permissions.
 */
static bool
put_in_place(const char *made, const char *path, const struct stat *folder,
             bool *is_new)
{
    *is_new = renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
    if (*is_new || errno == EEXIST)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    *is_new = mknod(path, S_IFREG | 0600, 0) == 0;
    return *is_new ? set_permissions(path, folder) : errno == EEXIST;
}

/* An empty file that appears with its final permissions. */
static enum hf_status
create(const char *path, const struct stat *folder, bool *is_new,
       struct hf_error *error)
{
    char made[PATH_SIZE + 8];
    enum hf_status status = HF_OK;
    int fd;

    snprintf(made, sizeof(made), "%s.XXXXXX", path);
    fd = mkostemp(made, O_CLOEXEC);
    if (fd < 0)
        return fail_system(error, "create", path);
    close(fd);
    if (!set_permissions(made, folder))
        status = fail_system(error, "set the permissions of", path);
    else if (!put_in_place(made, path, folder, is_new))
        status = fail_system(error, "create", path);
    unlink(made); /* fails if it was renamed */
    return status;
}

static bool
mount_of(const char *path, uint64_t *mount)
{
    struct statx found;

    if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &found) != 0 ||
        !(found.stx_mask & STATX_MNT_ID))
        return false; /* kernels before 5.8 do not tell */
    *mount = found.stx_mnt_id;
    return true;
}

/* SQLite puts the log beside the name by which it opens the file.  A file with
 * two names, by a hard link or by a mount of the file alone, would have two
 * logs, and a lock two holders. */
static enum hf_status
refuse_names(const char *path, const struct stat *file, struct hf_error *error)
{
    char folder[PATH_SIZE];
    uint64_t of_file;
    uint64_t of_folder;

    if (file->st_nlink > 1)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s has %ju names (hard links), each of which would be "
                       "a place of its own: remove the others",
                       path, (uintmax_t)file->st_nlink);
    folder_of(path, folder);
    if (mount_of(path, &of_file) && mount_of(folder, &of_folder) &&
        of_file != of_folder)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s is mounted without its folder, so that under each "
                       "path it would be a place of its own: mount the folder "
                       "that it is in",
                       path);
    return HF_OK;
}

static enum hf_status
look_at_file(const char *path, const struct stat *found, struct hf_error *error)
{
    if (S_ISDIR(found->st_mode))
        return hf_fail(error, HF_E_INVALID,
                       "%s is a folder, not a database file", path);
    if (!S_ISREG(found->st_mode))
        return hf_fail(error, HF_E_INVALID, "%s is not a file", path);
    /* SQLite takes one byte, perhaps a newline, for an empty file. */
    if (found->st_size == 1)
        return hf_fail(error, HF_E_CORRUPT, "%s: it is not a SQLite database",
                       path);
    return refuse_names(path, found, error);
}

enum hf_status
hf_sqlite_file_path(const struct hf_place *place, char path[HF_PLACE_MAX + 1],
                    struct hf_error *error)
{
    struct hf_text text;
    enum hf_status status;

    hf_text_init(&text, path, PATH_SIZE);
    hf_text_add(&text, place->path);
    status = follow_links(path, error);
    return status == HF_OK ? refuse_network(place, path, error) : status;
}

enum hf_status
hf_sqlite_file_prepare(const struct hf_place *place, bool *is_new,
                       struct hf_error *error)
{
    char path[PATH_SIZE];
    char folder[PATH_SIZE];
    struct stat found;
    enum hf_status status = hf_sqlite_file_path(place, path, error);

    *is_new = false;
    if (status != HF_OK)
        return status;
    if (stat(path, &found) == 0)
        return look_at_file(path, &found, error);
    if (errno != ENOENT)
        return fail_system(error, "look at", path);

    status = make_folders(path, hf_sqlite_place_is_default(place) ? 0700 : 0777,
                          error);
    if (status != HF_OK)
        return status;
    folder_of(path, folder);
    if (stat(folder, &found) != 0)
        return fail_system(error, "look at", folder);
    return create(path, &found, is_new, error);
}

static bool
has_log(const char *path)
{
    char log[PATH_SIZE + 8];

    snprintf(log, sizeof(log), "%s-wal", path);
    return access(log, F_OK) == 0;
}

enum hf_status
hf_sqlite_file_look(const struct hf_place *place,
                    struct hf_sqlite_file_seen *seen, struct hf_error *error)
{
    char path[PATH_SIZE];
    enum hf_status status = hf_sqlite_file_path(place, path, error);

    *seen = (struct hf_sqlite_file_seen){.exists = false};
    if (status != HF_OK)
        return status;
    /* The log first: a log that is made after this is found by a later look. */
    seen->has_log = has_log(path);
    if (stat(path, &seen->file) != 0)
        return errno == ENOENT ? HF_OK : fail_system(error, "look at", path);
    seen->exists = seen->file.st_size > 0;
    return look_at_file(path, &seen->file, error);
}

enum hf_status
hf_sqlite_file_explain(const struct hf_place *place, enum hf_status status,
                       struct hf_error *error)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char path[PATH_SIZE];

    if (hf_sqlite_file_path(place, path, NULL) != HF_OK)
        return status;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char name[PATH_SIZE + 8];

        snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
        if (faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) != 0 && errno == EACCES)
            return fail_system(error, "read", name);
    }
    return status;
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
        return; /* see the header */
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
