#include "wire/api_ask.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/hex.h"

/* ---- Paths --------------------------------------------------------------- */

static bool
is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || strchr("-._~", c) != NULL;
}

static void
escape(struct hf_text *path, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\0' && is_unreserved(bytes[i]))
            hf_text_add_bytes(path, &bytes[i], 1);
        else
            hf_text_addf(path, "%%%02X", (unsigned char)bytes[i]);
    }
}

void
hf_api_ask_escape(struct hf_text *path, const char *text)
{
    escape(path, text, strlen(text));
}

void
hf_api_ask_lock(struct hf_text *path, const struct hf_want *lock,
                const char *rest)
{
    hf_text_add(path, "/v1/locks/");
    escape(path, lock->name.at, lock->name.len);
    hf_text_add(path, rest);
    hf_text_add(path, "?space=");
    escape(path, lock->space.at, lock->space.len);
}

/* ---- Bodies -------------------------------------------------------------- */

static void
add_bytes(struct hf_text *body, const char *member, struct hf_bytes bytes)
{
    hf_text_addf(body, "\"%s\":", member);
    hf_text_add_json(body, bytes.at, bytes.len);
}

static void
add_string(struct hf_text *body, const char *member, const char *string)
{
    add_bytes(body, member, (struct hf_bytes){string, strlen(string)});
}

static void
add_open(struct hf_text *body, const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    hf_text_addf(body, "\"ttl\":%" PRId64 ",\"if_dead\":\"%s\",",
                 message->open.ttl.ms, hf_if_dead_word(message->open.if_dead));
    add_string(body, "who", ask->who);
}

static void
add_keep_alive(struct hf_text *body, const struct hf_message *message)
{
    hf_text_addf(body, "\"term\":%" PRIu64 ",\"lowest\":%" PRIu64,
                 message->term, message->lowest);
}

static void
add_page(struct hf_text *body, const struct hf_api_ask *ask)
{
    hf_text_addf(body, "\"term\":%" PRIu64 ",\"fences\":[",
                 ask->send->message.term);
    for (size_t i = 0; i < ask->fences_count; i++)
        hf_text_addf(body, "%s%" PRIu64, i == 0 ? "" : ",", ask->fences[i]);
    hf_text_add(body, "]");
}

/* Which of the session's requests it is. */
static void
add_request(struct hf_text *body, const struct hf_message *message)
{
    hf_text_addf(body,
                 "\"session\":\"%016" PRIx64 "\",\"term\":%" PRIu64
                 ",\"lowest\":%" PRIu64 ",\"lane\":%" PRIu64 ",\"n\":%" PRIu64
                 ",\"a\":%" PRIu64,
                 message->session, message->term, message->lowest,
                 message->lane, message->n, message->a);
}

static void
add_wants(struct hf_text *body, const struct hf_api_ask *ask)
{
    hf_text_add(body, ",\"locks\":[");
    for (size_t i = 0; i < ask->wants_count; i++) {
        hf_text_add(body, i == 0 ? "{" : ",{");
        add_bytes(body, "space", ask->wants[i].space);
        hf_text_add(body, ",");
        add_bytes(body, "name", ask->wants[i].name);
        hf_text_addf(body, ",\"mode\":\"%s\"}",
                     hf_mode_word(ask->wants[i].mode));
    }
    hf_text_add(body, "]");
}

/* Is that longer than one request may take? */
static bool
is_cut_up(const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    return ask->piece.ms > 0 && message->acquire.wait != HF_WAIT_TRY &&
           (message->acquire.wait == HF_WAIT_FOREVER ||
            message->acquire.remaining.ms > ask->piece.ms);
}

static void
add_limit(struct hf_text *body, const struct hf_message *message)
{
    switch (message->acquire.wait) {
    case HF_WAIT_TRY:
        hf_text_add(body, ",\"wait\":\"try\"");
        break;
    case HF_WAIT_LIMITED:
        hf_text_addf(body, ",\"wait\":%" PRId64, message->acquire.remaining.ms);
        break;
    case HF_WAIT_FOREVER:
        hf_text_add(body, ",\"wait\":null");
        break;
    }
}

static void
add_wait(struct hf_text *body, const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    if (is_cut_up(ask))
        hf_text_addf(body, ",\"wait\":%" PRId64 ",\"park\":%" PRId64,
                     ask->piece.ms, ask->park.ms);
    else
        add_limit(body, message);
    hf_text_addf(body, ",\"waited\":%" PRId64, message->acquire.waited.ms);
    if (message->acquire.seen > 0)
        hf_text_addf(body, ",\"seen\":%" PRIu64, message->acquire.seen);
    if (message->acquire.free)
        hf_text_add(body, ",\"free\":true");
}

static void
add_acquire(struct hf_text *body, const struct hf_api_ask *ask)
{
    add_request(body, &ask->send->message);
    add_wants(body, ask);
    add_wait(body, ask);
    if (ask->note[0] == '\0')
        return;
    hf_text_add(body, ",");
    add_string(body, "note", ask->note);
}

/* ---- Requests ------------------------------------------------------------ */

static void
add_path(struct hf_text *path, const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    switch (message->kind) {
    case HF_MESSAGE_OPEN:
        hf_text_add(path, "/v1/sessions");
        return;
    case HF_MESSAGE_KEEP_ALIVE:
    case HF_MESSAGE_PAGE:
    case HF_MESSAGE_END:
        hf_text_addf(path, "/v1/sessions/%016" PRIx64 "%s", message->session,
                     message->kind == HF_MESSAGE_KEEP_ALIVE ? "/keep-alive"
                     : message->kind == HF_MESSAGE_PAGE     ? "/page"
                                                            : "");
        return;
    case HF_MESSAGE_ACQUIRE:
        hf_text_add(path, "/v1/acquire");
        return;
    case HF_MESSAGE_RELEASE:
        hf_text_add(path, "/v1/release");
        return;
    case HF_MESSAGE_CHANGE:
        hf_api_ask_lock(path, &ask->wants[0], "/change");
        return;
    case HF_MESSAGE_CLEAR:
        break;
    }
    HF_CHECK(!"an operator's");
}

static void
add_body(struct hf_text *body, const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    switch (message->kind) {
    case HF_MESSAGE_OPEN:
        add_open(body, ask);
        return;
    case HF_MESSAGE_KEEP_ALIVE:
        add_keep_alive(body, message);
        return;
    case HF_MESSAGE_PAGE:
        add_page(body, ask);
        return;
    case HF_MESSAGE_END:
        hf_text_addf(body, "\"term\":%" PRIu64, message->term);
        return;
    case HF_MESSAGE_ACQUIRE:
        add_acquire(body, ask);
        return;
    case HF_MESSAGE_RELEASE:
    case HF_MESSAGE_CHANGE:
        add_request(body, message);
        return;
    case HF_MESSAGE_CLEAR:
        break;
    }
    HF_CHECK(!"an operator's");
}

const char *
hf_api_ask(const struct hf_api_ask *ask, struct hf_text *path,
           struct hf_text *body)
{
    add_path(path, ask);
    hf_text_add(body, "{");
    add_body(body, ask);
    hf_text_add(body, "}");
    return ask->send->message.kind == HF_MESSAGE_END ? "DELETE" : "POST";
}

void
hf_api_ask_secret(const struct hf_secret *secret, char text[HF_API_SECRET_SIZE])
{
    hf_hex_write((const char *)secret->bytes, sizeof(secret->bytes), text,
                 HF_API_SECRET_SIZE);
}
