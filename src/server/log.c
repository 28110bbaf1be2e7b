#include "server/log.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/lockspace/look.h"

/* The most that a pipe takes whole or not at all; a longer line is cut. */
enum { LINE_SIZE = PIPE_BUF };

static const struct hf_duration often_pause = {10 * 1000};

static const char *const levels[] = {
    [HF_LOG_INFO] = "info",
    [HF_LOG_WARN] = "warn",
    [HF_LOG_ERROR] = "error",
};

/* ---- Lines --------------------------------------------------------------- */

/* RFC 3339, UTC. */
static void
write_time(char *text, size_t size)
{
    int64_t now_ms = hf_wall_ms();
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm parts;
    size_t len;

    if (gmtime_r(&seconds, &parts) == NULL)
        memset(&parts, 0, sizeof(parts));
    len = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + len, size - len, ".%03dZ", (int)(now_ms % 1000));
}

static bool
is_bare(const char *text)
{
    return text[0] != '\0' && strpbrk(text, " =\"\\") == NULL &&
           hf_text_is_clean(text, strlen(text));
}

static void
add_text(const struct hf_log *log, struct hf_text *line, const char *name,
         const char *text)
{
    bool json = log->format == HF_LOG_JSON;

    hf_text_addf(line, json ? "%s\"%s\":" : "%s%s=",
                 line->len <= 1 ? ""
                 : json         ? ","
                                : " ",
                 name);
    if (!json && is_bare(text))
        hf_text_add(line, text);
    else
        hf_text_add_json(line, text, strlen(text));
}

static void
add_number(const struct hf_log *log, struct hf_text *line, const char *name,
           uint64_t number)
{
    hf_text_addf(
        line, log->format == HF_LOG_JSON ? ",\"%s\":%" PRIu64 : " %s=%" PRIu64,
        name, number);
}

/* A pipe that can take anything can take a line. */
static bool
can_write(void)
{
    struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&err, 1, 0) == 1 && (err.revents & POLLOUT) != 0;
}

void
hf_log_say(struct hf_log *log, enum hf_log_level level, const char *event,
           const struct hf_log_field *fields)
{
    bool json = log->format == HF_LOG_JSON;
    char bytes[LINE_SIZE];
    struct hf_text line;
    char now[64];

    write_time(now, sizeof(now));
    hf_text_init(&line, bytes, sizeof(bytes) - 2);
    hf_text_add(&line, json ? "{" : "");
    add_text(log, &line, "time", now);
    add_text(log, &line, "level", levels[level]);
    add_text(log, &line, "event", event);
    for (; fields != NULL && fields->name != NULL; fields++) {
        if (fields->text != NULL)
            add_text(log, &line, fields->name, fields->text);
        else
            add_number(log, &line, fields->name, fields->number);
    }
    if (log->lost > 0 && can_write()) {
        add_number(log, &line, "lost", log->lost);
        log->lost = 0;
    }
    line.size += 2;
    hf_text_add(&line, json ? "}\n" : "\n");
    if (can_write())
        (void)!write(STDERR_FILENO, bytes, hf_text_kept(&line));
    else
        log->lost++;
}

/* ---- The seat ------------------------------------------------------------ */

/* The owner of a fenced resource must know it, too. */
static void
say_grace(struct hf_log *log, const struct hf_seat *seat)
{
    const struct hf_log_field why[] = {
        {"grace_ms", NULL, (uint64_t)hf_seat_grace(seat).ms},
        {"why", hf_seat_cause(seat), 0},
        {"fences",
         "begin at this machine's clock, or above what clients have seen: had "
         "it been set back, they might repeat",
         0},
        {0}};

    if (why[0].number > 0)
        hf_log_say(log, HF_LOG_WARN, "grants nothing yet", why);
}

/* A server that was started again finds its own address in the head. */
static const char *
name_other(const struct hf_seat *seat, const char *node, struct hf_text *text)
{
    if (node[0] == '\0')
        return "nobody";
    if (strcmp(node, hf_seat_address(seat)) != 0)
        return node;
    hf_text_addf(text, "an earlier process at %s", node);
    return text->at;
}

static void
say_state(struct hf_log *log, const struct hf_seat *seat, const char *leader)
{
    char bytes[HF_HOST_MAX + 32];
    struct hf_text text;
    const struct hf_node *node = hf_seat_node(seat);
    const struct hf_log_field term[] = {{"term", NULL, node->term}, {0}};
    struct hf_log_field where[] = {{"leader", NULL, 0}, {0}};
    struct hf_log_field after[] = {
        {"term", NULL, node->term}, {"after", NULL, 0}, {0}};

    hf_text_init(&text, bytes, sizeof(bytes));
    switch (node->state) {
    case HF_NODE_FOLLOWING:
        where[0].text = name_other(seat, leader, &text);
        hf_log_say(log, HF_LOG_INFO, "follows",
                   leader[0] != '\0' ? where : NULL);
        break;
    case HF_NODE_LOADING:
        hf_log_say(log, HF_LOG_INFO, "loads", term);
        break;
    case HF_NODE_SERVING:
        after[1].text = name_other(seat, hf_seat_before(seat), &text);
        hf_log_say(log, HF_LOG_INFO, "leads", after);
        say_grace(log, seat);
        break;
    case HF_NODE_DRAINING:
        hf_log_say(log, HF_LOG_INFO, "drains", term);
        break;
    case HF_NODE_LEAVING:
    case HF_NODE_ENDED:
        break;
    }
}

/* Twice as long is news, and that it is folded. */
static void
look_at_log(struct hf_log *log, uint64_t size)
{
    const struct hf_log_field fields[] = {
        {"bytes", NULL, size},
        {"why",
         "a program that reads the file does not end its transaction, so the "
         "log (-wal) is not folded into it: end that",
         0},
        {0}};

    if (size >= HF_STORE_LOG_LARGE && size / 2 >= log->log_size) {
        hf_log_say(log, HF_LOG_WARN, "the store's log grows", fields);
        log->log_size = size;
    } else if (size < HF_STORE_LOG_LARGE && log->log_size > 0) {
        hf_log_say(log, HF_LOG_INFO, "the store's log is folded", NULL);
        log->log_size = 0;
    }
}

/* Once, and again once it is well over: not with every one that comes and
 * goes. */
static void
say_room(struct hf_log *log, const struct hf_lockspace *table)
{
    struct hf_look_room room = hf_look_room(table);
    const struct hf_log_field fields[] = {
        {"sessions", NULL, room.sessions}, {"most", NULL, room.most}, {0}};

    if (!log->short_of_room && room.is_short)
        hf_log_say(log, HF_LOG_WARN, "room for sessions is short", fields);
    else if (log->short_of_room && room.sessions <= room.most / 2)
        hf_log_say(log, HF_LOG_INFO, "room for sessions again", fields);
    else
        return;
    log->short_of_room = room.is_short;
}

void
hf_log_look(struct hf_log *log, const struct hf_seat *seat)
{
    const struct hf_node *node = hf_seat_node(seat);
    const char *leader = hf_seat_leader(seat);
    struct hf_error trouble = {.status = HF_OK};

    if (node->state != log->state ||
        (node->state == HF_NODE_FOLLOWING && strcmp(leader, log->leader) != 0))
        say_state(log, seat, leader);
    log->state = node->state;
    snprintf(log->leader, sizeof(log->leader), "%s", leader);
    look_at_log(log, hf_seat_log(seat).bytes);
    if (node->state == HF_NODE_SERVING)
        say_room(log, node->lockspace);
    else
        log->short_of_room = false;
    (void)hf_seat_trouble(seat, &trouble);
    if (trouble.status != HF_OK && strcmp(trouble.text, log->trouble.text) != 0)
        hf_log_say(
            log, HF_LOG_ERROR, "trouble",
            (const struct hf_log_field[]){{"why", trouble.text, 0}, {0}});
    else if (trouble.status == HF_OK && log->trouble.status != HF_OK)
        hf_log_say(log, HF_LOG_INFO, "trouble is over", NULL);
    log->trouble = trouble;
}

/* ---- Connections --------------------------------------------------------- */

static void
say_often(struct hf_log *log, struct hf_log_often *often, const char *event,
          struct hf_instant now)
{
    often->untold++;
    if (often->told_at.ms != 0 &&
        !hf_reached(now, hf_after(often->told_at, often_pause)))
        return;
    hf_log_say(
        log, HF_LOG_WARN, event,
        (const struct hf_log_field[]){{"count", NULL, often->untold}, {0}});
    often->untold = 0;
    often->told_at = now;
}

void
hf_log_turned_away(struct hf_log *log, struct hf_instant now)
{
    say_often(log, &log->turned_away, "connections turned away", now);
}

void
hf_log_refused(struct hf_log *log, struct hf_instant now)
{
    say_often(log, &log->refused, "too many connections wait", now);
}
