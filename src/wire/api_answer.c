#include "wire/api_answer.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/hex.h"
#include "wire/served.h"

/* ---- Problems ------------------------------------------------------------ */

struct problem {
    int status;
    const char *type;
    const char *title;
    const char *exception; /* as http-remoting named it; NULL: ours */
};

#define BLOCKING_TIMEOUT "com.palantir.lock.remoting.BlockingTimeoutException"
#define NOT_LEADING      "com.palantir.leader.NotCurrentLeaderException"

static const struct problem of_answers[] = {
    [HF_ANSWER_GONE] = {410, "no-such-session", "there is no such session",
                        NULL},
    [HF_ANSWER_DENIED] = {403, "denied",
                          "the secret is not that of the session", NULL},
    [HF_ANSWER_TERM] = {409, "other-term",
                        "another leader leads now: keep the session alive in "
                        "its term, and ask again",
                        NULL},
    [HF_ANSWER_BLOCKING_TIMEOUT] = {503, "blocking-timeout",
                                    "not granted yet: ask again, the place in "
                                    "line is kept",
                                    BLOCKING_TIMEOUT},
    [HF_ANSWER_SUPERSEDED] = {409, "superseded",
                              "a later attempt of this request has replaced "
                              "this one",
                              NULL},
    [HF_ANSWER_LATER] = {503, "later", NULL, NULL}, /* see of_later */
    [HF_ANSWER_BUSY] = {409, "lane-busy",
                        "the lane's former request is not over", NULL},
    [HF_ANSWER_LIMIT] = {429, "limit", "the server has no room for it", NULL},
    [HF_ANSWER_NOT_HELD] = {409, "not-held",
                            "the lock is not held, or another grant holds it",
                            NULL},
    [HF_ANSWER_OTHER] = {409, "other-request",
                         "this key belongs to a request for other locks, or "
                         "with another mode, ttl or if_dead",
                         NULL},
    [HF_ANSWER_NOT_SUSPECTED] = {409, "not-suspected",
                                 "the holder has not been silent for its "
                                 "whole ttl yet",
                                 NULL},
    [HF_ANSWER_NOT_LEADING] = {503, "not-leading", "this node does not lead",
                               NOT_LEADING},
};

/* Of a blocking timeout after which nothing remains of the wait: who repeats
 * whatever is 503 does not repeat it [W3]. */
static const struct problem timed_out = {
    409, HF_API_TIMED_OUT,
    "not granted within its wait: the request has left the line",
    BLOCKING_TIMEOUT};

static const struct problem of_later[] = {
    [HF_LATER_AGAIN] = {503, "later",
                        "not now: the request lost its place in line, ask "
                        "again",
                        NULL},
    [HF_LATER_FORGOTTEN] = {503, "later",
                            "not now: this server has forgotten what it had "
                            "granted, and grants nothing for a while",
                            NULL},
    [HF_LATER_LEADER] = {503, "later",
                         "not now: after a change of leader earlier waiters "
                         "come first",
                         NULL},
    [HF_LATER_PLACE] = {503, "later",
                        "not now: the lock is free, but an earlier place in "
                        "line is kept",
                        NULL},
};

static const struct problem of_over[] = {
    [HF_OVER_NEVER_ASKED] = {409, "over", "the request was never asked", NULL},
    [HF_OVER_RELEASED] = {409, "released", "the request was released", NULL},
    [HF_OVER_HELD] = {409, "held", "somebody else holds it", NULL},
    [HF_OVER_ALREADY_HELD] = {409, "already-held", "this lane holds it already",
                              NULL},
    [HF_OVER_DEADLOCK] = {409, "deadlock",
                          "waiting for it would close a circle", NULL},
    [HF_OVER_LIMIT] = {429, "limit", "the server has no room for it", NULL},
    [HF_OVER_INVALID] = {400, "bad-request",
                         "the request with that number or key asked for other "
                         "locks",
                         NULL},
    [HF_OVER_FREE] = {200, NULL, NULL, NULL},
    [HF_OVER_CLEARED] = {409, "cleared", "an operator has cleared it", NULL},
    [HF_OVER_FORGOTTEN] = {409, "forgotten",
                           "the server no longer remembers the request", NULL},
};

static const struct problem of_server[] = {
    [HF_API_BAD_REQUEST] = {400, "bad-request",
                            "the request cannot be understood", NULL},
    [HF_API_DENIED] = {403, "denied", "it is not allowed", NULL},
    [HF_API_NO_RESOURCE] = {404, "not-found", "there is no such resource",
                            NULL},
    [HF_API_NO_METHOD] = {405, "method-not-allowed",
                          "the resource has no such method", NULL},
    [HF_API_TOO_LARGE] = {413, "too-large", "the body is too large", NULL},
    [HF_API_ORIGIN] = {403, "origin",
                       "requests of a browser's page are refused", NULL},
    [HF_API_HOST] = {421, "host", "the host is not one of this server's", NULL},
    [HF_API_NO_ROOM] = {429, "limit", "the server has no room for it", NULL},
    [HF_API_VOLATILE] = {409, "volatile", "this server keeps nothing", NULL},
    [HF_API_NO_MEMORY] = {503, "no-memory", "the server has no memory", NULL},
    [HF_API_SLOW] = {408, "slow", "the request took too long to arrive", NULL},
    [HF_API_ID_IN_USE] = {400, "id-in-use",
                          "another line of this stream has that id, and is "
                          "not answered yet",
                          NULL},
    [HF_API_CANCELLED] = {409, "cancelled", "its client has cancelled the line",
                          NULL},
};

const char *
hf_api_answer_word(enum hf_answer_kind kind)
{
    return (size_t)kind < sizeof(of_answers) / sizeof(of_answers[0])
               ? of_answers[kind].type
               : NULL;
}

static const char *const whys[] = {
    [HF_LOOK_HOLDS] = "holds",   [HF_LOOK_HELD] = "held",
    [HF_LOOK_BEHIND] = "behind", [HF_LOOK_ELSEWHERE] = "elsewhere",
    [HF_LOOK_PARKED] = "parked", [HF_LOOK_GRACE] = "grace",
};

static const char *const laters[] = {
    [HF_LATER_AGAIN] = "again",
    [HF_LATER_FORGOTTEN] = "forgotten",
    [HF_LATER_LEADER] = "leader",
    [HF_LATER_PLACE] = "place",
};

const char *
hf_api_later_word(enum hf_later cause)
{
    return laters[cause];
}

const char *
hf_api_why_word(enum hf_look_why why)
{
    return whys[why];
}

const char *
hf_api_over_word(enum hf_over over)
{
    return (size_t)over < sizeof(of_over) / sizeof(of_over[0])
               ? of_over[over].type
               : NULL;
}

static void
add_string(struct hf_text *text, const char *member, const char *value)
{
    hf_text_addf(text, "\"%s\":", member);
    hf_text_add_json(text, value, strlen(value));
    hf_text_add(text, ",");
}

/* All but the closing brace. */
static void
add_problem(struct hf_text *text, const struct problem *problem,
            const char *detail)
{
    const char *message = detail != NULL ? detail : problem->title;

    hf_text_addf(text, "{\"type\":\"urn:holdfast:%s\",", problem->type);
    add_string(text, "title", problem->title);
    if (detail != NULL)
        add_string(text, "detail", detail);
    add_string(text, "message", message);
    if (problem->exception != NULL)
        add_string(text, "exceptionClass", problem->exception);
    else
        hf_text_addf(text, "\"exceptionClass\":\"holdfast.%s\",",
                     problem->type);
    hf_text_addf(text, "\"status\":%d", problem->status);
}

int
hf_api_problem(enum hf_api_problem problem, const char *detail,
               const struct hf_api_unknown *unknown, struct hf_text *text)
{
    add_problem(text, &of_server[problem], detail);
    if (unknown != NULL && unknown->what != NULL) {
        hf_text_addf(text, ",\"%s\":", unknown->what);
        hf_text_add_json(text, unknown->name, strlen(unknown->name));
    }
    hf_text_add(text, "}");
    return of_server[problem].status;
}

/* ---- Answers ------------------------------------------------------------- */

/* Grants are told more often than anything: without printf, an answer takes a
 * third of the time. */
static void
add_number(struct hf_text *text, const char *before, uint64_t number)
{
    hf_text_add(text, before);
    hf_text_add_number(text, number);
}

static void
add_session(struct hf_text *text, const struct hf_api_case *about)
{
    char hex[2 * sizeof(about->secret->bytes) + 1];

    hf_hex_write_u64(about->session, hex);
    hf_text_add(text, ",\"session\":\"");
    hf_text_add(text, hex);
    add_number(text, "\",\"term\":", about->term);
    if (about->secret == NULL)
        return;
    hf_hex_write((const char *)about->secret->bytes,
                 sizeof(about->secret->bytes), hex, sizeof(hex));
    hf_text_addf(text,
                 ",\"secret\":\"%s\",\"ttl_ms\":%" PRId64
                 ",\"left_ms\":%" PRId64
                 ",\"if_dead\":\"%s\",\"blocking_ms\":%" PRId64,
                 hex, about->ttl.ms, about->left.ms,
                 hf_if_dead_word(about->if_dead), about->blocking.ms);
}

static void
add_fences(struct hf_text *text, const char *member, const uint64_t *fences,
           size_t count)
{
    hf_text_addf(text, ",\"%s\":[", member);
    for (size_t i = 0; i < count; i++)
        hf_text_addf(text, "%s%" PRIu64, i == 0 ? "" : ",", fences[i]);
    hf_text_addf(text, "],\"%s_text\":[", member);
    for (size_t i = 0; i < count; i++)
        hf_text_addf(text, "%s\"%" PRIu64 "\"", i == 0 ? "" : ",", fences[i]);
    hf_text_add(text, "]");
}

/* What a session has, for a client that may believe in more. */
static void
add_held(struct hf_text *text, const struct hf_fence_sum *held,
         const uint64_t *fences)
{
    hf_text_addf(text, ",\"grants\":%" PRIu64, held->count);
    if (held->count <= HF_API_HELD_MAX)
        add_fences(text, "fences", fences, held->count);
    else
        hf_text_addf(text, ",\"sums\":[\"%016" PRIx64 "\",\"%016" PRIx64 "\"]",
                     held->sums[0], held->sums[1]);
}

static void
add_granted(struct hf_text *text, const struct hf_answer *answer,
            const struct hf_api_case *about)
{
    add_number(text, "{\"granted\":true,\"fence\":", answer->fence);
    add_number(text, ",\"fence_text\":\"", answer->fence);
    add_number(text, "\",\"lane\":", about->lane);
    add_number(text, ",\"n\":", about->n);
    add_session(text, about);
}

static void
add_alive(struct hf_text *text, const struct hf_answer *answer,
          const struct hf_api_case *about)
{
    hf_text_addf(text, "{\"alive\":true,\"ttl_ms\":%" PRId64,
                 answer->alive.ttl.ms);
    add_session(text, about);
    add_held(text, &answer->alive.held, about->held);
    add_fences(text, "cleared", about->fences, about->fences_count);
}

static bool
has_timed_out(const struct hf_answer *answer)
{
    return answer->kind == HF_ANSWER_BLOCKING_TIMEOUT &&
           answer->blocked.remaining.ms <= 0 && answer->blocked.park.ms == 0;
}

/* Of a place that is kept: where it is, until when, and for how long. */
static void
add_blocked(struct hf_text *text, const struct hf_answer *answer)
{
    hf_text_addf(text, ",\"position\":%" PRIu64, answer->blocked.position);
    if (answer->blocked.remaining.ms > 0 &&
        answer->blocked.remaining.ms != HF_FOREVER.ms)
        hf_text_addf(text, ",\"remaining_ms\":%" PRId64,
                     answer->blocked.remaining.ms);
    if (answer->blocked.park.ms > 0)
        hf_text_addf(text, ",\"park_ms\":%" PRId64, answer->blocked.park.ms);
}

/* What a problem has beside what all have. */
static void
add_particulars(struct hf_text *text, const struct hf_answer *answer,
                const struct hf_api_case *about)
{
    switch (answer->kind) {
    case HF_ANSWER_TERM:
        hf_text_addf(text, ",\"term\":%" PRIu64 ",\"pause_us\":%" PRIu64,
                     about->term, answer->pause_us);
        break;
    case HF_ANSWER_BLOCKING_TIMEOUT:
        if (!has_timed_out(answer))
            add_blocked(text, answer);
        break;
    case HF_ANSWER_LATER:
        hf_text_addf(text, ",\"grace_ms\":%" PRId64 ",\"cause\":\"%s\"",
                     answer->grace.ms, laters[answer->cause]);
        break;
    case HF_ANSWER_NOT_SUSPECTED:
        hf_text_addf(text,
                     ",\"silent_ms\":%" PRId64 ",\"suspected_in_ms\":%" PRId64,
                     answer->suspected.silent.ms, answer->suspected.rest.ms);
        break;
    case HF_ANSWER_NOT_LEADING:
        if (about->leader == NULL || about->leader[0] == '\0')
            break;
        hf_text_add(text, ",\"leader\":");
        hf_text_add_json(text, about->leader, strlen(about->leader));
        break;
    case HF_ANSWER_OPENED:
    case HF_ANSWER_ALIVE:
    case HF_ANSWER_GONE:
    case HF_ANSWER_DENIED:
    case HF_ANSWER_PAGE:
    case HF_ANSWER_GRANTED:
    case HF_ANSWER_OVER:
    case HF_ANSWER_SUPERSEDED:
    case HF_ANSWER_BUSY:
    case HF_ANSWER_LIMIT:
    case HF_ANSWER_RELEASED:
    case HF_ANSWER_CHANGED:
    case HF_ANSWER_ENDED:
    case HF_ANSWER_CLEARED:
    case HF_ANSWER_NOT_HELD:
    case HF_ANSWER_OTHER:
        break;
    }
}

static const struct problem *
problem_of(const struct hf_answer *answer)
{
    if (answer->kind == HF_ANSWER_OVER)
        return &of_over[answer->over];
    if (has_timed_out(answer))
        return &timed_out;
    if (answer->kind == HF_ANSWER_LATER)
        return &of_later[answer->cause];
    return &of_answers[answer->kind];
}

static int
add_refusal(struct hf_text *text, const struct hf_answer *answer,
            const struct hf_api_case *about)
{
    const struct problem *problem = problem_of(answer);

    HF_CHECK(problem->type != NULL);
    add_problem(text, problem, about->detail);
    if (answer->kind == HF_ANSWER_OVER)
        hf_text_add(text, ",\"over\":true");
    add_particulars(text, answer, about);
    /* Who asks with a session of its own must be told it even so: the place in
     * line is that session's. */
    if (about->secret != NULL)
        add_session(text, about);
    return problem->status;
}

/* All but the closing brace; the status. */
static int
add_answer(struct hf_text *text, const struct hf_answer *answer,
           const struct hf_api_case *about)
{
    switch (answer->kind) {
    case HF_ANSWER_OPENED:
        hf_text_add(text, "{\"opened\":true");
        add_session(text, about);
        hf_text_addf(text, ",\"service\":\"%016" PRIx64 "\"", about->service);
        return 201;
    case HF_ANSWER_ALIVE:
        add_alive(text, answer, about);
        return 200;
    case HF_ANSWER_PAGE:
        hf_text_add(text, "{\"page\":true");
        add_fences(text, "missing", about->fences, about->fences_count);
        return 200;
    case HF_ANSWER_GRANTED:
        add_granted(text, answer, about);
        return 200;
    case HF_ANSWER_RELEASED:
        hf_text_add(text, "{\"released\":true");
        return 200;
    case HF_ANSWER_CHANGED:
        hf_text_add(text, "{\"changed\":true");
        return 200;
    case HF_ANSWER_ENDED:
        hf_text_add(text, "{\"ended\":true");
        return 200;
    case HF_ANSWER_CLEARED:
        hf_text_add(text, "{\"cleared\":true");
        return 200;
    case HF_ANSWER_OVER:
        if (answer->over != HF_OVER_FREE)
            return add_refusal(text, answer, about);
        hf_text_add(text, "{\"free\":true");
        return 200;
    case HF_ANSWER_GONE:
    case HF_ANSWER_DENIED:
    case HF_ANSWER_TERM:
    case HF_ANSWER_BLOCKING_TIMEOUT:
    case HF_ANSWER_SUPERSEDED:
    case HF_ANSWER_LATER:
    case HF_ANSWER_BUSY:
    case HF_ANSWER_LIMIT:
    case HF_ANSWER_NOT_HELD:
    case HF_ANSWER_OTHER:
    case HF_ANSWER_NOT_SUSPECTED:
    case HF_ANSWER_NOT_LEADING:
        break;
    }
    return add_refusal(text, answer, about);
}

int
hf_api_answer(const struct hf_answer *answer, const struct hf_api_case *about,
              struct hf_text *text)
{
    int status = add_answer(text, answer, about);

    if (about->more != NULL)
        hf_text_add(text, about->more);
    hf_text_add(text, "}");
    return status;
}
