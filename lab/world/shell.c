#include "lab/world/shell.h"

#include "lab/world/worker.h"

enum { HEARD_BYTES = 8 };

/* ---- Processes ---------------------------------------------------------- */

static bool
watches(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];
    uint64_t version;

    return world->config->same_host && w->alive && !w->frozen &&
           hf_contender_watching(&w->contender, &version);
}

static const struct hf_evidence *
evidence_of(const struct world *world, unsigned who)
{
    return &world->workers[who].contender.evidence;
}

bool
shell_may_see_gone(const struct world *world, unsigned who)
{
    const struct hf_evidence *e = evidence_of(world, who);

    return watches(world, who) && !e->gone && world_has_ended(world, e->token);
}

void
shell_see_gone(struct world *world, unsigned who)
{
    uint64_t version = evidence_of(world, who)->version;

    worker_pump(world, who, hf_processes(WORLD_NOW, version, true));
}

bool
shell_may_see_running(const struct world *world, unsigned who)
{
    return watches(world, who) &&
           !world_has_ended(world, evidence_of(world, who)->token);
}

void
shell_see_running(struct world *world, unsigned who)
{
    uint64_t version = evidence_of(world, who)->version;

    worker_pump(world, who, hf_processes(WORLD_NOW, version, false));
}

bool
shell_may_see_old(const struct world *world, unsigned who)
{
    return watches(world, who);
}

void
shell_see_old(struct world *world, unsigned who)
{
    uint64_t version = evidence_of(world, who)->version;

    worker_pump(world, who, hf_processes(WORLD_NOW, version - 1, true));
}

/* ---- Hints -------------------------------------------------------------- */

bool
shell_may_hint(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->hints && w->alive && !w->frozen;
}

void
shell_hint(struct world *world, unsigned who)
{
    worker_pump(world, who, hf_event(HF_ON_HINT, WORLD_NOW));
}

bool
shell_may_answer_again(const struct world *world, unsigned who)
{
    return shell_may_hint(world, who) && world->heard[who].out;
}

/* Word for word, at any later moment. */
void
shell_answer_again(struct world *world, unsigned who)
{
    struct world_mail heard = world->heard[who];

    if (heard.reads)
        worker_pump(world, who, hf_found(WORLD_NOW, heard.number, heard.sight));
    else
        worker_pump(
            world, who,
            hf_answer(WORLD_NOW, heard.number, heard.verdict, heard.version));
}

/* ---- Packing ------------------------------------------------------------ */

size_t
shell_size(const struct world_config *config)
{
    return config->hints ? config->workers * HEARD_BYTES : 0;
}

void
shell_strip(struct world *world)
{
    if (!world->config->hints)
        return;
    for (unsigned i = 0; i < world->config->workers; i++) {
        struct world_mail *heard = &world->heard[i];

        heard->write = (struct world_write){.kind = HF_PUT};
        heard->served = heard->slow = false;
    }
}

void
shell_collect(const struct world *world, struct names *names)
{
    if (!world->config->hints)
        return;
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_mail *heard = &world->heard[i];

        ranks_add(&names->versions, heard->version);
        ranks_add(&names->versions, heard->sight.version);
        ranks_add(&names->versions, heard->sight.token);
    }
}

static void
code_heard(struct coder *coder, const struct world_worker *w,
           struct world_mail *heard)
{
    struct codec *codec = &coder->codec;
    bool last =
        !codec->reads && heard->number == w->contender.keeper.question.number;

    if (!codec->reads && !heard->out)
        return;
    CODE_BITS(codec, 1, heard->out);
    CODE_BITS(codec, 1, heard->reads);
    CODE_BITS(codec, 1, last);
    codec_byte_ends(codec);
    code_answer(coder, heard);
    if (codec->reads)
        heard->number = last ? ASKED : ANSWERED;
}

void
shell_code(struct coder *coder, struct world *world)
{
    if (!world->config->hints)
        return;
    for (unsigned i = 0; i < world->config->workers; i++) {
        unsigned worker = coder_worker(coder, i);
        struct coder part = *coder;

        part.codec = codec_part(&coder->codec, HEARD_BYTES);
        if (coder->codec.reads)
            world->heard[worker] = (struct world_mail){.out = false};
        code_heard(&part, &world->workers[worker], &world->heard[worker]);
        codec_end(&part.codec);
    }
}
