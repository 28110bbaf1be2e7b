#include "store/sqlite_identity.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/fail.h"

/* By index: what is appended to the database's name, and what it is called. */
static const struct {
    const char *suffix;
    const char *word;
} parts[HF_SQLITE_IDENTITY_FILES] = {
    {"", "it"},
    {"-wal", "its log (-wal)"},
    {"-shm", "the index of its log (-shm)"},
};

/* Those noted in this process, under the mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct hf_sqlite_identity *all;

/* The database is looked for under the name of the place, which may be a link
 * that leads elsewhere now; SQLite puts the others beside what it led to. */
static int
look(const struct hf_sqlite_identity *identity, size_t index,
     struct stat *found)
{
    char name[HF_PLACE_MAX + 8];

    if (index == 0)
        return stat(identity->path, found);
    snprintf(name, sizeof(name), "%s%s", identity->database,
             parts[index].suffix);
    return stat(name, found);
}

/* Is it still the same file?  Where not, *code is 0 if there is another, or
 * why there is none that could be looked at. */
static bool
is_same(const struct hf_sqlite_identity *identity, size_t index, int *code)
{
    struct stat found;

    *code = look(identity, index, &found) == 0 ? 0 : errno;
    return *code == 0 && found.st_ino == identity->files[index].number &&
           found.st_dev == identity->files[index].device;
}

static enum hf_status
fail_removed(const struct hf_sqlite_identity *identity, size_t index,
             struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "%s: %s was removed or replaced while it was open",
                   identity->path, parts[index].word);
}

enum hf_status
hf_sqlite_identity_check(const struct hf_sqlite_identity *identity, bool *gone,
                         struct hf_error *error)
{
    for (size_t i = 0; i < HF_SQLITE_IDENTITY_FILES; i++) {
        char space[128];
        int code;

        if (is_same(identity, i, &code))
            continue;
        if (code != 0 && code != ENOENT && code != ENOTDIR)
            return hf_fail(error, HF_E_UNAVAILABLE, "%s: cannot look at %s: %s",
                           identity->path, parts[i].word,
                           strerror_r(code, space, sizeof(space)));
        *gone = true;
        return fail_removed(identity, i, error);
    }
    return HF_OK;
}

static bool
has_lost_its_log(const struct hf_sqlite_identity *identity)
{
    int code;

    return !is_same(identity, 1, &code) || !is_same(identity, 2, &code);
}

enum hf_status
hf_sqlite_identity_admit(const struct hf_sqlite_identity *identity,
                         struct hf_error *error)
{
    const struct hf_sqlite_identity *other;
    struct stat found;
    bool blocked = false;

    if (stat(identity->database, &found) != 0)
        return fail_removed(identity, 0, error);
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    for (other = all; other != NULL && !blocked; other = other->next)
        blocked = other->files[0].number == found.st_ino &&
                  other->files[0].device == found.st_dev &&
                  has_lost_its_log(other);
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
    if (blocked)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: its log was removed or replaced, and another "
                       "client of this process still has the old one open",
                       identity->path);
    return HF_OK;
}

enum hf_status
hf_sqlite_identity_note(struct hf_sqlite_identity *identity,
                        struct hf_error *error)
{
    for (size_t i = 0; i < HF_SQLITE_IDENTITY_FILES; i++) {
        struct stat found;

        if (look(identity, i, &found) != 0)
            return fail_removed(identity, i, error);
        identity->files[i].number = found.st_ino;
        identity->files[i].device = found.st_dev;
    }
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    identity->next = all;
    identity->noted = true;
    all = identity;
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
    return HF_OK;
}

void
hf_sqlite_identity_forget(struct hf_sqlite_identity *identity)
{
    struct hf_sqlite_identity **link = &all;

    if (!identity->noted)
        return;
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
    while (*link != identity)
        link = &(*link)->next;
    *link = identity->next;
    identity->noted = false;
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
}
