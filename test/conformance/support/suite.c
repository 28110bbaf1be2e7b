#include "suite.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"

enum { CASES_MAX = 128, NAME_SIZE = 128 };

/* ---- The stores ---------------------------------------------------------- */

static bool
make_memory(char place[SUITE_PLACE_SIZE])
{
    static unsigned made;

    snprintf(place, SUITE_PLACE_SIZE, "memory:suite-%u", ++made);
    return true;
}

static void
destroy_memory(const char *place)
{
    (void)place; /* it goes with its last store */
}

static bool
make_sqlite(char place[SUITE_PLACE_SIZE])
{
    char folder[SUITE_FOLDER_SIZE];

    suite_make_folder(folder);
    snprintf(place, SUITE_PLACE_SIZE, "sqlite:%s/locks.db", folder);
    return true;
}

static void
destroy_sqlite(const char *place)
{
    char folder[SUITE_PLACE_SIZE];

    snprintf(folder, sizeof(folder), "%s", place + strlen("sqlite:"));
    *strrchr(folder, '/') = '\0';
    suite_destroy_folder(folder);
}

/* Behind a server that run.py has started, with which it goes: for each kind
 * the option that names a place. */
static const struct {
    const char *scheme;
    const char *option;
} servers[] = {
    {"postgresql:", "schema="},
};

bool
suite_behind_server(char place[SUITE_PLACE_SIZE])
{
    const char *server = getenv("HF_PLACE");
    static unsigned made;

    for (size_t i = 0;
         server != NULL && i < sizeof(servers) / sizeof(servers[0]); i++) {
        size_t len = strlen(servers[i].scheme);

        if (strncmp(server, servers[i].scheme, len) == 0) {
            snprintf(place, SUITE_PLACE_SIZE, "%s?%ssuite_%d_%u", server,
                     servers[i].option, (int)getpid(), ++made);
            return true;
        }
    }
    return false;
}

static void
destroy_nothing(const char *place)
{
    (void)place;
}

static const struct suite_kind with_server[] = {
    {
        .name = "server",
        .processes = true,
        .reopens = true,
        .text_only = true,
        .erases_later = true,
        .rounds = 3, /* a put is seen by the next look, within a second */
        .make = suite_behind_server,
        .destroy = destroy_nothing,
    },
};

static const struct suite_kind kinds[] = {
    {
        .name = "memory",
        .rounds = 50,
        .make = make_memory,
        .destroy = destroy_memory,
    },
    {
        .name = "sqlite",
        .processes = true,
        .reopens = true,
        .rounds = 50,
        .make = make_sqlite,
        .destroy = destroy_sqlite,
    },
};

/* ---- Running ------------------------------------------------------------- */

struct run {
    suite_fn *test;
    char name[NAME_SIZE];
    struct suite_bench bench;
};

static int
set_up(void **state)
{
    struct suite_bench *bench = &((struct run *)*state)->bench;

    if (bench->kind->make(bench->place))
        bench->store = suite_open(bench);
    return 0;
}

static void
run_one(void **state)
{
    struct run *run = *state;

    if (run->bench.store == NULL) {
        print_message("%s: cannot be had here\n", run->bench.kind->name);
        skip();
    }
    run->test(&run->bench);
}

static int
tear_down(void **state)
{
    struct suite_bench *bench = &((struct run *)*state)->bench;

    if (bench->store != NULL) {
        hf_store_close(bench->store);
        bench->kind->destroy(bench->place);
    }
    return 0;
}

int
suite_run(const struct suite_case *cases, size_t count)
{
    static struct run runs[CASES_MAX];
    static struct CMUnitTest tests[CASES_MAX];
    bool served = getenv("HF_PLACE") != NULL;
    const struct suite_kind *rows = served ? with_server : kinds;
    size_t rows_count = served ? sizeof(with_server) / sizeof(with_server[0])
                               : sizeof(kinds) / sizeof(kinds[0]);
    size_t total = 0;

    HF_CHECK(count * rows_count <= CASES_MAX);
    for (size_t k = 0; k < rows_count; k++) {
        for (size_t i = 0; i < count; i++) {
            struct run *run = &runs[total];

            run->bench.kind = &rows[k];
            run->test = cases[i].run;
            snprintf(run->name, NAME_SIZE, "%s: %s", rows[k].name,
                     cases[i].name);
            tests[total++] = (struct CMUnitTest){
                .name = run->name,
                .test_func = run_one,
                .setup_func = set_up,
                .teardown_func = tear_down,
                .initial_state = run,
            };
        }
    }
    return _cmocka_run_group_tests("conformance", tests, total, NULL, NULL);
}

/* ---- Verbs --------------------------------------------------------------- */

struct hf_store *
suite_open(const struct suite_bench *bench)
{
    return suite_open_place(bench->place);
}

struct hf_store *
suite_open_place(const char *place)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};

    if (hf_store_open(place, &hf_alloc_libc, &store, &error) != HF_OK)
        fail_msg("%s", error.text);
    return store;
}

void
suite_make_folder(char folder[SUITE_FOLDER_SIZE])
{
    const char *base = getenv("TMPDIR");

    snprintf(folder, SUITE_FOLDER_SIZE, "%s/holdfast-test-XXXXXX",
             base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
}

void
suite_remake_folder(const char *folder)
{
    assert_int_equal(mkdir(folder, 0700), 0);
}

void
suite_destroy_folder(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *file;

    assert_non_null(files);
    for (file = readdir(files); file != NULL; file = readdir(files)) {
        char path[SUITE_PLACE_SIZE + 256];

        snprintf(path, sizeof(path), "%s/%s", folder, file->d_name);
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            assert_int_equal(remove(path), 0);
    }
    closedir(files);
    assert_int_equal(rmdir(folder), 0);
}

void
suite_threads_begin(void)
{
    assert_int_equal(setenv("CMOCKA_TEST_ABORT", "1", 1), 0);
}

void
suite_threads_end(void)
{
    assert_int_equal(unsetenv("CMOCKA_TEST_ABORT"), 0);
}

pid_t
suite_start(suite_child_fn *work, void *ctx)
{
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        suite_threads_begin();
        _exit(work(ctx) ? 0 : 1);
    }
    return child;
}

int
suite_end_of(pid_t child)
{
    int end = 0;

    assert_int_equal(waitpid(child, &end, 0), child);
    return end;
}

struct hf_key
suite_key(const char *name)
{
    return (struct hf_key){"default", name};
}

struct hf_instant
suite_soon(void)
{
    return hf_after(hf_now(), (struct hf_duration){10000});
}

struct hf_store_op
suite_put(struct hf_key key, uint64_t version, const char *value)
{
    return (struct hf_store_op){
        .kind = HF_PUT,
        .key = key,
        .expect = {HF_EXPECT_VERSION, version},
        .new_generation = true,
        .value = value,
        .value_len = strlen(value),
    };
}

struct hf_store_op
suite_beat(struct hf_key key, uint64_t version, const char *value)
{
    struct hf_store_op op = suite_put(key, version, value);

    op.new_generation = false;
    return op;
}

struct hf_store_op
suite_delete(struct hf_key key, uint64_t version)
{
    return (struct hf_store_op){
        .kind = HF_DELETE,
        .key = key,
        .expect = {HF_EXPECT_VERSION, version},
    };
}

enum hf_verdict
suite_commit(struct hf_store *store, struct hf_store_op *ops, size_t count)
{
    struct hf_store_group group = {.ops = ops, .ops_count = count};

    hf_store_commit(store, &group, 1, suite_soon(), NULL);
    return group.verdict;
}

uint64_t
suite_apply(struct hf_store *store, struct hf_store_op op)
{
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_error error = {.text = "refused"};

    hf_store_commit(store, &group, 1, suite_soon(), &error);
    if (group.verdict != HF_APPLIED)
        fail_msg("%s of %s: %s: %s", hf_op_kind_word(op.kind), op.key.name,
                 hf_verdict_word(group.verdict), error.text);
    return op.version;
}

static uint64_t
read_version(struct hf_store *store, struct hf_key key, bool exists)
{
    struct hf_record record;
    struct hf_error error = {.status = HF_OK};

    if (get_one(store, key, suite_soon(), &record, &error) != HF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(record.exists, exists);
    return record.version;
}

uint64_t
suite_present(struct hf_store *store, struct hf_key key)
{
    return read_version(store, key, true);
}

uint64_t
suite_absent(struct hf_store *store, struct hf_key key)
{
    return read_version(store, key, false);
}

void
suite_expect_value(struct hf_store *store, struct hf_key key, const char *value)
{
    struct hf_record record;

    assert_int_equal(get_one(store, key, suite_soon(), &record, NULL), HF_OK);
    assert_true(record.exists);
    assert_int_equal(record.value_len, strlen(value));
    assert_memory_equal(record.value, value, record.value_len);
}

struct names {
    char *at;
    size_t size;
};

static bool
add_name(void *ctx, const char *name, size_t name_len,
         const struct hf_record *record)
{
    struct names *names = ctx;

    assert_true(record->exists);
    assert_int_equal(name[name_len], '\0');
    assert_true(name_len + 2 <= names->size);
    memcpy(names->at, name, name_len);
    memcpy(names->at + name_len, "\n", 2);
    names->at += name_len + 1;
    names->size -= name_len + 1;
    return true;
}

void
suite_scan(struct hf_store *store, const struct hf_store_scan *scan,
           char *names, size_t size)
{
    struct names into = {names, size};
    struct hf_error error = {.status = HF_OK};

    names[0] = '\0';
    if (hf_store_scan(store, scan, suite_soon(), add_name, &into, &error) !=
        HF_OK)
        fail_msg("%s", error.text);
}
