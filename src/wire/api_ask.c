#include "wire/api_ask.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/hex.h"
#include "wire/api_body.h"

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

/* Which of the session's requests it is. */
static void
fill_request(struct hf_api_body *body, const struct hf_message *message)
{
    body->given = HF_API_SESSION | HF_API_TERM | HF_API_LOWEST | HF_API_LANE |
                  HF_API_N | HF_API_A;
    body->session = message->session;
    body->term = message->term;
    body->lowest = message->lowest;
    body->lane = message->lane;
    body->n = message->n;
    body->a = message->a;
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
fill_wait(struct hf_api_body *body, const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    body->given |= HF_API_WAIT | HF_API_WAITED;
    body->wait = message->acquire.wait;
    body->remaining = message->acquire.remaining;
    if (is_cut_up(ask)) {
        body->given |= HF_API_PARK;
        body->wait = HF_WAIT_LIMITED;
        body->remaining = ask->piece;
        body->park = ask->park;
    }
    body->waited = message->acquire.waited;
    body->seen = message->acquire.seen;
    body->free = message->acquire.free;
    if (body->seen > 0)
        body->given |= HF_API_SEEN;
    if (body->free)
        body->given |= HF_API_FREE;
}

static void
fill_acquire(struct hf_api_body *body, const struct hf_api_ask *ask)
{
    HF_CHECK(ask->wants_count <= HF_API_LOCKS_MAX);
    fill_request(body, &ask->send->message);
    body->given |= HF_API_LOCKS;
    body->locks_count = ask->wants_count;
    for (size_t i = 0; i < ask->wants_count; i++)
        body->locks[i] = ask->wants[i];
    fill_wait(body, ask);
    if (ask->note[0] != '\0')
        body->given |= HF_API_NOTE;
    body->note = (struct hf_bytes){ask->note, strlen(ask->note)};
}

static void
fill_page(struct hf_api_body *body, const struct hf_api_ask *ask)
{
    HF_CHECK(ask->fences_count <= HF_API_FENCES_MAX);
    body->given = HF_API_TERM | HF_API_FENCES;
    body->fences_count = ask->fences_count;
    for (size_t i = 0; i < ask->fences_count; i++)
        body->fences[i] = ask->fences[i];
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
fill_body(struct hf_api_body *body, const struct hf_api_ask *ask)
{
    const struct hf_message *message = &ask->send->message;

    body->term = message->term;
    body->lowest = message->lowest;
    switch (message->kind) {
    case HF_MESSAGE_OPEN:
        body->given = HF_API_TTL | HF_API_IF_DEAD | HF_API_WHO;
        body->ttl = message->open.ttl;
        body->if_dead = message->open.if_dead;
        body->who = (struct hf_bytes){ask->who, strlen(ask->who)};
        return;
    case HF_MESSAGE_KEEP_ALIVE:
        body->given = HF_API_TERM | HF_API_LOWEST;
        return;
    case HF_MESSAGE_PAGE:
        fill_page(body, ask);
        return;
    case HF_MESSAGE_END:
        body->given = HF_API_TERM;
        return;
    case HF_MESSAGE_ACQUIRE:
        fill_acquire(body, ask);
        return;
    case HF_MESSAGE_RELEASE:
    case HF_MESSAGE_CHANGE:
        fill_request(body, message);
        return;
    case HF_MESSAGE_CLEAR:
        break;
    }
    HF_CHECK(!"an operator's");
}

const char *
hf_api_ask(const struct hf_api_ask *ask, struct hf_text *path,
           struct hf_text *text)
{
    struct hf_api_body body; /* large: what is given of it is written */

    body.given = 0;
    fill_body(&body, ask);
    add_path(path, ask);
    hf_api_body_write(&body, text);
    return ask->send->message.kind == HF_MESSAGE_END ? "DELETE" : "POST";
}

static const char *
word_of(enum hf_message_kind kind)
{
    switch (kind) {
    case HF_MESSAGE_OPEN:
        return "open";
    case HF_MESSAGE_KEEP_ALIVE:
        return "keep-alive";
    case HF_MESSAGE_PAGE:
        return "page";
    case HF_MESSAGE_END:
        return "end";
    case HF_MESSAGE_ACQUIRE:
        return "acquire";
    case HF_MESSAGE_RELEASE:
        return "release";
    case HF_MESSAGE_CHANGE:
        return "change";
    case HF_MESSAGE_CLEAR:
        break;
    }
    HF_CHECK(!"an operator's");
    return "";
}

void
hf_api_ask_line(const struct hf_api_ask *ask, struct hf_text *text)
{
    const struct hf_message *message = &ask->send->message;
    const char *word = word_of(message->kind);
    struct hf_api_body body;

    body.given = 0;
    fill_body(&body, ask);
    body.given |= HF_API_DO;
    body.what = (struct hf_bytes){word, strlen(word)};
    if (message->kind != HF_MESSAGE_OPEN) {
        body.given |= HF_API_SESSION | HF_API_SECRET;
        body.session = message->session;
        body.secret = ask->send->secret;
    }
    if (message->kind == HF_MESSAGE_CHANGE) {
        body.given |= HF_API_SPACE | HF_API_NAME;
        body.space = ask->wants[0].space;
        body.name = ask->wants[0].name;
    }
    hf_api_body_write(&body, text);
}

void
hf_api_ask_secret(const struct hf_secret *secret, char text[HF_API_SECRET_SIZE])
{
    hf_hex_write((const char *)secret->bytes, sizeof(secret->bytes), text,
                 HF_API_SECRET_SIZE);
}
