#include "unit/support/lockspace_script.h"

#include <inttypes.h>
#include <string.h>

#include "unit/support/core_script.h"

static struct server_fixture server;

/* Texts of a message, which it borrows. */
struct message_texts {
    char names[80];
    char note[80];
};

static const struct script_situation situations[] = {
    {"held", "1 acquire A on 1 | 1 granted 101\n"
             "1 handed\n"},
    {"keyed", "held\n"
              "open 9, ttl 2000, of-key | 9 opened\n"},
    {"opened by an acquire", "open 9, ttl 2000, of-acquire | 9 opened\n"},
    {"polled", "held\n"
               "2 acquire A on 11, wait 100, park 3000\n"
               "clock 1100\n"
               "| 11 blocking timeout, 0 before it, 0 ms, kept for 3000\n"
               "batch\n"
               "| put session 1\n"
               "| put 101 of 1.1 A\n"
               "| batch 1, fence 102, all is due\n"
               "applied 1\n"
               "1 release on 12 | 12 released\n"},
    {"granted back", "held\n"
                     "2 acquire A on 11\n"
                     "3 acquire A on 12\n"
                     "1 release on 13 | 13 released; 11 granted 102\n"
                     "2 cut on 11\n"},
    {"taken over", "start empty, takeover_grace 500\n"
                   "load-session 1\n"
                   "load-session 2\n"
                   "load-session 3\n"
                   "load-grant 90 A of 1, n 90\n"
                   "serve 1000\n"},
    {"keyed and taken over", "start empty\n"
                             "load-session 9, ttl 2000\n"
                             "load-grant 90 B of 9\n"
                             "serve 1000\n"},
    {NULL, NULL},
};

static void
end(void)
{
    server_fini(&server);
    server = (struct server_fixture){0};
}

static void
begin(void)
{
    end();
    server = server_new();
}

/* ---- Limits -------------------------------------------------------------- */

#define LIMIT(name)                                                            \
    {                                                                          \
#name, offsetof(struct hf_lockspace_limits, name)                      \
    }

static const struct {
    const char *word;
    size_t offset;
} limits[] = {
    LIMIT(sessions),      LIMIT(claims),         LIMIT(waiters),
    LIMIT(names),         LIMIT(spaces),         LIMIT(parts),
    LIMIT(texts),         LIMIT(session_lanes),  LIMIT(session_waiters),
    LIMIT(space_waiters), LIMIT(session_grants), LIMIT(space_grants),
    LIMIT(request_names), LIMIT(search),         LIMIT(record_bytes),
    LIMIT(keys),
};

static bool
read_limit(struct script_line *line, struct hf_lockspace_config *config)
{
    uint64_t number;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (script_option(line, limits[i].word, &number)) {
            uint32_t value = (uint32_t)number;

            memcpy((char *)&config->limits + limits[i].offset, &value,
                   sizeof(value));
            return true;
        }
    }
    if (script_option(line, "blocking", &number))
        config->blocking.ms = (int64_t)number;
    else if (script_option(line, "takeover_grace", &number))
        config->takeover_grace.ms = (int64_t)number;
    else
        return false;
    return true;
}

static void
start(struct script_line *line)
{
    struct hf_lockspace_config config = server_config();
    bool empty = script_word(line, "empty");

    while (read_limit(line, &config))
        ;
    end();
    server = empty ? server_empty(&config) : server_with(&config);
}

/* ---- Messages ------------------------------------------------------------ */

static bool
read_number(struct script_line *line, struct call *call)
{
    const struct {
        const char *word;
        uint64_t *to;
    } numbers[] = {
        {"on", &call->stream}, {"lane", &call->lane},     {"n", &call->n},
        {"attempt", &call->a}, {"lowest", &call->lowest}, {"term", &call->term},
        {"seen", &call->seen}, {"fence", &call->fence},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (script_option(line, numbers[i].word, numbers[i].to))
            return true;
    return false;
}

static bool
read_duration(struct script_line *line, struct call *call)
{
    const struct {
        const char *word;
        int64_t *to;
    } durations[] = {
        {"wait", &call->wait_ms},
        {"park", &call->park_ms},
        {"waited", &call->waited_ms},
        {"key-ttl", &call->key.ttl.ms},
    };
    uint64_t ms;

    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        if (script_option(line, durations[i].word, &ms)) {
            *durations[i].to = (int64_t)ms;
            call->key.ttl_given |= durations[i].to == &call->key.ttl.ms;
            return true;
        }
    }
    return false;
}

static bool
read_flag(struct script_line *line, struct call *call)
{
    bool refuse;

    if (script_word(line, "try"))
        call->try_only = true;
    else if (script_word(line, "until-free"))
        call->free = true;
    else if (script_word(line, "keyed"))
        call->key.given = true;
    else if (script_word(line, "any-mode"))
        call->key.any_mode = UINT64_MAX;
    else if ((refuse = script_word(line, "key-refuse")) ||
             script_word(line, "key-takeover")) {
        call->key.if_dead_given = true;
        call->key.if_dead = refuse ? HF_REFUSE : HF_TAKEOVER;
    } else
        return false;
    return true;
}

static void
read_note(struct script_line *line, struct call *call,
          struct message_texts *texts)
{
    struct hf_text note;

    if (!script_word(line, "note"))
        return;
    hf_text_init(&note, texts->note, sizeof(texts->note));
    script_any(line, &note);
    call->note = texts->note;
}

static void
read_rest(struct script_line *line, struct call *call,
          struct message_texts *texts)
{
    while (read_number(line, call) || read_duration(line, call) ||
           read_flag(line, call))
        ;
    read_note(line, call, texts);
}

/* "A B:s", up to a word that is no name. */
static void
read_names(struct script_line *line, const char *until, struct call *call,
           struct message_texts *texts)
{
    struct hf_text names;
    struct script_line ahead = *line;

    hf_text_init(&names, texts->names, sizeof(texts->names));
    while (*ahead.at != '\0' && !script_word(&ahead, until)) {
        if (names.len > 0)
            hf_text_add(&names, " ");
        script_any(&ahead, &names);
        *line = ahead;
    }
    call->names = texts->names;
}

/* "1 acquire A on 11" */
static bool
say(struct script_line *line)
{
    static const struct {
        const char *word;
        void (*say)(struct server_fixture *server, struct call call);
        bool of_names;
    } words[] = {
        {"acquire", server_acquire, true},
        {"lower", server_lower, true},
        {"release", server_release, false},
        {"keep-alive", server_keep_alive, false},
        {"end", server_end, false},
        {"stream-ends", server_stream_ends, false},
        {"cut", server_cut, false},
        {"handed", server_handed, false},
    };
    struct message_texts texts;
    struct call call = {0};

    script_number(line, "", &call.session);
    if (script_word(line, "unread")) {
        server_unread(&server, call.session);
        return true;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!script_word(line, words[i].word))
            continue;
        if (words[i].of_names)
            read_names(line, "on", &call, &texts);
        read_rest(line, &call, &texts);
        words[i].say(&server, call);
        return true;
    }
    return false;
}

/* ---- Other events -------------------------------------------------------- */

static enum hf_if_dead
read_if_dead(struct script_line *line)
{
    return script_word(line, "refuse") ? HF_REFUSE : HF_TAKEOVER;
}

/* "open 4, ttl 10000, refuse" */
static bool
open_session(struct script_line *line)
{
    struct server_opening opening = {.ttl_ms = 10000};
    uint64_t ms;

    if (!script_option(line, "open", &opening.session))
        return false;
    if (script_option(line, "ttl", &ms))
        opening.ttl_ms = (int64_t)ms;
    opening.if_dead = read_if_dead(line);
    opening.of_key = script_word(line, "of-key");
    opening.of_acquire = script_word(line, "of-acquire");
    script_option(line, "from", &opening.address);
    server_open_as(&server, opening);
    return true;
}

/* "clear A 102 on 14" */
static bool
clear(struct script_line *line)
{
    bool suspected = script_word(line, "clear-suspected");
    uint64_t stream = 0;
    uint64_t fence = 0;
    char name[40];
    struct hf_text text;

    if (!suspected && !script_word(line, "clear"))
        return false;
    hf_text_init(&text, name, sizeof(name));
    script_any(line, &text);
    script_number(line, "", &fence);
    script_option(line, "on", &stream);
    if (suspected)
        server_clear_suspected(&server, stream, name, fence);
    else
        server_clear(&server, stream, name, fence);
    return true;
}

static bool
load(struct script_line *line)
{
    struct hf_loaded_session session = {0};
    struct message_texts texts;
    struct call call = {0};

    if (script_option(line, "load-session", &session.id)) {
        script_duration(line, "ttl", &session.ttl);
        script_duration(line, "silent", &session.silent);
        script_duration(line, "from", &session.silent_from);
        session.if_dead = read_if_dead(line);
        server_load_session(&server, session);
        return true;
    }
    if (!script_option(line, "load-grant", &call.fence))
        return false;
    read_names(line, "of", &call, &texts);
    script_option(line, "of", &call.session);
    read_rest(line, &call, &texts);
    server_load_grant(&server, call);
    return true;
}

static bool
pass_time(struct script_line *line)
{
    uint64_t ms;
    uint64_t read_ms;

    if (script_option(line, "at", &ms)) {
        server.now.ms = (int64_t)ms;
    } else if (script_option(line, "clock", &ms)) {
        read_ms = ms;
        script_option(line, "read", &read_ms);
        server_clock_read(&server, (int64_t)ms, (int64_t)read_ms);
    } else {
        return false;
    }
    return true;
}

/* "serve 1000, hold 1600, batch 50, age 700" */
static bool
serve(struct script_line *line)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_SERVE,
        .serve = {.term = 7, .next_fence = 101, .wall_us = 5},
    };
    uint64_t ms;

    if (script_word(line, "begin")) {
        if (script_option(line, "hold", &ms))
            server.hold_until.ms = (int64_t)ms;
        server_begin(&server);
        return true;
    }
    if (!script_option(line, "serve", &ms))
        return false;
    server.now.ms = (int64_t)ms;
    if (script_option(line, "hold", &ms))
        event.serve.hold_until.ms = (int64_t)ms;
    if (script_option(line, "batch", &ms))
        event.serve.batch.ms = (int64_t)ms;
    if (script_option(line, "age", &ms))
        event.serve.age.ms = (int64_t)ms;
    script_duration(line, "served", &event.serve.served);
    server_step(&server, event);
    return true;
}

static void
settle(enum hf_verdict verdict, uint64_t number)
{
    server_step(&server,
                (struct hf_lockspace_event){.kind = HF_SPACE_BATCH,
                                            .batch = {number, verdict}});
}

static bool
store(struct script_line *line)
{
    uint64_t number = 100;

    if (script_word(line, "batch")) {
        script_number(line, "", &number);
        server_batch(&server, (uint32_t)number);
    } else if (script_option(line, "applied", &number)) {
        settle(HF_APPLIED, number);
    } else if (script_option(line, "refused", &number)) {
        settle(HF_REFUSED, number);
    } else {
        return false;
    }
    return true;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    bool known = true;

    server_hush(&server);
    if (script_word(line, "start"))
        start(line);
    else
        known = open_session(line) || clear(line) || load(line) ||
                pass_time(line) || serve(line) || store(line) || say(line);
    hf_text_add(came, server.text);
    server_hush(&server);
    return known;
}

static bool
fact(const char *name, struct hf_text *is)
{
    if (strcmp(name, "deadline") == 0)
        script_instant(is, hf_lockspace_deadline(server.ls));
    else if (strcmp(name, "serving") == 0)
        hf_text_add(is, hf_lockspace_serving(server.ls) ? "yes" : "no");
    else if (strcmp(name, "pending") == 0)
        hf_text_add(is, hf_lockspace_pending(server.ls) ? "yes" : "no");
    else
        return false;
    return true;
}

const struct script_machine lockspace_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
    .end = end,
};
