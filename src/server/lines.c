#include "server/parts.h"
#include "wire/json.h"

/*
 * Requests that come as lines of a stream.
 *
 * A line is the body of the request that its "do" names, with an "id" by which
 * its client knows the answer.  From here on it is a request like any other:
 * what it may have, and how it is answered, is the same.
 */

static const struct {
    const char *word;
    enum hf_route_kind kind;
} kinds[] = {
    {"acquire", HF_ROUTE_ACQUIRE},
    {"release", HF_ROUTE_RELEASE},
    {"keep-alive", HF_ROUTE_KEEP_ALIVE},
    {"wait", HF_ROUTE_WAIT},
    {"change", HF_ROUTE_CHANGE},
    {"open", HF_ROUTE_OPEN},
    {"end", HF_ROUTE_END},
    {"page", HF_ROUTE_PAGE},
    {"keep-alives", HF_ROUTE_KEEP_ALIVES},
    {"clear", HF_ROUTE_CLEAR},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const char unknown_word[] =
    "a line has a \"do\": acquire, release, keep-alive, wait, change, open, "
    "end, page, keep-alives, clear or cancel";

static const struct hf_api_form of_cancel = {"a cancel", HF_API_ID | HF_API_DO};

static void
refuse(struct hf_service *service, const struct hf_http_request *request,
       enum hf_api_problem problem, const char *detail)
{
    hf_service_refuse(service, request->exchange, problem, detail);
}

/* What stands between must not keep lines back until there are many. */
void
hf_service_carry(struct hf_service *service,
                 const struct hf_http_request *request)
{
    static const struct hf_http_header headers[] = {
        {"content-type", {"application/jsonl", 17}},
        {"cache-control", {"no-store", 8}},
        {"x-accel-buffering", {"no", 2}},
    };
    const struct hf_http_reply reply = {
        .status = 200,
        .headers = headers,
        .headers_count = sizeof(headers) / sizeof(headers[0]),
    };

    _Static_assert(HF_HTTP_CARRIED_MAX == 1024, "as the sentence says");
    if (request->fields[HF_HTTP_OPTIONAL].len > HF_HTTP_CARRIED_MAX) {
        refuse(service, request, HF_API_BAD_REQUEST,
               "a stream has at most 1024 bytes of Holdfast-Optional");
        return;
    }
    service->metrics.responses[reply.status]++;
    (void)hf_http_carry(service->config.http, request->exchange, &reply);
}

/* Its answer would be that of the line which it names: it has none, or one
 * without an id. */
static uint64_t
read_cancel(struct hf_service *service, const struct hf_http_request *request,
            const struct hf_api_line *line)
{
    struct hf_error why;
    uint64_t cancelled;

    if (hf_api_body_read(&of_cancel, request->body,
                         request->fields[HF_HTTP_OPTIONAL], &service->body,
                         &why) != HF_OK) {
        refuse(service, request, HF_API_BAD_REQUEST, why.text);
        return 0;
    }
    if (!line->has_id) {
        refuse(service, request, HF_API_BAD_REQUEST,
               "a cancel has the \"id\" of a line");
        return 0;
    }
    cancelled =
        hf_http_find_line(service->config.http, request->exchange, line->id);
    hf_http_drop_line(service->config.http, request->exchange);
    return cancelled;
}

/* False: it cannot be taken as it came, and that is answered. */
static bool
is_whole(struct hf_service *service, const struct hf_http_request *request)
{
    switch (request->line) {
    case HF_HTTP_LINE_FINE:
        return true;
    case HF_HTTP_LINE_TOO_LONG:
        refuse(service, request, HF_API_TOO_LARGE,
               "a line is no longer than a body");
        return false;
    case HF_HTTP_LINE_SLOW:
        refuse(service, request, HF_API_SLOW, NULL);
        return false;
    }
    return false;
}

bool
hf_service_read_line(struct hf_service *service,
                     const struct hf_http_request *request,
                     struct hf_route *route, uint64_t *cancelled)
{
    struct hf_http *http = service->config.http;
    struct hf_api_line line;
    bool is_named;
    unsigned at = 0;

    hf_api_line_read(request->body, &line);
    if (hf_json_says(line.what, "cancel")) {
        if (is_whole(service, request))
            *cancelled = read_cancel(service, request, &line);
        return false;
    }
    is_named =
        !line.has_id || hf_http_name_line(http, request->exchange, line.id);
    if (!is_whole(service, request))
        return false;
    if (!is_named) {
        refuse(service, request, HF_API_ID_IN_USE, NULL);
        return false;
    }
    while (at < KINDS && !hf_json_says(line.what, kinds[at].word))
        at++;
    if (line.has_id && at < KINDS) {
        *route = (struct hf_route){.kind = kinds[at].kind};
        return true;
    }
    refuse(service, request, HF_API_BAD_REQUEST,
           !hf_json_is_whole(request->body) ? "a line is one object of JSON"
           : !line.has_id ? "a line has an \"id\", a whole number"
                          : unknown_word);
    return false;
}
