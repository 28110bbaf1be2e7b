#include "server/pass.h"

/* Of 16 KiB: the largest request, and a head for each stream of HTTP/2. */
#define PIECES_MAX 32

static bool
is_over(const struct hf_pass *pass)
{
    return !pass->asks && pass->accepts == 0 && pass->owed == 0;
}

void
hf_pass_begin(struct hf_pass *pass, struct hf_instant now, unsigned accepts)
{
    if (!is_over(pass))
        return;
    pass->began = now;
    pass->asks = true;
    pass->accepts = accepts;
}

static void
owe(struct hf_pass *pass, unsigned *pieces)
{
    if (*pieces == 0)
        pass->owed++;
    *pieces = PIECES_MAX;
}

void
hf_pass_named(struct hf_pass *pass, unsigned *pieces)
{
    if (pass->asks)
        owe(pass, pieces);
}

void
hf_pass_accepted(struct hf_pass *pass, unsigned *pieces)
{
    if (pass->accepts == 0)
        return;
    pass->accepts--;
    if (pieces != NULL)
        owe(pass, pieces);
}

void
hf_pass_accepted_all(struct hf_pass *pass)
{
    pass->accepts = 0;
}

bool
hf_pass_read(struct hf_pass *pass, unsigned *pieces, bool more)
{
    if (!more || *pieces <= 1) {
        hf_pass_gone(pass, pieces);
        return false;
    }
    --*pieces;
    return true;
}

void
hf_pass_gone(struct hf_pass *pass, unsigned *pieces)
{
    if (*pieces > 0)
        pass->owed--;
    *pieces = 0;
}

void
hf_pass_turn(struct hf_pass *pass)
{
    pass->asks = false;
    if (is_over(pass))
        pass->read_until = pass->began;
}
