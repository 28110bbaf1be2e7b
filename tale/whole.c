#include "tale/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

enum { PATH_LEN_MAX = 4096 };

static enum hf_status
fail(struct hf_error *error, const char *what, const char *path)
{
    enum hf_status status = HF_E_UNAVAILABLE;

    if (errno == EACCES || errno == EPERM || errno == EROFS)
        status = HF_E_DENIED;
    else if (errno == ENOTDIR || errno == ENAMETOOLONG || errno == EISDIR)
        status = HF_E_INVALID;
    return hf_fail(error, status, "cannot %s %s: %s", what, path,
                   strerror(errno));
}

/* Or it is there.  Some folders that are there may not be made, and say so; of
 * one that is not, errno tells why it cannot be. */
static bool
make_folder(const char *path)
{
    struct stat found;
    int why;

    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    why = errno;
    if (stat(path, &found) == 0)
        return true;
    errno = why;
    return false;
}

/* Each folder of the path in turn, as far as they are missing. */
static enum hf_status
make_folders(const char *folder, struct hf_error *error)
{
    char path[PATH_LEN_MAX];
    struct stat found;

    snprintf(path, sizeof(path), "%s", folder);
    for (size_t i = 1; i <= strlen(folder); i++) {
        if (folder[i] != '/' && folder[i] != '\0')
            continue;
        path[i] = '\0';
        if (!make_folder(path))
            return fail(error, "make", path);
        path[i] = folder[i];
    }
    if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode)) {
        errno = ENOTDIR;
        return fail(error, "write into", folder);
    }
    return HF_OK;
}

static bool
write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t count = write(fd, bytes, len);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        bytes += count;
        len -= (size_t)count;
    }
    return true;
}

/* As open would have made it: mkstemp lets nobody else read. */
static bool
let_others_read(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

/* Is nothing at the place, or a plain file?  A link, a pipe or a device cannot
 * be written whole; to rename over it would only take it away. */
static enum hf_status
check_place(const char *path, struct hf_error *error)
{
    struct stat found;

    if (lstat(path, &found) != 0 || S_ISREG(found.st_mode) ||
        S_ISDIR(found.st_mode)) /* which rename refuses */
        return HF_OK;
    return hf_fail(error, HF_E_INVALID, "cannot write %s: not a plain file",
                   path);
}

/* So that the new name, too, outlives a loss of power. */
static void
sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd); /* some file systems cannot, and need not */
    close(fd);
}

enum hf_status
whole_write(const char *folder, const char *name, const char *bytes, size_t len,
            struct hf_error *error)
{
    char path[PATH_LEN_MAX];
    char beside[PATH_LEN_MAX + 8];
    enum hf_status status;
    int fd;

    if (folder[0] == '\0' || strlen(folder) + strlen(name) + 2 > sizeof(path))
        return hf_fail(error, HF_E_INVALID, "'%.80s' names no folder", folder);
    status = make_folders(folder, error);
    if (status != HF_OK)
        return status;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    status = check_place(path, error);
    if (status != HF_OK)
        return status;
    snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
    fd = mkstemp(beside);
    if (fd < 0)
        return fail(error, "write into", folder);
    if (!write_all(fd, bytes, len) || !let_others_read(fd) || fsync(fd) != 0) {
        status = fail(error, "write", path);
        close(fd);
        goto out;
    }
    if (close(fd) != 0 || rename(beside, path) != 0) {
        status = fail(error, "write", path);
        goto out;
    }
    sync_folder(folder);
    return HF_OK;

out:
    unlink(beside);
    return status;
}
