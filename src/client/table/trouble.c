#include "client/table/trouble.h"

#include "base/fail.h"

/* A commit takes a round trip or a few, and a flush. */
#define CALL_SLOW_MS 100

void
hf_trouble_begin(struct hf_trouble *trouble, struct hf_trouble_call *call,
                 struct hf_instant now)
{
    call->began_at = now;
    hf_list_add(&trouble->calls, &call->link);
}

void
hf_trouble_end(struct hf_trouble *trouble, struct hf_trouble_call *call)
{
    hf_list_remove(&trouble->calls, &call->link);
}

void
hf_trouble_answer(struct hf_trouble *trouble, bool write,
                  const struct hf_error *error)
{
    if (error != NULL) {
        trouble->error = *error;
        trouble->of_write = write;
    } else if (write || !trouble->of_write) {
        trouble->error = (struct hf_error){.status = HF_OK};
    }
}

/* The call that has taken longest; NULL: there is none. */
static const struct hf_trouble_call *
longest(const struct hf_trouble *trouble)
{
    struct hf_link *first = trouble->calls.first;

    return first == NULL ? NULL
                         : HF_CONTAINER(first, struct hf_trouble_call, link);
}

struct hf_instant
hf_trouble_slow_at(const struct hf_trouble *trouble)
{
    const struct hf_trouble_call *call = longest(trouble);

    return call == NULL
               ? HF_NEVER
               : hf_after(call->began_at, (struct hf_duration){CALL_SLOW_MS});
}

static struct hf_duration
taken_by(const struct hf_trouble *trouble, struct hf_instant now)
{
    const struct hf_trouble_call *call = longest(trouble);

    return call == NULL ? (struct hf_duration){0}
                        : hf_between(call->began_at, now);
}

enum hf_status
hf_trouble_tell(const struct hf_trouble *trouble, const struct hf_store *store,
                const char *place, struct hf_error *error)
{
    struct hf_instant now = hf_now();
    struct hf_duration taken = taken_by(trouble, now);
    char text[32];

    if (taken.ms >= HF_TROUBLE_LOCKED_MS && hf_store_is_locked(store, now))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: other processes keep it locked", place);
    if (trouble->error.text[0] != '\0')
        return hf_fail(error, trouble->error.status, "%s", trouble->error.text);
    if (taken.ms >= HF_TROUBLE_SLOW_MS)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: it is slow, one call has taken %s so far", place,
                       hf_duration_text(taken, text, sizeof(text)));
    return HF_OK;
}
