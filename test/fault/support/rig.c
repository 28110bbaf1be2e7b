#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_SIZE = 256 };

char rig_place[RIG_PLACE_SIZE];
char rig_big[RIG_BIG];

static char folder[FOLDER_SIZE];

void
rig_make_place(void)
{
    const char *base = getenv("TMPDIR");

    /* Thousands of files are made: in memory, where the system has it. */
    if (access("/dev/shm", W_OK) == 0)
        base = "/dev/shm";
    snprintf(folder, sizeof(folder), "%.200s/holdfast-fault-XXXXXX",
             base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(rig_place, sizeof(rig_place), "sqlite:%s/locks.db", folder);
}

void
rig_destroy_place(void)
{
    DIR *files = opendir(folder);
    const struct dirent *file;

    assert_non_null(files);
    for (file = readdir(files); file != NULL; file = readdir(files)) {
        char path[FOLDER_SIZE + 300];

        snprintf(path, sizeof(path), "%s/%s", folder, file->d_name);
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            assert_int_equal(remove(path), 0);
    }
    closedir(files);
    assert_int_equal(rmdir(folder), 0);
}

static int
count_descriptors(void)
{
    DIR *fds = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(fds);
    while (readdir(fds) != NULL)
        count++;
    closedir(fds);
    return count;
}

struct hf_instant
rig_soon(void)
{
    return hf_after(hf_now(), (struct hf_duration){10000});
}

struct hf_key
rig_key_of(const char *name)
{
    return (struct hf_key){"default", name};
}

struct hf_store *
rig_open_store(void)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};

    if (hf_store_open(rig_place, &faults_alloc, &store, &error) != HF_OK)
        fail_msg("%s", error.text);
    return store;
}

struct hf_record
rig_read_key(struct hf_store *store, const char *name)
{
    static struct hf_record record;
    struct hf_error error = {.status = HF_OK};

    if (get_one(store, rig_key_of(name), rig_soon(), &record, &error) != HF_OK)
        fail_msg("%s", error.text);
    return record;
}

struct hf_store_op
rig_put(const char *name, uint64_t version, const char *value, size_t len)
{
    return (struct hf_store_op){
        .kind = HF_PUT,
        .key = rig_key_of(name),
        .expect = {HF_EXPECT_VERSION, version},
        .new_generation = true,
        .value = value,
        .value_len = len,
    };
}

void
rig_put_once(struct hf_store *store, const char *name, size_t len)
{
    static char letter = 'a';
    struct hf_store_op op =
        rig_put(name, rig_read_key(store, name).version, rig_big, len);
    struct hf_store_group group = {.ops = &op, .ops_count = 1};

    /* SQLite writes no page that stays as it was. */
    letter = letter == 'z' ? 'a' : (char)(letter + 1);
    memset(rig_big, letter, sizeof(rig_big));
    hf_store_commit(store, &group, 1, rig_soon(), NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
}

struct hf_store *
rig_prepare(int puts)
{
    struct hf_store *store;

    rig_make_place();
    store = rig_open_store();
    rig_put_once(store, "a", 10);
    for (int i = 0; i < puts; i++)
        rig_put_once(store, "fill", RIG_BIG);
    return store;
}

/* SQLite asks for memory thousands of times, and is not built with a sanitizer:
 * with HF_SHARE=N, one call in so many of these fails. */
static int
step_of(enum fault_kind kind)
{
    const char *share = getenv("HF_SHARE");

    return kind == FAULT_MALLOC && share != NULL ? (int)strtol(share, NULL, 10)
                                                 : 1;
}

/* Returns how many calls of the kind a run makes. */
int
rig_try(enum fault_kind kind, bool persistent, rig_run_fn *run)
{
    int descriptors = count_descriptors();
    struct fault_plan plan;
    int step = step_of(kind);
    int n = 1 - step;

    do {
        sqlite3_int64 memory = sqlite3_memory_used();

        plan = (struct fault_plan){
            .kind = kind, .countdown = n += step, .persistent = persistent};
        run(&plan);
        assert_int_equal(sqlite3_memory_used(), memory);
        assert_int_equal(faults_alloc_outstanding(), 0);
        assert_int_equal(count_descriptors(), descriptors);
    } while (plan.fired);
    return n - 1;
}

void
rig_try_all(const char *what, rig_run_fn *run)
{
    for (enum fault_kind kind = FAULT_NONE + 1; kind < FAULT_KINDS; kind++) {
        int once = rig_try(kind, false, run);
        int ever = rig_try(kind, true, run);

        if (once > 0)
            print_message("    %s, %s: %d once, %d for ever after\n", what,
                          fault_kind_word(kind), once, ever);
    }
}
