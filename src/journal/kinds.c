#include "journal/kinds.h"

#include <string.h>

#include "base/fail.h"
#include "base/hex.h"
#include "base/text.h"

enum { TELL_MS = 50 };

bool
hf_kinds_is_quiet(struct hf_instant *told_at,
                  const struct hf_journal_write *write)
{
    const struct hf_duration pause = {TELL_MS};
    struct hf_instant now = hf_now();

    if (!write->new_term && write->head->node[0] != '\0' &&
        !hf_reached(now, *told_at))
        return true;
    *told_at = hf_after(now, pause);
    return false;
}

enum hf_status
hf_kinds_refuse_lock(struct hf_bytes space, struct hf_bytes name,
                     struct hf_error *error)
{
    char in[HF_SPACE_MAX + 1];
    char of[HF_NAME_MAX + 1];

    hf_text_show(in, sizeof(in), space.at, space.len);
    hf_text_show(of, sizeof(of), name.at, name.len);
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "'%.80s' in space %.80s is held, or was left, as a lock of "
                   "the table itself: have it given back or cleared first",
                   of, in);
}

uint64_t
hf_kinds_order(int64_t id)
{
    return (uint64_t)id ^ UINT64_C(1) << 63;
}

static bool
read_if_dead(const char *word, enum hf_if_dead *if_dead)
{
    *if_dead = HF_TAKEOVER;
    if (word != NULL && strcmp(word, hf_if_dead_word(HF_REFUSE)) == 0)
        *if_dead = HF_REFUSE;
    return word != NULL && strcmp(word, hf_if_dead_word(*if_dead)) == 0;
}

void
hf_kinds_read_session(struct hf_loaded_session *session, struct hf_bytes secret,
                      const char *if_dead)
{
    if (!hf_hex_read(secret, session->secret.bytes,
                     sizeof(session->secret.bytes)) ||
        !read_if_dead(if_dead, &session->if_dead))
        session->ttl.ms = -1;
}
