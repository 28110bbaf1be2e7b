#include "net/refusals.h"

#include "base/check.h"
#include "base/text.h"

static const struct {
    int status;
    const char *type;
    const char *detail;
} refusals[HF_REFUSALS] = {
    [HF_REFUSAL_NONE] = {500, "none", "nothing is wrong"},
    [HF_REFUSAL_SYNTAX] = {400, "bad-request", "this is no HTTP request"},
    [HF_REFUSAL_LINES] = {400, "bad-request",
                          "a line of the head ends without CR and LF, begins "
                          "with a blank, has one in a name, or has a control "
                          "character"},
    [HF_REFUSAL_FRAMING] = {400, "bad-request",
                            "it is not clear where the body ends"},
    [HF_REFUSAL_TARGET] = {400, "bad-request",
                           "the target of the request is no path"},
    [HF_REFUSAL_HOST] = {400, "bad-request",
                         "there must be one host, and one only"},
    [HF_REFUSAL_TWICE] = {400, "bad-request",
                          "a header is there twice that says one thing"},
    [HF_REFUSAL_SLOW] = {408, "slow", "the request took too long to arrive"},
    [HF_REFUSAL_BODY] = {413, "too-large",
                         "the body of the request is too long"},
    [HF_REFUSAL_TARGET_LEN] = {414, "too-large",
                               "the path of the request is too long"},
    [HF_REFUSAL_EXPECTATION] = {417, "bad-request",
                                "100-continue alone can be expected"},
    [HF_REFUSAL_HEADERS] = {431, "too-large",
                            "the headers of the request are too many or too "
                            "long"},
    [HF_REFUSAL_METHOD] = {501, "not-implemented",
                           "there is no such method here"},
    [HF_REFUSAL_CODING] = {501, "not-implemented",
                           "the only transfer coding is chunked"},
    [HF_REFUSAL_VERSION] = {505, "not-implemented",
                            "this server speaks HTTP/1.1 and HTTP/2"},
};

static const struct {
    int status;
    const char *phrase;
} phrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

const char *
hf_refusal_phrase(int status)
{
    for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return "Status";
}

void
hf_refusal_reply(enum hf_refusal refusal, bool wants_json,
                 char text[HF_REFUSAL_TEXT_SIZE], struct hf_http_reply *reply)
{
    static const struct hf_http_header problem = {
        "content-type", {"application/problem+json", 24}};
    static const struct hf_http_header json = {"content-type",
                                               {"application/json", 16}};
    int status = refusals[refusal].status;
    const char *word = refusals[refusal].type;
    const char *detail = refusals[refusal].detail;
    struct hf_text out;

    hf_text_init(&out, text, HF_REFUSAL_TEXT_SIZE);
    hf_text_addf(&out,
                 "{\"type\":\"urn:holdfast:%s\",\"title\":\"%s\","
                 "\"detail\":\"%s\",\"message\":\"%s\","
                 "\"exceptionClass\":\"holdfast.%s\",\"status\":%d}\n",
                 word, hf_refusal_phrase(status), detail, detail, word, status);
    HF_CHECK(!hf_text_cut(&out));
    *reply = (struct hf_http_reply){
        .status = status,
        .headers = wants_json ? &json : &problem,
        .headers_count = 1,
        .body = {text, out.len},
    };
}
