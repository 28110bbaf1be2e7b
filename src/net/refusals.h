#ifndef HF_NET_REFUSALS_H
#define HF_NET_REFUSALS_H

#include "net/message.h"

/*
 * Requests that are answered here, because they are not well formed, larger
 * than a limit, slower than one, or ask for what HTTP has and we have not.
 *
 * Plain tables.  Any thread.
 */
enum hf_refusal {
    HF_REFUSAL_NONE,
    HF_REFUSAL_SYNTAX,
    HF_REFUSAL_LINES,
    HF_REFUSAL_FRAMING,
    HF_REFUSAL_TARGET,
    HF_REFUSAL_HOST,
    HF_REFUSAL_TWICE,
    HF_REFUSAL_SLOW,
    HF_REFUSAL_BODY,
    HF_REFUSAL_TARGET_LEN,
    HF_REFUSAL_EXPECTATION,
    HF_REFUSAL_HEADERS,
    HF_REFUSAL_METHOD,
    HF_REFUSAL_CODING,
    HF_REFUSAL_VERSION,
    HF_REFUSALS,
};

enum { HF_REFUSAL_TEXT_SIZE = 512 };

/* The answer: its body, of the shape that all problems have
 * (wire/api_answer.h), is in `text`.  It is application/problem+json, unless
 * that is said to be unwanted. */
void hf_refusal_reply(enum hf_refusal refusal, bool wants_json,
                      char text[HF_REFUSAL_TEXT_SIZE],
                      struct hf_http_reply *reply);

/* "Not Found": the phrase behind a status in HTTP/1.1; "Status" if it is
 * unusual. */
const char *hf_refusal_phrase(int status);

#endif
