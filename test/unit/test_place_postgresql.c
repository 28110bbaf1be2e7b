#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "store/place.h"
#include "store/postgresql.h"
#include "store/postgresql_place.h"
#include "store/sqlite.h"

/* The URL of a place in PostgreSQL; what it says is as the table has it. */

/* The tidy text of a URL; "" and *error: it is refused. */
static const char *
tidy(const char *url, struct hf_place *place, struct hf_error *error)
{
    place->text[0] = '\0';
    error->text[0] = '\0';
    (void)!hf_place_parse(url, place, error);
    return place->text;
}

TEST(a_url_has_one_tidy_form)
{
    static const struct {
        const char *url;
        const char *text;
    } rows[] = {
        {"postgresql://db/locks", "postgresql://db/locks"},
        {"postgres://db/locks", "postgresql://db/locks"},
        {"postgresql://ann@DB:5432/locks", "postgresql://ann@db/locks"},
        {"postgresql://db:6432/locks", "postgresql://db:6432/locks"},
        {"postgresql://a,b:1,[::1]:2,127.0.0.1/x",
         "postgresql://a,b:1,[::1]:2,127.0.0.1/x"},
        {"postgresql://[FE80::1]/x", "postgresql://[fe80::1]/x"},
        {"postgresql://an%40n@db/a%2Bb c", "postgresql://an%40n@db/a%2Bb%20c"},
        {"postgresql://a%2Fb@db/c%2Fd", "postgresql://a%2Fb@db/c%2Fd"},
        {"postgresql://db/x?schema=holdfast", "postgresql://db/x"},
        {"postgresql://db/x?trust_clock=2s&schema=s_1&listen=L:5432",
         "postgresql://db/x?schema=s_1&listen=l&trust_clock=2000ms"},
        {"postgresql://db/x?promotion=synchronous&listen=[::2]:9",
         "postgresql://db/x?listen=[::2]:9&promotion=synchronous"},
        {"postgresql://db/x?sslkey=%2fk&sslcert=/c&sslrootcert=/r%20s&"
         "sslmode=verify-full",
         "postgresql://db/x?sslmode=verify-full&sslrootcert=/r%20s&"
         "sslcert=/c&sslkey=/k"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct hf_place place;
        struct hf_place again;
        struct hf_error error;

        if (strcmp(tidy(rows[i].url, &place, &error), rows[i].text) != 0)
            fail_msg("%s: '%s' %s", rows[i].url, place.text, error.text);
        assert_ptr_equal(place.kind, &hf_postgresql_kind);
        assert_string_equal(tidy(place.text, &again, &error), place.text);
    }
}

TEST(all_parts_of_a_url_are_read)
{
    struct hf_postgresql_place read;
    struct hf_place place;
    struct hf_error error;

    (void)tidy("postgresql://an%40n@db1,[::1]:6432/lo%20cks?schema=s&"
               "listen=direct&promotion=synchronous&trust_clock=1m&"
               "sslmode=require&sslrootcert=/r&sslcert=/c&sslkey=/k",
               &place, &error);
    hf_postgresql_place_of(&place, &read);
    assert_string_equal(read.url.user, "an@n");
    assert_int_equal(read.url.hosts_count, 2);
    assert_string_equal(read.url.hosts[0].host, "db1");
    assert_string_equal(read.url.hosts[0].port, "5432");
    assert_string_equal(read.url.hosts[1].host, "::1");
    assert_string_equal(read.url.hosts[1].port, "6432");
    assert_string_equal(read.url.path, "lo cks");
    assert_string_equal(read.schema, "s");
    assert_string_equal(read.listen.host, "direct");
    assert_string_equal(read.listen.port, "5432");
    assert_true(read.synchronous);
    assert_int_equal(read.trust_clock.ms, 60000);
    assert_string_equal(read.sslmode, "require");
    assert_string_equal(read.sslrootcert, "/r");
    assert_string_equal(read.sslcert, "/c");
    assert_string_equal(read.sslkey, "/k");
}

/* A restored database is no file that was removed. */
TEST(what_becomes_of_a_database_is_said_in_its_own_words)
{
    const char *const words[] = {
        hf_postgresql_kind.was_lost, hf_postgresql_kind.was_copied,
        hf_postgresql_kind.was_replaced, hf_postgresql_kind.quicker,
        hf_postgresql_kind.busy};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_non_null(words[i]);
        assert_null(strstr(words[i], "file"));
    }
    assert_non_null(strstr(hf_postgresql_kind.was_copied, "promoted"));
    assert_non_null(strstr(hf_sqlite_kind.was_copied, "its file"));
}

TEST(what_a_url_does_not_say_is_not_made_up)
{
    struct hf_postgresql_place read;
    struct hf_place place;
    struct hf_error error;

    (void)tidy("postgresql://db/x", &place, &error);
    hf_postgresql_place_of(&place, &read);
    assert_null(read.url.user);
    assert_string_equal(read.schema, "holdfast");
    assert_null(read.listen.host);
    assert_false(read.synchronous);
    assert_int_equal(read.trust_clock.ms, 0);
    assert_null(read.sslmode);
    assert_null(read.sslrootcert);
    assert_null(read.sslcert);
    assert_null(read.sslkey);
    assert_string_equal(place.path, "");
}

/* It is refused with a sentence that has `words`, and without `secret`. */
static void
refuses(const char *url, const char *words, const char *secret)
{
    struct hf_error error = {.status = HF_OK};
    struct hf_place place;

    assert_int_equal(hf_place_parse(url, &place, &error), HF_E_INVALID);
    if (strstr(error.text, words) == NULL)
        fail_msg("%s: %s", url, error.text);
    if (secret != NULL && strstr(error.text, secret) != NULL)
        fail_msg("%s tells the secret: %s", url, error.text);
    assert_true(strlen(error.text) < sizeof(error.text) - 1);
}

TEST(a_password_is_refused_with_the_line_to_write)
{
    refuses("postgresql://ann:geheim@db:6432/locks",
            "db:6432:locks:ann:", "geheim");
    refuses("postgres://ann:geheim@db/x", "~/.pgpass", "geheim");
    refuses("postgresql://ann:ge@heim@db/x", "db:5432:x:ann:", "heim");
    refuses("postgresql://:geheim@db/x", "db:5432:x:*:", "geheim");
    refuses("postgresql://ann:geh/eim@db/x", "is written", "geh");
    refuses("postgresql://ann:@db/x", "PGPASSFILE", NULL);
    refuses("postgresql://[::1]/x?password=geheim",
            "\\:\\:1:5432:x:*:", "geheim");
    refuses("postgresql://ann@db/x?sslmode=require&password=geheim",
            "db:5432:x:ann:", "geheim");
    refuses("postgresql://db/x?sslpassword=geheim", "PASSWORD", "geheim");
}

TEST(an_option_that_is_wrong_is_told_in_one_sentence)
{
    refuses("postgresql://db/x?foo=1", "has no option 'foo'", NULL);
    refuses("postgresql://db/x?shcema=a", "did you mean schema?", NULL);
    refuses("postgresql://db/x?options=-csearch_path%3Da", "no option", NULL);
    refuses("postgresql://db/x?", "name=value", NULL);
    refuses("postgresql://db/x?schema", "name=value", NULL);
    refuses("postgresql://db/x?schema=", "name=value", NULL);
    refuses("postgresql://db/x?schema=a&", "name=value", NULL);
    refuses("postgresql://db/x?schema=a&schema=b", "twice", NULL);
    refuses("postgresql://db/x?schema=A", "schema is of", NULL);
    refuses("postgresql://db/x?schema=pg_locks", "schema is of", NULL);
    refuses("postgresql://db/x?schema=1a", "schema is of", NULL);
    refuses("postgresql://db/x?schema=a%22b", "schema is of", NULL);
    refuses("postgresql://db/x?promotion=async", "promotion is", NULL);
    refuses("postgresql://db/x?trust_clock=2", "trust_clock", NULL);
    refuses("postgresql://db/x?trust_clock=0s", "trust_clock", NULL);
    refuses("postgresql://db/x?trust_clock=2h", "trust_clock", NULL);
    refuses("postgresql://db/x?sslmode=on", "sslmode is one of", NULL);
    refuses("postgresql://db/x?sslmode=verify-ca%20verify-full", "sslmode",
            NULL);
    refuses("postgresql://db/x?sslrootcert=root.crt", "whole path", NULL);
    refuses("postgresql://db/x?listen=a:b", "listen is host:port", NULL);
    refuses("postgresql://db/x?listen=a,b", "listen is host:port", NULL);
}

TEST(what_is_no_url_of_a_database_is_refused)
{
    static const char *const urls[] = {
        "postgresql:",         "postgresql:db/x",
        "postgresql:/db/x",    "postgresql://",
        "postgresql:///x",     "postgresql://db",
        "postgresql://db/",    "postgresql://db?schema=a",
        "postgresql://db/a/b", "postgresql://@db/x",
        "postgresql://db:/x",  "postgresql://db:0/x",
        "postgresql://db:a/x", "postgresql://db:65536/x",
        "postgresql://a,/x",   "postgresql://,a/x",
        "postgresql://[::1/x", "postgresql://[g]/x",
        "postgresql://::1/x",  "postgresql://a b/x",
        "postgresql://%2Fa/x", "postgresql://[::1]a/x",
    };

    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
        refuses(urls[i], "postgresql://user@host:5432/database", NULL);
    refuses("postgresql://a,b,c,d,e,f,g,h,i/x", "8 hosts at most", NULL);
    refuses("postgresql://db/a%0Ab", "control character", NULL);
    refuses("postgresql://db/a%2", "without two hex digits", NULL);
    refuses("postgresql://db/a234567890123456789012345678901234567890"
            "123456789012345678901234567890",
            "63 bytes at most", NULL);
}

TEST(no_url_that_is_not_too_long_overruns)
{
    char url[HF_PLACE_MAX + 1];
    char listen[sizeof(url)];
    struct hf_place place;
    struct hf_error error;

    memset(url, ',', sizeof(url));
    memcpy(url, "postgresql://", 13);
    url[HF_PLACE_MAX] = '\0';
    assert_string_equal(tidy(url, &place, &error), "");
    memset(listen, 'a', sizeof(listen));
    memcpy(listen, "postgresql://db/x?listen=", 25);
    listen[HF_PLACE_MAX] = '\0';
    assert_string_equal(tidy(listen, &place, &error), listen);
    memset(url, '+', sizeof(url)); /* three bytes each when it is tidy */
    memcpy(url, "postgresql://db/x?sslkey=/", 26);
    url[HF_PLACE_MAX] = '\0';
    refuses(url, "longer than", NULL);
}
