#include "unit/support/tale.h"

void
tale_add(struct tale *tale, struct hf_instant at,
         const struct hf_effect *effect)
{
    size_t room = sizeof(tale->text) - tale->len;
    size_t len = hf_trace_effect(at, effect, tale->text + tale->len, room - 1);

    assert_true(len + 1 < room);
    tale->len += len;
    tale->text[tale->len++] = '\n';
    tale->text[tale->len] = '\0';
}
