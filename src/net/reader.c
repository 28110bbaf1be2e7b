#include "net/reader.h"

#include <string.h>

#include "base/check.h"

enum {
    ROOM_FIRST = 1024,     /* for most requests */
    ROOM_KEPT = 16 * 1024, /* a larger buffer is not kept */
    SPARE_MAX = 64,
};

/* ---- Memory -------------------------------------------------------------- */

static bool
resize(struct hf_readers *readers, struct hf_reader *reader, size_t room)
{
    char *bytes = hf_calloc(readers->alloc, room, 1);

    if (bytes == NULL)
        return false;
    memcpy(bytes, reader->bytes, reader->len);
    hf_free(readers->alloc, reader->bytes);
    readers->held = readers->held - reader->room + room;
    reader->bytes = bytes;
    reader->room = (uint32_t)room;
    return true;
}

static bool
make_room(struct hf_readers *readers, struct hf_reader *reader, size_t len)
{
    size_t room = reader->room;

    if (len <= reader->room - reader->len)
        return true;
    while (room - reader->len < len)
        room *= 2;
    return resize(readers, reader, room);
}

/* `span` is the last that was begun, and grows. */
static bool
add(struct hf_readers *readers, struct hf_reader *reader, struct hf_span *span,
    struct hf_bytes piece)
{
    if (!make_room(readers, reader, piece.len))
        return false;
    HF_CHECK(span->at + span->len == reader->len);
    if (piece.len > 0)
        memcpy(reader->bytes + reader->len, piece.at, piece.len);
    reader->len += (uint32_t)piece.len;
    span->len += (uint32_t)piece.len;
    return true;
}

static struct hf_bytes
bytes_of(const struct hf_reader *reader, struct hf_span span)
{
    return (struct hf_bytes){reader->bytes + span.at, span.len};
}

static struct hf_reader *
make(const struct hf_alloc *alloc)
{
    struct hf_reader *reader = hf_new(alloc, struct hf_reader);

    if (reader == NULL)
        return NULL;
    reader->bytes = hf_calloc(alloc, ROOM_FIRST, 1);
    reader->room = ROOM_FIRST;
    if (reader->bytes == NULL) {
        hf_free(alloc, reader);
        return NULL;
    }
    return reader;
}

struct hf_reader *
hf_reader_begin(struct hf_readers *readers, struct hf_instant now)
{
    struct hf_reader *reader = readers->spare;

    if (reader == NULL) {
        reader = make(readers->alloc);
        if (reader == NULL)
            return NULL;
    } else {
        readers->spare = reader->next;
        readers->spare_count--;
    }
    *reader = (struct hf_reader){
        .begun = now,
        .bytes = reader->bytes,
        .room = reader->room,
        .method = HF_HTTP_METHODS,
    };
    readers->held += sizeof(*reader) + reader->room;
    return reader;
}

static void
destroy(const struct hf_alloc *alloc, struct hf_reader *reader)
{
    hf_free(alloc, reader->bytes);
    hf_free(alloc, reader);
}

void
hf_reader_end(struct hf_readers *readers, struct hf_reader *reader)
{
    if (reader == NULL)
        return;
    readers->held -= sizeof(*reader) + reader->room;
    if (readers->spare_count == SPARE_MAX || reader->room > ROOM_KEPT ||
        reader->room < ROOM_FIRST) {
        destroy(readers->alloc, reader);
        return;
    }
    reader->next = readers->spare;
    readers->spare = reader;
    readers->spare_count++;
}

void
hf_reader_fini(struct hf_readers *readers)
{
    while (readers->spare != NULL) {
        struct hf_reader *next = readers->spare->next;

        destroy(readers->alloc, readers->spare);
        readers->spare = next;
    }
    readers->spare_count = 0;
}

/* ---- The head ------------------------------------------------------------ */

void
hf_reader_refuse(struct hf_reader *reader, enum hf_refusal refusal)
{
    if (reader->refusal == HF_REFUSAL_NONE)
        reader->refusal = refusal;
}

bool
hf_reader_target(struct hf_readers *readers, struct hf_reader *reader,
                 struct hf_bytes piece)
{
    if (reader->target.len + piece.len > readers->limits->target_len) {
        hf_reader_refuse(reader, HF_REFUSAL_TARGET_LEN);
        return true;
    }
    if (reader->target.len == 0)
        reader->target.at = reader->len;
    return add(readers, reader, &reader->target, piece);
}

/* Is it within the limit?  Beyond it the sum is still counted, for it tells by
 * how much. */
static bool
fits_head(const struct hf_readers *readers, struct hf_reader *reader,
          size_t len)
{
    size_t left = UINT32_MAX - reader->headers_len;

    reader->headers_len += (uint32_t)(len < left ? len : left);
    if (reader->headers_len <= readers->limits->headers_len &&
        reader->headers <= readers->limits->headers)
        return true;
    hf_reader_refuse(reader, HF_REFUSAL_HEADERS);
    return false;
}

unsigned
hf_reader_name(struct hf_readers *readers, struct hf_reader *reader,
               struct hf_bytes name)
{
    unsigned field = hf_header_find(name);

    reader->headers++;
    if (!fits_head(readers, reader, name.len) || field == HF_HEADER_OTHER ||
        (readers->wanted >> field & 1) == 0)
        return HF_HEADER_OTHER;
    reader->joins = false;
    if ((reader->present >> field & 1) != 0) {
        reader->joins = hf_header_is_joined(field);
        if (reader->joins)
            return field;
        if (hf_header_is_single(field))
            hf_reader_refuse(reader, HF_REFUSAL_TWICE);
        return HF_HEADER_OTHER;
    }
    reader->present |= UINT32_C(1) << field;
    reader->fields[field] = (struct hf_span){reader->len, 0};
    return field;
}

void
hf_reader_skip(struct hf_readers *readers, struct hf_reader *reader, size_t len)
{
    reader->headers++;
    (void)fits_head(readers, reader, len);
}

/* Another line of a list begins: the lines before it become the last that was
 * begun, if they are not, and a comma follows. */
static bool
join(struct hf_readers *readers, struct hf_reader *reader, struct hf_span *list)
{
    struct hf_span before = *list;

    reader->joins = false;
    if (before.at + before.len != reader->len) {
        if (!make_room(readers, reader, before.len))
            return false;
        *list = (struct hf_span){reader->len, 0};
        (void)add(readers, reader, list, bytes_of(reader, before));
    }
    return add(readers, reader, list, (struct hf_bytes){",", 1});
}

bool
hf_reader_value(struct hf_readers *readers, struct hf_reader *reader,
                unsigned field, struct hf_bytes piece)
{
    if (!fits_head(readers, reader, piece.len) || field == HF_HEADER_OTHER)
        return true;
    if (reader->joins && piece.len > 0 &&
        !join(readers, reader, &reader->fields[field]))
        return false;
    return add(readers, reader, &reader->fields[field], piece);
}

bool
hf_reader_authority(struct hf_readers *readers, struct hf_reader *reader,
                    struct hf_bytes value)
{
    if (!fits_head(readers, reader, value.len))
        return true;
    reader->authority.at = reader->len;
    return add(readers, reader, &reader->authority, value);
}

/* ---- What is wrong with it ----------------------------------------------- */

struct hf_bytes
hf_reader_field(const struct hf_reader *reader, unsigned field)
{
    if ((reader->present >> field & 1) == 0)
        return (struct hf_bytes){NULL, 0};
    return hf_header_trim(bytes_of(reader, reader->fields[field]));
}

/* Where `http://host` ends in a target that a proxy is asked for; 0: it begins
 * in no such way. */
static size_t
authority_ends(struct hf_bytes target, size_t *begins)
{
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(schemes[i]);

        if (target.len <= len ||
            !hf_header_is((struct hf_bytes){target.at, len}, schemes[i]))
            continue;
        *begins = len;
        while (len < target.len && target.at[len] != '/' &&
               target.at[len] != '?')
            len++;
        return len;
    }
    return 0;
}

/* A path of printable ASCII, or "*" for OPTIONS.  The whole address is allowed
 * (RFC 9112, 3.2.2), and its host, which has no user, counts. */
static void
look_at_target(struct hf_reader *reader)
{
    struct hf_bytes target = bytes_of(reader, reader->target);
    size_t begins = 0;
    size_t ends = authority_ends(target, &begins);

    for (size_t i = 0; i < target.len; i++)
        if (target.at[i] <= ' ' || target.at[i] > '~' || target.at[i] == '#' ||
            (i < ends && strchr("\"<>@\\^`{|}", target.at[i]) != NULL))
            hf_reader_refuse(reader, HF_REFUSAL_TARGET);
    if (ends > 0) {
        if (ends == begins)
            hf_reader_refuse(reader, HF_REFUSAL_TARGET);
        reader->authority = (struct hf_span){
            reader->target.at + (uint32_t)begins, (uint32_t)(ends - begins)};
        reader->target.at += (uint32_t)ends;
        reader->target.len -= (uint32_t)ends;
        target = bytes_of(reader, reader->target);
    }
    if (target.len == 1 && *target.at == '*' &&
        reader->method == HF_HTTP_OPTIONS)
        return;
    if (target.len == 0 || *target.at != '/')
        hf_reader_refuse(reader, HF_REFUSAL_TARGET);
}

static void
look_at_host(struct hf_reader *reader)
{
    bool has_host = (reader->present >> HF_HTTP_HOST & 1) != 0;
    struct hf_bytes host = hf_reader_field(reader, HF_HTTP_HOST);
    struct hf_bytes authority = bytes_of(reader, reader->authority);

    if (authority.len == 0)
        return;
    if (has_host && (host.len != authority.len ||
                     memcmp(host.at, authority.at, host.len) != 0))
        hf_reader_refuse(reader, HF_REFUSAL_HOST);
    reader->fields[HF_HTTP_HOST] = reader->authority;
    reader->present |= UINT32_C(1) << HF_HTTP_HOST;
}

void
hf_reader_end_of_head(struct hf_reader *reader)
{
    struct hf_bytes expected = hf_reader_field(reader, HF_HEADER_EXPECT);

    if (reader->refusal != HF_REFUSAL_NONE)
        return;
    if (reader->method == HF_HTTP_METHODS)
        hf_reader_refuse(reader, HF_REFUSAL_METHOD);
    look_at_target(reader);
    look_at_host(reader);
    if (expected.at != NULL && !hf_header_is(expected, "100-continue"))
        hf_reader_refuse(reader, HF_REFUSAL_EXPECTATION);
}

void
hf_reader_await_body(struct hf_readers *readers, struct hf_reader *reader)
{
    /* Without memory it stays as large as it is. */
    if (readers->held > readers->limits->coming_len / 2 && reader->len > 0 &&
        reader->room > reader->len)
        (void)resize(readers, reader, reader->len);
}

/* ---- The body ------------------------------------------------------------ */

bool
hf_reader_body(struct hf_readers *readers, struct hf_reader *reader,
               struct hf_bytes piece)
{
    if (piece.len > readers->limits->body_len - reader->body.len) {
        hf_reader_refuse(reader, HF_REFUSAL_BODY);
        return true;
    }
    if (reader->body.len == 0)
        reader->body.at = reader->len;
    return add(readers, reader, &reader->body, piece);
}

void
hf_reader_tell(const struct hf_reader *reader, struct hf_http_request *request)
{
    struct hf_bytes target = bytes_of(reader, reader->target);
    const char *mark = memchr(target.at, '?', target.len);

    HF_CHECK(reader->refusal == HF_REFUSAL_NONE);
    request->method = reader->method;
    request->path = target;
    request->query = (struct hf_bytes){NULL, 0};
    if (mark != NULL) {
        request->path.len = (size_t)(mark - target.at);
        request->query =
            (struct hf_bytes){mark + 1, target.len - request->path.len - 1};
    }
    for (unsigned field = 0; field < HF_HTTP_FIELDS; field++)
        request->fields[field] = hf_reader_field(reader, field);
    request->body = bytes_of(reader, reader->body);
}
