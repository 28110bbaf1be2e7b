#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "server/route.h"

static struct hf_route route;
static struct hf_route_refusal refusal;
static struct hf_bytes optional;

/* "GET /v1/locks?limit=3" */
static bool
goes(const char *request)
{
    const char *path = strchr(request, ' ') + 1;
    const char *query = strchr(path, '?');
    char method[16] = "";

    memcpy(method, request, (size_t)(path - request) - 1);
    return hf_route_read(
        &(struct hf_route_ask){
            .method = method,
            .path = {path,
                     query == NULL ? strlen(path) : (size_t)(query - path)},
            .query = query == NULL
                         ? (struct hf_bytes){NULL, 0}
                         : (struct hf_bytes){query + 1, strlen(query + 1)},
            .optional = optional,
        },
        &route, &refusal);
}

static void
expect_problem(const char *request, enum hf_api_problem expected)
{
    assert_false(goes(request));
    assert_int_equal(refusal.problem, expected);
}

/* ---- Tests --------------------------------------------------------------- */

static void
every_request_of_the_api_has_its_way(void **state)
{
    static const struct {
        const char *request;
        enum hf_route_kind kind;
    } all[] = {
        {"POST /v1/sessions", HF_ROUTE_OPEN},
        {"POST /v1/sessions/00f3ab91c07d5e24/keep-alive", HF_ROUTE_KEEP_ALIVE},
        {"POST /v1/sessions/00f3ab91c07d5e24/page", HF_ROUTE_PAGE},
        {"DELETE /v1/sessions/00f3ab91c07d5e24", HF_ROUTE_END},
        {"POST /v1/acquire", HF_ROUTE_ACQUIRE},
        {"POST /v1/locks/a/acquire", HF_ROUTE_ACQUIRE},
        {"POST /v1/locks/a/wait", HF_ROUTE_WAIT},
        {"POST /v1/release", HF_ROUTE_RELEASE},
        {"POST /v1/locks/a/release", HF_ROUTE_RELEASE},
        {"POST /v1/locks/a/change", HF_ROUTE_CHANGE},
        {"POST /v1/locks/a/clear", HF_ROUTE_CLEAR},
        {"GET /v1/sessions?after=7", HF_ROUTE_SESSIONS},
        {"GET /v1/locks", HF_ROUTE_LIST},
        {"GET /v1/locks/a", HF_ROUTE_SHOW},
        {"GET /v1/locks/a/why", HF_ROUTE_WHY},
        {"GET /v1/audit", HF_ROUTE_AUDIT},
        {"GET /v1/info", HF_ROUTE_INFO},
        {"GET /healthz", HF_ROUTE_HEALTH},
        {"GET /readyz", HF_ROUTE_READY},
        {"GET /metrics", HF_ROUTE_METRICS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_true(goes(all[i].request));
        assert_int_equal(route.kind, all[i].kind);
    }
}

static void
a_path_names_a_session_or_a_lock(void **state)
{
    (void)state;
    assert_true(goes("POST /v1/sessions/00f3ab91c07d5e24/keep-alive"));
    assert_true(route.session == UINT64_C(0x00f3ab91c07d5e24));
    assert_true(goes("GET /v1/locks/a%2Fb%20c+d"));
    assert_string_equal(route.name.at, "a/b c+d");
    assert_int_equal(route.name.len, 7);
    assert_true(goes("POST /v1/locks/%E2%82%AC/acquire?space=j%6fbs"));
    assert_string_equal(route.name.at, "\xE2\x82\xAC");
    assert_string_equal(route.space.at, "jobs");
}

static void
what_is_not_there_is_told_apart_from_what_may_not_be_done(void **state)
{
    (void)state;
    expect_problem("GET /", HF_API_NO_RESOURCE);
    expect_problem("GET /v1", HF_API_NO_RESOURCE);
    expect_problem("GET /v1/locks/", HF_API_NO_RESOURCE);
    expect_problem("GET /v1//locks", HF_API_NO_RESOURCE);
    expect_problem("GET /v1/locks/a/b", HF_API_NO_RESOURCE);
    expect_problem("GET /v1/locks/a/why/not", HF_API_NO_RESOURCE);
    expect_problem("GET v1/locks", HF_API_NO_RESOURCE);
    expect_problem("OPTIONS *", HF_API_NO_RESOURCE);
    expect_problem("GET /v1/acquire", HF_API_NO_METHOD);
    expect_problem("DELETE /v1/sessions", HF_API_NO_METHOD);
    expect_problem("DELETE /v1/locks/a", HF_API_NO_METHOD);
    expect_problem("POST /healthz", HF_API_NO_METHOD);
}

static void
a_query_is_read(void **state)
{
    (void)state;
    assert_true(goes("GET /v1/locks?prefix=a%26b&after=&limit=1000&&"));
    assert_string_equal(route.prefix.at, "a&b");
    assert_int_equal(route.after.len, 0);
    assert_int_equal(route.limit, 1000);
    assert_false(route.space.is_given);
    assert_true(goes("GET /v1/locks?"));
    assert_int_equal(route.limit, 0);
}

static void
expect_unknown(const char *request, const char *name, const char *sentence)
{
    expect_problem(request, HF_API_BAD_REQUEST);
    assert_string_equal(refusal.unknown.what, "parameter");
    assert_string_equal(refusal.unknown.name, name);
    assert_string_equal(refusal.why.text, sentence);
}

static void
a_parameter_that_is_not_known_is_refused_unless_it_is_optional(void **state)
{
    (void)state;
    expect_unknown("GET /v1/locks?lmit=5", "lmit",
                   "there is no parameter \"lmit\" of this path: did you mean "
                   "\"limit\"?");
    expect_unknown("POST /v1/locks/a/acquire?name=b", "name",
                   "there is no parameter \"name\" of this path: there is only "
                   "space");
    expect_unknown("GET /v1/info?x", "x",
                   "there is no parameter \"x\" of this path, and it has no "
                   "parameters");
    expect_problem("GET /v1/locks?=1", HF_API_BAD_REQUEST);
    optional = (struct hf_bytes){"colour, x", 9};
    assert_true(goes("GET /v1/info?x&colour=red"));
    expect_problem("GET /v1/info?colou=red", HF_API_BAD_REQUEST);
    optional = (struct hf_bytes){NULL, 0};
    assert_true(goes("GET /metrics?format=text"));
    assert_true(goes("GET /readyz?leader&verbose"));
    assert_true(route.leader);
}

static void
what_is_wrong_in_it_is_named(void **state)
{
    (void)state;
    expect_problem("GET /v1/locks?limit=0", HF_API_BAD_REQUEST);
    assert_string_equal(refusal.why.text, "limit is from 1 to 1000");
    expect_problem("GET /v1/locks?limit=1&limit=2", HF_API_BAD_REQUEST);
    assert_string_equal(refusal.why.text, "limit is given twice");
    expect_problem("GET /v1/locks?after=&after=3", HF_API_BAD_REQUEST);
    expect_problem("GET /v1/locks/a?lane=1&lane=1", HF_API_BAD_REQUEST);
    expect_problem("GET /v1/locks?limit=1001", HF_API_BAD_REQUEST);
    expect_problem("GET /v1/locks?limit=99999999999999999999",
                   HF_API_BAD_REQUEST);
    expect_problem("GET /v1/locks?limit=-1", HF_API_BAD_REQUEST);
    expect_problem("GET /v1/locks?prefix=%4", HF_API_BAD_REQUEST);
    assert_string_equal(refusal.why.text,
                        "prefix is too long, or not escaped as it should be");
    expect_problem("GET /v1/locks/%zz", HF_API_BAD_REQUEST);
    expect_problem("POST /v1/sessions/1/keep-alive", HF_API_BAD_REQUEST);
    assert_string_equal(refusal.why.text,
                        "a session is an id of 16 hexadecimal digits");
    expect_problem("DELETE /v1/sessions/0000000000000000", HF_API_BAD_REQUEST);
}

static void
a_name_may_be_as_long_as_a_name_can_be(void **state)
{
    char request[HF_NAME_MAX + 32] = "GET /v1/locks/";
    size_t before = strlen(request);

    (void)state;
    memset(request + before, 'n', HF_NAME_MAX);
    assert_true(goes(request));
    assert_int_equal(route.name.len, HF_NAME_MAX);
    memset(request + before, 'n', HF_NAME_MAX + 1);
    expect_problem(request, HF_API_BAD_REQUEST);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_of_the_api_has_its_way),
        cmocka_unit_test(a_path_names_a_session_or_a_lock),
        cmocka_unit_test(
            what_is_not_there_is_told_apart_from_what_may_not_be_done),
        cmocka_unit_test(a_query_is_read),
        cmocka_unit_test(
            a_parameter_that_is_not_known_is_refused_unless_it_is_optional),
        cmocka_unit_test(what_is_wrong_in_it_is_named),
        cmocka_unit_test(a_name_may_be_as_long_as_a_name_can_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
