#include "actors.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "support/locks.h"

/* No news for so long: the test has failed. */
#define SILENCE_MS 30000

/* How soon a waiter tells of another holder. */
#define LOOK_EVERY ((struct hf_duration){5})

enum order_word { ORDER_ACQUIRE, ORDER_RELEASE, ORDER_RELEASE_AND_END };

struct order {
    uint32_t word; /* enum order_word */
    uint32_t if_dead;
    char name[48];
};

int64_t
actors_now_us(void)
{
    struct timespec now;

    HF_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- In the process ----------------------------------------------------- */

struct part {
    struct hf_client *client;
    struct hf_lock *lock;
    uint64_t seen; /* the fence of the holder last told of */
    int orders;
    int news;
};

static void
tell(const struct part *part, enum actors_word word, uint64_t fence,
     int outcome)
{
    struct actors_news news = {
        .fence = fence,
        .word = word,
        .outcome = outcome,
        .at_us = actors_now_us(),
    };

    HF_CHECK(write(part->news, &news, sizeof(news)) == sizeof(news));
}

/* Tell of a holder that was not told of before. */
static void
look(struct part *part)
{
    struct hf_view *view = hf_lock_view(part->lock);
    uint64_t fence = (uint64_t)hf_view_number(view, HF_FIELD_FENCE);

    hf_view_free(view);
    if (fence == 0 || fence == part->seen)
        return;
    part->seen = fence;
    tell(part, ACTORS_SEES, part->seen, 0);
}

static void
contend(struct part *part, const struct order *order)
{
    struct hf_lock *lock =
        ask_for(part->client, order->name, HF_WAIT, "30s", HF_IF_DEAD,
                hf_if_dead_word((enum hf_if_dead)order->if_dead), NULL);

    part->seen = 0;
    part->lock = lock;
    while (hf_lock_wait(lock, LOOK_EVERY) == HF_STATE_WAITING)
        look(part);
    if (hf_lock_state(lock) == HF_STATE_HELD)
        tell(part, ACTORS_GRANTED, hf_lock_fence(lock), 0);
    else if (hf_lock_error(lock, NULL) != HF_OK)
        tell(part, ACTORS_FAILED, 0, (int)hf_lock_error(lock, NULL));
    else
        tell(part, ACTORS_ENDED, 0, (int)hf_lock_check(lock));
}

static void
release(struct part *part, bool and_end)
{
    enum hf_status status = give_back(part->lock);

    if (and_end)
        _exit(status == HF_OK ? 0 : 1);
    if (status == HF_OK)
        tell(part, ACTORS_RELEASED, 0, 0);
    else
        tell(part, ACTORS_FAILED, 0, (int)status);
}

/* Keep these two, and close what belongs to other actors: an actor ends when
 * nobody can give it orders any more. */
static void
keep_only(struct part *part)
{
    int orders = fcntl(part->orders, F_DUPFD, 100);
    int news = fcntl(part->news, F_DUPFD, 100);

    part->orders = dup2(orders, 3);
    part->news = dup2(news, 4);
    HF_CHECK(part->orders == 3 && part->news == 4);
    HF_CHECK(close_range(5, ~0u, 0) == 0);
}

static _Noreturn void
play(struct part *part)
{
    struct order order;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    keep_only(part);
    part->client = open_client(NULL);
    while (read(part->orders, &order, sizeof(order)) == sizeof(order)) {
        if (order.word == ORDER_ACQUIRE)
            contend(part, &order);
        else
            release(part, order.word == ORDER_RELEASE_AND_END);
    }
    close_client(part->client);
    _exit(0);
}

/* ---- In the test -------------------------------------------------------- */

void
actors_start(struct actor *actor)
{
    int orders[2];
    int news[2];

    HF_CHECK(pipe2(orders, O_CLOEXEC) == 0 && pipe2(news, O_CLOEXEC) == 0);
    actor->pid = fork();
    HF_CHECK(actor->pid >= 0);
    if (actor->pid == 0)
        play(&(struct part){.orders = orders[0], .news = news[1]});
    close(orders[0]);
    close(news[1]);
    actor->orders = orders[1];
    actor->news = news[0];
}

static void
give(const struct actor *actor, const struct order *order)
{
    HF_CHECK(write(actor->orders, order, sizeof(*order)) == sizeof(*order));
}

void
actors_acquire(struct actor *actor, const char *name, enum hf_if_dead if_dead)
{
    struct order order = {.word = ORDER_ACQUIRE, .if_dead = if_dead};

    actor->sees = 0;
    snprintf(order.name, sizeof(order.name), "%s", name);
    give(actor, &order);
}

void
actors_release(const struct actor *actor, bool and_end)
{
    give(actor, &(struct order){.word = and_end ? ORDER_RELEASE_AND_END
                                                : ORDER_RELEASE});
}

static struct actors_news
take(struct actor *actor)
{
    struct pollfd news = {.fd = actor->news, .events = POLLIN};
    struct actors_news taken;

    HF_CHECK(poll(&news, 1, SILENCE_MS) == 1);
    HF_CHECK(read(actor->news, &taken, sizeof(taken)) == sizeof(taken));
    if (taken.word == ACTORS_SEES)
        actor->sees = taken.fence;
    return taken;
}

struct actors_news
actors_next(struct actor *actor)
{
    struct actors_news news;

    do
        news = take(actor);
    while (news.word == ACTORS_SEES);
    return news;
}

struct actors_news
actors_first(struct actor *one, struct actor *other, struct actor **first)
{
    struct pollfd news[] = {
        {.fd = one->news, .events = POLLIN},
        {.fd = other->news, .events = POLLIN},
    };
    struct actors_news taken;

    do {
        HF_CHECK(poll(news, 2, SILENCE_MS) > 0);
        *first = news[0].revents != 0 ? one : other;
        taken = take(*first);
    } while (taken.word == ACTORS_SEES);
    return taken;
}

struct actors_news
actors_expect(struct actor *actor, enum actors_word word, uint64_t fence)
{
    struct actors_news news = {.word = ACTORS_SEES, .fence = actor->sees};

    while (news.word == ACTORS_SEES &&
           (word != ACTORS_SEES || news.fence < fence))
        news = take(actor);
    if (news.word != (uint32_t)word || news.fence < fence)
        fprintf(stderr,
                "expected news %d with fence %llu; came %u with fence %llu, "
                "outcome %d\n",
                (int)word, (unsigned long long)fence, news.word,
                (unsigned long long)news.fence, news.outcome);
    HF_CHECK(news.word == (uint32_t)word && news.fence >= fence);
    return news;
}

bool
actors_has_news(const struct actor *actor)
{
    struct pollfd news = {.fd = actor->news, .events = POLLIN};

    return poll(&news, 1, 0) == 1 && (news.revents & POLLIN) != 0;
}

static void
reap(struct actor *actor)
{
    close(actor->orders); /* no more orders: it ends */
    HF_CHECK(waitpid(actor->pid, NULL, 0) == actor->pid);
    close(actor->news);
}

void
actors_kill(struct actor *actor)
{
    HF_CHECK(kill(actor->pid, SIGKILL) == 0); /* a child, not yet reaped */
    reap(actor);
}

void
actors_end(struct actor *actor)
{
    reap(actor);
}
