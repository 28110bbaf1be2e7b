#include "support/test.h"

#include <string.h>

#include "base/authority.h"

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static void
expect(const char *text, const char *host, const char *port, bool bracketed)
{
    struct hf_authority read;

    assert_true(hf_authority_read(bytes_of(text), &read));
    assert_int_equal(read.host.len, strlen(host));
    assert_memory_equal(read.host.at, host, read.host.len);
    assert_int_equal(read.port.len, strlen(port));
    if (read.port.len > 0)
        assert_memory_equal(read.port.at, port, read.port.len);
    assert_int_equal(read.bracketed, bracketed);
}

TEST(a_host_is_a_name_or_a_number_with_or_without_a_port)
{
    expect("db1", "db1", "", false);
    expect("a-b_c.example:1", "a-b_c.example", "1", false);
    expect("127.0.0.1:65535", "127.0.0.1", "65535", false);
    expect("[::1]", "::1", "", true);
    expect("[::ffff:10.0.0.1]:5432", "::ffff:10.0.0.1", "5432", true);
    expect("[fe80::1%eth0.1]:7420", "fe80::1%eth0.1", "7420", true);
}

TEST(what_is_none_is_refused)
{
    static const char *const texts[] = {
        "",        ":1",        "a b",    "a/",   "a:",       "a:0",
        "a:65536", "a:1x",      "a:-1",   "a:+1", "a: 1",     "a:00001x",
        "[::1",    "[::1]1",    "[::1]:", "[]",   "[]:1",     "[host]:1",
        "[::1%]",  "[%a]",      "::1",    "a%b",  "a:100000", "a,b",
        "a@b",     "[::1%a b]",
    };
    struct hf_authority read;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (hf_authority_read(bytes_of(texts[i]), &read))
            fail_msg("'%s' was taken", texts[i]);
}
