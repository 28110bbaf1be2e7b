#include "server/connections.h"

#include "base/fd.h"
#include "base/sockname.h"

/* For how long connections are read in one turn.  What is left waits behind the
 * others, and beats do not wait for it. */
#define TURN_US (20 * 1000)

/* When a connection must go, and the first ones have sent something that was
 * not read yet: so many are looked at. */
#define UNREAD_LOOKS 64

/* ---- For the service ----------------------------------------------------- */

static void
wrote(void *peer)
{
    hf_accepted_to_flush(peer);
}

/* Its keep-alives come this way. */
static void
holds(void *peer, uint64_t session)
{
    struct hf_accepted *c = peer;

    c->session = session;
}

/* Is that answer read?  A grant that is not read goes back [W5]. */
static void
opened(void *peer, uint64_t session, uint64_t end)
{
    struct hf_accepted *c = peer;

    c->opened = session;
    c->opened_end = end;
}

/* HTTP/2 counts its streams by itself; lines of a stream count as they do. */
static bool
has_stream(const void *peer)
{
    const struct hf_accepted *c = peer;

    return c->place.waits < c->all->limits->streams;
}

static bool
may_wait(const void *peer, bool comes_back)
{
    const struct hf_accepted *c = peer;

    return hf_ranks_may_wait(&c->all->room, &c->place, comes_back,
                             c->all->limits->peers);
}

static void
waits(void *peer, bool more)
{
    struct hf_accepted *c = peer;

    hf_ranks_waits(&c->all->room, &c->place, more);
}

static uint64_t
address(const void *peer)
{
    return hf_accepted_address(peer);
}

static void
name(const void *peer, struct hf_text *text)
{
    const struct hf_accepted *c = peer;

    hf_sockname_peer(c->fd, text);
}

const struct hf_service_peers hf_connections_peers = {
    .wrote = wrote,
    .holds = holds,
    .opened = opened,
    .has_stream = has_stream,
    .may_wait = may_wait,
    .waits = waits,
    .address = address,
    .name = name,
};

/* ---- A turn -------------------------------------------------------------- */

static void
flush_all(struct hf_connections *all)
{
    while (all->to_flush != NULL) {
        struct hf_accepted *c = all->to_flush;

        all->to_flush = c->next_to_flush;
        c->to_flush = false;
        hf_accepted_flush(c);
    }
}

/* Of those with more than their part of what may be unread in all, the one that
 * has not read for longest.  More is unread than may be, so there is one. */
static struct hf_accepted *
slowest_reader(const struct hf_connections *all)
{
    size_t part = all->limits->unread_all_len / all->unread_count;
    struct hf_link *link = all->unread.first;

    while (HF_CONTAINER(link, struct hf_accepted, unread)->unread_len <= part)
        link = link->next;
    return HF_CONTAINER(link, struct hf_accepted, unread);
}

static bool
has_too_much_unread(const struct hf_connections *all)
{
    return all->unread_len > all->limits->unread_all_len;
}

/* Answers that clients do not read have a bound in all. */
static void
end_unread(struct hf_connections *all)
{
    while (has_too_much_unread(all)) {
        struct hf_accepted *c = slowest_reader(all);

        hf_http_gone(c->peer);
        hf_accepted_to_flush(c);
        flush_all(all);
    }
}

/* Read those that are ready, in turns, until there is more than may be unread:
 * the slowest readers are ended with the turn. */
void
hf_connections_read(struct hf_connections *all)
{
    int64_t until_us = hf_now_us() + TURN_US;
    struct hf_link *link;

    while ((link = all->to_read.first) != NULL && hf_now_us() < until_us &&
           !has_too_much_unread(all)) {
        struct hf_accepted *c = HF_CONTAINER(link, struct hf_accepted, reading);

        hf_list_remove(&all->to_read, link);
        c->to_read = false;
        if (hf_pass_read(&all->pass, &c->pieces, hf_accepted_read(c)))
            hf_accepted_to_read(c);
        hf_accepted_to_flush(c);
    }
}

void
hf_connections_write(struct hf_connections *all)
{
    flush_all(all);
    end_unread(all);
}

/* All that had come until then was read: so this ends none that spoke in time.
 */
void
hf_connections_clock(struct hf_connections *all)
{
    struct hf_heap_node *first;

    while ((first = hf_heap_first(&all->due)) != NULL &&
           hf_reached(all->pass.read_until, first->at))
        hf_accepted_clock(HF_CONTAINER(first, struct hf_accepted, due));
}

/* ---- Who comes, and who goes --------------------------------------------- */

/* End one that reads nothing, and for which the kernel takes no more. */
static bool
end_stalled(struct hf_connections *all)
{
    struct hf_rank_place *place = NULL;

    for (int looks = 0; looks < UNREAD_LOOKS; looks++) {
        struct hf_accepted *c;

        place = hf_ranks_next_stalled(&all->room, place);
        if (place == NULL)
            return false;
        c = HF_CONTAINER(place, struct hf_accepted, place);
        if (!hf_reached(hf_now(),
                        hf_after(hf_http_unread_since(c->peer),
                                 (struct hf_duration){HF_RANK_STALLED_MS})))
            continue;
        hf_http_gone(c->peer);
        hf_accepted_to_flush(c);
        flush_all(all);
        return true;
    }
    return false;
}

static bool
end_lingering_one(struct hf_connections *all)
{
    if (all->lingering.first == NULL)
        return false;
    hf_accepted_close(
        HF_CONTAINER(all->lingering.first, struct hf_accepted, link));
    return true;
}

bool
hf_connections_end_one(struct hf_connections *all)
{
    struct hf_rank_place *place = NULL;
    int unread = 0;

    if (end_lingering_one(all))
        return true;
    hf_log_turned_away(all->log, hf_now());
    if (end_stalled(all)) {
        (void)end_lingering_one(all); /* or it is closed already */
        return true;
    }
    while (unread < UNREAD_LOOKS &&
           (place = hf_ranks_next(&all->room, place)) != NULL &&
           hf_ranks_may_go(&all->room, place)) {
        struct hf_accepted *c = HF_CONTAINER(place, struct hf_accepted, place);

        if (!hf_accepted_has_input(c)) {
            hf_accepted_close(c);
            return true;
        }
        unread++;
    }
    return false;
}

void
hf_connections_add(struct hf_connections *all, int fd)
{
    struct hf_accepted *c = NULL;

    if (all->count >= all->limits->peers)
        (void)hf_connections_end_one(all);
    if (hf_heap_reserve(&all->due, all->count + 1))
        c = hf_accepted_open(all, fd);
    else
        hf_fd_close(&fd);
    hf_pass_accepted(&all->pass, c == NULL ? NULL : &c->pieces);
}

/* ---- All of them --------------------------------------------------------- */

void
hf_connections_drain(struct hf_connections *all)
{
    struct hf_rank_place *place = NULL;

    while ((place = hf_ranks_next(&all->room, place)) != NULL) {
        struct hf_accepted *c = HF_CONTAINER(place, struct hf_accepted, place);

        hf_http_drain(c->peer);
        hf_accepted_to_flush(c);
    }
}

struct hf_instant
hf_connections_deadline(const struct hf_connections *all)
{
    const struct hf_heap_node *first = hf_heap_first(&all->due);

    if (all->to_read.first != NULL)
        return hf_now();
    return first == NULL ? HF_NEVER : first->at;
}

bool
hf_connections_are_over(const struct hf_connections *all)
{
    return hf_ranks_next(&all->room, NULL) == NULL;
}

void
hf_connections_close(struct hf_connections *all)
{
    struct hf_rank_place *place;

    while ((place = hf_ranks_next(&all->room, NULL)) != NULL)
        hf_accepted_close(HF_CONTAINER(place, struct hf_accepted, place));
    while (end_lingering_one(all))
        ;
}

void
hf_connections_fini(struct hf_connections *all)
{
    hf_heap_fini(&all->due);
}
