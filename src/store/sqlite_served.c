#include "store/sqlite_served.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/text.h"
#include "store/sqlite_db.h"
#include "store/sqlite_file.h"
#include "wire/head.h"

enum {
    NAME_SIZE = HF_PLACE_MAX + 32,

    /* Of a log: sqlite.org/walformat.html. */
    LOG_HEADER_LEN = 32,
    LOG_SALT = 16,
    FRAME_SALT = 8,
    SALT_LEN = 8,
};

/* In a mark, before the longest ttl that was promised, and the term. */
#define TTL_WORD  "max_ttl_ms "
#define TERM_WORD "\nterm "

/* ---- The mark ------------------------------------------------------------ */

/* "/a/served.db": "/a/.served.db.served", and its folder, "/a". */
struct file_names {
    char file[HF_PLACE_MAX + 1]; /* without links */
    char mark[NAME_SIZE];
    char folder[HF_PLACE_MAX + 1];
};

static enum hf_status
find_names(const struct hf_place *place, struct file_names *names,
           struct hf_error *error)
{
    enum hf_status status = hf_sqlite_file_path(place, names->file, error);
    const char *name;
    size_t folder_len;

    if (status != HF_OK)
        return status;
    name = strrchr(names->file, '/') + 1;
    folder_len = (size_t)(name - names->file);
    snprintf(names->mark, sizeof(names->mark), "%.*s.%s.served",
             (int)folder_len, names->file, name);
    snprintf(names->folder, sizeof(names->folder), "%.*s", (int)folder_len,
             names->file);
    return HF_OK;
}

static enum hf_status
fail_mark(const struct file_names *names, struct hf_error *error)
{
    char space[128];
    int code = errno;

    return hf_fail(error,
                   code == EACCES || code == EPERM || code == EROFS
                       ? HF_E_DENIED
                       : HF_E_UNAVAILABLE,
                   "cannot write %s, which says that a lock server served the "
                   "file: %s",
                   names->mark, strerror_r(code, space, sizeof(space)));
}

/* What it says cannot be read by everybody; that it is there can. */
static void
read_mark(const struct file_names *names, struct hf_sqlite_served *served)
{
    char text[128] = "";
    const char *term;
    struct stat found;
    ssize_t len;
    int fd;

    served->marked = lstat(names->mark, &found) == 0;
    fd = open(names->mark, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    len = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (len > 0 && strncmp(text, TTL_WORD, strlen(TTL_WORD)) == 0)
        served->promised.ms = strtoll(text + strlen(TTL_WORD), NULL, 10);
    term = strstr(text, TERM_WORD);
    if (term != NULL)
        served->term = strtoull(term + strlen(TERM_WORD), NULL, 10);
    if (served->promised.ms < 0 || served->promised.ms > HF_TTL_MAX_MS)
        served->promised.ms = HF_TTL_MAX_MS;
}

static bool
sync_folder(const struct file_names *names)
{
    int fd = open(names->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = fd >= 0 && fsync(fd) == 0;

    hf_fd_close(&fd);
    return synced;
}

static bool
write_all(int fd, const struct hf_sqlite_served *says)
{
    int len = dprintf(fd, TTL_WORD "%" PRId64 TERM_WORD "%" PRIu64 "\n",
                      says->promised.ms, says->term);

    return len > 0 && fsync(fd) == 0;
}

enum hf_status
hf_sqlite_served_mark(const struct hf_place *place,
                      const struct hf_sqlite_served *says,
                      struct hf_error *error)
{
    struct hf_sqlite_served there = {.marked = false};
    char made[NAME_SIZE + 8];
    struct file_names names;
    enum hf_status status = find_names(place, &names, error);
    int fd;

    if (status != HF_OK)
        return status;
    read_mark(&names, &there);
    if (there.marked && there.promised.ms == says->promised.ms &&
        there.term == says->term)
        return HF_OK;
    snprintf(made, sizeof(made), "%s.XXXXXX", names.mark);
    fd = mkostemp(made, O_CLOEXEC);
    if (fd < 0)
        return fail_mark(&names, error);
    if (!write_all(fd, says) || !hf_sqlite_file_permit(made, names.folder) ||
        rename(made, names.mark) != 0 || !sync_folder(&names)) {
        status = fail_mark(&names, error);
        unlink(made);
    }
    hf_fd_close(&fd);
    return status;
}

enum hf_status
hf_sqlite_served_unmark(const struct hf_place *place, struct hf_error *error)
{
    struct file_names names;
    enum hf_status status = find_names(place, &names, error);

    if (status != HF_OK)
        return status;
    if (unlink(names.mark) != 0 && errno != ENOENT)
        return fail_mark(&names, error);
    return HF_OK;
}

/* ---- The log ------------------------------------------------------------- */

static uint32_t
read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

/* Has it a frame: one of its own, or one of the log before it?  SQLite begins
 * a log anew when all of the last one is in the database, and raises the first
 * half of the salt by one; between its header and its first frame nothing is
 * lost. */
static bool
has_frames(const char *database)
{
    unsigned char bytes[LOG_HEADER_LEN + FRAME_SALT + SALT_LEN];
    char log[NAME_SIZE];
    ssize_t len;
    int fd;

    snprintf(log, sizeof(log), "%s-wal", database);
    fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == EACCES || errno == EPERM; /* it is not for us to read */
    len = pread(fd, bytes, sizeof(bytes), 0);
    close(fd);
    if (len != (ssize_t)sizeof(bytes))
        return false;
    return memcmp(bytes + LOG_SALT, bytes + LOG_HEADER_LEN + FRAME_SALT,
                  SALT_LEN) == 0 ||
           read_u32(bytes + LOG_HEADER_LEN + FRAME_SALT) + 1 ==
               read_u32(bytes + LOG_SALT);
}

static bool
names_a_node(const char *value, size_t len)
{
    struct hf_head head;

    return hf_head_decode(value, len, &head, NULL) != HF_OK ||
           head.node[0] != '\0';
}

/* Of what is no database, has no table of ours, or is damaged, whoever opens
 * and reads it says so. */
static bool
is_found_later(int code)
{
    return code == SQLITE_ERROR || code == SQLITE_NOTADB ||
           (code & 0xff) == SQLITE_CORRUPT;
}

/* Is there a head, and does it name a node? */
static int
find_node(struct hf_sqlite_db *db, bool *led)
{
    static const char sql[] = "SELECT value FROM holdfast_head";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(statement, 0);

        *led = value == NULL ||
               names_a_node(value, (size_t)sqlite3_column_bytes(statement, 0));
    }
    sqlite3_finalize(statement);
    return code;
}

/* In the database, as it stands.  What could not be read proves nothing; but
 * what others of this process have open is not opened here. */
static enum hf_status
find_led(const char *path, bool *led, struct hf_error *error)
{
    struct hf_sqlite_db db;
    struct hf_error why = {0};
    enum hf_status status =
        hf_sqlite_db_open(&db, path, HF_SQLITE_GLANCE, &why);
    int code;

    if (status != HF_OK)
        return db.identity.rivalled ? HF_OK
                                    : hf_fail(error, status, "%s", why.text);
    code = find_node(&db, led);
    if (code != SQLITE_ROW && code != SQLITE_DONE && !is_found_later(code))
        status = hf_sqlite_db_fail(&db, code, error);
    hf_sqlite_db_close(&db);
    return status;
}

enum hf_status
hf_sqlite_served_look(const struct hf_place *place,
                      struct hf_sqlite_served *served, struct hf_error *error)
{
    struct file_names names;
    struct stat found;
    enum hf_status status = find_names(place, &names, error);

    *served = (struct hf_sqlite_served){.marked = false};
    if (status != HF_OK)
        return status;
    read_mark(&names, served);
    if (stat(names.file, &found) == 0 && S_ISREG(found.st_mode) &&
        found.st_size > 1 && !has_frames(names.file))
        status = find_led(names.file, &served->log_lost, error);
    return status;
}

/* ---- Identity ------------------------------------------------------------ */

/* The number of a file that was removed is soon given to another; when it was
 * made tells them apart, where the file system knows.  (The device's number may
 * be another after a reboot.) */
uint64_t
hf_sqlite_served_identity(const char *path)
{
    struct statx found;
    uint64_t parts[3] = {0};
    struct stat old;

    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &found) == 0) {
        parts[0] = found.stx_ino;
        if ((found.stx_mask & STATX_BTIME) != 0) {
            parts[1] = (uint64_t)found.stx_btime.tv_sec;
            parts[2] = found.stx_btime.tv_nsec;
        }
    } else if (stat(path, &old) == 0) {
        parts[0] = old.st_ino;
    } else {
        return 0;
    }
    return hf_hash_bytes(HF_HASH_SEED, parts, sizeof(parts));
}

enum hf_status
hf_sqlite_served_find(const struct hf_place *place, struct hf_error *error)
{
    struct hf_sqlite_served served;
    int reason = access(place->path, F_OK) == 0 ? 0 : errno;

    if (reason == 0 ||
        (hf_sqlite_served_look(place, &served, NULL) == HF_OK && served.marked))
        return HF_OK;
    return hf_fail(error, HF_E_UNAVAILABLE, "%.120s: %s", place->text,
                   strerror(reason));
}
