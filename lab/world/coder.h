#ifndef LAB_WORLD_CODER_H
#define LAB_WORLD_CODER_H

#include "lab/codec.h"
#include "lab/world/names.h"
#include "lab/world/world.h"

/*
 * Coder: what pack.c and the parts of a world describe their structs with, for
 * both ways: a codec, and the short names of numbers.  While it writes, a
 * number that has a name stays as it is, for it stands elsewhere, too.
 *
 * Ids are named as they appear, from the first worker on.  But workers that are
 * alike are ordered by what else they are: so the ids of a worker are named
 * when its place is known.
 */

/* The numbers of the question that is asked, of one that was before and whose
 * call is still under way, and of one before that was answered. */
enum { ANSWERED = 1, OWED, ASKED };

/* Of a worker, and where they are to stand. */
struct coder_ids {
    unsigned count;
    struct {
        uint8_t *at;
        uint64_t id;
    } all[3];
};

struct coder {
    struct codec codec;
    const struct world_config *config;
    struct names *names;    /* NULL while it reads */
    const uint8_t *order;   /* the worker of each place; NULL: as they are */
    struct coder_ids *left; /* ids that are named later; NULL: none are */
};

/* A number of that sort: `versions` or `grants`. */
#define CODE_RANK(coder, sort, field)                                          \
    do {                                                                       \
        if ((coder)->codec.reads)                                              \
            (field) = codec_get(&(coder)->codec);                              \
        else                                                                   \
            codec_put(&(coder)->codec, (coder)->names->sort.of[field]);        \
    } while (0)

#define CODE_VERSION(coder, field) CODE_RANK(coder, versions, field)

CODEC_INLINE void
code_id(struct coder *coder, uint64_t *id)
{
    struct codec *codec = &coder->codec;
    struct coder_ids *left = coder->left;

    if (codec->reads) {
        *id = codec_get(codec);
    } else if (left != NULL) {
        left->all[left->count].at = codec->at;
        left->all[left->count++].id = *id;
        codec_put(codec, 0);
    } else {
        codec_put(codec, names_id(coder->names, *id));
    }
}

static inline void
coder_name_left(const struct coder_ids *left, struct names *names)
{
    for (unsigned i = 0; i < left->count; i++)
        *left->all[i].at = names_id(names, left->all[i].id);
}

/* Those of which worker; `workers`: nobody's. */
static inline unsigned
coder_whose_terms(const struct world_config *config,
                  const struct hf_terms *terms)
{
    unsigned i = 0;

    while (i < config->workers &&
           (terms->ttl.ms != (int64_t)config->terms[i].ttl * WORLD_TICK_MS ||
            terms->beat.ms != world_terms_of(config, i).beat.ms ||
            terms->if_dead != config->terms[i].if_dead))
        i++;
    return i;
}

/* A record's terms, which are some worker's, or nobody's. */
CODEC_INLINE void
code_terms(struct coder *coder, struct hf_terms *terms)
{
    struct codec *codec = &coder->codec;
    unsigned whose;

    if (!codec->reads) {
        codec_put(codec, coder_whose_terms(coder->config, terms));
        return;
    }
    whose = codec_get(codec);
    if (whose < coder->config->workers)
        *terms = world_terms_of(coder->config, whose);
}

/* An instant that has come, if there is one; one longer ago than that is as
 * long ago as that. */
CODEC_INLINE void
code_since(struct codec *codec, struct hf_instant *at, bool there,
           struct hf_duration longest)
{
    if (!codec->reads && !there)
        *at = WORLD_NOW;
    codec_ago(codec, at, (unsigned)(longest.ms / WORLD_TICK_MS));
}

/* What was seen of a holder; all but its flags. */
CODEC_INLINE void
code_evidence(struct coder *coder, struct hf_evidence *e)
{
    CODE_VERSION(coder, e->version);
    CODE_VERSION(coder, e->token);
    code_terms(coder, &e->terms);
    code_since(&coder->codec, &e->shown_at, e->present, e->terms.ttl);
    e->first_at = e->shown_at;
}

/* What an answer says. */
CODEC_INLINE void
code_answer(struct coder *coder, struct world_mail *mail)
{
    struct hf_sight *sight = &mail->sight;
    int64_t stood = sight->stood.ms / WORLD_TICK_MS;

    CODE(&coder->codec, mail->verdict);
    CODE_VERSION(coder, mail->version);
    CODE_BITS(&coder->codec, 2, sight->kind);
    CODE_BITS(&coder->codec, 6, stood);
    sight->stood = world_ticks((int)stood);
    CODE_VERSION(coder, sight->version);
    CODE_VERSION(coder, sight->token);
    code_id(coder, &sight->heartbeat.id);
    code_terms(coder, &sight->terms);
}

static inline unsigned
coder_worker(const struct coder *coder, unsigned place)
{
    return coder->order == NULL ? place : coder->order[place];
}

#endif
