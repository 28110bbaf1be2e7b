#include "client/server/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wire/json.h"

/* Headers and an empty line are sent at once: who hears nothing for so long has
 * something between that keeps them back. */
static const struct hf_duration patience = {2000};

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static uint64_t
hash_of(uint64_t id)
{
    return hf_hash_bytes(HF_HASH_SEED, &id, sizeof(id));
}

void
hf_lines_begin(struct hf_lines *lines, const struct hf_http_module *http,
               struct hf_http_client *client, struct hf_bytes host)
{
    const struct hf_http_header type = {"content-type",
                                        bytes_of("application/jsonl")};
    struct hf_error error;

    if (lines->state != HF_LINES_NONE ||
        http->ask(client,
                  &(struct hf_http_ask){
                      .method = HF_HTTP_POST,
                      .host = host,
                      .path = bytes_of("/v1/stream"),
                      .headers = &type,
                      .headers_count = 1,
                      .is_carrier = true,
                  },
                  &lines->stream, &error) != HF_OK)
        return;
    lines->state = HF_LINES_ASKED;
    lines->asked_at = hf_now();
}

static bool
say(const struct hf_lines *lines, const struct hf_http_module *http,
    struct hf_http_client *client, const char *text)
{
    return http->say(client, lines->stream, bytes_of(text));
}

bool
hf_lines_go_on(const struct hf_lines *lines, const struct hf_http_module *http,
               struct hf_http_client *client)
{
    return say(lines, http, client, "");
}

bool
hf_lines_say(struct hf_lines *lines, const struct hf_http_module *http,
             struct hf_http_client *client, struct hf_node_call *call,
             const char *text)
{
    char head[64];

    snprintf(head, sizeof(head), "{\"id\":%" PRIu64 ",", lines->last + 1);
    if (!hf_hash_add(&lines->open, &call->by_line, hash_of(lines->last + 1)))
        return false;
    call->line = ++lines->last;
    if (say(lines, http, client, head) && say(lines, http, client, text + 1) &&
        say(lines, http, client, "\n"))
        return true;
    lines->is_late = true; /* a part of the line may be on its way */
    hf_lines_lose(lines, call);
    return false;
}

void
hf_lines_cancel(struct hf_lines *lines, const struct hf_http_module *http,
                struct hf_http_client *client, struct hf_node_call *call)
{
    char text[64];

    snprintf(text, sizeof(text), "{\"do\":\"cancel\",\"id\":%" PRIu64 "}\n",
             call->line);
    (void)say(lines, http, client, text);
    hf_lines_lose(lines, call);
}

static struct hf_node_call *
find(const struct hf_lines *lines, uint64_t id)
{
    struct hf_hash_node *node = hf_hash_find(&lines->open, hash_of(id));

    for (; node != NULL; node = hf_hash_next(node)) {
        struct hf_node_call *call =
            HF_CONTAINER(node, struct hf_node_call, by_line);

        if (call->line == id)
            return call;
    }
    return NULL;
}

struct hf_node_call *
hf_lines_heard(struct hf_lines *lines, struct hf_bytes line,
               struct hf_http_answer *answer)
{
    struct hf_node_call *call;
    uint64_t status;
    uint64_t id;

    if (lines->state == HF_LINES_ASKED)
        lines->state = HF_LINES_HEARD;
    if (!hf_json_is_whole(line) ||
        !hf_json_number(hf_json_member(line, "id"), &id) ||
        !hf_json_number(hf_json_member(line, "status"), &status) ||
        status < 200 || status > 599)
        return NULL;
    call = find(lines, id);
    if (call == NULL) /* it was cancelled */
        return NULL;
    hf_lines_lose(lines, call);
    *answer = (struct hf_http_answer){
        .status = (int)status,
        .type = bytes_of("application/json"),
        .body = line,
    };
    return call;
}

void
hf_lines_lose(struct hf_lines *lines, struct hf_node_call *call)
{
    hf_hash_remove(&lines->open, &call->by_line);
    call->line = 0;
}

struct hf_instant
hf_lines_deadline(const struct hf_lines *lines)
{
    return lines->state == HF_LINES_ASKED ? hf_after(lines->asked_at, patience)
                                          : HF_NEVER;
}

void
hf_lines_fini(struct hf_lines *lines)
{
    hf_hash_fini(&lines->open);
}
