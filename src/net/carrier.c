#include "net/carrier.h"

#include <string.h>

enum {
    ROOM_KEPT = 16 * 1024, /* a larger buffer is not kept until the clock */
};

struct hf_carrier *
hf_carrier_open(struct hf_readers *readers, struct hf_exchange *exchange,
                struct hf_list *ready)
{
    struct hf_carrier *carrier = hf_new(readers->alloc, struct hf_carrier);

    if (carrier == NULL)
        return NULL;
    carrier->exchange = exchange;
    carrier->readers = readers;
    carrier->ready = ready;
    carrier->line_since = HF_NEVER;
    return carrier;
}

static void
set_ready(struct hf_carrier *carrier, bool is_ready)
{
    if (is_ready == carrier->is_ready)
        return;
    carrier->is_ready = is_ready;
    if (is_ready)
        hf_list_add(carrier->ready, &carrier->ready_link);
    else
        hf_list_remove(carrier->ready, &carrier->ready_link);
}

/* What has come of lines counts as what has come of bodies. */
static void
count_room(struct hf_carrier *carrier)
{
    carrier->readers->held += carrier->in.room - carrier->held;
    carrier->held = carrier->in.room;
}

bool
hf_carrier_keep(struct hf_carrier *carrier)
{
    struct hf_bytes names = hf_reader_field(carrier->reader, HF_HTTP_OPTIONAL);
    size_t len =
        names.len < HF_HTTP_CARRIED_MAX ? names.len : HF_HTTP_CARRIED_MAX;

    if (len == 0)
        return true;
    carrier->optional = hf_buffer(carrier->readers->alloc, len);
    if (carrier->optional == NULL)
        return false;
    memcpy(carrier->optional, names.at, len);
    carrier->optional_len = len;
    return true;
}

void
hf_carrier_retire(struct hf_carrier *carrier)
{
    set_ready(carrier, false);
    carrier->exchange = NULL;
}

void
hf_carrier_close(struct hf_carrier *carrier)
{
    struct hf_readers *readers = carrier->readers;

    set_ready(carrier, false);
    hf_reader_end(readers, carrier->reader);
    hf_free(readers->alloc, carrier->optional);
    hf_fifo_fini(&carrier->in, readers->alloc);
    count_room(carrier);
    hf_fifo_fini(&carrier->out, readers->alloc);
    hf_free(readers->alloc, carrier);
}

/* ---- Its body ------------------------------------------------------------ */

static void
drop(struct hf_carrier *carrier, size_t len)
{
    hf_fifo_drop(&carrier->in, len);
    carrier->dropped += len;
    carrier->looked = 0;
}

/* The length of the line that is there, with its end; 0: it is not whole. */
static size_t
find_end(struct hf_carrier *carrier)
{
    struct hf_bytes in = hf_fifo_bytes(&carrier->in);
    const char *end =
        in.len == carrier->looked
            ? NULL
            : memchr(in.at + carrier->looked, '\n', in.len - carrier->looked);

    if (end != NULL)
        return (size_t)(end - in.at) + 1;
    carrier->looked = in.len;
    return carrier->is_whole ? in.len : 0;
}

/* Let the rest of a line that was too long pass, and empty lines. */
static void
skip(struct hf_carrier *carrier)
{
    struct hf_bytes in;
    size_t len = 0;

    if (carrier->is_dropping) {
        size_t rest = find_end(carrier);

        carrier->is_dropping = rest == 0;
        drop(carrier, rest == 0 ? carrier->looked : rest);
    }
    in = hf_fifo_bytes(&carrier->in);
    while (len < in.len && (in.at[len] == '\n' || in.at[len] == '\r'))
        len++;
    if (len > 0)
        drop(carrier, len);
}

/* What is the next line? */
static void
find_line(struct hf_carrier *carrier)
{
    size_t most = carrier->readers->limits->body_len;
    size_t len;

    skip(carrier);
    len = hf_fifo_bytes(&carrier->in).len;
    carrier->line_len = find_end(carrier);
    if (carrier->line_len > most + 1 || (carrier->line_len == 0 && len > most))
        carrier->line = HF_HTTP_LINE_TOO_LONG;
    if (carrier->line != HF_HTTP_LINE_FINE && carrier->line_len == 0)
        carrier->line_len = len;
}

static void
look(struct hf_carrier *carrier, struct hf_instant now)
{
    if (carrier->line_len == 0)
        find_line(carrier);
    if (carrier->line_len > 0 || hf_fifo_bytes(&carrier->in).len == 0)
        carrier->line_since = HF_NEVER;
    else
        carrier->line_since = hf_earlier(carrier->line_since, now);
    set_ready(carrier, carrier->line_len > 0 &&
                           hf_carrier_out(carrier).len < HF_CARRIER_OUT_MAX);
}

bool
hf_carrier_take(struct hf_carrier *carrier, struct hf_bytes bytes,
                struct hf_instant now)
{
    if (carrier->is_whole) {
        carrier->dropped += bytes.len;
        return true;
    }
    if (!hf_fifo_reserve(&carrier->in, carrier->readers->alloc, bytes.len))
        return false;
    count_room(carrier);
    hf_fifo_put(&carrier->in, bytes);
    look(carrier, now);
    return true;
}

void
hf_carrier_end(struct hf_carrier *carrier, bool is_cut)
{
    struct hf_bytes in = hf_fifo_bytes(&carrier->in);
    size_t len = in.len;

    if (carrier->is_whole)
        return;
    while (is_cut && len > 0 && in.at[len - 1] != '\n')
        len--;
    carrier->in.end -= in.len - len;
    carrier->dropped += in.len - len;
    carrier->looked = 0;
    carrier->is_whole = true;
    carrier->line_len = 0; /* it may have been of one that was cut */
    look(carrier, HF_NEVER);
}

struct hf_bytes
hf_carrier_next(struct hf_carrier *carrier, struct hf_instant now,
                enum hf_http_line *line)
{
    size_t most = carrier->readers->limits->body_len;
    struct hf_bytes told = hf_fifo_bytes(&carrier->in);

    told.len = carrier->line_len;
    carrier->is_dropping = told.at[told.len - 1] != '\n';
    *line = carrier->line;
    carrier->line = HF_HTTP_LINE_FINE;
    carrier->line_len = 0;
    drop(carrier, told.len);   /* the bytes stay where they are */
    set_ready(carrier, false); /* behind the others */
    look(carrier, now);
    while (told.len > 0 &&
           (told.at[told.len - 1] == '\n' || told.at[told.len - 1] == '\r'))
        told.len--;
    if (told.len > most)
        told.len = most;
    return told;
}

static void
trim(struct hf_carrier *carrier, size_t kept)
{
    if (carrier->in.room > kept)
        hf_fifo_trim(&carrier->in, carrier->readers->alloc);
    if (carrier->out.room > kept)
        hf_fifo_trim(&carrier->out, carrier->readers->alloc);
    count_room(carrier);
}

void
hf_carrier_let_go(struct hf_carrier *carrier)
{
    trim(carrier, ROOM_KEPT);
}

void
hf_carrier_clock(struct hf_carrier *carrier, struct hf_instant now)
{
    struct hf_instant end =
        hf_after(carrier->line_since, carrier->readers->limits->body_time);

    trim(carrier, 0);
    if (!hf_reached(now, end))
        return;
    carrier->is_whole = true;
    carrier->line = HF_HTTP_LINE_SLOW;
    carrier->line_len = hf_fifo_bytes(&carrier->in).len;
    look(carrier, now);
}

/* ---- Its answer ---------------------------------------------------------- */

bool
hf_carrier_put(struct hf_carrier *carrier, struct hf_bytes first,
               struct hf_bytes second)
{
    if (!hf_fifo_reserve(&carrier->out, carrier->readers->alloc,
                         first.len + second.len))
        return false;
    hf_fifo_put(&carrier->out, first);
    hf_fifo_put(&carrier->out, second);
    carrier->put += first.len + second.len;
    return true;
}

void
hf_carrier_pull(struct hf_carrier *carrier, size_t len)
{
    hf_fifo_drop(&carrier->out, len);
    if (carrier->out.room > ROOM_KEPT)
        hf_fifo_trim(&carrier->out, carrier->readers->alloc);
    carrier->made += len;
    if (carrier->line_len > 0)
        set_ready(carrier, hf_carrier_out(carrier).len < HF_CARRIER_OUT_MAX);
}

bool
hf_carrier_is_over(const struct hf_carrier *carrier)
{
    return carrier->is_whole && carrier->line_len == 0 &&
           carrier->open.first == NULL;
}

/* ---- Names of lines ------------------------------------------------------ */

static uint64_t
hash_of(const struct hf_carrier *carrier, uint64_t name)
{
    const uint64_t both[] = {(uint64_t)(uintptr_t)carrier, name};

    return hf_hash_bytes(HF_HASH_SEED, both, sizeof(both));
}

struct hf_line *
hf_line_find(const struct hf_hash *names, const struct hf_carrier *carrier,
             uint64_t name)
{
    struct hf_hash_node *node = hf_hash_find(names, hash_of(carrier, name));

    while (node != NULL) {
        struct hf_line *line = HF_CONTAINER(node, struct hf_line, named);

        if (line->carrier == carrier && line->name == name)
            return line;
        node = hf_hash_next(node);
    }
    return NULL;
}

bool
hf_line_name(struct hf_hash *names, struct hf_line *line)
{
    line->is_named =
        hf_hash_add(names, &line->named, hash_of(line->carrier, line->name));
    return line->is_named;
}

void
hf_line_unname(struct hf_hash *names, struct hf_line *line)
{
    if (line->is_named)
        hf_hash_remove(names, &line->named);
    line->is_named = false;
}
