#include "postgresql/pool.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/place.h"
#include "support/test.h"

/* The connections of a place whose server says nothing, or is not there. */

struct silent_server {
    int listener; /* nobody accepts: the kernel takes connections by itself */
    struct hf_pg_pool pool;
    int wake_fd;
};

static void
begin(struct silent_server *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    struct hf_place place;
    char url[64];

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(
        bind(s->listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(s->listener, 64), 0);
    assert_int_equal(
        getsockname(s->listener, (struct sockaddr *)&address, &size), 0);
    snprintf(url, sizeof(url), "postgresql://ann@127.0.0.1:%d/x",
             ntohs(address.sin_port));
    assert_int_equal(hf_place_parse(url, &place, NULL), HF_OK);
    hf_pg_pool_init(&s->pool, &place, HF_PG_TO_LOCK);
    s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(s->wake_fd >= 0);
}

static void
end(struct silent_server *s)
{
    hf_pg_pool_fini(&s->pool);
    close(s->wake_fd);
    close(s->listener);
}

static enum hf_status
take(struct silent_server *s, struct hf_error *error)
{
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){20000});
    struct hf_pg_link *link = NULL;
    enum hf_status status =
        hf_pg_pool_take(&s->pool, until, s->wake_fd, &link, error);

    assert_null(link);
    return status;
}

TEST(a_dial_that_is_called_away_is_no_failure)
{
    struct silent_server s;
    struct hf_error error = {.status = HF_OK};

    begin(&s);
    assert_int_equal(eventfd_write(s.wake_fd, 1), 0);
    for (int i = 0; i < 3 * HF_PG_LINKS; i++) {
        assert_int_equal(take(&s, &error), HF_E_CANCELLED);
        assert_int_equal(error.status, HF_OK);
        assert_string_equal(error.text, "");
        assert_int_equal(s.pool.silence.failures, 0);
        assert_true(hf_reached(hf_now(), s.pool.dial_at));
    }
    end(&s);
}

TEST(the_pause_after_a_failure_is_left_when_something_calls_and_not_prolonged)
{
    struct silent_server s;
    struct hf_error error = {.status = HF_OK};
    struct hf_pg_link *link = NULL;
    struct hf_instant dial_at;
    eventfd_t count;

    begin(&s);
    close(s.listener);
    s.listener = -1;
    assert_int_equal(take(&s, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "refused"));
    assert_int_equal(s.pool.silence.failures, 1);
    assert_true(s.pool.dial_at.ms > 0);

    /* As after many of them. */
    dial_at = s.pool.dial_at = hf_after(hf_now(), (struct hf_duration){10000});
    assert_int_equal(eventfd_write(s.wake_fd, 1), 0);
    error = (struct hf_error){.status = HF_OK};
    assert_int_equal(take(&s, &error), HF_E_CANCELLED);
    assert_string_equal(error.text, "");
    assert_int_equal(s.pool.silence.failures, 1);
    assert_int_equal(s.pool.dial_at.ms, dial_at.ms);

    /* In vain: the last error is the reason, and nothing new has failed. */
    assert_int_equal(eventfd_read(s.wake_fd, &count), 0);
    assert_int_equal(
        hf_pg_pool_take(&s.pool, hf_after(hf_now(), (struct hf_duration){10}),
                        s.wake_fd, &link, &error),
        HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "refused"));
    assert_int_equal(s.pool.silence.failures, 1);
    end(&s);
}
