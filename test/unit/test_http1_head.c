#include "support/test.h"

#include <string.h>

#include "base/text.h"
#include "support/http_bench.h"

/*
 * Where does a request of HTTP/1.1 end?  Request smuggling is two servers that
 * answer this differently.  Each case has one answer, behind it stands another
 * request, and it does not matter how the bytes are cut.
 */

struct sample {
    const char *name;
    const char *bytes;
    size_t len;
    const char *told;     /* a line each request */
    const char *statuses; /* of the answers */
};

#define HOST    "Host: h\r\n"
#define GET     "GET /a HTTP/1.1\r\n" HOST
#define POST    "POST /a HTTP/1.1\r\n" HOST
#define LENGTH  "Content-Length: 3\r\n"
#define CHUNKED "Transfer-Encoding: chunked\r\n"
#define NEXT    "GET /next HTTP/1.1\r\n" HOST "\r\n"

#define SAMPLE(name, bytes, told, statuses)                                    \
    {                                                                          \
        name, bytes, sizeof(bytes) - 1, told, statuses                         \
    }

/* It is told, and NEXT is; it is told, and the connection ends; it is not. */
#define TAKEN(name, bytes, told)                                               \
    SAMPLE(name, bytes, told "\nGET /next host=h\n", "200 200 ")
#define LAST(name, bytes, told)      SAMPLE(name, bytes, told "\n", "200 ")
#define REFUSED(name, status, bytes) SAMPLE(name, bytes, "", status " ")

static const struct sample samples[] = {
    /* ---- Where the body ends */
    TAKEN("no body", POST "\r\n", "POST /a host=h"),
    TAKEN("a length", POST LENGTH "\r\nabc", "POST /a host=h \"abc\""),
    TAKEN("a body of GET", GET LENGTH "\r\nGET", "GET /a host=h \"GET\""),
    TAKEN("chunks of GET", GET CHUNKED "\r\n3\r\nabc\r\n0\r\n\r\n",
          "GET /a host=h \"abc\""),
    TAKEN("zeros before a length", POST "Content-Length: 0003\r\n\r\nabc",
          "POST /a host=h \"abc\""),
    TAKEN("no blank before a length", POST "content-length:3\r\n\r\nabc",
          "POST /a host=h \"abc\""),
    TAKEN("blanks around a length", POST "Content-Length: \t 3\t \r\n\r\nabc",
          "POST /a host=h \"abc\""),
    TAKEN("the case of a coding",
          POST "TRANSFER-encoding: cHunked\r\n\r\n0\r\n\r\n", "POST /a host=h"),
    TAKEN("another header than the coding",
          POST LENGTH "Transfer-EncodingX: chunked\r\n\r\nabc",
          "POST /a host=h \"abc\""),
    TAKEN("another header than the length",
          POST "XContent-Length: 9\r\nContent-Length-: 9\r\n\r\n",
          "POST /a host=h"),
    REFUSED("CL.TE", "400", POST LENGTH CHUNKED "\r\n0\r\n\r\n"),
    REFUSED("TE.CL", "400", POST CHUNKED LENGTH "\r\n0\r\n\r\n"),
    REFUSED("TE.TE", "400", POST CHUNKED CHUNKED "\r\n0\r\n\r\n"),
    REFUSED("TE.TE, one unknown", "400",
            POST CHUNKED "Transfer-Encoding: x\r\n\r\n0\r\n\r\n"),
    REFUSED("a list of codings", "501",
            POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    REFUSED("chunked is not the last", "501",
            POST "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
    REFUSED("identity", "501",
            POST "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
    REFUSED("a coding in quotes", "501",
            POST "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
    REFUSED("a coding of nothing", "501",
            POST "Transfer-Encoding:\r\n\r\n0\r\n\r\n"),
    REFUSED("0x0B before a coding", "400",
            POST "Transfer-Encoding:\x0B"
                 "chunked\r\n\r\n0\r\n\r\n"),
    REFUSED("0x0C behind a coding", "400",
            POST "Transfer-Encoding: chunked\x0C\r\n\r\n0\r\n\r\n"),
    REFUSED("chunks of HTTP/1.0", "400",
            "POST /a HTTP/1.0\r\n" HOST CHUNKED "\r\n0\r\n\r\n"),
    REFUSED("two lengths", "400", POST LENGTH "Content-Length: 4\r\n\r\nabcd"),
    REFUSED("two lengths, the same", "400", POST LENGTH LENGTH "\r\nabc"),
    REFUSED("a list of lengths", "400", POST "Content-Length: 3, 3\r\n\r\nabc"),
    REFUSED("a length of nothing", "400", POST "Content-Length: \r\n\r\n"),
    REFUSED("a length with +", "400", POST "Content-Length: +3\r\n\r\nabc"),
    REFUSED("a length with -", "400", POST "Content-Length: -3\r\n\r\nabc"),
    REFUSED("a length in hexadecimal", "400",
            POST "Content-Length: 0x3\r\n\r\nabc"),
    REFUSED("a length and more", "400", POST "Content-Length: 3 0\r\n\r\nabc"),
    REFUSED("a length of 2^64 and 3", "400",
            POST "Content-Length: 18446744073709551619\r\n\r\nabc"),
    REFUSED("a length of 2^64 and 3, with zeros", "400",
            POST "Content-Length: 0018446744073709551619\r\n\r\nabc"),
    REFUSED("a length of 2^63", "413",
            POST "Content-Length: 9223372036854775808\r\n\r\nabc"),

    /* ---- Chunks */
    TAKEN("an extension", POST CHUNKED "\r\n3;a=\"b\"\r\nabc\r\n0;c\r\n\r\n",
          "POST /a host=h \"abc\""),
    TAKEN("a trailer is no header",
          POST CHUNKED "\r\n0\r\nHost: g\r\nContent-Length: 5\r\n\r\n",
          "POST /a host=h"),
    REFUSED("a blank behind a size", "400",
            POST CHUNKED "\r\n3 \r\nabc\r\n0\r\n\r\n"),
    REFUSED("a blank before a size", "400",
            POST CHUNKED "\r\n 3\r\nabc\r\n0\r\n\r\n"),
    REFUSED("a tab behind a size", "400",
            POST CHUNKED "\r\n3\t;a\r\nabc\r\n0\r\n\r\n"),
    REFUSED("LF behind a size", "400", POST CHUNKED "\r\n3\nabc\r\n0\r\n\r\n"),
    REFUSED("LF in an extension", "400",
            POST CHUNKED "\r\n3;a\nabc\r\n0\r\n\r\n"),
    REFUSED("CR in an extension", "400",
            POST CHUNKED "\r\n3;a\rb\r\nabc\r\n0\r\n\r\n"),
    REFUSED("NUL in an extension", "400",
            POST CHUNKED "\r\n3;a\0\r\nabc\r\n0\r\n\r\n"),
    REFUSED("a chunk without its end", "400",
            POST CHUNKED "\r\n3\r\nabcd\r\n0\r\n\r\n"),
    REFUSED("a size of 2^32", "400",
            POST CHUNKED "\r\n100000000\r\nabc\r\n0\r\n\r\n"),
    REFUSED("LF behind a trailer", "400", POST CHUNKED "\r\n0\r\nA: b\n\r\n"),

    /* ---- Lines */
    TAKEN("empty lines before", "\r\n\r\n" GET "\r\n", "GET /a host=h"),
    TAKEN("a line of LF before", "\n" GET "\r\n", "GET /a host=h"),
    TAKEN("a value of nothing", GET "A:\r\nB: \r\nC:\t\r\n\r\n",
          "GET /a host=h"),
    TAKEN("all that a name may have", GET "!#$%&'*+-.^_`|~09azAZ: b\r\n\r\n",
          "GET /a host=h"),
    TAKEN("all that a value may have",
          GET "Accept: !\"#(),/:;<=>?@[\\]{}~\x80\xFF\r\n\r\n",
          "GET /a host=h accept=!\"#(),/:;<=>?@[\\]{}~\x80\xFF"),
    TAKEN("a tab in a value", GET "Accept: a\tb\t\r\n\r\n",
          "GET /a host=h accept=a b"),
    TAKEN("the lines of a list",
          GET "Holdfast-Optional: a\r\nHoldfast-Optional:b, c \r\n\r\n",
          "GET /a host=h optional=a,b, c"),
    TAKEN("the lines of a list, with other headers between",
          GET "Holdfast-Optional: a\r\nHoldfast-Optional:\r\nAccept: x\r\n"
              "Holdfast-Optional: b\r\nHoldfast-Session: y\r\n"
              "Holdfast-Optional: c\r\nHoldfast-Optional: d\r\n\r\n",
          "GET /a host=h accept=x session=y optional=a,b,c,d"),
    REFUSED("two of what is no list", "400",
            GET "Holdfast-Session: a\r\nHoldfast-Session: a\r\n\r\n"),
    TAKEN("colons in a value", GET "Accept:: a: b\r\n\r\n",
          "GET /a host=h accept=: a: b"),
    REFUSED("a value that goes on", "400", GET "A: b\r\n c: d\r\n\r\n"),
    REFUSED("a value that goes on, with a tab", "400",
            GET "A: b\r\n\tc: d\r\n\r\n"),
    REFUSED("a value that goes on with nothing", "400",
            GET "A: b\r\n \r\n\r\n"),
    REFUSED("a blank before the first name", "400",
            "GET /a HTTP/1.1\r\n " HOST "\r\n"),
    REFUSED("a blank before a colon", "400",
            POST "Content-Length : 3\r\n\r\nabc"),
    REFUSED("a tab before a colon", "400",
            POST "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
    REFUSED("a blank in a name", "400", POST "Content Length: 3\r\n\r\nabc"),
    REFUSED("a name of nothing", "400", GET ": a\r\n\r\n"),
    REFUSED("no colon", "400", GET "Accept\r\n\r\n"),
    REFUSED("NUL in a name", "400", POST "Content-Length\0: 3\r\n\r\nabc"),
    REFUSED("0x0C in a name", "400", POST "Content-Length\x0C: 3\r\n\r\nabc"),
    REFUSED("0x80 in a name", "400", GET "A\x80: b\r\n\r\n"),
    REFUSED("a quote in a name", "400", GET "\"A\": b\r\n\r\n"),
    REFUSED("NUL in a value", "400", GET "A: b\0c\r\n\r\n"),
    REFUSED("0x0B in a value", "400", GET "A: b\x0B\r\n\r\n"),
    REFUSED("0x7F in a value", "400", GET "A: b\x7F\r\n\r\n"),
    REFUSED("CR in a value", "400", GET "A: b\rContent-Length: 3\r\n\r\nabc"),
    REFUSED("CR twice", "400", GET "A: b\r\r\n\r\n"),
    REFUSED("CR in a name", "400", GET "A\r: b\r\n\r\n"),
    REFUSED("LF in a value", "400", GET "A: b\nContent-Length: 3\r\n\r\nabc"),
    REFUSED("LF behind the first line", "400", "GET /a HTTP/1.1\n" HOST "\r\n"),
    REFUSED("LF as the empty line", "400", GET "\n"),
    REFUSED("CR as the empty line", "400", GET "\rA: b\r\n\r\n"),

    /* ---- The first line */
    REFUSED("a method in small letters", "501",
            "get /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("more than a method", "501", "GETS /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("less than a method", "501", "GE /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a method that is not here", "501",
            "TRACE /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a tunnel", "501", "CONNECT h:80 HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("no token", "400", "G\"T /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("NUL in a method", "400", "GET\0 /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a blank before the method", "400",
            " GET /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a method alone", "400", "GET\r\n" HOST "\r\n"),
    REFUSED("two blanks before the target", "400",
            "GET  /a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("two blanks behind it", "400", "GET /a  HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a tab for a blank", "400", "GET\t/a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a tab for the other", "400", "GET /a\tHTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("0x0B for a blank", "400", "GET /a\x0BHTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a blank in the target", "400",
            "GET /a HTTP/1.1 HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a blank behind the version", "400",
            "GET /a HTTP/1.1 \r\n" HOST "\r\n"),
    REFUSED("NUL in the target", "400", "GET /a\0 HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("0x80 in the target", "400", "GET /\x80 HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("0x7F in the target", "400", "GET /\x7F HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a fragment", "400", "GET /a#b HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("no version", "400", "GET /a\r\n" HOST "\r\n"),
    REFUSED("another protocol", "400", "GET /a HTTQ/1.1\r\n" HOST "\r\n"),
    REFUSED("a protocol in small letters", "400",
            "GET /a http/1.1\r\n" HOST "\r\n"),
    REFUSED("a version of one number", "400", "GET /a HTTP/1\r\n" HOST "\r\n"),
    REFUSED("HTTP/0.9", "505", "GET /a HTTP/0.9\r\n" HOST "\r\n"),
    REFUSED("HTTP/1.10", "505", "GET /a HTTP/1.10\r\n" HOST "\r\n"),
    REFUSED("HTTP/2.0", "505", "GET /a HTTP/2.0\r\n" HOST "\r\n"),

    /* ---- The host */
    TAKEN("the whole address", "GET http://h/a?b HTTP/1.1\r\n" HOST "\r\n",
          "GET /a?b host=h"),
    REFUSED("no host", "400", "GET /a HTTP/1.1\r\n\r\n"),
    REFUSED("no host but in the address", "400",
            "GET http:///a HTTP/1.1\r\n\r\n"),
    REFUSED("two hosts", "400", GET "Host: g\r\n\r\n"),
    REFUSED("two hosts, the same", "400", GET "hOST: h\r\n\r\n"),
    REFUSED("another host in the address", "400",
            "GET http://g/a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("no host in the address", "400",
            "GET http:///a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a user in the address", "400",
            "GET http://h@g/a HTTP/1.1\r\nHost: h@g\r\n\r\n"),
    REFUSED("a backslash in the address", "400",
            "GET http://h\\g/a HTTP/1.1\r\nHost: h\\g\r\n\r\n"),
    REFUSED("another scheme", "400", "GET ftp://h/a HTTP/1.1\r\n" HOST "\r\n"),
    REFUSED("a host alone", "400", "GET h:80 HTTP/1.1\r\n" HOST "\r\n"),

    /* ---- The connection */
    LAST("close", GET "Connection: close\r\n\r\n", "GET /a host=h"),
    LAST("close, in a list", GET "connection: TE ,\tClose ,x\r\n\r\n",
         "GET /a host=h"),
    LAST("close, in the second line",
         GET "Connection: keep-alive\r\nConnection: close\r\n\r\n",
         "GET /a host=h"),
    LAST("close, in the first line",
         GET "Connection: close\r\nConnection: keep-alive\r\n\r\n",
         "GET /a host=h"),
    LAST("HTTP/1.0", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
         "GET /a"),
    LAST("HTTP/1.0 waits for no 100",
         "POST /a HTTP/1.0\r\nExpect: 100-continue\r\n" LENGTH "\r\nabc",
         "POST /a \"abc\""),
    TAKEN("what is near to close",
          GET "Connection: closed, xclose, clos, clo se\r\n\r\n",
          "GET /a host=h"),
    TAKEN("close, of another header",
          GET "Connections: close\r\nX-Connection: close\r\n\r\n",
          "GET /a host=h"),
    TAKEN("another version is offered",
          GET "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
          "GET /a host=h"),
};

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static struct bench bench;

static void
open_again(void)
{
    bench_close_peer(&bench);
    bench_open(&bench);
    bench.out_len = bench.log_len = bench.open_count = 0;
}

struct verdict {
    char told[1024];
    char statuses[64];
};

/* What was told but for the ends, and with which statuses it was answered. */
static struct verdict
verdict_of_bench(void)
{
    struct verdict verdict;
    struct hf_text told;
    struct hf_text statuses;
    const char *line = bench.log;
    const char *at = bench.out;

    bench.log[bench.log_len] = '\0';
    bench.out[bench.out_len] = '\0';
    hf_text_init(&told, verdict.told, sizeof(verdict.told));
    hf_text_init(&statuses, verdict.statuses, sizeof(verdict.statuses));
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        if (strncmp(line, "sent ", 5) != 0)
            hf_text_add_bytes(&told, line, (size_t)(end - line) + 1);
    for (; (at = strstr(at, "HTTP/1.1 ")) != NULL; at += 9)
        if (at[9] >= '0' && at[9] <= '9')
            hf_text_add_bytes(&statuses, at + 9, 4);
    return verdict;
}

/* In two halves, each in pieces. */
static void
try_sample(const struct sample *sample, size_t half, size_t piece)
{
    struct verdict verdict;

    bench.piece = piece;
    bench_feed(&bench, sample->bytes, half);
    bench_feed(&bench, sample->bytes + half, sample->len - half);
    bench_text(&bench, NEXT);
    verdict = verdict_of_bench();
    if (strcmp(verdict.told, sample->told) != 0 ||
        strcmp(verdict.statuses, sample->statuses) != 0)
        fail_msg("%s, cut at %zu, in pieces of %zu: %s%s", sample->name, half,
                 piece, verdict.told, verdict.statuses);
    assert_int_equal(hf_http_is_done(bench.peer),
                     strstr(sample->told, "/next") == NULL);
    open_again();
}

#define FIXTURE_TEST(sentence)                                                 \
    TEST_OF(&bench, bench_set_up, bench_tear_down, sentence)

FIXTURE_TEST(where_a_request_ends_is_clear)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t half = 0; half <= samples[i].len; half++)
            try_sample(&samples[i], half, 0);
        for (size_t piece = 1; piece < 9; piece++)
            try_sample(&samples[i], 0, piece);
    }
}

/* A name, a value and a number of headers with no end are refused before it,
 * and blanks are no way around it. */
static void
expect_an_end(const char *begin, const char *more, const char *status)
{
    size_t fed = 0;

    bench.piece = 0;
    bench_text(&bench, begin);
    while (bench.out_len == 0 && fed < 64 * 1024) {
        bench_text(&bench, more);
        fed += strlen(more);
    }
    assert_in_range(fed, 1, 17 * 1024);
    assert_true(bench_has_out(&bench, status));
    assert_true(hf_http_is_done(bench.peer));
    open_again();
}

FIXTURE_TEST(a_head_without_an_end_is_refused)
{
    expect_an_end("", "A", "HTTP/1.1 501 ");
    expect_an_end("GET /", "a", "HTTP/1.1 414 ");
    expect_an_end("GET /a HTTP/1.", "0", "HTTP/1.1 505 ");
    expect_an_end(GET, "A", "HTTP/1.1 431 ");
    expect_an_end(GET "A:", "b", "HTTP/1.1 431 ");
    expect_an_end(GET "A:", " ", "HTTP/1.1 431 ");
    expect_an_end(GET "A:", "\t", "HTTP/1.1 431 ");
    expect_an_end(GET, "A:\r\n", "HTTP/1.1 431 ");
    expect_an_end(GET, "Connection: a\r\n", "HTTP/1.1 431 ");
}
