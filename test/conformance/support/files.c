#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

int
files_set_up(void **state)
{
    struct files *files = hf_new(&hf_alloc_libc, struct files);

    assert_non_null(files);
    suite_make_folder(files->folder);
    snprintf(files->path, sizeof(files->path), "%s/locks.db", files->folder);
    snprintf(files->place, sizeof(files->place), "sqlite:%s", files->path);
    *state = files;
    return 0;
}

int
files_tear_down(void **state)
{
    struct files *files = *state;

    suite_destroy_folder(files->folder);
    hf_free(&hf_alloc_libc, files);
    return 0;
}

struct hf_store *
files_open(const struct files *files)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};

    if (hf_store_open(files->place, &hf_alloc_libc, &store, &error) != HF_OK)
        fail_msg("%s", error.text);
    return store;
}

enum hf_status
files_refuse(const struct files *files, struct hf_error *error)
{
    struct hf_store *store = NULL;
    enum hf_status status =
        hf_store_open(files->place, &hf_alloc_libc, &store, error);

    assert_int_not_equal(status, HF_OK);
    assert_int_equal(status, error->status);
    assert_null(store);
    return status;
}

int
files_try_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open(path, &db);

    if (code == SQLITE_OK)
        code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    return code;
}

void
files_sql(const char *path, const char *sql)
{
    assert_int_equal(files_try_sql(path, sql), SQLITE_OK);
}

void
files_query(const char *path, const char *sql, char *rows, size_t size)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = NULL;
    size_t len = 0;

    rows[0] = '\0';
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL),
                     SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        int count = sqlite3_column_count(statement);

        for (int i = 0; i < count; i++) {
            const unsigned char *text = sqlite3_column_text(statement, i);

            len += (size_t)snprintf(rows + len, size - len, "%s%c",
                                    text != NULL ? (const char *)text : "NULL",
                                    i + 1 < count ? '|' : '\n');
            assert_true(len < size);
        }
    }
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* FNV-1a. */
static uint64_t
mix(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static uint64_t
fingerprint_of(const char *path, const char *name)
{
    uint64_t hash = mix(14695981039346656037u, name, strlen(name));
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    size_t len;

    assert_non_null(file);
    for (len = fread(bytes, 1, sizeof(bytes), file); len > 0;
         len = fread(bytes, 1, sizeof(bytes), file))
        hash = mix(hash, bytes, len);
    fclose(file);
    return hash;
}

uint64_t
files_fingerprint(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *file;
    uint64_t sum = 0;

    assert_non_null(files);
    for (file = readdir(files); file != NULL; file = readdir(files)) {
        char path[SUITE_PLACE_SIZE + 256];
        size_t len = strlen(file->d_name);

        if (file->d_name[0] == '.' ||
            (len > 4 && strcmp(file->d_name + len - 4, "-shm") == 0))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, file->d_name);
        sum += fingerprint_of(path, file->d_name); /* in any order */
    }
    closedir(files);
    return sum;
}

void
files_poke(const char *path, long offset, const void *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, offset), len);
    assert_int_equal(close(fd), 0);
}
