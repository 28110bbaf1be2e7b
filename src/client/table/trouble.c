#include "client/table/trouble.h"

#include "base/fail.h"

void
hf_trouble_call(struct hf_trouble *trouble, struct hf_instant now)
{
    trouble->calling = true;
    trouble->called_at = now;
}

void
hf_trouble_answer(struct hf_trouble *trouble, bool write,
                  const struct hf_error *error)
{
    trouble->calling = false;
    if (error != NULL) {
        trouble->error = *error;
        trouble->of_write = write;
    } else if (write || !trouble->of_write) {
        trouble->error = (struct hf_error){.status = HF_OK};
    }
}

void
hf_trouble_cut(struct hf_trouble *trouble)
{
    trouble->calling = false;
}

enum hf_status
hf_trouble_tell(const struct hf_trouble *trouble, const struct hf_store *store,
                const char *place, struct hf_error *error)
{
    struct hf_instant now = hf_now();
    struct hf_duration taken = {0};
    char text[32];

    if (trouble->calling)
        taken = hf_between(trouble->called_at, now);
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
