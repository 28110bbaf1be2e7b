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

/* "*" stands for one piece: a session's id, or a lock's name.  What is asked
 * most is looked at first. */
static const struct {
    const char *method;
    const char *path;
    enum hf_route_kind kind;
} routes[] = {
    {"POST", "v1/acquire", HF_ROUTE_ACQUIRE},
    {"POST", "v1/release", HF_ROUTE_RELEASE},
    {"POST", "v1/sessions", HF_ROUTE_OPEN},
    {"POST", "v1/sessions/*/keep-alive", HF_ROUTE_KEEP_ALIVE},
    {"POST", "v1/keep-alive", HF_ROUTE_KEEP_ALIVES},
    {"POST", "v1/sessions/*/page", HF_ROUTE_PAGE},
    {"DELETE", "v1/sessions/*", HF_ROUTE_END},
    {"GET", "v1/sessions", HF_ROUTE_SESSIONS},
    {"GET", "v1/locks", HF_ROUTE_LIST},
    {"GET", "v1/locks/*", HF_ROUTE_SHOW},
    {"GET", "v1/locks/*/why", HF_ROUTE_WHY},
    {"POST", "v1/locks/*/acquire", HF_ROUTE_ACQUIRE},
    {"POST", "v1/locks/*/wait", HF_ROUTE_WAIT},
    {"POST", "v1/locks/*/release", HF_ROUTE_RELEASE},
    {"POST", "v1/locks/*/change", HF_ROUTE_CHANGE},
    {"POST", "v1/locks/*/clear", HF_ROUTE_CLEAR},
    {"POST", "v1/stream", HF_ROUTE_STREAM},
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

static bool
read_lane(struct hf_bytes value, uint64_t *lane)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || i == 19)
            return false;
        sum = sum * 10 + (uint64_t)(value.at[i] - '0');
    }
    *lane = sum;
    return true;
}

/* The parameters, by a bit for each. */
enum {
    LIMIT = 1 << 0,
    AFTER = 1 << 1,
    SPACE = 1 << 2,
    NAME = 1 << 3,
    PREFIX = 1 << 4,
    SESSION = 1 << 5,
    LANE = 1 << 6,
    LEADER = 1 << 7,
};

static const char *const parameters[] = {
    "limit", "after", "space", "name", "prefix", "session", "lane", "leader"};

enum { PARAMETERS = sizeof(parameters) / sizeof(parameters[0]) };

/* Those that a route has; of those that are not here it is not asked, for
 * monitors add parameters of their own. */
static const unsigned parameters_of[] = {
    [HF_ROUTE_OPEN] = 0,
    [HF_ROUTE_KEEP_ALIVE] = 0,
    [HF_ROUTE_KEEP_ALIVES] = 0,
    [HF_ROUTE_PAGE] = 0,
    [HF_ROUTE_END] = 0,
    [HF_ROUTE_ACQUIRE] = SPACE,
    [HF_ROUTE_WAIT] = SPACE,
    [HF_ROUTE_RELEASE] = SPACE,
    [HF_ROUTE_CHANGE] = SPACE,
    [HF_ROUTE_CLEAR] = SPACE,
    [HF_ROUTE_STREAM] = 0,
    [HF_ROUTE_LIST] = LIMIT | AFTER | SPACE | PREFIX,
    [HF_ROUTE_SESSIONS] = LIMIT | AFTER,
    [HF_ROUTE_SHOW] = LIMIT | SPACE | SESSION | LANE,
    [HF_ROUTE_WHY] = LIMIT | SPACE,
    [HF_ROUTE_AUDIT] = LIMIT | AFTER | SPACE | NAME,
    [HF_ROUTE_INFO] = 0,
};

/* The number of a parameter that the route has, or PARAMETERS. */
static unsigned
find_parameter(unsigned known, struct hf_bytes name)
{
    unsigned number = 0;

    while (number < PARAMETERS &&
           ((known >> number & 1) == 0 || !is(name, parameters[number])))
        number++;
    return number;
}

static enum hf_status
refuse_parameter(unsigned known, struct hf_bytes name, struct hf_bytes optional,
                 struct hf_route_refusal *refusal)
{
    struct hf_api_known others = {.what = "parameter", .of = "this path"};
    char shown[HF_API_UNKNOWN_SIZE];

    hf_text_show(shown, sizeof(shown), name.at, name.len);
    if (hf_api_is_optional(optional, shown))
        return HF_OK;
    for (unsigned i = 0; i < PARAMETERS; i++)
        if ((known >> i & 1) != 0)
            others.names[others.count++] = parameters[i];
    return hf_api_refuse_unknown(&others, shown, &refusal->unknown,
                                 &refusal->why);
}

static enum hf_status
read_text(struct hf_route_text *text, const char *name, struct hf_bytes value,
          struct hf_error *error)
{
    return unescape(value, text)
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "%s is too long, or not escaped as it should be",
                         name);
}

static enum hf_status
read_parameter(struct hf_route *route, unsigned which, struct hf_bytes value,
               struct hf_error *error)
{
    switch (which) {
    case LIMIT:
        return read_limit(value, &route->limit)
                   ? HF_OK
                   : hf_fail(error, HF_E_INVALID, "limit is from 1 to %d",
                             HF_ROUTE_LIMIT_MAX);
    case AFTER:
        route->after = value;
        return HF_OK;
    case SPACE:
        return read_text(&route->space, "space", value, error);
    case NAME:
        return read_text(&route->name, "name", value, error);
    case PREFIX:
        return read_text(&route->prefix, "prefix", value, error);
    case SESSION:
        return session_id(value, &route->asker)
                   ? HF_OK
                   : hf_fail(error, HF_E_INVALID,
                             "session is an id of 16 hexadecimal digits");
    case LANE:
        return read_lane(value, &route->lane)
                   ? HF_OK
                   : hf_fail(error, HF_E_INVALID, "lane is a number");
    default:
        route->leader = true;
        return HF_OK;
    }
}

static enum hf_status
read_query(struct hf_route *route, const struct hf_route_ask *ask,
           struct hf_route_refusal *refusal)
{
    bool is_open = route->kind > HF_ROUTE_INFO;
    unsigned known = is_open ? LEADER : parameters_of[route->kind];
    struct hf_bytes query = ask->query;
    enum hf_status status = HF_OK;
    unsigned before = 0;

    while (query.len > 0 && status == HF_OK) {
        struct hf_bytes value;
        struct hf_bytes parameter = cut(query, '&', &query);
        struct hf_bytes name = cut(parameter, '=', &value);
        unsigned which = 1U << find_parameter(known, name);

        if (which == 1U << PARAMETERS)
            status =
                is_open || parameter.len == 0
                    ? HF_OK
                    : refuse_parameter(known, name, ask->optional, refusal);
        else if ((before & which) != 0)
            status = hf_fail(&refusal->why, HF_E_INVALID, "%.*s is given twice",
                             (int)name.len, name.at);
        else
            status = read_parameter(route, which, value, &refusal->why);
        before |= which;
    }
    return status;
}

/* ---- Both ---------------------------------------------------------------- */

bool
hf_route_read(const struct hf_route_ask *ask, struct hf_route *route,
              struct hf_route_refusal *refusal)
{
    struct hf_bytes path = ask->path;
    struct hf_bytes piece;
    bool is_there = false;

    *refusal = (struct hf_route_refusal){.problem = HF_API_NO_RESOURCE};
    if (path.len == 0 || path.at[0] != '/' || path.at[path.len - 1] == '/')
        return false;
    path = (struct hf_bytes){path.at + 1, path.len - 1};
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (!goes(path, routes[i].path, &piece))
            continue;
        is_there = true;
        if (strcmp(ask->method, routes[i].method) != 0)
            continue;
        *route = (struct hf_route){.kind = routes[i].kind};
        refusal->problem = HF_API_BAD_REQUEST;
        return read_piece(route, piece, &refusal->why) == HF_OK &&
               read_query(route, ask, refusal) == HF_OK;
    }
    if (is_there)
        refusal->problem = HF_API_NO_METHOD;
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
