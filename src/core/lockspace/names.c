#include "core/lockspace/names.h"

#include "base/hash.h"

/* No client knows the seed, so no client can choose names that fall into one
 * chain. */
static uint32_t
hash_of(const struct hf_lockspace *ls, struct hf_bytes bytes, uint64_t more)
{
    uint64_t seed = hf_index_mix(ls->config.hash_seed, more);

    return (uint32_t)hf_index_mix(hf_hash_bytes(seed, bytes.at, bytes.len),
                                  seed);
}

/* ---- Spaces -------------------------------------------------------------- */

static uint32_t
find_space(struct hf_lockspace *ls, struct hf_bytes text)
{
    uint32_t at = ls->last_space;

    if (at != 0 && hf_strings_equal(ls, &ls->texts, hf_space_at(ls, at)->text,
                                    text.at, text.len))
        return at;
    at = hf_index_first(ls, &ls->spaces_by_text, hash_of(ls, text, 0));
    while (at != 0 &&
           !hf_strings_equal(ls, &ls->texts, hf_space_at(ls, at)->text, text.at,
                             text.len))
        at = hf_index_next(ls, &ls->spaces_by_text, at);
    ls->last_space = at;
    return at;
}

static uint32_t
get_space(struct hf_lockspace *ls, struct hf_bytes text)
{
    uint32_t at = find_space(ls, text);
    struct hf_string ref;

    if (at != 0)
        return at;
    if (!hf_pool_room(&ls->spaces, 1) ||
        !hf_strings_put(ls, &ls->texts, text.at, text.len, &ref))
        return 0;
    at = hf_pool_take(ls, &ls->spaces);
    hf_space_at(ls, at)->text = ref;
    hf_index_add(ls, &ls->spaces_by_text, hash_of(ls, text, 0), at);
    return at;
}

static void
drop_unused_space(struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_space *space = hf_space_at(ls, number);
    char text[HF_SPACE_MAX];

    if (space->names_count > 0)
        return;
    if (ls->last_space == number)
        ls->last_space = 0;
    hf_strings_copy(ls, &ls->texts, space->text, text, sizeof(text));
    hf_index_remove(ls, &ls->spaces_by_text,
                    hash_of(ls, (struct hf_bytes){text, space->text.len}, 0),
                    number);
    hf_strings_drop(ls, &ls->texts, space->text);
    hf_pool_give(ls, &ls->spaces, number);
}

/* ---- Names --------------------------------------------------------------- */

static uint32_t
find(struct hf_lockspace *ls, uint32_t space, struct hf_bytes text,
     uint32_t hash)
{
    uint32_t at = hf_index_first(ls, &ls->names_by_text, hash);

    while (at != 0) {
        const struct hf_ls_name *name = hf_name_at(ls, at);

        if (name->hash == hash && name->space == space &&
            hf_strings_equal(ls, &ls->texts, hf_name_text(name), text.at,
                             text.len))
            return at;
        at = hf_index_next(ls, &ls->names_by_text, at);
    }
    return 0;
}

uint32_t
hf_names_find(struct hf_lockspace *ls, const struct hf_want *want)
{
    uint32_t space = find_space(ls, want->space);

    if (space == 0)
        return 0;
    return find(ls, space, want->name, hash_of(ls, want->name, space));
}

uint32_t
hf_names_get(struct hf_lockspace *ls, const struct hf_want *want)
{
    uint32_t space;
    uint32_t hash;
    uint32_t at;
    struct hf_string text;
    struct hf_ls_name *name;

    if (want->space.len > HF_SPACE_MAX || want->name.len > HF_NAME_MAX)
        return 0;
    space = get_space(ls, want->space);
    if (space == 0)
        return 0;
    hash = hash_of(ls, want->name, space);
    at = find(ls, space, want->name, hash);
    if (at != 0)
        return at;
    if (!hf_pool_room(&ls->names, 1) ||
        !hf_strings_put(ls, &ls->texts, want->name.at, want->name.len, &text)) {
        drop_unused_space(ls, space);
        return 0;
    }
    at = hf_pool_take(ls, &ls->names);
    name = hf_name_at(ls, at);
    name->hash = hash;
    name->text = text.first;
    name->text_len = (uint16_t)text.len;
    name->space = (uint16_t)space;
    hf_space_at(ls, space)->names_count++;
    hf_index_add(ls, &ls->names_by_text, hash, at);
    return at;
}

void
hf_names_drop_unused(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_name *name = hf_name_at(ls, number);
    uint32_t space = name->space;

    if (name->holders_count > 0 || name->waiters_count > 0)
        return;
    hf_index_remove(ls, &ls->names_by_text, name->hash, number);
    hf_strings_drop(ls, &ls->texts, hf_name_text(name));
    name->space = 0; /* marks it free for walks over the pool */
    hf_pool_give(ls, &ls->names, number);
    hf_space_at(ls, space)->names_count--;
    drop_unused_space(ls, space);
}
