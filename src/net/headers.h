#ifndef HF_NET_HEADERS_H
#define HF_NET_HEADERS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "net/message.h"

/*
 * The words of HTTP that are looked at: methods, and names of headers.
 *
 * Plain tables.  Any thread.
 */

/* Headers of a request: first those that are told, then those that tell how to
 * read it.  Behind them those that an answer may have beside its type. */
enum {
    HF_HEADER_CONTENT_LENGTH = HF_HTTP_FIELDS,
    HF_HEADER_TRANSFER_ENCODING,
    HF_HEADER_EXPECT,
    HF_HEADER_CONNECTION,
    HF_HEADER_RETRY_AFTER,
    HF_HEADER_LOCATION,
    HF_HEADER_SERVER,
    HF_HEADER_VIA,
    HF_HEADERS,
    HF_HEADER_OTHER = HF_HEADERS, /* not looked at */
};

/* A bit each. */
#define HF_HEADERS_OF_ANSWERS                                                  \
    (UINT32_C(1) << HF_HTTP_CONTENT_TYPE |                                     \
     UINT32_C(1) << HF_HEADER_RETRY_AFTER |                                    \
     UINT32_C(1) << HF_HEADER_LOCATION | UINT32_C(1) << HF_HEADER_SERVER |     \
     UINT32_C(1) << HF_HEADER_VIA)
#define HF_HEADERS_OF_REQUESTS ((UINT32_C(1) << HF_HEADER_RETRY_AFTER) - 1)

enum { HF_HEADER_NAME_MAX = 17 }; /* bytes of the longest of these names */

/* Which header is named so, in any letters?  Of HTTP/2, which has small ones
 * only, as of HTTP/1.1. */
unsigned hf_header_find(struct hf_bytes name);

/* May it be there once only?  Twice could be read as either. */
bool hf_header_is_single(unsigned field);

/* Is it a list, whose lines are one list (RFC 9110, 5.3)?  Of the others that
 * may be there more than once only the first line is kept. */
bool hf_header_is_joined(unsigned field);

/* The method of that name, or HF_HTTP_METHODS. */
enum hf_http_method hf_header_method(struct hf_bytes name);

/* Does the name of one begin so? */
bool hf_header_begins_method(struct hf_bytes text);

/* And its name. */
struct hf_bytes hf_header_method_word(enum hf_http_method method);

/* How many bytes at its beginning are of a token (RFC 9110, 5.6.2): what names
 * and methods are made of? */
size_t hf_header_token_len(struct hf_bytes text);

/* The same but for the case of letters?  `word` is in small ones. */
bool hf_header_is(struct hf_bytes text, const char *word);

/* Without the blanks around it (RFC 9110, 5.5). */
struct hf_bytes hf_header_trim(struct hf_bytes text);

/* Is the word in that list, whatever its parameters are? */
bool hf_header_lists(struct hf_bytes list, const char *word);

/* Does that Accept ask for application/json, and not for
 * application/problem+json?  A range with a star asks for neither. */
bool hf_header_wants_json(struct hf_bytes accept);

#endif
