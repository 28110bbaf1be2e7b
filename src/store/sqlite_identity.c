#include "store/sqlite_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/check.h"
#include "base/fail.h"

/* By index: the suffix of the file's name, and what the file is called. */
static const struct {
    const char *suffix;
    const char *word;
} parts[HF_SQLITE_IDENTITY_FILES] = {
    {"", "it"},
    {"-wal", "its log (-wal)"},
    {"-shm", "the index of its log (-shm)"},
};

/* Connections admitted in this process, and their notes: under the mutex.  The
 * thread that made a note may read it without. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t glanced = PTHREAD_COND_INITIALIZER;
static struct hf_sqlite_identity *all;

/*
 * The database is looked for under the name of the place, which may be a link
 * that leads elsewhere now; SQLite puts the others beside what it led to.
 *
 * No times are asked for: a kernel from 6.13 on notes when they are, and then
 * gives the next write a new one at any cost, and each sync of the log after a
 * look took 50 us longer.
 */
static int
look(const struct hf_sqlite_identity *identity, size_t index,
     struct hf_sqlite_identity_file *file)
{
    char beside[HF_PLACE_MAX + 8];
    const char *suffix = parts[index].suffix;
    const char *name = identity->path;
    struct statx found;
    struct stat old;

    if (suffix[0] != '\0') {
        snprintf(beside, sizeof(beside), "%s%s", identity->database, suffix);
        name = beside;
    }
    if (statx(AT_FDCWD, name, 0, STATX_INO, &found) == 0) {
        file->device = makedev(found.stx_dev_major, found.stx_dev_minor);
        file->number = found.stx_ino;
        return 0;
    }
    /* an older sandbox may forbid the call */
    if ((errno != ENOSYS && errno != EPERM) || stat(name, &old) != 0)
        return errno;
    file->device = old.st_dev;
    file->number = old.st_ino;
    return 0;
}

static bool
is_file(const struct hf_sqlite_identity_file *one,
        const struct hf_sqlite_identity_file *other)
{
    return one->number == other->number && one->device == other->device;
}

/* Is it still the same file?  If not, *code is 0 for another file, or says why
 * none could be looked at. */
static bool
is_same(const struct hf_sqlite_identity *identity, size_t index, int *code)
{
    struct hf_sqlite_identity_file found = {.number = 0};

    *code = look(identity, index, &found);
    return *code == 0 && is_file(&found, &identity->files[index]);
}

static enum hf_status
fail_removed(const struct hf_sqlite_identity *identity, size_t index,
             struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "%s: %s was removed or replaced while it was open",
                   identity->path, parts[index].word);
}

static enum hf_status
fail_to_look(const struct hf_sqlite_identity *identity, size_t index, int code,
             struct hf_error *error)
{
    char space[128];

    if (code == 0 || code == ENOENT || code == ENOTDIR)
        return fail_removed(identity, index, error);
    return hf_fail(error, HF_E_UNAVAILABLE, "%s: cannot look at %s: %s",
                   identity->path, parts[index].word,
                   strerror_r(code, space, sizeof(space)));
}

/* Did the file stay as it was, or has a process begun to write? */
static enum hf_status
check_still(const struct hf_sqlite_identity *identity, bool *gone,
            struct hf_error *error)
{
    struct hf_sqlite_identity_file log;
    struct stat file;
    int code;

    if (look(identity, 1, &log) == ENOENT && is_same(identity, 0, &code) &&
        stat(identity->path, &file) == 0 &&
        file.st_ctim.tv_sec == identity->changed.tv_sec &&
        file.st_ctim.tv_nsec == identity->changed.tv_nsec)
        return HF_OK;
    *gone = true;
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "%s: it was opened by others while it was read: try again",
                   identity->path);
}

enum hf_status
hf_sqlite_identity_check(const struct hf_sqlite_identity *identity, bool *gone,
                         struct hf_error *error)
{
    if (identity->still)
        return check_still(identity, gone, error);
    for (size_t i = 0; i < HF_SQLITE_IDENTITY_FILES; i++) {
        int code;

        if (is_same(identity, i, &code))
            continue;
        *gone = code == 0 || code == ENOENT || code == ENOTDIR;
        return fail_to_look(identity, i, code, error);
    }
    return HF_OK;
}

/* ---- Those of this process ----------------------------------------------- */

static bool
has_lost_its_log(const struct hf_sqlite_identity *identity)
{
    int code;

    return identity->noted && !identity->still &&
           (!is_same(identity, 1, &code) || !is_same(identity, 2, &code));
}

static const struct hf_sqlite_identity *
find_rival(const struct hf_sqlite_identity *identity)
{
    struct hf_sqlite_identity *other = all;

    while (other != NULL &&
           (!is_file(&other->files[0], &identity->files[0]) ||
            (other->still == identity->still && !has_lost_its_log(other))))
        other = other->next;
    return other;
}

/* A connection that will not end at once.  Under the mutex. */
static const struct hf_sqlite_identity *
await_rival(const struct hf_sqlite_identity *identity)
{
    const struct hf_sqlite_identity *rival;

    while ((rival = find_rival(identity)) != NULL && rival->glances)
        HF_CHECK(pthread_cond_wait(&glanced, &mutex) == 0);
    return rival;
}

enum hf_status
hf_sqlite_identity_admit(struct hf_sqlite_identity *identity,
                         struct hf_error *error)
{
    struct stat found;
    bool admitted;
    bool lost_log = false;

    if (stat(identity->path, &found) != 0)
        return fail_removed(identity, 0, error);
    identity->files[0].number = found.st_ino;
    identity->files[0].device = found.st_dev;
    identity->changed = found.st_ctim;

    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    const struct hf_sqlite_identity *rival = await_rival(identity);
    admitted = rival == NULL;
    if (admitted) {
        identity->next = all;
        all = identity;
    } else {
        lost_log = has_lost_its_log(rival);
    }
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);

    identity->admitted = admitted;
    identity->rivalled = !admitted;
    if (admitted)
        return HF_OK;
    if (lost_log)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: its log was removed or replaced, and another "
                       "client of this process still has the old one open",
                       identity->path);
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "%s: another client of this process is just opening or "
                   "reading it: try again",
                   identity->path);
}

enum hf_status
hf_sqlite_identity_note(struct hf_sqlite_identity *identity,
                        struct hf_error *error)
{
    struct hf_sqlite_identity noted = {.noted = true};

    memcpy(noted.files, identity->files, sizeof(noted.files));
    for (size_t i = 0; !identity->still && i < HF_SQLITE_IDENTITY_FILES; i++) {
        int code = look(identity, i, &noted.files[i]);

        if (code != 0)
            return fail_to_look(identity, i, code, error);
    }
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    memcpy(identity->files, noted.files, sizeof(noted.files));
    identity->noted = true;
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
    return HF_OK;
}

void
hf_sqlite_identity_unnote(struct hf_sqlite_identity *identity)
{
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    identity->noted = false;
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
}

void
hf_sqlite_identity_forget(struct hf_sqlite_identity *identity)
{
    struct hf_sqlite_identity **link = &all;

    if (!identity->admitted)
        return;
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    while (*link != identity)
        link = &(*link)->next;
    *link = identity->next;
    identity->admitted = identity->noted = false;
    if (identity->glances)
        HF_CHECK(pthread_cond_broadcast(&glanced) == 0);
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
}
