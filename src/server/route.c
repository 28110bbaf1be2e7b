#include "server/route.h"

#include <string.h>

#include "base/fail.h"
#include "base/hex.h"
#include "base/text.h"

/* ---- Texts --------------------------------------------------------------- */

/* False: there is a wrong escape, or the text is too long for a name. */
static bool
unescape(struct hf_bytes from, struct hf_route_text *text)
{
    struct hf_text out;

    *text = (struct hf_route_text){.is_given = true};
    hf_text_init(&out, text->at, sizeof(text->at));
    if (!hf_text_add_unescaped(&out, from.at, from.len) || hf_text_cut(&out))
        return false;
    text->len = out.len;
    return true;
}

static bool
is(struct hf_bytes bytes, const char *word)
{
    return bytes.len == strlen(word) && memcmp(bytes.at, word, bytes.len) == 0;
}

/* The bytes before `sign`; *rest are those behind it.  Without `sign`: all, and
 * none. */
static struct hf_bytes
cut(struct hf_bytes bytes, char sign, struct hf_bytes *rest)
{
    const char *at = bytes.len == 0 ? NULL : memchr(bytes.at, sign, bytes.len);

    *rest = (struct hf_bytes){bytes.at + bytes.len, 0};
    if (at == NULL)
        return bytes;
    *rest = (struct hf_bytes){at + 1, bytes.len - (size_t)(at - bytes.at) - 1};
    return (struct hf_bytes){bytes.at, (size_t)(at - bytes.at)};
}

/* ---- Paths --------------------------------------------------------------- */

/* "*" stands for one piece: a session's id, or a lock's name. */
static const struct {
    const char *method;
    const char *path;
    enum hf_route_kind kind;
} routes[] = {
    {"POST", "v1/sessions", HF_ROUTE_OPEN},
    {"POST", "v1/sessions/*/keep-alive", HF_ROUTE_KEEP_ALIVE},
    {"POST", "v1/keep-alive", HF_ROUTE_KEEP_ALIVES},
    {"POST", "v1/sessions/*/page", HF_ROUTE_PAGE},
    {"DELETE", "v1/sessions/*", HF_ROUTE_END},
    {"POST", "v1/acquire", HF_ROUTE_ACQUIRE},
    {"POST", "v1/release", HF_ROUTE_RELEASE},
    {"GET", "v1/sessions", HF_ROUTE_SESSIONS},
    {"GET", "v1/locks", HF_ROUTE_LIST},
    {"GET", "v1/locks/*", HF_ROUTE_SHOW},
    {"GET", "v1/locks/*/why", HF_ROUTE_WHY},
    {"POST", "v1/locks/*/acquire", HF_ROUTE_ACQUIRE},
    {"POST", "v1/locks/*/wait", HF_ROUTE_WAIT},
    {"POST", "v1/locks/*/release", HF_ROUTE_RELEASE},
    {"POST", "v1/locks/*/change", HF_ROUTE_CHANGE},
    {"POST", "v1/locks/*/clear", HF_ROUTE_CLEAR},
    {"GET", "v1/audit", HF_ROUTE_AUDIT},
    {"GET", "v1/info", HF_ROUTE_INFO},
    {"GET", "healthz", HF_ROUTE_HEALTH},
    {"GET", "readyz", HF_ROUTE_READY},
    {"GET", "metrics", HF_ROUTE_METRICS},
};

/* How long the piece is that the path begins with. */
static size_t
piece_len(struct hf_bytes path)
{
    size_t len = 0;

    while (len < path.len && path.at[len] != '/')
        len++;
    return len;
}

/* Does the path go that way?  *piece is what stands for its star. */
static bool
goes(struct hf_bytes path, const char *route, struct hf_bytes *piece)
{
    *piece = (struct hf_bytes){"", 0};
    for (; *route != '\0'; route++) {
        size_t len = *route == '*' ? piece_len(path) : 1;

        if (len == 0 || path.len == 0 ||
            (*route != '*' && path.at[0] != *route))
            return false;
        if (*route == '*')
            *piece = (struct hf_bytes){path.at, len};
        path = (struct hf_bytes){path.at + len, path.len - len};
    }
    return path.len == 0;
}

static bool
session_id(struct hf_bytes piece, uint64_t *id)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < piece.len; i++) {
        int digit = hf_hex_digit(piece.at[i]);

        if (digit < 0)
            return false;
        sum = sum << 4 | (uint64_t)digit;
    }
    *id = sum;
    return piece.len == 16 && sum != 0;
}

/* The piece of a path that names something. */
static enum hf_status
read_piece(struct hf_route *route, struct hf_bytes piece,
           struct hf_error *error)
{
    bool of_session = route->kind == HF_ROUTE_KEEP_ALIVE ||
                      route->kind == HF_ROUTE_PAGE ||
                      route->kind == HF_ROUTE_END;

    if (piece.len == 0)
        return HF_OK;
    if (of_session && !session_id(piece, &route->session))
        return hf_fail(error, HF_E_INVALID,
                       "a session is an id of 16 hexadecimal digits");
    if (!of_session && !unescape(piece, &route->name))
        return hf_fail(error, HF_E_INVALID,
                       "the lock's name in the path is too long, or not "
                       "escaped as it should be");
    return HF_OK;
}

/* ---- Queries ------------------------------------------------------------- */

static bool
read_limit(struct hf_bytes value, uint64_t *limit)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || sum > HF_ROUTE_LIMIT_MAX)
            return false;
        sum = sum * 10 + (uint64_t)(value.at[i] - '0');
    }
    *limit = sum;
    return sum > 0 && sum <= HF_ROUTE_LIMIT_MAX;
}

static enum hf_status
read_asker(struct hf_route *route, struct hf_bytes name, struct hf_bytes value,
           struct hf_error *error)
{
    uint64_t lane = 0;

    if (is(name, "session") && !session_id(value, &route->asker))
        return hf_fail(error, HF_E_INVALID,
                       "session is an id of 16 hexadecimal digits");
    if (!is(name, "lane"))
        return HF_OK;
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || i == 19)
            return hf_fail(error, HF_E_INVALID, "lane is a number");
        lane = lane * 10 + (uint64_t)(value.at[i] - '0');
    }
    route->lane = lane;
    return HF_OK;
}

/* Of those that are known, by a bit for each that was there before. */
static bool
is_twice(struct hf_bytes name, unsigned *before)
{
    static const char *const known[] = {"limit",  "after",   "space", "name",
                                        "prefix", "session", "lane"};

    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        unsigned bit = 1u << i;

        if (!is(name, known[i]))
            continue;
        if ((*before & bit) != 0)
            return true;
        *before |= bit;
    }
    return false;
}

/* An unknown parameter is ignored. */
static enum hf_status
read_parameter(struct hf_route *route, struct hf_bytes parameter,
               struct hf_error *error)
{
    const struct {
        const char *name;
        struct hf_route_text *text;
    } texts[] = {
        {"space", &route->space},
        {"name", &route->name},
        {"prefix", &route->prefix},
    };
    struct hf_bytes value;
    struct hf_bytes name = cut(parameter, '=', &value);

    if (is(name, "limit") && !read_limit(value, &route->limit))
        return hf_fail(error, HF_E_INVALID, "limit is from 1 to %d",
                       HF_ROUTE_LIMIT_MAX);
    if (is(name, "after"))
        route->after = value;
    if (is(name, "leader"))
        route->leader = true;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (!is(name, texts[i].name))
            continue;
        if (texts[i].text->is_given) /* in the path */
            return hf_fail(error, HF_E_INVALID, "%s is given twice",
                           texts[i].name);
        if (!unescape(value, texts[i].text))
            return hf_fail(error, HF_E_INVALID,
                           "%s is too long, or not escaped as it should be",
                           texts[i].name);
    }
    return read_asker(route, name, value, error);
}

static enum hf_status
read_query(struct hf_route *route, struct hf_bytes query,
           struct hf_error *error)
{
    enum hf_status status = HF_OK;
    unsigned before = 0;

    while (query.len > 0 && status == HF_OK) {
        struct hf_bytes parameter = cut(query, '&', &query);
        struct hf_bytes value;
        struct hf_bytes name = cut(parameter, '=', &value);

        status = is_twice(name, &before)
                     ? hf_fail(error, HF_E_INVALID, "%.*s is given twice",
                               (int)name.len, name.at)
                     : read_parameter(route, parameter, error);
    }
    return status;
}

/* ---- Both ---------------------------------------------------------------- */

bool
hf_route_read(const char *method, struct hf_bytes path, struct hf_bytes query,
              struct hf_route *route, enum hf_api_problem *problem,
              struct hf_error *error)
{
    struct hf_bytes piece;
    bool is_there = false;

    *error = (struct hf_error){HF_OK, ""};
    *problem = HF_API_NO_RESOURCE;
    if (path.len == 0 || path.at[0] != '/' || path.at[path.len - 1] == '/')
        return false;
    path = (struct hf_bytes){path.at + 1, path.len - 1};
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (!goes(path, routes[i].path, &piece))
            continue;
        is_there = true;
        if (strcmp(method, routes[i].method) != 0)
            continue;
        *route = (struct hf_route){.kind = routes[i].kind};
        *problem = HF_API_BAD_REQUEST;
        return read_piece(route, piece, error) == HF_OK &&
               read_query(route, query, error) == HF_OK;
    }
    if (is_there)
        *problem = HF_API_NO_METHOD;
    return false;
}

void
hf_route_methods(struct hf_bytes path, struct hf_text *text)
{
    struct hf_bytes piece;

    path = (struct hf_bytes){path.at + 1, path.len - 1};
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (!goes(path, routes[i].path, &piece))
            continue;
        hf_text_add(text, text->len > 0 ? ", " : "");
        hf_text_add(text, routes[i].method);
        if (strcmp(routes[i].method, "GET") == 0)
            hf_text_add(text, ", HEAD"); /* it is answered as that */
    }
}
