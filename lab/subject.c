#include "lab/subject.h"

#include <stdlib.h>
#include <string.h>

#include "lab/server/worlds.h"
#include "lab/service/kind.h"
#include "lab/world/model.h"
#include "lab/world/reduction.h"
#include "lab/world/story.h"

/* ---- The list ------------------------------------------------------------ */

unsigned
subject_count(void)
{
    return worlds_count + waiting_worlds_count + grants_worlds_count +
           service_worlds_count;
}

struct subject
subject_of_table(const struct world_config *config)
{
    return (struct subject){.table = *config};
}

struct subject
subject_at(unsigned index)
{
    if (index < worlds_count)
        return subject_of_table(&worlds[index]);
    index -= worlds_count;
    if (index < waiting_worlds_count)
        return (struct subject){
            .server = {.kind = &waiting_kind},
            .waiting = waiting_worlds[index],
        };
    index -= waiting_worlds_count;
    if (index < grants_worlds_count)
        return (struct subject){
            .server = {.kind = &grants_kind},
            .grants = grants_worlds[index],
        };
    index -= grants_worlds_count;
    return (struct subject){
        .server = {.kind = &service_kind},
        .service = service_worlds[index],
    };
}

bool
subject_find(const char *name, struct subject *subject)
{
    for (unsigned i = 0; i < subject_count(); i++) {
        *subject = subject_at(i);
        if (strcmp(subject_name(subject), name) == 0)
            return true;
    }
    return false;
}

unsigned
subject_proofs_count(void)
{
    return worlds_proofs_count + server_proofs_count + service_proofs_count;
}

const struct worlds_proof *
subject_proof(unsigned index)
{
    if (index < worlds_proofs_count)
        return &worlds_proofs[index];
    index -= worlds_proofs_count;
    if (index < server_proofs_count)
        return &server_proofs[index];
    return &service_proofs[index - server_proofs_count];
}

const struct worlds_proof *
subject_find_proof(const char *world, unsigned workers, unsigned faults)
{
    for (unsigned i = 0; i < subject_proofs_count(); i++) {
        const struct worlds_proof *proof = subject_proof(i);

        if (strcmp(proof->world, world) == 0 && proof->workers == workers &&
            proof->faults == faults)
            return proof;
    }
    return NULL;
}

/* ---- What it is ---------------------------------------------------------- */

static bool
is_table(const struct subject *subject)
{
    return subject->server.kind == NULL;
}

const char *
subject_name(const struct subject *subject)
{
    return is_table(subject) ? subject->table.name : subject->world.name;
}

const char *
subject_about(const struct subject *subject)
{
    return is_table(subject) ? subject->table.about : subject->world.about;
}

const char *
subject_expect(const struct subject *subject)
{
    return is_table(subject) ? subject->table.expect : subject->world.expect;
}

unsigned
subject_workers(const struct subject *subject)
{
    return is_table(subject) ? subject->table.workers : subject->world.clients;
}

unsigned
subject_workers_max(const struct subject *subject)
{
    if (subject->server.kind != &service_kind)
        return WORLD_WORKERS_MAX;
    return subject->world.is_whole ? SERVICE_CLIENTS
                                   : SNAPSHOT_CLIENTS / SERVICE_SESSIONS;
}

void
subject_set_workers(struct subject *subject, unsigned workers)
{
    if (is_table(subject))
        subject->table = worlds_with(&subject->table, workers);
    else if (workers != 0)
        subject->world.clients = workers;
}

bool
subject_is_whole(const struct subject *subject)
{
    return !is_table(subject) && subject->world.is_whole;
}

bool
subject_is_alike(const struct subject *subject)
{
    return is_table(subject) ? subject->table.symmetric : subject->world.alike;
}

void
subject_tell_apart(struct subject *subject)
{
    if (is_table(subject))
        subject->table.symmetric = false;
    else
        subject->world.alike = false;
    if (subject->server.kind == &grants_kind)
        subject->grants.names_alike = false;
}

/* ---- What is done with it ------------------------------------------------ */

bool
subject_is_reduced(const struct subject *subject)
{
    return is_table(subject) && reduction_holds_in(&subject->table);
}

struct explore_system
subject_system(struct subject *subject, bool reduced)
{
    if (is_table(subject))
        return reduced ? model_reduced_system(&subject->table)
                       : model_system(&subject->table);
    subject->server.config = &subject->world;
    return kind_system(&subject->server);
}

const char *
subject_walk(struct subject *subject, struct walk *walk)
{
    if (is_table(subject))
        return walk_at_random(&subject->table, walk);
    subject->server.config = &subject->world;
    return kind_walk(&subject->server, walk->seed, walk->schedule, walk->max,
                     &walk->len);
}

/* ---- The line that is replayed ------------------------------------------- */

static unsigned
acts_of(const struct subject *subject)
{
    return is_table(subject) ? ACT_COUNT : subject->server.kind->acts_count;
}

static const char *
word_of(const struct subject *subject, unsigned act)
{
    return is_table(subject) ? story_act_word((enum world_act)act)
                             : subject->server.kind->acts[act].word;
}

void
subject_line(const struct subject *subject, const uint16_t *schedule,
             size_t len, struct hf_text *text)
{
    hf_text_addf(text, "%s:%u:", subject_name(subject),
                 subject_workers(subject));
    for (size_t i = 0; i < len; i++) {
        struct kind_action action = kind_action_of(schedule[i]);

        hf_text_addf(text, "%s%s%u", i == 0 ? "" : ",",
                     word_of(subject, action.act), action.who + 1);
    }
}

/* "serve1" */
static bool
parse_action(const struct subject *subject, const char *word, size_t len,
             uint16_t *number)
{
    for (unsigned act = 0; act < acts_of(subject); act++) {
        const char *own = word_of(subject, act);
        size_t own_len = strlen(own);
        char *end;
        long who;

        if (len <= own_len || strncmp(word, own, own_len) != 0)
            continue;
        who = strtol(word + own_len, &end, 10);
        if (end != word + len || who < 1 || who > WORLD_WHO_MAX)
            continue;
        *number = kind_number((struct kind_action){act, (unsigned)who - 1});
        return true;
    }
    return false;
}

/* "WORLD:WORKERS:", and where the actions begin. */
static const char *
parse_world(const char *line, struct subject *subject, const char **why)
{
    char name[64] = "";
    size_t len = strcspn(line, ":");
    unsigned long workers;
    char *end;

    *why = "it is not WORLD:WORKERS:ACTION,ACTION,...";
    if (line[len] != ':' || len >= sizeof(name))
        return NULL;
    memcpy(name, line, len);
    workers = strtoul(line + len + 1, &end, 10);
    if (end == line + len + 1 || *end != ':')
        return NULL;
    *why = "there is no such world";
    if (!subject_find(name, subject))
        return NULL;
    *why = "there are not so many workers in it";
    if (workers < 1 || workers > subject_workers_max(subject))
        return NULL;
    subject_set_workers(subject, (unsigned)workers);
    subject_tell_apart(subject);
    return end + 1;
}

int
subject_parse(const char *line, struct subject *subject, uint16_t *schedule,
              size_t max, const char **why)
{
    const char *at = parse_world(line, subject, why);
    size_t count = 0;

    if (at == NULL)
        return -1;
    *why = "there is no such action";
    while (*at != '\0') {
        size_t len = strcspn(at, ",");

        if (count == max || !parse_action(subject, at, len, &schedule[count]))
            return -1;
        count++;
        at += len;
        if (*at == ',')
            at++;
    }
    return (int)count;
}
