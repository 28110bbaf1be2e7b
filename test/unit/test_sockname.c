#include "support/test.h"
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sockname.h"

/* The two ends of a connection, by name. */

struct ends {
    int listens;
    int asks;
    int answers;
};

static void
open_ends(struct ends *ends, int family)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    struct sockaddr_in to = {.sin_family = AF_INET};
    socklen_t len = sizeof(at);

    if (family == AF_INET6)
        at.sin6_addr = in6addr_loopback;
    ends->listens = socket(AF_INET6, SOCK_STREAM, 0);
    assert_return_code(bind(ends->listens, (struct sockaddr *)&at, sizeof(at)),
                       0);
    assert_return_code(listen(ends->listens, 1), 0);
    assert_return_code(getsockname(ends->listens, (struct sockaddr *)&at, &len),
                       0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = at.sin6_port;
    ends->asks = socket(family, SOCK_STREAM, 0);
    if (family == AF_INET6)
        assert_return_code(
            connect(ends->asks, (struct sockaddr *)&at, sizeof(at)), 0);
    else
        assert_return_code(
            connect(ends->asks, (struct sockaddr *)&to, sizeof(to)), 0);
    ends->answers = accept(ends->listens, NULL, NULL);
    assert_true(ends->answers >= 0);
}

static void
expect_one_name(int family, const char *begins)
{
    char own_bytes[64];
    char peer_bytes[64];
    struct hf_text own;
    struct hf_text peer;
    struct ends ends;

    open_ends(&ends, family);
    hf_text_init(&own, own_bytes, sizeof(own_bytes));
    hf_text_init(&peer, peer_bytes, sizeof(peer_bytes));
    hf_sockname_own(ends.asks, &own);
    hf_sockname_peer(ends.answers, &peer);
    assert_string_equal(own.at, peer.at);
    assert_memory_equal(own.at, begins, strlen(begins));
    close(ends.asks);
    close(ends.answers);
    close(ends.listens);
}

TEST(both_ends_call_it_the_same)
{
    expect_one_name(AF_INET6, "[::1]:");
}

TEST(so_they_do_where_one_is_of_the_other_family)
{
    expect_one_name(AF_INET, "127.0.0.1:");
}

TEST(what_is_not_connected_has_no_peer)
{
    char bytes[64];
    struct hf_text text;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    hf_text_init(&text, bytes, sizeof(bytes));
    hf_sockname_peer(fd, &text);
    hf_sockname_own(-1, &text);
    assert_string_equal(text.at, "");
    close(fd);
}
