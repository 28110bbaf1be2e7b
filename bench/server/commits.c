#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

/*
 * The floor of a durable server: bare commits of SQLite, each with so many
 * rows, put and deleted in turn, as batches of grants are.
 *
 * commits FILE ROWS SECONDS: prints commits a second.
 */

static sqlite3 *db;

static void
run(const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "commits: %s\n", sqlite3_errmsg(db));
        exit(69);
    }
}

static sqlite3_stmt *
prepare(const char *sql)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fprintf(stderr, "commits: %s\n", sqlite3_errmsg(db));
        exit(69);
    }
    return statement;
}

static void
step(sqlite3_stmt *statement, int64_t key)
{
    sqlite3_bind_int64(statement, 1, key);
    (void)sqlite3_step(statement);
    sqlite3_reset(statement);
}

int
main(int argc, char **argv)
{
    sqlite3_stmt *put;
    sqlite3_stmt *take;
    int64_t rows;
    int64_t begun_us;
    int64_t until_us;
    uint64_t count = 0;

    if (argc != 4 || sqlite3_open(argv[1], &db) != SQLITE_OK)
        return 64;
    rows = strtol(argv[2], NULL, 10);
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE t(space TEXT, name INTEGER, version INTEGER,"
        " value TEXT, PRIMARY KEY(space, name)) STRICT;");
    put = prepare("INSERT OR REPLACE INTO t VALUES('!grants', ?1, ?1,"
                  " '{\"session\":\"00f3ab91c07d5e24\",\"lane\":1,\"n\":1,"
                  "\"locks\":[{\"space\":\"default\",\"name\":\"lock-1-1\","
                  "\"mode\":\"exclusive\"}],\"since\":1763850690123,"
                  "\"note\":\"\"}')");
    take = prepare("DELETE FROM t WHERE space = '!grants' AND name = ?1");
    begun_us = hf_now_us();
    until_us = begun_us + strtol(argv[3], NULL, 10) * 1000000;
    while (hf_now_us() < until_us) {
        run("BEGIN IMMEDIATE");
        for (int64_t i = 0; i < rows; i++)
            step(count % 2 == 0 ? put : take, i);
        run("COMMIT");
        count++;
    }
    printf("%.1f\n", (double)count * 1e6 / (double)(hf_now_us() - begun_us));
    return 0;
}
