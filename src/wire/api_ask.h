#ifndef HF_WIRE_API_ASK_H
#define HF_WIRE_API_ASK_H

#include "base/text.h"
#include "core/session.h"

/*
 * What a client asks of a lock server: a session's messages as requests, by the
 * paths and the members that docs/api.md has.  api_body.h reads them on the
 * other side, and api_reply.h what comes back.
 *
 * The secret is not in them: it goes in a header, as hf_api_ask_secret has it.
 *
 * Allocates nothing; any thread.
 */

/* What a message does not carry itself. */
struct hf_api_ask {
    const struct hf_session_send *send;
    const struct hf_want *wants; /* ACQUIRE: what is asked for; CHANGE: the one
                                    to be lowered */
    size_t wants_count;
    struct hf_duration piece; /* ACQUIRE: it waits for no longer at once, and
                                 asks again; 0: for as long as it waits */
    struct hf_duration park;  /* ... and its place is to be kept for so long */
    const char *note;         /* ACQUIRE: about who asks, or "" */
    const char *who;          /* OPEN */
    const uint64_t *fences;   /* PAGE */
    size_t fences_count;
};

/* Enough for the longest path: each byte of two names as %XX. */
enum { HF_API_PATH_SIZE = 3 * (HF_NAME_MAX + HF_SPACE_MAX) + 128 };

/* Append the path, and the body to *text; the method's word, "POST", is
 * returned. */
const char *hf_api_ask(const struct hf_api_ask *ask, struct hf_text *path,
                       struct hf_text *text);

/* The same as a line of a stream, without its id; with the secret, but of
 * OPEN. */
void hf_api_ask_line(const struct hf_api_ask *ask, struct hf_text *text);

enum { HF_API_SECRET_SIZE = 2 * sizeof(struct hf_secret) + 1 };
void hf_api_ask_secret(const struct hf_secret *secret,
                       char text[HF_API_SECRET_SIZE]);

/* ---- For people ---------------------------------------------------------- */

/* Append `text` as it stands in a path or a query (RFC 3986, 2.1). */
void hf_api_ask_escape(struct hf_text *path, const char *text);

/* "/v1/locks/NAME" and `rest`, as "/why", of that lock, and its space. */
void hf_api_ask_lock(struct hf_text *path, const struct hf_want *lock,
                     const char *rest);

#endif
