#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/locks.h"

/*
 * crowd PLACE TTL HELD FIRST WAITING AT: one client that holds the locks
 * held-FIRST and on, HELD of them, and waits for WAITING, held-AT and on.  Says
 * "held" when it holds them all and "waiting" when all waiters have begun; at
 * the end of its input it says how many it holds still, gives all back and
 * ends.
 */

static const char *
name_of(size_t number, char name[32])
{
    (void)snprintf(name, 32, "held-%zu", number);
    return name;
}

static void
say(const char *word)
{
    puts(word);
    (void)fflush(stdout);
}

static struct hf_lock **
ask_for_all(struct hf_client *client, const char *ttl, size_t first,
            size_t count)
{
    struct hf_lock **locks = calloc(count + 1, sizeof(struct hf_lock *));
    char name[32];

    if (locks == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        locks[i] = ask_for(client, name_of(first + i, name), HF_TTL, ttl, NULL);
    return locks;
}

static size_t
count_held(struct hf_lock *const *locks, size_t count)
{
    size_t held = 0;

    for (size_t i = 0; i < count; i++)
        held += hf_lock_check(locks[i]) == HF_GRANTED;
    return held;
}

static void
free_all(struct hf_lock **locks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hf_lock_free(locks[i]);
    free(locks);
}

static size_t
number(const char *text)
{
    return (size_t)strtoul(text, NULL, 10);
}

int
main(int argc, char **argv)
{
    struct hf_client *client;
    struct hf_lock **held;
    struct hf_lock **waiters;
    size_t held_count;
    size_t waiters_count;

    if (argc != 7)
        return 64;
    held_count = number(argv[3]);
    waiters_count = number(argv[5]);
    client = open_client(argv[1]);
    held = ask_for_all(client, argv[2], number(argv[4]), held_count);
    for (size_t i = 0; i < held_count; i++)
        (void)hf_lock_wait(held[i], HF_FOREVER);
    say("held");
    waiters = ask_for_all(client, argv[2], number(argv[6]), waiters_count);
    say("waiting");
    while (getchar() != EOF)
        ;
    printf("%zu\n", count_held(held, held_count));
    (void)fflush(stdout);
    free_all(waiters, waiters_count);
    free_all(held, held_count);
    close_client(client);
    return 0;
}
