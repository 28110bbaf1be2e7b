#include "tale/picture/layout.h"

#include <string.h>

/* What the store holds, as text: "#2 + #1", or "1: #1  2: -". */

#define NOTHING "\xe2\x80\x93"

/* "1: #1  2: -": replicas, with names.  Returns the length of the name. */
static size_t
name_len(const char *at)
{
    size_t len = strcspn(at, ": +");

    return len > 0 && len < 3 && at[len] == ':' && at[len + 1] == ' ' ? len : 0;
}

struct words
layout_part(const struct layout *layout, const char *holds, unsigned lane)
{
    struct words part = words_of(holds);
    const char *end;

    if (!layout->replicas)
        return part;
    for (unsigned i = 0; i < lane && holds != NULL; i++) {
        holds = strstr(holds, "  ");
        holds = holds == NULL ? NULL : holds + 2;
    }
    if (holds == NULL)
        return words_of("");
    holds += name_len(holds) == 0 ? 0 : name_len(holds) + 2;
    end = strstr(holds, "  ");
    part = words_of(holds);
    if (end != NULL)
        part.len = (int)(end - holds);
    return part;
}

/* What stands between two of several. */
static int
gap_at(const char *at)
{
    static const char *const gaps[] = {" + ", ", ", " ("};

    for (unsigned i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
        if (strncmp(at, gaps[i], strlen(gaps[i])) == 0)
            return (int)strlen(gaps[i]);
    return 0;
}

/* The next of several; what is left in *rest. */
static struct words
take_item(struct words *rest)
{
    struct words item = *rest;

    for (int i = 0; i < rest->len; i++) {
        int gap = gap_at(rest->at + i);

        if (gap == 0)
            continue;
        item.len = i;
        rest->at += i + gap;
        rest->len -= i + gap;
        return item;
    }
    rest->len = 0;
    return item;
}

unsigned
layout_items(const struct layout *layout, const char *holds, unsigned lane,
             struct words items[LAYOUT_ITEMS_MAX])
{
    struct words rest = layout_part(layout, holds, lane);
    unsigned count = 0;

    if (rest.len == 1 && rest.at[0] == '-')
        rest.len = 0;
    while (rest.len > 0 && count < LAYOUT_ITEMS_MAX) {
        struct words item = take_item(&rest);

        if (item.len > 0 && item.at[item.len - 1] == ')')
            item.len--;
        if (item.len == 1 && item.at[0] == '-')
            item = words_of(NOTHING);
        if (item.len > 0)
            items[count++] = item;
    }
    if (count == 0)
        items[count++] = words_of(layout->replicas ? NOTHING : "empty");
    return count;
}

struct words
layout_name(const struct layout *layout, unsigned lane)
{
    const char *at = layout->told->holds;

    for (unsigned i = 0; i < lane; i++)
        at = strstr(at, "  ") + 2;
    return (struct words){at, (int)name_len(at)};
}

void
layout_find_lanes(struct layout *layout)
{
    const char *at = layout->told->holds;

    layout->lanes = 1;
    layout->replicas = name_len(at) > 0;
    while (layout->replicas && layout->lanes < LAYOUT_LANES_MAX) {
        at = strstr(at, "  ");
        if (at == NULL || name_len(at + 2) == 0)
            return;
        at += 2;
        layout->lanes++;
    }
}

int
layout_chip_width(const struct words *items, unsigned count)
{
    int width = 0;

    for (unsigned i = 0; i < count; i++) {
        int wide = words_width(items[i], LAYOUT_LETTER);

        width = wide > width ? wide : width;
    }
    return width + 2 * LAYOUT_PAD;
}

int
layout_chip_height(unsigned count)
{
    return (int)count * LAYOUT_LINE + LAYOUT_PAD;
}
