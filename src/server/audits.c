#include <string.h>

#include "base/hex.h"
#include "server/parts.h"
#include "wire/cleared.h"
#include "wire/record.h"

/*
 * Requests for the audit.  It is not in the machine but in the journal, so
 * they wait for the scribe, which reads one page at a time.
 */

/* Rows of a page unless the request says how many; and bytes that are kept
 * free behind the rows. */
#define LIMIT_DEFAULT 100
#define TAIL_MAX      (2 * HF_NAME_COMPANION_SIZE + 64)

/* ---- Asking -------------------------------------------------------------- */

static void
ask_next(struct hf_service *service)
{
    const struct hf_audit_call *audit = &service->audits[0];

    if (service->audits_count > 0)
        hf_seat_audit(service->seat, audit->prefix, audit->after, audit->limit);
}

/* A cursor is the name of a record in hexadecimal, for the name may have any
 * bytes. */
static bool
read_cursor(struct hf_bytes after, char *name, size_t size)
{
    size_t len;

    name[0] = '\0';
    return hf_hex_read_string(after, name, size - 1, &len) &&
           strlen(name) == len;
}

/* The prefix of the records of all locks, of a space's or of one lock. */
static void
write_prefix(const struct hf_route *route, char *prefix, size_t size)
{
    const char *name = route->name.is_given ? route->name.at : NULL;
    const char *space = route->space.is_given ? route->space.at : NULL;

    if (name != NULL && space == NULL)
        space = "default";
    hf_name_companions(space, name, prefix, size);
}

void
hf_service_audit(struct hf_service *service, const struct hf_route *route,
                 const struct hf_http_request *request)
{
    struct hf_pending_call *call;
    struct hf_audit_call *audit;

    if (service->config.seat.scribe.place.kind->keeps_nothing) {
        hf_service_refuse(service, request->exchange, HF_API_VOLATILE,
                          "this server keeps nothing, and so no audit");
        return;
    }
    if (service->audits_count == HF_SERVICE_AUDITS_MAX) {
        hf_service_refuse(service, request->exchange, HF_API_NO_ROOM,
                          "too many read the audit just now");
        return;
    }
    audit = &service->audits[service->audits_count];
    if (!read_cursor(route->after, audit->after, sizeof(audit->after))) {
        hf_service_refuse(service, request->exchange, HF_API_BAD_REQUEST,
                          "after is no cursor of a page of the audit");
        return;
    }
    call = hf_pending_add(&service->pending);
    if (call == NULL) {
        hf_service_refuse(service, request->exchange, HF_API_NO_MEMORY, NULL);
        return;
    }
    call->exchange = request->exchange;
    call->peer = service->peer;
    call->kind = HF_MESSAGE_CLEAR;
    hf_http_tag(service->config.http, call->exchange, call->stream);
    audit->stream = call->stream;
    write_prefix(route, audit->prefix, sizeof(audit->prefix));
    audit->limit = route->limit > 0 ? route->limit : LIMIT_DEFAULT;
    if (service->audits_count++ == 0)
        ask_next(service);
}

/* ---- Answering ----------------------------------------------------------- */

static void
add_row(struct hf_text *text, const struct hf_journal_record *record)
{
    struct hf_audit_entry entry;

    if (hf_cleared_read_entry(record->value, &entry)) {
        hf_text_add_bytes(text, record->value.at, record->value.len);
        return;
    }
    hf_text_add(text, "{\"corrupt\":true,\"record\":");
    hf_text_add_json(text, record->name.at, record->name.len);
    hf_text_add(text, "}");
}

static void
add_cursor(struct hf_text *text, struct hf_bytes name)
{
    char hex[2 * HF_NAME_COMPANION_SIZE + 1];

    hf_hex_write(name.at, name.len, hex, sizeof(hex));
    hf_text_addf(text, ",\"after\":\"%s\"", hex);
}

/* Write as many rows as there is room for, and the cursor of the next page. */
static void
write_page(const struct hf_journal_page *page, struct hf_text *text)
{
    size_t room = text->size - TAIL_MAX;
    size_t count = 0;

    hf_text_add(text, "{\"cleared\":[");
    for (; count < page->count; count++) {
        const struct hf_journal_record *record = &page->records[count];

        if (text->len + record->value.len + HF_NAME_COMPANION_SIZE > room)
            break;
        if (count > 0)
            hf_text_add(text, ",");
        add_row(text, record);
    }
    hf_text_add(text, "]");
    if (count > 0)
        add_cursor(text, page->records[count - 1].name);
    hf_text_add(text, "}");
}

static void
answer(struct hf_service *service, struct hf_pending_call *call,
       const struct hf_scribe_told *told)
{
    struct hf_text text;

    call->answered = true;
    hf_text_init(&text, service->text, sizeof(service->text));
    if (told->error.status == HF_OK) {
        write_page(told->page, &text);
        hf_service_reply(service, call->exchange, 200, hf_service_line(&text));
    } else {
        hf_service_refuse(service, call->exchange, HF_API_NO_MEMORY,
                          told->error.text);
    }
    service->config.peers->wrote(call->peer);
}

void
hf_service_audited(void *ctx, const struct hf_scribe_told *told)
{
    struct hf_service *service = ctx;
    struct hf_pending_call *call =
        hf_pending_find(&service->pending, service->audits[0].stream);

    if (call != NULL && !call->answered)
        answer(service, call, told);
    service->audits_count--;
    memmove(service->audits, service->audits + 1,
            service->audits_count * sizeof(service->audits[0]));
    ask_next(service);
}
