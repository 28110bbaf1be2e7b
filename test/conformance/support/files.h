#ifndef TEST_CONFORMANCE_FILES_H
#define TEST_CONFORMANCE_FILES_H

#include <sqlite3.h>

#include "suite.h"

/* A folder of the test's own, and a database file in it, for the tests that
 * are about SQLite's files. */
struct files {
    char folder[SUITE_FOLDER_SIZE];
    char path[SUITE_PLACE_SIZE];       /* folder/locks.db; not there yet */
    char place[SUITE_PLACE_SIZE + 16]; /* sqlite:path */
};

/* For cmocka: *state is a struct files. */
int files_set_up(void **state);
int files_tear_down(void **state);

/* The store at files->place, which must open; the caller closes it. */
struct hf_store *files_open(const struct files *files);

/* It must not open: the status, and in *error why. */
enum hf_status files_refuse(const struct files *files, struct hf_error *error);

/* Run SQL in the file as somebody at a prompt would; it must succeed. */
void files_sql(const char *path, const char *sql);

/* SQLite's result code instead. */
int files_try_sql(const char *path, const char *sql);

/* The rows of a query, columns parted by '|', each row ended by a newline. */
void files_query(const char *path, const char *sql, char *rows, size_t size);

/* All names and bytes in the folder as one number, to show that nothing was
 * written; -shm files, which are no data, apart. */
uint64_t files_fingerprint(const char *folder);

/* Write `len` bytes at `offset`, through no database. */
void files_poke(const char *path, long offset, const void *bytes, size_t len);

#endif
