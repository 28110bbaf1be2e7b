#include "net/intake.h"

#include <string.h>

#include "base/check.h"

enum {
    ROOM_FIRST = 1024,     /* for most requests */
    ROOM_KEPT = 16 * 1024, /* a larger buffer is not kept */
    SPARE_MAX = 64,
};

/* ---- Memory -------------------------------------------------------------- */

static bool
resize(struct hf_intakes *intakes, struct hf_intake *intake, size_t room)
{
    char *bytes = hf_calloc(intakes->alloc, room, 1);

    if (bytes == NULL)
        return false;
    memcpy(bytes, intake->bytes, intake->len);
    hf_free(intakes->alloc, intake->bytes);
    intakes->held = intakes->held - intake->room + room;
    intake->bytes = bytes;
    intake->room = (uint32_t)room;
    return true;
}

static bool
make_room(struct hf_intakes *intakes, struct hf_intake *intake, size_t len)
{
    size_t room = intake->room;

    if (len <= intake->room - intake->len)
        return true;
    while (room - intake->len < len)
        room *= 2;
    return resize(intakes, intake, room);
}

/* `span` is the last that was begun, and grows. */
static bool
add(struct hf_intakes *intakes, struct hf_intake *intake, struct hf_span *span,
    struct hf_bytes piece)
{
    if (!make_room(intakes, intake, piece.len))
        return false;
    HF_CHECK(span->at + span->len == intake->len);
    if (piece.len > 0)
        memcpy(intake->bytes + intake->len, piece.at, piece.len);
    intake->len += (uint32_t)piece.len;
    span->len += (uint32_t)piece.len;
    return true;
}

static struct hf_intake *
make(const struct hf_alloc *alloc)
{
    struct hf_intake *intake = hf_new(alloc, struct hf_intake);

    if (intake == NULL)
        return NULL;
    intake->bytes = hf_calloc(alloc, ROOM_FIRST, 1);
    intake->room = ROOM_FIRST;
    if (intake->bytes == NULL) {
        hf_free(alloc, intake);
        return NULL;
    }
    return intake;
}

struct hf_intake *
hf_intake_begin(struct hf_intakes *intakes, struct hf_instant now)
{
    struct hf_intake *intake = intakes->spare;

    if (intake == NULL) {
        intake = make(intakes->alloc);
        if (intake == NULL)
            return NULL;
    } else {
        intakes->spare = intake->next;
        intakes->spare_count--;
    }
    *intake = (struct hf_intake){
        .begun = now,
        .bytes = intake->bytes,
        .room = intake->room,
        .method = HF_HTTP_METHODS,
    };
    intakes->held += sizeof(*intake) + intake->room;
    return intake;
}

static void
destroy(const struct hf_alloc *alloc, struct hf_intake *intake)
{
    hf_free(alloc, intake->bytes);
    hf_free(alloc, intake);
}

void
hf_intake_end(struct hf_intakes *intakes, struct hf_intake *intake)
{
    if (intake == NULL)
        return;
    intakes->held -= sizeof(*intake) + intake->room;
    if (intakes->spare_count == SPARE_MAX || intake->room > ROOM_KEPT ||
        intake->room < ROOM_FIRST) {
        destroy(intakes->alloc, intake);
        return;
    }
    intake->next = intakes->spare;
    intakes->spare = intake;
    intakes->spare_count++;
}

void
hf_intake_fini(struct hf_intakes *intakes)
{
    while (intakes->spare != NULL) {
        struct hf_intake *next = intakes->spare->next;

        destroy(intakes->alloc, intakes->spare);
        intakes->spare = next;
    }
    intakes->spare_count = 0;
}

/* ---- The head ------------------------------------------------------------ */

void
hf_intake_refuse(struct hf_intake *intake, enum hf_refusal refusal)
{
    if (intake->refusal == HF_REFUSAL_NONE)
        intake->refusal = refusal;
}

bool
hf_intake_target(struct hf_intakes *intakes, struct hf_intake *intake,
                 struct hf_bytes piece)
{
    if (intake->target.len + piece.len > intakes->limits->target_len) {
        hf_intake_refuse(intake, HF_REFUSAL_TARGET_LEN);
        return true;
    }
    if (intake->target.len == 0)
        intake->target.at = intake->len;
    return add(intakes, intake, &intake->target, piece);
}

/* Does it fit what is left of the limit?  The sum is kept, for whoever wants to
 * know by how much it does not. */
static bool
fits_head(const struct hf_intakes *intakes, struct hf_intake *intake,
          size_t len)
{
    size_t left = UINT32_MAX - intake->headers_len;

    intake->headers_len += (uint32_t)(len < left ? len : left);
    if (intake->headers_len <= intakes->limits->headers_len &&
        intake->headers <= intakes->limits->headers)
        return true;
    hf_intake_refuse(intake, HF_REFUSAL_HEADERS);
    return false;
}

unsigned
hf_intake_name(struct hf_intakes *intakes, struct hf_intake *intake,
               struct hf_bytes name)
{
    unsigned field = hf_header_find(name);

    intake->headers++;
    if (!fits_head(intakes, intake, name.len) || field == HF_HEADER_OTHER ||
        (intakes->wanted >> field & 1) == 0)
        return HF_HEADER_OTHER;
    if ((intake->present >> field & 1) != 0) {
        if (hf_header_is_single(field))
            hf_intake_refuse(intake, HF_REFUSAL_TWICE);
        return HF_HEADER_OTHER;
    }
    intake->present |= UINT32_C(1) << field;
    intake->fields[field] = (struct hf_span){intake->len, 0};
    return field;
}

void
hf_intake_skip(struct hf_intakes *intakes, struct hf_intake *intake, size_t len)
{
    intake->headers++;
    (void)fits_head(intakes, intake, len);
}

bool
hf_intake_value(struct hf_intakes *intakes, struct hf_intake *intake,
                unsigned field, struct hf_bytes piece)
{
    if (!fits_head(intakes, intake, piece.len) || field == HF_HEADER_OTHER)
        return true;
    return add(intakes, intake, &intake->fields[field], piece);
}

bool
hf_intake_authority(struct hf_intakes *intakes, struct hf_intake *intake,
                    struct hf_bytes value)
{
    if (!fits_head(intakes, intake, value.len))
        return true;
    intake->authority.at = intake->len;
    return add(intakes, intake, &intake->authority, value);
}

/* ---- What is wrong with it ----------------------------------------------- */

static struct hf_bytes
bytes_of(const struct hf_intake *intake, struct hf_span span)
{
    return (struct hf_bytes){intake->bytes + span.at, span.len};
}

struct hf_bytes
hf_intake_field(const struct hf_intake *intake, unsigned field)
{
    if ((intake->present >> field & 1) == 0)
        return (struct hf_bytes){NULL, 0};
    return hf_header_trim(bytes_of(intake, intake->fields[field]));
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
look_at_target(struct hf_intake *intake)
{
    struct hf_bytes target = bytes_of(intake, intake->target);
    size_t begins = 0;
    size_t ends = authority_ends(target, &begins);

    for (size_t i = 0; i < target.len; i++)
        if (target.at[i] <= ' ' || target.at[i] > '~' || target.at[i] == '#' ||
            (i < ends && strchr("\"<>@\\^`{|}", target.at[i]) != NULL))
            hf_intake_refuse(intake, HF_REFUSAL_TARGET);
    if (ends > 0) {
        if (ends == begins)
            hf_intake_refuse(intake, HF_REFUSAL_TARGET);
        intake->authority = (struct hf_span){
            intake->target.at + (uint32_t)begins, (uint32_t)(ends - begins)};
        intake->target.at += (uint32_t)ends;
        intake->target.len -= (uint32_t)ends;
        target = bytes_of(intake, intake->target);
    }
    if (target.len == 1 && *target.at == '*' &&
        intake->method == HF_HTTP_OPTIONS)
        return;
    if (target.len == 0 || *target.at != '/')
        hf_intake_refuse(intake, HF_REFUSAL_TARGET);
}

static void
look_at_host(struct hf_intake *intake)
{
    bool has_host = (intake->present >> HF_HTTP_HOST & 1) != 0;
    struct hf_bytes host = hf_intake_field(intake, HF_HTTP_HOST);
    struct hf_bytes authority = bytes_of(intake, intake->authority);

    if (authority.len == 0)
        return;
    if (has_host && (host.len != authority.len ||
                     memcmp(host.at, authority.at, host.len) != 0))
        hf_intake_refuse(intake, HF_REFUSAL_HOST);
    intake->fields[HF_HTTP_HOST] = intake->authority;
    intake->present |= UINT32_C(1) << HF_HTTP_HOST;
}

void
hf_intake_end_of_head(struct hf_intake *intake)
{
    struct hf_bytes expected = hf_intake_field(intake, HF_HEADER_EXPECT);

    if (intake->refusal != HF_REFUSAL_NONE)
        return;
    if (intake->method == HF_HTTP_METHODS)
        hf_intake_refuse(intake, HF_REFUSAL_METHOD);
    look_at_target(intake);
    look_at_host(intake);
    if (expected.at != NULL && !hf_header_is(expected, "100-continue"))
        hf_intake_refuse(intake, HF_REFUSAL_EXPECTATION);
}

void
hf_intake_await_body(struct hf_intakes *intakes, struct hf_intake *intake)
{
    /* Without memory it stays as large as it is. */
    if (intakes->held > intakes->limits->coming_len / 2 && intake->len > 0 &&
        intake->room > intake->len)
        (void)resize(intakes, intake, intake->len);
}

/* ---- The body ------------------------------------------------------------ */

bool
hf_intake_body(struct hf_intakes *intakes, struct hf_intake *intake,
               struct hf_bytes piece)
{
    if (piece.len > intakes->limits->body_len - intake->body.len) {
        hf_intake_refuse(intake, HF_REFUSAL_BODY);
        return true;
    }
    if (intake->body.len == 0)
        intake->body.at = intake->len;
    return add(intakes, intake, &intake->body, piece);
}

void
hf_intake_tell(const struct hf_intake *intake, struct hf_http_request *request)
{
    struct hf_bytes target = bytes_of(intake, intake->target);
    const char *mark = memchr(target.at, '?', target.len);

    HF_CHECK(intake->refusal == HF_REFUSAL_NONE);
    request->method = intake->method;
    request->path = target;
    request->query = (struct hf_bytes){NULL, 0};
    if (mark != NULL) {
        request->path.len = (size_t)(mark - target.at);
        request->query =
            (struct hf_bytes){mark + 1, target.len - request->path.len - 1};
    }
    for (unsigned field = 0; field < HF_HTTP_FIELDS; field++)
        request->fields[field] = hf_intake_field(intake, field);
    request->body = bytes_of(intake, intake->body);
}
