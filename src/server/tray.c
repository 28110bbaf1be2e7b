#include "server/tray.h"

#include <string.h>

/* The first block, and what each next is at least. */
#define SIZE_MIN 65536

void
hf_tray_fini(struct hf_tray *tray)
{
    if (tray->alloc != NULL)
        hf_free(tray->alloc, tray->block);
    *tray = (struct hf_tray){.alloc = tray->alloc};
}

/* What an answer takes: itself and its body, aligned for the next. */
static size_t
taken_by(const struct hf_tray_answer *answer)
{
    size_t align = _Alignof(struct hf_tray_answer);
    size_t len = sizeof(*answer) + answer->body.len;

    return (len + align - 1) / align * align;
}

/* Room for so many bytes at the end: what was taken out makes some, while it is
 * half of the block, and else a block of twice the size does. */
static bool
make_room(struct hf_tray *tray, size_t len)
{
    size_t used = tray->end - tray->first;
    size_t size = tray->size < SIZE_MIN ? SIZE_MIN : tray->size;
    char *block;

    if (tray->size - tray->end >= len)
        return true;
    if (tray->size > 0 && used <= tray->size / 2 && tray->size - used >= len) {
        memmove(tray->block, tray->block + tray->first, used);
        tray->first = 0;
        tray->end = used;
        return true;
    }
    while (size - used < len || used > size / 2)
        size *= 2;
    block = hf_calloc(tray->alloc, 1, size);
    if (block == NULL)
        return false;
    if (used > 0)
        memcpy(block, tray->block + tray->first, used);
    hf_free(tray->alloc, tray->block);
    tray->block = block;
    tray->size = size;
    tray->first = 0;
    tray->end = used;
    return true;
}

bool
hf_tray_put(struct hf_tray *tray, const struct hf_tray_answer *answer)
{
    size_t len = taken_by(answer);
    char *at;

    if (!make_room(tray, len))
        return false;
    at = tray->block + tray->end;
    memcpy(at, answer, sizeof(*answer));
    memcpy(at + sizeof(*answer), answer->body.at, answer->body.len);
    tray->end += len;
    return true;
}

bool
hf_tray_take(struct hf_tray *tray, uint64_t through,
             struct hf_tray_answer *answer)
{
    const char *at;

    if (tray->first == tray->end)
        return false;
    at = tray->block + tray->first;
    memcpy(answer, at, sizeof(*answer));
    if (answer->mark > through)
        return false;
    answer->body.at = at + sizeof(*answer);
    tray->first += taken_by(answer);
    if (tray->first == tray->end)
        tray->first = tray->end = 0;
    return true;
}
