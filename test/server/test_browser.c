#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "server/browser.h"

static bool
is_refused(enum hf_http_field field, const char *value, const char *agent)
{
    struct hf_http_request request = {.method = HF_HTTP_POST};

    request.fields[field] = (struct hf_bytes){value, strlen(value)};
    if (agent != NULL)
        request.fields[HF_HTTP_USER_AGENT] =
            (struct hf_bytes){agent, strlen(agent)};
    return hf_browser_why(&request) != NULL;
}

static void
who_says_nothing_of_a_page_is_none(void **state)
{
    const struct hf_http_request request = {.method = HF_HTTP_POST};

    (void)state;
    assert_null(hf_browser_why(&request));
}

static void
whoever_has_an_origin_is_one(void **state)
{
    (void)state;
    assert_true(is_refused(HF_HTTP_ORIGIN, "null", NULL));
    assert_true(is_refused(HF_HTTP_ORIGIN, "", "curl/8"));
}

static void
a_browser_says_whose_page_it_is(void **state)
{
    (void)state;
    assert_true(is_refused(HF_HTTP_FETCH_SITE, "cross-site", NULL));
    assert_true(is_refused(HF_HTTP_FETCH_SITE, "same-site", NULL));
    assert_true(is_refused(HF_HTTP_FETCH_SITE, "", NULL));
    assert_true(is_refused(HF_HTTP_FETCH_SITE, "cross-site", "curl/8"));
    assert_false(is_refused(HF_HTTP_FETCH_SITE, "same-origin", NULL));
    assert_false(is_refused(HF_HTTP_FETCH_SITE, "none", NULL));
}

static void
what_a_form_can_send_is_a_pages(void **state)
{
    static const char *const forms[] = {
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded;charset=utf-8",
        "Application/X-WWW-Form-URLencoded ; x",
        "multipart/form-data; boundary=x",
        "text/plain",
        "TEXT/PLAIN\t;",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        assert_true(is_refused(HF_HTTP_CONTENT_TYPE, forms[i], NULL));
        assert_true(
            is_refused(HF_HTTP_CONTENT_TYPE, forms[i], "Mozilla/5.0 curl/8"));
    }
    assert_false(is_refused(HF_HTTP_CONTENT_TYPE, "application/json", NULL));
    assert_false(is_refused(HF_HTTP_CONTENT_TYPE, "text/plainly", NULL));
    assert_false(is_refused(HF_HTTP_CONTENT_TYPE, "", NULL));
}

static void
curl_says_one_of_them_of_any_body(void **state)
{
    (void)state;
    assert_false(is_refused(HF_HTTP_CONTENT_TYPE,
                            "application/x-www-form-urlencoded",
                            "curl/7.88.1"));
    assert_true(is_refused(HF_HTTP_CONTENT_TYPE, "text/plain", "curl/7.88.1"));
    assert_true(is_refused(HF_HTTP_CONTENT_TYPE, "multipart/form-data; b=x",
                           "curl/7.88.1"));
    assert_true(is_refused(HF_HTTP_CONTENT_TYPE,
                           "application/x-www-form-urlencoded", "curl"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_says_nothing_of_a_page_is_none),
        cmocka_unit_test(whoever_has_an_origin_is_one),
        cmocka_unit_test(a_browser_says_whose_page_it_is),
        cmocka_unit_test(what_a_form_can_send_is_a_pages),
        cmocka_unit_test(curl_says_one_of_them_of_any_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
