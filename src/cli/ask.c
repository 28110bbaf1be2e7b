#include "ask.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "say.h"
#include "sharing.h"

enum { LONG_S = 2 }; /* after it the person is told that it takes long */

/* The handler's: to be said once. */
static const struct hf_text *takes_long;

int
hf_ask_begin(struct hf_ask *ask, enum hf_query_kind kind,
             const struct hf_cli_target *target)
{
    bool writes = kind == HF_CLEAR || kind == HF_DOCTOR;
    struct hf_error error = {0};
    enum hf_status status = hf_client_new(NULL, &ask->client, &error);

    ask->silent = target->json || kind == HF_DOCTOR;
    if (status == HF_OK && !writes)
        status = hf_client_set(ask->client, HF_LOOK_ONLY, "yes", &error);
    if (status != HF_OK)
        return hf_say_failure(&error, status);
    return hf_ask_again(ask, kind, target);
}

int
hf_ask_again(struct hf_ask *ask, enum hf_query_kind kind,
             const struct hf_cli_target *target)
{
    const char *name = kind == HF_LIST ? HF_PREFIX : HF_NAME;
    struct hf_error error = {0};
    enum hf_status status;
    int wrong;

    hf_query_free(ask->query);
    ask->query = NULL;
    status = hf_query_new(ask->client, kind, &ask->query, &error);
    if (status != HF_OK)
        return hf_say_failure(&error, status);
    wrong = hf_ask_set(ask, HF_SPACE, target->space);
    return wrong != 0 ? wrong : hf_ask_set(ask, name, target->name);
}

int
hf_ask_set(struct hf_ask *ask, const char *option, const char *text)
{
    struct hf_error error = {0};
    enum hf_status status = HF_OK;

    if (text != NULL)
        status = hf_query_set(ask->query, option, text, &error);
    return status == HF_OK ? 0 : hf_say_failure(&error, status);
}

static void
on_time(int signal)
{
    int error = errno; /* of what the signal interrupted */

    (void)signal;
    if (takes_long != NULL && hf_say_text_now(takes_long))
        takes_long = NULL;
    errno = error;
}

/* Nothing else can be waited for while it opens, so a handler says that it
 * takes long. */
static enum hf_status
open_aloud(const struct hf_ask *ask, const struct hf_cli_target *target,
           struct hf_error *error)
{
    struct sigaction tell = {.sa_handler = on_time, .sa_flags = SA_RESTART};
    struct hf_text words = HF_OUTPUT_BUFFER;
    enum hf_status status;

    hf_cli_target_add_opening(&words, target);
    takes_long = ask->silent ? NULL : &words;
    (void)sigaction(SIGALRM, &tell, NULL);
    (void)alarm(LONG_S);
    status = hf_client_open(ask->client, target->at, error);
    (void)alarm(0);
    takes_long = NULL;
    return status;
}

enum hf_status
hf_ask_try_open(struct hf_ask *ask, const struct hf_cli_target *target,
                struct hf_error *error)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    enum hf_status status;

    /* A limit on the size of files must not kill us: the write fails then, and
     * we say so. */
    (void)sigaction(SIGXFSZ, &ignore, NULL);
    status = open_aloud(ask, target, error);
    /* Who asks does not wait for the place, and is told why it is silent. */
    if (status == HF_OK && !hf_cli_target_is_server(target))
        status = hf_client_trouble(ask->client, error);
    if (status == HF_OK)
        hf_sharing_made_now(target, ask->client);
    return status;
}

int
hf_ask_open(struct hf_ask *ask, const struct hf_cli_target *target)
{
    struct hf_error error = {0};
    enum hf_status status;
    int wrong = hf_cli_target_check(target);

    if (wrong != 0)
        return wrong;
    status = hf_ask_try_open(ask, target, &error);
    return status == HF_OK ? 0 : hf_sharing_failure(target, &error, status);
}

/* Once. */
static void
tell_no_answer(const struct hf_ask *ask)
{
    struct hf_error error = {0};

    if (ask->silent)
        return;
    if (hf_client_trouble(ask->client, &error) == HF_OK)
        (void)hf_fail(&error, HF_E_UNAVAILABLE, "%s",
                      hf_client_place(ask->client));
    hf_say("no answer yet: %s", error.text);
}

int
hf_ask_wait(struct hf_ask *ask, struct hf_waiting_line *line)
{
    struct hf_duration pause = {line == NULL ? LONG_S * 1000
                                             : HF_WAITING_LINE_PAUSE_MS};
    struct hf_error error = {0};
    enum hf_status status = hf_query_start(ask->query, &error);

    while (status == HF_OK && !hf_query_wait(ask->query, pause)) {
        struct hf_view *seen;

        if (line == NULL) {
            tell_no_answer(ask);
            pause = HF_FOREVER;
            continue;
        }
        seen = hf_query_view(ask->query);
        hf_waiting_line_show(line, seen);
        hf_view_free(seen);
    }
    if (line != NULL)
        hf_waiting_line_end(line);
    if (status == HF_OK)
        status = hf_query_error(ask->query, &error);
    return status == HF_OK ? 0 : hf_say_failure(&error, status);
}

/* The rows of one page; *count: how many there were. */
static int
each_of_page(struct hf_query *query, hf_ask_row_fn *each, void *ctx,
             size_t *count)
{
    struct hf_view *row;
    int code = 0;

    for (*count = 0; (row = hf_query_next(query)) != NULL; ++*count) {
        if (code == 0)
            code = each(ctx, row);
        hf_view_free(row);
    }
    return code;
}

int
hf_ask_each(struct hf_ask *ask, hf_ask_row_fn *each, void *ctx)
{
    size_t count = 1;
    int code = 0;

    while (code == 0 && count > 0) {
        code = hf_ask_wait(ask, NULL);
        if (code == 0)
            code = each_of_page(ask->query, each, ctx, &count);
    }
    return code;
}

enum hf_status
hf_ask_try(struct hf_ask *ask, struct hf_instant until, struct hf_error *error)
{
    enum hf_status status = hf_query_start(ask->query, error);

    if (status != HF_OK)
        return status;
    if (hf_query_wait(ask->query, hf_between(hf_now(), until)))
        return hf_query_error(ask->query, error);
    hf_query_cancel(ask->query);
    if (hf_client_trouble(ask->client, error) == HF_OK)
        (void)hf_fail(error, HF_E_UNAVAILABLE, "%s does not answer",
                      hf_client_place(ask->client));
    return HF_E_UNAVAILABLE;
}

void
hf_ask_end(struct hf_ask *ask)
{
    hf_query_free(ask->query);
    (void)hf_client_close(ask->client, HF_FOREVER);
    *ask = (struct hf_ask){.client = NULL};
}
