#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <holdfast/holdfast.h>

/*
 * abi [OPTION]: a program of today, to be run on today's library and on one
 * with more in it.  It prints what it sees of everything that may grow:
 * options, notices, outcomes, states, fields.  What it prints must be the
 * same, and its stack unharmed.  With OPTION: does the library know it?
 */

#define MUST(call)                                                             \
    do {                                                                       \
        if ((call) != HF_OK) {                                                 \
            printf("line %d: %s\n", __LINE__, here.error.text);                \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* All that the library writes to in our memory, each between canaries. */
struct here {
    unsigned char before[64];
    struct hf_error error;
    unsigned char between[64];
    struct hf_duration duration;
    unsigned char after[64];
};

static void
arm(struct here *here)
{
    memset(here, 0, sizeof(*here));
    memset(here->before, 0xa5, sizeof(here->before));
    memset(here->between, 0xa5, sizeof(here->between));
    memset(here->after, 0xa5, sizeof(here->after));
}

static void
look_at(const unsigned char *canary)
{
    for (size_t i = 0; i < 64; i++)
        if (canary[i] != 0xa5) {
            printf("the canary is dead\n");
            exit(1);
        }
}

static void
check(const struct here *here)
{
    look_at(here->before);
    look_at(here->between);
    look_at(here->after);
}

/* ---- Words --------------------------------------------------------------- */

static void
say_words(void)
{
#define SAY_STATUS(name, exit_code, sentence)                                  \
    printf("%d %s %d %s\n", name, hf_status_name(name), hf_status_exit(name),  \
           hf_status_sentence(name));
#define SAY_OUTCOME(name, exit_code, word)                                     \
    printf("%d %d %s\n", name, hf_outcome_exit(name), hf_outcome_word(name));
#define SAY_STATE(name, word) printf("%d %s\n", name, hf_state_word(name));
#define SAY_LIFE(name, word)  printf("%d %s\n", name, hf_life_word(name));
#define SAY_GRADE(name, word) printf("%d %s\n", name, hf_grade_word(name));
#define SAY_FIELD(name, word, kind)                                            \
    printf("%d %s\n", name, hf_field_word(name));
    HF_STATUS_TABLE(SAY_STATUS)
    HF_OUTCOME_TABLE(SAY_OUTCOME)
    HF_STATE_TABLE(SAY_STATE)
    HF_LIFE_TABLE(SAY_LIFE)
    HF_GRADE_TABLE(SAY_GRADE)
    HF_FIELD_TABLE(SAY_FIELD)
    printf("%s %s\n", hf_if_dead_word(HF_TAKEOVER), hf_if_dead_word(HF_REFUSE));
    /* What nobody knows is told from what is known. */
    printf("%s %s %s\n", hf_outcome_word((enum hf_outcome)1000),
           hf_state_word((enum hf_state)1000),
           hf_field_word((enum hf_field)1000));
}

/* ---- Notices ------------------------------------------------------------- */

/* A later bit is none of ours; and changes come when they come. */
#define KNOWN                                                                  \
    (HF_NEWS_HOLDER | HF_NEWS_SUSPECTED | HF_NEWS_GRANTED | HF_NEWS_ENDED |    \
     HF_NEWS_AT_RISK | HF_NEWS_CERTAIN | HF_NEWS_IN_DOUBT | HF_NEWS_LOST)

/* Until one of `news` was told; then all that was told of it, and its state. */
static void
say_news(struct hf_client *client, uint64_t id, unsigned news)
{
    struct pollfd fd = {.fd = hf_client_fd(client), .events = POLLIN};
    unsigned told = 0;
    enum hf_state state = HF_STATE_NEW;

    while ((told & news) == 0) {
        const struct hf_notice *notice = hf_client_next(client);

        if (notice == NULL) {
            if (poll(&fd, 1, 10000) != 1)
                exit(1);
        } else if (hf_notice_id(notice) == id) {
            told |= hf_notice_news(notice) & KNOWN;
            state = hf_notice_state(notice);
            printf("user %s, ", (const char *)hf_notice_user(notice));
        }
    }
    printf("told %u, %s\n", told, hf_state_word(state));
}

/* ---- Views --------------------------------------------------------------- */

/* What is the same in every run; of the rest, whether it is there. */
static void
say_view(const struct hf_view *view)
{
#define SAY_HAS(name, word, kind)                                              \
    printf("%s: %d, %zu\n", word, hf_view_has(view, name),                     \
           strlen(hf_view_text(view, name)) > 0 ? (size_t)1 : 0);
    HF_FIELD_TABLE(SAY_HAS)
    printf("%s %s %s %d %d %d %d %d\n", hf_view_text(view, HF_FIELD_SPACE),
           hf_view_text(view, HF_FIELD_NAME),
           hf_view_text(view, HF_FIELD_REASON),
           (int)hf_view_number(view, HF_FIELD_TTL_MS),
           (int)hf_view_number(view, HF_FIELD_BEAT_MS),
           (int)hf_view_number(view, HF_FIELD_EXISTS),
           (int)hf_view_number(view, HF_FIELD_PROCESSES),
           hf_view_has(view, (enum hf_field)1000));
}

/* ---- Locks --------------------------------------------------------------- */

/* Every option there is today. */
static struct hf_lock *
new_lock(struct hf_client *client, const char *user)
{
    static const struct {
        const char *option;
        const char *text;
    } options[] = {
        {HF_SPACE, "abi"},       {HF_IF_DEAD, "takeover"},
        {HF_TTL, "20s"},         {HF_BEAT, "1s"},
        {HF_GRACE, "2s"},        {HF_WAIT, "10s"},
        {HF_REASON, "a test"},   {HF_IF_SUSPECTED, "wait"},
        {HF_COMMAND, "the abi"}, {HF_MODE, "exclusive"},
    };
    struct here here;
    struct hf_lock *lock;

    arm(&here);
    MUST(hf_lock_new(client, "a lock", &lock, &here.error));
    hf_lock_set_user(lock, (void *)(size_t)user);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        MUST(
            hf_lock_set(lock, options[i].option, options[i].text, &here.error));
    here.duration = hf_lock_duration(lock, HF_TTL);
    printf("ttl %d, beat %d, wait %d\n", (int)here.duration.ms,
           (int)hf_lock_duration(lock, HF_BEAT).ms,
           (int)hf_lock_duration(lock, HF_WAIT).ms);
    MUST(hf_lock_verify(lock, &here.error));
    printf("%d ", hf_lock_set(lock, "no such option", "", &here.error));
    printf("%d %s\n", here.error.status, here.error.text);
    check(&here);
    return lock;
}

static void
say_locks(struct hf_client *client)
{
    struct here here;
    struct hf_lock *holder = new_lock(client, "holder");
    struct hf_lock *waiter = new_lock(client, "waiter");
    struct hf_lock *tries = new_lock(client, "tries");

    arm(&here);
    MUST(hf_lock_start(holder, &here.error));
    say_news(client, hf_lock_id(holder), HF_NEWS_GRANTED);
    printf("%s, %s\n", hf_state_word(hf_lock_state(holder)),
           hf_outcome_word(hf_lock_check(holder)));
    MUST(hf_lock_set(tries, HF_WAIT, "try", &here.error));
    MUST(hf_lock_start(tries, &here.error));
    say_news(client, hf_lock_id(tries), HF_NEWS_ENDED);
    printf("%d\n", hf_lock_check(tries));
    MUST(hf_lock_start(waiter, &here.error));
    hf_lock_release(holder);
    say_news(client, hf_lock_id(holder), HF_NEWS_ENDED);
    printf("%d\n", hf_lock_wait(waiter, HF_FOREVER));
    printf("%d %d\n", hf_lock_check(waiter),
           hf_lock_fence(waiter) > hf_lock_fence(holder));
    printf("%d %d\n", hf_lock_add(waiter, "two", HF_SHARED, &here.error),
           hf_lock_error(tries, &here.error));
    check(&here);
    hf_lock_free(holder);
    hf_lock_free(tries);
    hf_lock_free(waiter);
}

/* ---- Queries ------------------------------------------------------------- */

static struct hf_query *
ask(struct hf_client *client, enum hf_query_kind kind)
{
    struct here here;
    struct hf_query *query;

    arm(&here);
    MUST(hf_query_new(client, kind, &query, &here.error));
    MUST(hf_query_set(query, HF_SPACE, "abi", &here.error));
    if (kind == HF_EXAMINE)
        MUST(hf_query_set(query, HF_NAME, "a lock", &here.error));
    hf_query_set_user(query, (void *)(size_t) "query");
    MUST(hf_query_start(query, &here.error));
    if (!hf_query_wait(query, HF_FOREVER))
        exit(1);
    MUST(hf_query_error(query, &here.error));
    check(&here);
    return query;
}

static void
say_queries(struct hf_client *client)
{
    struct here here;
    struct hf_lock *holder = new_lock(client, "holder");
    struct hf_query *query;
    struct hf_view *view;

    arm(&here);
    MUST(hf_lock_start(holder, &here.error));
    printf("%d\n", hf_lock_wait(holder, HF_FOREVER));
    query = ask(client, HF_LIST);
    say_news(client, hf_query_id(query), HF_NEWS_ENDED);
    while ((view = hf_query_next(query)) != NULL) {
        say_view(view);
        hf_view_free(view);
    }
    hf_query_free(query);
    query = ask(client, HF_EXAMINE);
    view = hf_query_view(query);
    say_view(view);
    hf_view_free(view);
    hf_query_free(query);
    check(&here);
    hf_lock_free(holder);
}

/* An error that fills its text, and goes no further. */
static void
say_long_error(struct hf_client *client)
{
    struct here here;
    char place[400] = "sqlite:/dev/null/";
    size_t len = strlen(place);

    arm(&here);
    memset(place + len, 'x', sizeof(place) - len - 1);
    printf("%d ", hf_client_open(client, place, &here.error));
    printf("%zu\n", strlen(here.error.text));
    check(&here);
}

static int
knows(struct hf_client *client, const char *option)
{
    struct here here;
    struct hf_lock *lock;

    arm(&here);
    MUST(hf_lock_new(client, "a lock", &lock, &here.error));
    return hf_lock_set(lock, option, "x", &here.error) == HF_OK ? 0 : 1;
}

int
main(int argc, char **argv)
{
    struct here here;
    struct hf_client *client;

    arm(&here);
    MUST(hf_client_new(NULL, &client, &here.error));
    if (argc > 1)
        return knows(client, argv[1]);
    say_words();
    say_long_error(client);
    MUST(hf_client_open(client, "memory:abi", &here.error));
    say_locks(client);
    say_queries(client);
    printf("%d\n", hf_client_trouble(client, &here.error));
    MUST(hf_client_close(client, HF_FOREVER));
    check(&here);
    return 0;
}
