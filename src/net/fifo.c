#include "net/fifo.h"

#include <string.h>

#include "base/check.h"

enum { ROOM_FIRST = 4 * 1024 };

/* Bytes that stay are moved only if they are the smaller part: so each is moved
 * once, on average. */
bool
hf_fifo_reserve(struct hf_fifo *fifo, const struct hf_alloc *alloc, size_t len)
{
    size_t used = fifo->end - fifo->first;
    size_t room = fifo->room == 0 ? ROOM_FIRST : fifo->room;
    char *bytes;

    if (fifo->room - fifo->end >= len)
        return true;
    if (used <= fifo->room / 2 && fifo->room - used >= len) {
        memmove(fifo->bytes, fifo->bytes + fifo->first, used);
        fifo->first = 0;
        fifo->end = used;
        return true;
    }
    while (room - used < len)
        room *= 2;
    if (used > room / 2)
        room *= 2;
    bytes = hf_buffer(alloc, room);
    if (bytes == NULL)
        return false;
    if (used > 0)
        memcpy(bytes, fifo->bytes + fifo->first, used);
    hf_free(alloc, fifo->bytes);
    *fifo = (struct hf_fifo){bytes, 0, used, room};
    return true;
}

void
hf_fifo_put(struct hf_fifo *fifo, struct hf_bytes bytes)
{
    HF_CHECK(bytes.len <= fifo->room - fifo->end);
    if (bytes.len > 0)
        memcpy(fifo->bytes + fifo->end, bytes.at, bytes.len);
    fifo->end += bytes.len;
}

void
hf_fifo_drop(struct hf_fifo *fifo, size_t len)
{
    HF_CHECK(len <= fifo->end - fifo->first);
    fifo->first += len;
    if (fifo->first == fifo->end)
        fifo->first = fifo->end = 0;
}

void
hf_fifo_trim(struct hf_fifo *fifo, const struct hf_alloc *alloc)
{
    size_t used = fifo->end - fifo->first;
    size_t room = ROOM_FIRST;
    char *bytes;

    if (used == 0) {
        hf_fifo_fini(fifo, alloc);
        return;
    }
    while (room < used)
        room *= 2;
    if (room > fifo->room / 4)
        return;
    bytes = hf_buffer(alloc, room);
    if (bytes == NULL) /* it stays as large as it is */
        return;
    memcpy(bytes, fifo->bytes + fifo->first, used);
    hf_free(alloc, fifo->bytes);
    *fifo = (struct hf_fifo){bytes, 0, used, room};
}

void
hf_fifo_fini(struct hf_fifo *fifo, const struct hf_alloc *alloc)
{
    hf_free(alloc, fifo->bytes);
    *fifo = (struct hf_fifo){NULL, 0, 0, 0};
}
