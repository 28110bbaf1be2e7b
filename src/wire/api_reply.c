#include "wire/api_reply.h"

#include <string.h>

#include "base/fail.h"
#include "base/hex.h"
#include "wire/json.h"

#define URN "urn:holdfast:"

/* Longer than any word, and than any sentence of a problem's. */
enum { WORD_SIZE = 64, SENTENCE_SIZE = 256 };

/* ---- Parts --------------------------------------------------------------- */

/* Servers read no higher ones, and so tell none. */
static bool
read_highest(struct hf_bytes value, uint64_t *number)
{
    return hf_json_number(value, number) && *number <= INT64_MAX;
}

static bool
read_number(struct hf_bytes body, const char *member, uint64_t *number)
{
    return read_highest(hf_json_member(body, member), number);
}

static bool
read_ms(struct hf_bytes body, const char *member, struct hf_duration *duration)
{
    uint64_t ms;

    if (!read_number(body, member, &ms))
        return false;
    duration->ms = (int64_t)ms;
    return true;
}

static bool
is_true(struct hf_bytes body, const char *member)
{
    return hf_json_is_word(hf_json_member(body, member), "true");
}

static bool
read_session(struct hf_bytes body, uint64_t *session)
{
    return hf_hex_read_u64(hf_json_inside(hf_json_member(body, "session")),
                           session);
}

static bool
read_service(struct hf_bytes body, uint64_t *service)
{
    return hf_hex_read_u64(hf_json_inside(hf_json_member(body, "service")),
                           service);
}

static bool
read_list(struct hf_bytes list, uint64_t *fences, size_t max, size_t *count)
{
    struct hf_bytes fence;
    size_t at = 0;

    for (*count = 0; hf_json_next(list, &at, &fence); ++*count)
        if (*count == max || !read_highest(fence, &fences[*count]))
            return false;
    return hf_json_ended(list, at);
}

static bool
read_fences(struct hf_bytes body, const char *member,
            struct hf_api_reply *reply)
{
    return read_list(hf_json_member(body, member), reply->fences,
                     HF_API_REPLY_FENCES_MAX, &reply->fences_count);
}

/* One half of a sum. */
static bool
read_half(struct hf_bytes sums, size_t *at, uint64_t *half)
{
    struct hf_bytes digits;

    return hf_json_next(sums, at, &digits) &&
           hf_hex_read_u64(hf_json_inside(digits), half);
}

static bool
read_held(struct hf_bytes body, struct hf_api_reply *reply)
{
    struct hf_fence_sum *held = &reply->answer.alive.held;
    struct hf_bytes sums = hf_json_member(body, "sums");
    size_t at = 0;

    if (!read_number(body, "grants", &held->count))
        return false;
    reply->lists_held = held->count <= HF_API_HELD_MAX;
    if (reply->lists_held)
        return read_list(hf_json_member(body, "fences"), reply->held,
                         HF_API_HELD_MAX, &reply->held_count) &&
               reply->held_count == held->count;
    return read_half(sums, &at, &held->sums[0]) &&
           read_half(sums, &at, &held->sums[1]);
}

/* ---- What was done ------------------------------------------------------- */

static bool
read_opened(struct hf_bytes body, struct hf_api_reply *reply)
{
    if (!read_service(body, &reply->service))
        reply->service = 0;
    return read_session(body, &reply->answer.alive.session) &&
           read_number(body, "term", &reply->term) &&
           read_ms(body, "ttl_ms", &reply->answer.alive.ttl) &&
           read_ms(body, "blocking_ms", &reply->blocking) &&
           hf_hex_read(hf_json_inside(hf_json_member(body, "secret")),
                       reply->secret.bytes, sizeof(reply->secret.bytes));
}

static bool
read_alive(struct hf_bytes body, struct hf_api_reply *reply)
{
    return read_session(body, &reply->answer.alive.session) &&
           read_number(body, "term", &reply->term) &&
           read_ms(body, "ttl_ms", &reply->answer.alive.ttl) &&
           read_held(body, reply) && read_fences(body, "cleared", reply);
}

static bool
read_granted(struct hf_bytes body, struct hf_api_reply *reply)
{
    uint64_t *fence = &reply->answer.fence;
    uint64_t again;

    return read_number(body, "fence", fence) && *fence > 0 &&
           read_number(body, "fence_text", &again) && again == *fence &&
           read_session(body, &reply->session) &&
           read_number(body, "lane", &reply->lane) &&
           read_number(body, "n", &reply->n) &&
           read_number(body, "term", &reply->term);
}

static bool
read_page(struct hf_bytes body, struct hf_api_reply *reply)
{
    return read_fences(body, "missing", reply);
}

static bool
read_free(struct hf_bytes body, struct hf_api_reply *reply)
{
    (void)body;
    reply->answer.over = HF_OVER_FREE;
    return true;
}

/* Each success has a member of its own. */
static const struct {
    const char *member;
    enum hf_answer_kind kind;
    bool (*read)(struct hf_bytes body, struct hf_api_reply *reply);
} successes[] = {
    {"granted", HF_ANSWER_GRANTED, read_granted},
    {"alive", HF_ANSWER_ALIVE, read_alive},
    {"released", HF_ANSWER_RELEASED, NULL},
    {"opened", HF_ANSWER_OPENED, read_opened},
    {"page", HF_ANSWER_PAGE, read_page},
    {"changed", HF_ANSWER_CHANGED, NULL},
    {"ended", HF_ANSWER_ENDED, NULL},
    {"cleared", HF_ANSWER_CLEARED, NULL},
    {"free", HF_ANSWER_OVER, read_free},
};

static bool
read_success(struct hf_bytes body, struct hf_api_reply *reply)
{
    for (size_t i = 0; i < sizeof(successes) / sizeof(successes[0]); i++) {
        if (!is_true(body, successes[i].member))
            continue;
        reply->answer.kind = successes[i].kind;
        return successes[i].read == NULL || successes[i].read(body, reply);
    }
    return false;
}

/* ---- What was not -------------------------------------------------------- */

/* The word of its type; "": it has none of ours. */
static void
read_word(struct hf_bytes body, char word[WORD_SIZE])
{
    char type[WORD_SIZE];

    word[0] = '\0';
    hf_json_show(hf_json_member(body, "type"), type, sizeof(type));
    if (strncmp(type, URN, strlen(URN)) == 0)
        memcpy(word, type + strlen(URN), strlen(type) - strlen(URN) + 1);
}

static bool
read_over(const char *word, struct hf_api_reply *reply)
{
    reply->answer.kind = HF_ANSWER_OVER;
    for (unsigned i = 0; i <= HF_OVER_FORGOTTEN; i++) {
        const char *its = hf_api_over_word((enum hf_over)i);

        if (its == NULL || strcmp(word, its) != 0)
            continue;
        reply->answer.over = (enum hf_over)i;
        return true;
    }
    return false;
}

/* An older server does not say it. */
static enum hf_later
read_cause(struct hf_bytes body)
{
    char word[WORD_SIZE];

    hf_json_show(hf_json_member(body, "cause"), word, sizeof(word));
    for (unsigned i = 0; i <= HF_LATER_PLACE; i++)
        if (strcmp(word, hf_api_later_word((enum hf_later)i)) == 0)
            return (enum hf_later)i;
    return HF_LATER_AGAIN;
}

static bool
read_particulars(struct hf_bytes body, struct hf_api_reply *reply)
{
    struct hf_answer *answer = &reply->answer;

    switch ((int)answer->kind) {
    case HF_ANSWER_TERM:
        return read_number(body, "term", &reply->term) &&
               read_number(body, "pause_us", &answer->pause_us);
    case HF_ANSWER_BLOCKING_TIMEOUT:
        answer->blocked.remaining = HF_FOREVER;
        (void)read_ms(body, "remaining_ms", &answer->blocked.remaining);
        return read_number(body, "position", &answer->blocked.position);
    case HF_ANSWER_LATER:
        answer->cause = read_cause(body);
        return read_ms(body, "grace_ms", &answer->grace);
    case HF_ANSWER_NOT_LEADING:
        hf_json_show(hf_json_member(body, "leader"), reply->leader,
                     sizeof(reply->leader));
        return true;
    }
    return true;
}

/* Of what was asked for: no other node will say otherwise. */
static bool
is_invalid(int status, const char *word)
{
    return ((status == 400 || status == 413) && word[0] != '\0') ||
           strcmp(word, "volatile") == 0;
}

static bool
read_refusal(int status, struct hf_bytes body, struct hf_api_reply *reply)
{
    char word[WORD_SIZE];

    read_word(body, word);
    if (is_true(body, "over"))
        return read_over(word, reply);
    if (strcmp(word, HF_API_TIMED_OUT) == 0) {
        reply->answer.kind = HF_ANSWER_BLOCKING_TIMEOUT; /* nothing remains */
        return true;
    }
    for (unsigned i = 0; i <= HF_ANSWER_NOT_LEADING; i++) {
        const char *its = hf_api_answer_word((enum hf_answer_kind)i);

        if (its == NULL || strcmp(word, its) != 0)
            continue;
        reply->answer.kind = (enum hf_answer_kind)i;
        return read_particulars(body, reply);
    }
    reply->answer.kind = HF_ANSWER_OVER;
    reply->answer.over = HF_OVER_INVALID;
    return is_invalid(status, word);
}

/* ---- Answers ------------------------------------------------------------- */

/* As a proxy has it of what is behind. */
static bool
is_of_a_gateway(int status)
{
    return status == 502 || status == 504 || status == 408;
}

enum hf_status
hf_api_reply_problem(int status, struct hf_bytes body, struct hf_error *error)
{
    char message[SENTENCE_SIZE];

    hf_json_show(hf_json_member(body, "message"), message, sizeof(message));
    if (message[0] == '\0' && is_of_a_gateway(status))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "something between had no answer of the lock server "
                       "(status %d)",
                       status);
    if (message[0] == '\0')
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "what answers is no lock server (status %d)", status);
    return hf_fail(error, HF_E_UNAVAILABLE, "%s (status %d)", message, status);
}

bool
hf_api_reply_service(struct hf_bytes info, uint64_t *service,
                     struct hf_duration *max_ttl)
{
    return hf_json_is_whole(info) && read_service(info, service) &&
           *service != 0 && read_ms(info, "max_ttl_ms", max_ttl);
}

enum hf_status
hf_api_reply_read(int status, struct hf_bytes body, struct hf_api_reply *reply,
                  struct hf_error *error)
{
    bool fits;

    *reply = (struct hf_api_reply){.term = 0};
    fits = status < 300 ? read_success(body, reply)
                        : read_refusal(status, body, reply);
    if (fits && hf_json_is_whole(body))
        return HF_OK;
    (void)hf_api_reply_problem(status, body, error);
    if (error != NULL)
        error->status = HF_E_CORRUPT;
    return HF_E_CORRUPT;
}
