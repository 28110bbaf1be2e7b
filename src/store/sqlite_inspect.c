#include "store/sqlite_inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/text.h"
#include "store/inspect.h"
#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_wait.h"

enum {
    PATH_SIZE = HF_PLACE_MAX + 8,
    WORD_SIZE = 4 * HF_PLACE_MAX,

    SYNCHRONOUS_FULL = 2, /* as PRAGMA synchronous counts */
};

/* One inspection of an open place. */
struct look {
    const struct hf_sqlite_inspect *inspect;
    struct hf_sqlite_sql *sql;
    struct hf_file_watch *files;
    const char *path; /* links are resolved */
};

const char *
hf_sqlite_inspect_quote(const char *path, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_add(&out, "'");
    for (; *path != '\0'; path++) {
        if (*path == '\'')
            hf_text_add(&out, "'\\''");
        else
            hf_text_add_bytes(&out, path, 1);
    }
    hf_text_add(&out, "'");
    return buffer;
}

/* ---- No answer ----------------------------------------------------------- */

static void
blame(const char *path, const struct hf_error *error,
      struct hf_checkup *checkup)
{
    char word[WORD_SIZE];

    hf_checkup_add(checkup, "%s", error->text);
    hf_sqlite_inspect_quote(path, word, sizeof(word));
    switch (error->status) {
    case HF_E_DENIED:
        hf_checkup_fail(checkup,
                        "let this user read and write it, and all beside it: "
                        "ls -la \"$(dirname %s)\"",
                        word);
        break;
    case HF_E_CORRUPT:
        hf_checkup_fail(
            checkup,
            "name another place, or restore this one from a backup if it is "
            "damaged; to see that: sqlite3 %s 'PRAGMA integrity_check'",
            word);
        break;
    case HF_E_LIMIT:
        hf_checkup_fail(checkup,
                        "allow this process more open files: ulimit -n");
        break;
    case HF_E_NOMEM:
        hf_checkup_fail(checkup, "free memory: free -h");
        break;
    case HF_OK:
    case HF_E_INVALID:
    case HF_E_UNAVAILABLE:
    case HF_E_UNKNOWN:
    case HF_E_CANCELLED:
        hf_checkup_fail(checkup,
                        "see who keeps it locked: fuser -v %s; and whether its "
                        "disk is full: df -h %s",
                        word, word);
        break;
    }
}

void
hf_sqlite_inspect_blame(const struct hf_place *place,
                        const struct hf_error *error,
                        struct hf_checkup *checkup)
{
    blame(place->path, error, checkup);
}

/* The last call of SQLite failed with `code`. */
static void
blame_code(const struct look *look, int code, struct hf_checkup *checkup)
{
    struct hf_error error = {0};

    (void)hf_sqlite_db_fail(&look->sql->db, code, &error);
    blame(look->path, &error, checkup);
}

/* ---- Schema -------------------------------------------------------------- */

/* A program that shares the file shares its one write lock. */
static const char tables_of_others[] =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
    " AND name NOT LIKE 'holdfast!_%' ESCAPE '!'"
    " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";

static void
judge_version(int64_t version, struct hf_checkup *checkup)
{
    const int64_t ours = HF_SQLITE_SCHEMA_VERSION;

    if (version == ours)
        hf_checkup_add(checkup, "version %" PRId64 ", which is ours", version);
    else
        hf_checkup_add(checkup, "version %" PRId64 ", and ours is %" PRId64,
                       version, ours);
    if (version > ours)
        hf_checkup_fail(checkup, "a later version of Holdfast has it open: "
                                 "install that one here, too");
    else if (version < ours)
        hf_checkup_fail(checkup,
                        "it was set back while it was open: open it anew");
}

static void
check_schema(const struct look *look, struct hf_checkup *checkup)
{
    struct hf_sqlite_db *db = &look->sql->db;
    int64_t version = 0;
    int64_t others = 0;
    int code = hf_sqlite_db_number(db, "PRAGMA user_version", &version);

    if (code == SQLITE_OK)
        code = hf_sqlite_db_number(db, tables_of_others, &others);
    if (code != SQLITE_OK) {
        blame_code(look, code, checkup);
    } else {
        judge_version(version, checkup);
        hf_checkup_add(checkup, "SQLite %s", sqlite3_libversion());
        if (others > 0)
            hf_checkup_add(checkup,
                           "%" PRId64 " table%s of others in the same file",
                           others, others == 1 ? "" : "s");
    }
}

/* ---- Rights -------------------------------------------------------------- */

/* The file system denies it; errno says why. */
static void
blame_denied(const char *path, const char *what, struct hf_checkup *checkup)
{
    int reason = errno;
    char space[128];
    char word[WORD_SIZE];
    struct stat found;

    hf_sqlite_inspect_quote(path, word, sizeof(word));
    hf_checkup_add(checkup, "%s may not be %s: %s", path, what,
                   strerror_r(reason, space, sizeof(space)));
    if (reason == EROFS)
        hf_checkup_fail(checkup,
                        "mount its file system to be written: mount -o "
                        "remount,rw \"$(findmnt -nT %s -o TARGET)\"",
                        word);
    else if (reason == ENOENT)
        hf_checkup_fail(checkup, "see who removed it, and open the place anew");
    else if (stat(path, &found) == 0 && found.st_uid == geteuid())
        hf_checkup_fail(checkup, "chmod u+rwX %s", word);
    else
        hf_checkup_fail(checkup, "as its owner: setfacl -m u:%ju:rwX %s",
                        (uintmax_t)geteuid(), word);
}

static bool
may(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

/* Check the files that every commit writes, and the folder, in which SQLite
 * makes its log anew. */
static void
look_at_rights(const char *path, int mode, struct hf_checkup *checkup)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    const char *what = mode == R_OK ? "read" : "written";
    char name[PATH_SIZE];
    char folder[PATH_SIZE];

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
        if (!may(name, mode) && (mode != R_OK || errno != ENOENT))
            blame_denied(name, what, checkup);
    }
    snprintf(name, sizeof(name), "%s", path);
    snprintf(folder, sizeof(folder), "%s", dirname(name));
    if (!may(folder, (mode & W_OK) | X_OK))
        blame_denied(folder, what, checkup);
}

static void
check_rights(const struct look *look, struct hf_checkup *checkup)
{
    const char *path = look->path;

    if (look->inspect->look_only) {
        hf_checkup_add(checkup, "opened to look only");
        look_at_rights(path, R_OK, checkup);
    } else {
        look_at_rights(path, R_OK | W_OK, checkup);
        if (checkup->grade == HF_GRADE_OK)
            hf_checkup_add(checkup, "the file, its folder and its log may be "
                                    "written");
    }
}

/* ---- Durability ---------------------------------------------------------- */

static int
read_mode(struct hf_sqlite_db *db, char *mode, size_t size)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode", -1,
                                  &statement, NULL);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text(statement, 0);

        snprintf(mode, size, "%s", text == NULL ? "none" : (const char *)text);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code;
}

static const char *
synchronous_word(int64_t level)
{
    static const char *const words[] = {"OFF", "NORMAL", "FULL", "EXTRA"};

    return level >= 0 && level < 4 ? words[level] : "unknown";
}

static void
judge_journal(const struct look *look, const char *mode, int64_t synchronous,
              struct hf_checkup *checkup)
{
    hf_checkup_add(checkup, "journal %s", mode);
    if (strcmp(mode, "wal") != 0)
        hf_checkup_warn(checkup, "somebody turned its journal: open the place "
                                 "anew, which turns it back to WAL");
    if (look->inspect->look_only)
        return; /* every writer has its own setting */
    hf_checkup_add(checkup, "synchronous %s", synchronous_word(synchronous));
    if (synchronous < SYNCHRONOUS_FULL)
        hf_checkup_fail(
            checkup,
            "a commit may be lost with the power: open the place anew");
}

void
hf_sqlite_inspect_filesystem(uint32_t type, bool network,
                             struct hf_checkup *checkup)
{
    enum hf_sqlite_file_keeps keeps = HF_SQLITE_FILE_KEEPS;
    const char *remote = hf_sqlite_file_network(type);
    const char *name = hf_sqlite_file_system(type, &keeps);

    if (remote != NULL) {
        hf_checkup_add(checkup,
                       "on a network file system (%s), where SQLite's locks "
                       "are safe only while one machine alone opens it",
                       remote);
        hf_checkup_grade(checkup, network ? HF_GRADE_WARN : HF_GRADE_FAIL,
                         "move the place to a local disk");
        return;
    }
    if (name == NULL) {
        hf_checkup_add(checkup, "on a file system of type 0x%" PRIx32, type);
        return;
    }
    switch (keeps) {
    case HF_SQLITE_FILE_KEEPS:
        hf_checkup_add(checkup, "on %s", name);
        break;
    case HF_SQLITE_FILE_UNTIL_RESTART:
        hf_checkup_add(checkup, "on %s: gone after a restart", name);
        hf_checkup_warn(
            checkup,
            "move the place to a disk, unless no lock need outlive a restart");
        break;
    case HF_SQLITE_FILE_IN_CONTAINER:
        hf_checkup_add(checkup,
                       "on %s: if that is a container's, gone with "
                       "it, and not seen by others",
                       name);
        hf_checkup_warn(
            checkup,
            "mount a volume that all who lock share, and put the place there");
        break;
    }
}

static void
check_durability(const struct look *look, struct hf_checkup *checkup)
{
    struct hf_sqlite_db *db = &look->sql->db;
    int64_t synchronous = 0;
    struct statfs found;
    char mode[32] = "unknown";
    int code = read_mode(db, mode, sizeof(mode));

    if (code == SQLITE_OK)
        code = hf_sqlite_db_number(db, "PRAGMA synchronous", &synchronous);
    if (code == SQLITE_OK)
        judge_journal(look, mode, synchronous, checkup);
    else
        blame_code(look, code, checkup);
    if (statfs(look->path, &found) == 0)
        hf_sqlite_inspect_filesystem((uint32_t)found.f_type,
                                     look->inspect->place->network, checkup);
}

/* ---- Clock and leftovers ------------------------------------------------- */

/* The limit is what can be read in a tenth of a second. */
static const char newest_version[] =
    "SELECT max((SELECT number FROM holdfast_meta WHERE key = 'floor'),"
    " coalesce((SELECT version FROM holdfast_head), 0),"
    " coalesce((SELECT max(version) FROM (SELECT version"
    " FROM holdfast_records ORDER BY rowid DESC LIMIT 100000)), 0))";

static void
check_clock(const struct look *look, struct hf_checkup *checkup)
{
    struct hf_sqlite_db *db = &look->sql->db;
    int64_t newest = 0;
    int code = hf_sqlite_db_number(db, newest_version, &newest);

    if (code == SQLITE_OK)
        hf_inspect_clock((uint64_t)newest, checkup);
    else
        blame_code(look, code, checkup);
}

/* The condition of the index holdfast_leftovers. */
#define LEFTOVERS                                                              \
    " FROM holdfast_records"                                                   \
    " WHERE (value IS NULL OR space = '" HF_RULE_MARKERS "')"

static int
count_leftovers(struct hf_sqlite_db *db, struct hf_inspect_leftovers *left)
{
    int64_t all = 0;
    int64_t markers = 0;
    int64_t old = 0;
    char sql[256];
    int code = hf_sqlite_db_number(db, "SELECT count(*)" LEFTOVERS, &all);

    if (code == SQLITE_OK)
        code = hf_sqlite_db_number(db,
                                   "SELECT count(*) FROM holdfast_records"
                                   " WHERE space = '" HF_RULE_MARKERS "'"
                                   " AND value IS NOT NULL",
                                   &markers);
    if (code == SQLITE_OK)
        code = hf_sqlite_db_number(db, "SELECT min(stamp)" LEFTOVERS,
                                   &left->oldest_ms);
    snprintf(sql, sizeof(sql),
             "SELECT count(*)" LEFTOVERS " AND stamp <= %" PRId64,
             hf_inspect_old_ms());
    if (code == SQLITE_OK)
        code = hf_sqlite_db_number(db, sql, &old);
    left->markers = (uint64_t)markers;
    left->tombstones = (uint64_t)(all > markers ? all - markers : 0);
    left->old = (uint64_t)old;
    return code;
}

/* All four numbers are read in one transaction. */
static void
check_leftovers(const struct look *look, struct hf_checkup *checkup)
{
    struct hf_inspect_leftovers left = {0};
    int code = hf_sqlite_sql_run(look->sql, HF_SQL_BEGIN_READ);

    if (code == SQLITE_OK)
        code = count_leftovers(&look->sql->db, &left);
    if (code == SQLITE_OK)
        hf_inspect_leftovers(&left, checkup);
    else
        blame_code(look, code, checkup);
    hf_sqlite_sql_roll_back(look->sql);
}

/* ---- Log ---------------------------------------------------------------- */

/* The log is short, unless a reader keeps SQLite from a checkpoint. */
static void
check_log(const struct look *look, struct hf_checkup *checkup)
{
    uint64_t size =
        look->sql->db.mode == HF_SQLITE_STILL
            ? 0
            : hf_sqlite_db_unfolded(&look->sql->db) * HF_SQLITE_PAGE_BYTES;

    if (size < HF_STORE_LOG_LARGE)
        return;
    hf_checkup_add(checkup, "its log (-wal) is of %" PRIu64 " MiB",
                   size / 1024 / 1024);
    hf_checkup_warn(checkup,
                    "end the program that reads the file and does not end its "
                    "transaction: until then the log grows");
}

/* ---- Wakeup -------------------------------------------------------------- */

static void
check_wakeup(const struct look *look, struct hf_checkup *checkup)
{

    if (look->sql->db.mode == HF_SQLITE_STILL) {
        hf_checkup_add(checkup, "nobody has the place open to be woken by");
    } else if (hf_sqlite_wait_listen(look->sql, look->files)) {
        hf_checkup_add(checkup, "a commit wakes who waits, within "
                                "milliseconds (inotify)");
    } else {
        hf_checkup_add(checkup, "who waits looks every 50ms");
        hf_file_watch_explain(checkup);
    }
}

/* ---- All ----------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*check)(const struct look *look, struct hf_checkup *checkup);
} checks[] = {
    {"schema", check_schema},         {"rights", check_rights},
    {"durability", check_durability}, {"clock", check_clock},
    {"leftovers", check_leftovers},   {"log", check_log},
    {"wakeup", check_wakeup},
};

void
hf_sqlite_inspect(const struct hf_sqlite_inspect *inspect,
                  struct hf_sqlite_sql *sql, struct hf_file_watch *files)
{
    const struct look look = {
        .inspect = inspect,
        .sql = sql,
        .files = files,
        .path = sql->db.identity.database,
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct hf_checkup checkup = {.check = checks[i].name};

        checks[i].check(&look, &checkup);
        if (checkup.found[0] != '\0')
            inspect->tell(inspect->ctx, &checkup);
    }
}

void
hf_sqlite_inspect_closed(const struct hf_sqlite_inspect *inspect,
                         const struct hf_error *error)
{
    const struct look look = {
        .inspect = inspect,
        .path = inspect->place->path,
    };
    struct hf_checkup schema = {.check = "schema"};
    struct hf_checkup rights = {.check = "rights"};

    if (error->status == HF_OK)
        hf_checkup_add(&schema, "nothing is there yet: who locks first makes "
                                "it");
    else
        blame(look.path, error, &schema);
    inspect->tell(inspect->ctx, &schema);
    if (error->status == HF_OK)
        return;
    check_rights(&look, &rights);
    inspect->tell(inspect->ctx, &rights);
}
