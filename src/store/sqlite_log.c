#include "store/sqlite_log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <sqlite3.h>

#include "store/kind.h"

static const char note[] = "user.holdfast.named";

static sqlite3_vfs *usual;
static sqlite3_vfs ours;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool registered;

static bool
has_note(const char *log)
{
    uint64_t number = 0;
    struct stat found;

    return getxattr(log, note, &number, sizeof(number)) ==
               (ssize_t)sizeof(number) &&
           stat(log, &found) == 0 && found.st_ino == number;
}

/* SQLite syncs the folder for a log that it was told to create. */
static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
          int *flags_out)
{
    int there = flags & ~SQLITE_OPEN_CREATE;
    bool is_log = (flags & SQLITE_OPEN_WAL) != 0;

    (void)vfs;
    if (is_log && has_note(name) &&
        usual->xOpen(usual, name, file, there, flags_out) == SQLITE_OK)
        return SQLITE_OK;
    return usual->xOpen(usual, name, file, flags, flags_out);
}

static void
make(void)
{
    usual = sqlite3_vfs_find(NULL);
    if (usual == NULL)
        return;
    ours = *usual;
    ours.pNext = NULL;
    ours.zName = "holdfast";
    ours.xOpen = open_file;
    registered = sqlite3_vfs_register(&ours, 0) == SQLITE_OK;
}

const char *
hf_sqlite_log_vfs(void)
{
    (void)pthread_once(&once, make);
    return registered ? ours.zName : NULL;
}

void
hf_sqlite_log_note(const char *database, ino_t number)
{
    char log[HF_PLACE_MAX + 8];
    uint64_t value = number;

    snprintf(log, sizeof(log), "%s-wal", database);
    if (!has_note(log))
        (void)setxattr(log, note, &value, sizeof(value), 0);
}
