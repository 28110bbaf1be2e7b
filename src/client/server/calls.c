#include "client/server/calls.h"

#include <string.h>

#include "base/check.h"
#include "client/server/connections.h"

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static enum hf_http_method
method_of(const char *word)
{
    if (strcmp(word, "GET") == 0)
        return HF_HTTP_GET;
    return strcmp(word, "POST") == 0 ? HF_HTTP_POST : HF_HTTP_DELETE;
}

enum hf_status
hf_node_call_ask(struct hf_server *server, struct hf_node_call *call,
                 const struct hf_node_call_request *request,
                 struct hf_error *error)
{
    const struct hf_http_header headers[] = {
        {"content-type", bytes_of("application/json")},
        {"holdfast-secret",
         bytes_of(request->secret == NULL ? "" : request->secret)},
    };
    struct hf_connection *connection = hf_node_connections_to(
        server, request->node, request->must_get_through, error);
    enum hf_status status;

    HF_CHECK(call->connection == NULL);
    if (connection == NULL)
        return error->status;
    status = server->http->ask(
        connection->http,
        &(struct hf_http_ask){
            .method = method_of(request->method),
            .host =
                bytes_of(server->addresses.each[request->node - 1].authority),
            .path = bytes_of(request->path),
            .headers = headers,
            .headers_count = request->secret == NULL ? 1 : 2,
            .body = bytes_of(request->body),
            .tag = (uint64_t)(uintptr_t)call,
        },
        &call->stream, error);
    if (status != HF_OK)
        return status;
    call->connection = connection;
    hf_list_add(&connection->calls, &call->link);
    return HF_OK;
}

void
hf_node_call_overdue(struct hf_node_call *call)
{
    if (call->connection != NULL)
        hf_connection_overdue(call->connection);
}

void
hf_node_call_cancel(struct hf_node_call *call)
{
    struct hf_connection *connection = call->connection;

    if (connection == NULL)
        return;
    connection->server->http->cancel(connection->http, call->stream);
    hf_list_remove(&connection->calls, &call->link);
    call->connection = NULL;
}
