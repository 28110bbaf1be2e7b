#include "support/test.h"

#include <jansson.h>
#include <string.h>

#include "client/view.h"

/*
 * Views: what each kind tells of, field by field, and as JSON.
 */

enum { ENOUGH = 20 * 1024 }; /* as holdfast/view.h promises */

#define BIT(field) (UINT64_C(1) << (field))

/* What is known of any record, of one that is there, and of one of ours. */
#define OF_NAME                                                                \
    (BIT(HF_FIELD_SPACE) | BIT(HF_FIELD_NAME) | BIT(HF_FIELD_EXISTS) |         \
     BIT(HF_FIELD_CORRUPT) | BIT(HF_FIELD_FOREIGN))
#define OF_RECORD                                                              \
    (OF_NAME | BIT(HF_FIELD_FENCE) | BIT(HF_FIELD_VERSION) |                   \
     BIT(HF_FIELD_STAMP_MS))
#define OF_LOCK                                                                \
    (OF_RECORD | BIT(HF_FIELD_CLAIM) | BIT(HF_FIELD_BEAT) |                    \
     BIT(HF_FIELD_IF_DEAD) | BIT(HF_FIELD_TTL_MS) | BIT(HF_FIELD_BEAT_MS) |    \
     BIT(HF_FIELD_SINCE_MS) | BIT(HF_FIELD_HOST) | BIT(HF_FIELD_USER) |        \
     BIT(HF_FIELD_COMMAND) | BIT(HF_FIELD_REASON) | BIT(HF_FIELD_PROCESSES))
/* What a lock server tells, and of a lock that is held also whose it is. */
#define OF_LINE                                                                \
    (BIT(HF_FIELD_MODE) | BIT(HF_FIELD_WAITERS) | BIT(HF_FIELD_POSITION) |     \
     BIT(HF_FIELD_WAITED_MS) | BIT(HF_FIELD_WHY) | BIT(HF_FIELD_PARKED_MS))
#define OF_CLAIM (OF_LOCK | OF_LINE | BIT(HF_FIELD_SESSION))
#define OF_FIRST (OF_NAME | OF_LINE | BIT(HF_FIELD_HOST) | BIT(HF_FIELD_USER))
#define OF_LIFE                                                                \
    (BIT(HF_FIELD_LIFE) | BIT(HF_FIELD_HERE) | BIT(HF_FIELD_RUNNING) |         \
     BIT(HF_FIELD_SAME_BOOT) | BIT(HF_FIELD_UNCHANGED_MS) |                    \
     BIT(HF_FIELD_WATCHED_MS) | BIT(HF_FIELD_STATUS) | BIT(HF_FIELD_ERROR) |   \
     BIT(HF_FIELD_CLEARED))
#define OF_CLEAR                                                               \
    (BIT(HF_FIELD_CLEARED) | BIT(HF_FIELD_CLEARED_MS) |                        \
     BIT(HF_FIELD_ASKED_MS) | BIT(HF_FIELD_FORCED) | BIT(HF_FIELD_BY_HOST) |   \
     BIT(HF_FIELD_BY_USER) | BIT(HF_FIELD_BY_COMMAND) |                        \
     BIT(HF_FIELD_BY_REASON))
#define OF_CHECK                                                               \
    (BIT(HF_FIELD_CHECK) | BIT(HF_FIELD_GRADE) | BIT(HF_FIELD_FOUND) |         \
     BIT(HF_FIELD_REMEDY))
#define OF_SESSION                                                             \
    (BIT(HF_FIELD_SESSION) | BIT(HF_FIELD_WHO) | BIT(HF_FIELD_IF_DEAD) |       \
     BIT(HF_FIELD_TTL_MS) | BIT(HF_FIELD_SILENT_MS) | BIT(HF_FIELD_HOLDS) |    \
     BIT(HF_FIELD_WAITS) | BIT(HF_FIELD_BY_ACQUIRE))

static const char *const field_words[] = {
#define FIELD_WORD(name, word, kind) word,
    HF_FIELD_TABLE(FIELD_WORD)
#undef FIELD_WORD
};

enum { FIELDS = sizeof(field_words) / sizeof(field_words[0]) };

static struct hf_description
example(void)
{
    return (struct hf_description){
        .exists = true,
        .space = "default",
        .name = "migrate",
        .fence = 17,
        .version = 19,
        .id = 23,
        .beat = 2,
        .if_dead = HF_REFUSE,
        .ttl = {60000},
        .beat_every = {2000},
        .since_ms = 1700000000000,
        .stamp_ms = 1700000001000,
        .host = "db1",
        .user = "ann",
        .command = "./migrate",
        .reason = "release 7",
        .processes = {{812, 813}, 2},
    };
}

static struct hf_view *
make(enum hf_view_kind kind)
{
    struct hf_view *view = hf_view_new(&hf_alloc_libc, kind);

    assert_non_null(view);
    return view;
}

static uint64_t
fields_of(const struct hf_view *view)
{
    uint64_t fields = 0;

    for (unsigned field = 0; field < FIELDS; field++)
        if (hf_view_has(view, (enum hf_field)field))
            fields |= BIT(field);
    return fields;
}

/* What it does not have is empty, however it is asked. */
static void
expect_fields(const struct hf_view *view, uint64_t expected)
{
    for (unsigned field = 0; field < FIELDS; field++) {
        if (hf_view_has(view, (enum hf_field)field) !=
            ((expected & BIT(field)) != 0))
            fail_msg("%s", field_words[field]);
        if ((expected & BIT(field)) != 0)
            continue;
        assert_string_equal(hf_view_text(view, (enum hf_field)field), "");
        assert_int_equal(hf_view_number(view, (enum hf_field)field), 0);
        assert_int_equal(hf_view_item(view, (enum hf_field)field, 0), 0);
    }
    assert_int_equal(fields_of(view), expected);
}

static json_t *
json_of(const struct hf_view *view)
{
    char text[ENOUGH];
    size_t len = hf_view_json(view, text, sizeof(text));
    json_error_t error;
    json_t *root;

    assert_int_equal(len, strlen(text));
    assert_int_equal(hf_view_json(view, NULL, 0), len);
    root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (root == NULL)
        fail_msg("jansson: %s: %s", error.text, text);
    return root;
}

static void
expect_json_text(const json_t *root, const char *key, const char *text)
{
    assert_string_equal(json_string_value(json_object_get(root, key)), text);
}

/* ---- Words --------------------------------------------------------------- */

TEST(every_field_and_every_grade_has_its_word)
{
    for (unsigned field = 0; field < FIELDS; field++)
        assert_string_equal(hf_field_word((enum hf_field)field),
                            field_words[field]);
    assert_string_equal(hf_field_word((enum hf_field)FIELDS), "?");
    assert_string_equal(hf_grade_word(HF_GRADE_OK), "ok");
    assert_string_equal(hf_grade_word(HF_GRADE_WARN), "warn");
    assert_string_equal(hf_grade_word(HF_GRADE_FAIL), "fail");
    assert_string_equal(hf_grade_word((enum hf_grade)99), "?");
}

/* ---- The kinds ----------------------------------------------------------- */

TEST(no_view_has_nothing)
{
    json_t *root = json_of(NULL);

    expect_fields(NULL, 0);
    assert_true(json_is_null(root));
    json_decref(root);
    hf_view_free(NULL);
}

TEST(a_row_tells_of_a_record)
{
    struct hf_view *view = make(HF_VIEW_ROW);
    json_t *root;

    view->row = example();
    expect_fields(view, OF_LOCK);
    assert_string_equal(hf_view_text(view, HF_FIELD_NAME), "migrate");
    assert_string_equal(hf_view_text(view, HF_FIELD_HOST), "db1");
    assert_string_equal(hf_view_text(view, HF_FIELD_USER), "ann");
    assert_string_equal(hf_view_text(view, HF_FIELD_COMMAND), "./migrate");
    assert_string_equal(hf_view_text(view, HF_FIELD_REASON), "release 7");
    assert_string_equal(hf_view_text(view, HF_FIELD_IF_DEAD), "refuse");
    assert_string_equal(hf_view_text(view, HF_FIELD_FENCE), "");
    assert_int_equal(hf_view_number(view, HF_FIELD_IF_DEAD), HF_REFUSE);
    assert_int_equal(hf_view_number(view, HF_FIELD_NAME), 0);
    assert_int_equal(hf_view_number(view, HF_FIELD_EXISTS), 1);
    assert_int_equal(hf_view_number(view, HF_FIELD_CORRUPT), 0);
    assert_int_equal(hf_view_number(view, HF_FIELD_FENCE), 17);
    assert_int_equal(hf_view_number(view, HF_FIELD_VERSION), 19);
    assert_int_equal(hf_view_number(view, HF_FIELD_CLAIM), 23);
    assert_int_equal(hf_view_number(view, HF_FIELD_BEAT), 2);
    assert_int_equal(hf_view_number(view, HF_FIELD_TTL_MS), 60000);
    assert_int_equal(hf_view_number(view, HF_FIELD_BEAT_MS), 2000);
    assert_int_equal(hf_view_number(view, HF_FIELD_SINCE_MS), 1700000000000);
    assert_int_equal(hf_view_number(view, HF_FIELD_STAMP_MS), 1700000001000);
    root = json_of(view);
    expect_json_text(root, "name", "migrate");
    expect_json_text(root, "lock", "23_2");
    json_decref(root);
    hf_view_free(view);
}

TEST(a_list_has_items_and_nothing_else_has)
{
    struct hf_view *view = make(HF_VIEW_ROW);

    view->row = example();
    assert_int_equal(hf_view_number(view, HF_FIELD_PROCESSES), 2);
    assert_int_equal(hf_view_item(view, HF_FIELD_PROCESSES, 0), 812);
    assert_int_equal(hf_view_item(view, HF_FIELD_PROCESSES, 1), 813);
    assert_int_equal(hf_view_item(view, HF_FIELD_PROCESSES, 2), 0);
    assert_int_equal(hf_view_item(view, HF_FIELD_PROCESSES, SIZE_MAX), 0);
    assert_int_equal(hf_view_item(view, HF_FIELD_FENCE, 0), 0);
    hf_view_free(view);
}

TEST(of_a_record_that_is_not_there_or_not_ours_little_is_told)
{
    struct hf_view *view = make(HF_VIEW_ROW);

    view->row = example();
    view->row.corrupt = true;
    expect_fields(view, OF_RECORD);
    assert_int_equal(hf_view_item(view, HF_FIELD_PROCESSES, 0), 0);
    view->row.exists = false;
    expect_fields(view, OF_NAME);
    hf_view_free(view);
}

/* The JSON behind the record's own members. */
static const char *
json_tail(const struct hf_view *view, const char *from)
{
    static char text[ENOUGH];
    const char *tail;

    hf_view_json(view, text, sizeof(text));
    tail = strstr(text, from);
    if (tail == NULL)
        fail_msg("%s", text);
    return tail;
}

TEST(a_lock_servers_row_tells_of_its_claim_and_its_line)
{
    struct hf_view *view = make(HF_VIEW_ROW);

    view->row = example();
    view->row.served = true;
    view->row.mode = HF_SHARED;
    view->row.waiters = 2;
    memcpy(view->row.session, "00f3ab91c07d5e24", 17);
    expect_fields(view, OF_CLAIM);
    assert_string_equal(hf_view_text(view, HF_FIELD_SESSION),
                        "00f3ab91c07d5e24");
    assert_string_equal(hf_view_text(view, HF_FIELD_MODE), "shared");
    assert_string_equal(json_tail(view, ",\"mode\""),
                        ",\"mode\":\"shared\",\"session\":"
                        "\"00f3ab91c07d5e24\",\"waiters\":2}");
    view->row.position = 1;
    view->row.waited.ms = 1200;
    view->row.parked.ms = 30000;
    view->row.why = "parked";
    expect_fields(view, OF_CLAIM);
    assert_string_equal(json_tail(view, ",\"waiters\""),
                        ",\"waiters\":2,\"position\":1,\"waited_ms\":1200,"
                        "\"why\":\"parked\",\"parked_ms\":30000}");
    view->row.corrupt = true;
    expect_fields(view, OF_RECORD);
    hf_view_free(view);
}

TEST(of_what_nobody_holds_a_lock_server_tells_who_is_first)
{
    struct hf_view *view = make(HF_VIEW_ROW);

    view->row = example();
    view->row.exists = false;
    view->row.served = true;
    view->row.waiters = 2;
    view->row.position = 2;
    view->row.why = "elsewhere";
    expect_fields(view, OF_FIRST);
    assert_string_equal(json_tail(view, ",\"exists\""),
                        ",\"exists\":false,\"waiters\":2,\"host\":\"db1\","
                        "\"user\":\"ann\",\"why\":\"elsewhere\"}");
    hf_view_free(view);
}

TEST(a_diagnosis_tells_of_its_holders_life)
{
    struct hf_view *view = make(HF_VIEW_DIAGNOSIS);
    json_t *root;

    view->diagnosis = (struct hf_diagnosis){
        .record = example(),
        .life = HF_LIFE_SUSPECTED,
        .here = true,
        .same_boot = true,
        .unchanged = {60000},
        .watched = {61000},
        .error = {HF_E_UNAVAILABLE, "x: the disk is full"},
        .cleared = true,
    };
    expect_fields(view, OF_LOCK | OF_LIFE);
    assert_string_equal(hf_view_text(view, HF_FIELD_LIFE), "suspected dead");
    assert_int_equal(hf_view_number(view, HF_FIELD_LIFE), HF_LIFE_SUSPECTED);
    assert_int_equal(hf_view_number(view, HF_FIELD_HERE), 1);
    assert_int_equal(hf_view_number(view, HF_FIELD_RUNNING), 0);
    assert_int_equal(hf_view_number(view, HF_FIELD_SAME_BOOT), 1);
    assert_int_equal(hf_view_number(view, HF_FIELD_UNCHANGED_MS), 60000);
    assert_int_equal(hf_view_number(view, HF_FIELD_WATCHED_MS), 61000);
    assert_string_equal(hf_view_text(view, HF_FIELD_STATUS),
                        "HF_E_UNAVAILABLE");
    assert_int_equal(hf_view_number(view, HF_FIELD_STATUS), HF_E_UNAVAILABLE);
    assert_string_equal(hf_view_text(view, HF_FIELD_ERROR),
                        "x: the disk is full");
    assert_int_equal(hf_view_number(view, HF_FIELD_CLEARED), 1);
    assert_int_equal(hf_view_item(view, HF_FIELD_PROCESSES, 1), 813);
    root = json_of(view);
    expect_json_text(root, "life", "suspected dead");
    expect_json_text(root, "error", "x: the disk is full");
    assert_true(json_is_true(json_object_get(root, "same_boot")));
    json_decref(root);
    view->diagnosis.record.exists = false;
    expect_fields(view, OF_NAME | OF_LIFE);
    view->diagnosis.by_known = true;
    memcpy(view->diagnosis.by.reason, "db1 lost power", 15);
    expect_fields(view, OF_NAME | OF_LIFE | BIT(HF_FIELD_BY_HOST) |
                            BIT(HF_FIELD_BY_USER) | BIT(HF_FIELD_BY_REASON));
    assert_string_equal(hf_view_text(view, HF_FIELD_BY_REASON),
                        "db1 lost power");
    hf_view_free(view);
}

TEST(an_entry_of_the_audit_tells_who_cleared_what)
{
    struct hf_view *view = make(HF_VIEW_ENTRY);
    json_t *root;

    view->entry = (struct hf_audit_entry){
        .stamp_ms = 1700000009000,
        .asked_ms = 1700000008000,
        .forced = true,
        .host = "db2",
        .user = "bob",
        .command = "holdfast clear",
        .reason = "db1 lost power",
        .cleared = example(),
    };
    expect_fields(view, OF_LOCK | OF_CLEAR);
    assert_string_equal(hf_view_text(view, HF_FIELD_BY_HOST), "db2");
    assert_string_equal(hf_view_text(view, HF_FIELD_BY_USER), "bob");
    assert_string_equal(hf_view_text(view, HF_FIELD_BY_COMMAND),
                        "holdfast clear");
    assert_string_equal(hf_view_text(view, HF_FIELD_BY_REASON),
                        "db1 lost power");
    assert_string_equal(hf_view_text(view, HF_FIELD_HOST), "db1");
    assert_string_equal(hf_view_text(view, HF_FIELD_REASON), "release 7");
    assert_int_equal(hf_view_number(view, HF_FIELD_CLEARED), 1);
    assert_int_equal(hf_view_number(view, HF_FIELD_CLEARED_MS), 1700000009000);
    assert_int_equal(hf_view_number(view, HF_FIELD_ASKED_MS), 1700000008000);
    assert_int_equal(hf_view_number(view, HF_FIELD_STAMP_MS), 1700000001000);
    assert_int_equal(hf_view_number(view, HF_FIELD_FORCED), 1);
    root = json_of(view);
    expect_json_text(root, "reason", "db1 lost power");
    expect_json_text(json_object_get(root, "by"), "host", "db2");
    expect_json_text(json_object_get(root, "cleared"), "name", "migrate");
    json_decref(root);
    view->entry.cleared.corrupt = true; /* it was not ours, but the clear was */
    expect_fields(view, OF_RECORD | OF_CLEAR);
    assert_int_equal(hf_view_number(view, HF_FIELD_CORRUPT), 1);
    hf_view_free(view);
}

TEST(an_entry_that_is_not_ours_has_its_name_and_its_time)
{
    struct hf_view *view = make(HF_VIEW_ENTRY);
    json_t *root;

    view->entry = (struct hf_audit_entry){
        .corrupt = true,
        .stamp_ms = 1700000009000,
        .cleared = {.name = "whatever"},
    };
    expect_fields(view, BIT(HF_FIELD_CLEARED_MS) | BIT(HF_FIELD_CORRUPT) |
                            BIT(HF_FIELD_NAME));
    assert_int_equal(hf_view_number(view, HF_FIELD_CORRUPT), 1);
    assert_string_equal(hf_view_text(view, HF_FIELD_NAME), "whatever");
    root = json_of(view);
    expect_json_text(root, "entry", "whatever");
    json_decref(root);
    hf_view_free(view);
}

TEST(a_check_tells_what_was_found_and_what_helps)
{
    struct hf_view *view = make(HF_VIEW_CHECK);
    json_t *root;

    view->check = (struct hf_checkup){
        .check = "latency",
        .grade = HF_GRADE_WARN,
        .found = "a commit takes 400ms on \"slow\"",
        .remedy = "put the file on a quicker disk",
    };
    expect_fields(view, OF_CHECK);
    assert_string_equal(hf_view_text(view, HF_FIELD_CHECK), "latency");
    assert_string_equal(hf_view_text(view, HF_FIELD_GRADE), "warn");
    assert_int_equal(hf_view_number(view, HF_FIELD_GRADE), HF_GRADE_WARN);
    assert_string_equal(hf_view_text(view, HF_FIELD_REMEDY),
                        "put the file on a quicker disk");
    root = json_of(view);
    assert_int_equal(json_object_size(root), 4);
    expect_json_text(root, "check", "latency");
    expect_json_text(root, "grade", "warn");
    expect_json_text(root, "found", "a commit takes 400ms on \"slow\"");
    expect_json_text(root, "remedy", "put the file on a quicker disk");
    json_decref(root);
    hf_view_free(view);
}

TEST(a_session_tells_who_has_it_and_what_it_has)
{
    struct hf_view *view = make(HF_VIEW_SESSION);
    json_t *root;

    view->session = (struct hf_api_session){
        .id = "00f3ab91c07d5e24",
        .who = "ann@\"db1\"",
        .if_dead = HF_REFUSE,
        .ttl = {30000},
        .silent = {1200},
        .holds = 3,
        .waits = 1,
        .by_acquire = true,
    };
    expect_fields(view, OF_SESSION);
    assert_string_equal(hf_view_text(view, HF_FIELD_SESSION),
                        "00f3ab91c07d5e24");
    assert_string_equal(hf_view_text(view, HF_FIELD_WHO), "ann@\"db1\"");
    assert_string_equal(hf_view_text(view, HF_FIELD_IF_DEAD), "refuse");
    assert_int_equal(hf_view_number(view, HF_FIELD_TTL_MS), 30000);
    assert_int_equal(hf_view_number(view, HF_FIELD_SILENT_MS), 1200);
    assert_int_equal(hf_view_number(view, HF_FIELD_HOLDS), 3);
    assert_int_equal(hf_view_number(view, HF_FIELD_WAITS), 1);
    assert_int_equal(hf_view_number(view, HF_FIELD_BY_ACQUIRE), 1);
    root = json_of(view);
    assert_int_equal(json_object_size(root), 8);
    expect_json_text(root, "session", "00f3ab91c07d5e24");
    expect_json_text(root, "who", "ann@\"db1\"");
    assert_true(json_is_true(json_object_get(root, "by_acquire")));
    json_decref(root);
    hf_view_free(view);
}

/* A field of a later version of the library. */
TEST(an_unknown_field_is_nobodys)
{
    for (int kind = HF_VIEW_ROW; kind <= HF_VIEW_CHECK; kind++) {
        struct hf_view *view = make((enum hf_view_kind)kind);

        assert_false(hf_view_has(view, (enum hf_field)FIELDS));
        assert_false(hf_view_has(view, (enum hf_field)9999));
        assert_string_equal(hf_view_text(view, (enum hf_field)9999), "");
        assert_int_equal(hf_view_number(view, (enum hf_field)9999), 0);
        hf_view_free(view);
    }
}
