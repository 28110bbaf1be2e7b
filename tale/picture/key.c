#include "tale/picture/pen.h"

#include <string.h>

/* The key: what each pattern says, of those that the picture has. */

enum { SYMBOL = 24, APART = 18, LINE = 20 };

enum sign {
    SIGN_INSIDE,
    SIGN_OVERLAP,
    SIGN_PAUSED,
    SIGN_DONE,
    SIGN_MOVED_ON,
    SIGN_CRASHED,
    SIGN_FAULT,
    SIGN_ERROR,
    SIGN_LOST,
    SIGN_FALLBACK,
    SIGNS,
};

static const char *const words[SIGNS] = {
    [SIGN_INSIDE] = "inside",      [SIGN_OVERLAP] = "more than one inside",
    [SIGN_PAUSED] = "paused",      [SIGN_DONE] = "done",
    [SIGN_MOVED_ON] = "moved on",  [SIGN_CRASHED] = "crashed",
    [SIGN_FAULT] = "a fault",      [SIGN_ERROR] = "answers an error",
    [SIGN_LOST] = "never arrives", [SIGN_FALLBACK] = "at a fallback",
};

/* Signs that the state of one worker after an event needs. */
static unsigned
signs_of_where(unsigned where)
{
    switch ((enum where)where) {
    case WHERE_INSIDE:
        return 1u << SIGN_INSIDE;
    case WHERE_PAUSED:
        return 1u << SIGN_PAUSED;
    case WHERE_DONE:
        return 1u << SIGN_DONE;
    case WHERE_MOVED_ON:
        return 1u << SIGN_MOVED_ON;
    case WHERE_CRASHED:
        return 1u << SIGN_CRASHED;
    case WHERE_OUTSIDE:
        break;
    }
    return 0;
}

/* Each a bit. */
static unsigned
signs_of(const struct layout *layout)
{
    const struct told *told = layout->told;
    unsigned signs = 0;

    for (unsigned i = 0; i < told->count; i++) {
        const struct told_event *event = &told->events[i];
        unsigned inside = 0;

        for (unsigned w = 0; w < layout->run->workers; w++) {
            signs |= signs_of_where(event->where[w]);
            inside += event->where[w] == WHERE_INSIDE;
        }
        signs |= (unsigned)(event->kind == TOLD_DOWN) << SIGN_CRASHED;
        signs |= (unsigned)(inside > 1) << SIGN_OVERLAP |
                 (unsigned)event->fault << SIGN_FAULT |
                 (unsigned)event->error << SIGN_ERROR |
                 (unsigned)event->lost << SIGN_LOST |
                 (unsigned)event->fallback << SIGN_FALLBACK;
    }
    return signs;
}

/* In a box from -8 to 8 around 0, 0. */
static void
put_sign(const struct pen *pen, enum sign sign)
{
    static const char *const drawn[SIGNS] = {
        [SIGN_INSIDE] = "<rect class=\"picture-bar\" x=\"-5\" y=\"-7\" "
                        "width=\"10\" height=\"14\"/>",
        [SIGN_DONE] = "<circle class=\"picture-ended\" r=\"5\"/>",
        [SIGN_MOVED_ON] = "<circle class=\"picture-hollow\" r=\"5\"/>",
        [SIGN_CRASHED] =
            "<path class=\"picture-cross\" d=\"M-5-5 5 5m0-10L-5 5\"/>",
        [SIGN_FAULT] = "<rect class=\"picture-box picture-fault\" x=\"-6\" "
                       "y=\"-6\" width=\"12\" height=\"12\" rx=\"2\"/>",
        [SIGN_ERROR] = "<path class=\"picture-error\" d=\"M8 0H-9\"/>",
        [SIGN_LOST] = "<path class=\"picture-change\" d=\"M-9 0H3\"/>"
                      "<path class=\"picture-cross\" d=\"M0-4l8 8m0-8l-8 8\"/>",
        [SIGN_FALLBACK] = "<circle class=\"picture-fallback\" r=\"7\"/>",
    };

    if (drawn[sign] != NULL)
        fputs(drawn[sign], pen->out);
    else
        fprintf(pen->out,
                "<rect%s fill=\"url(#%s-%s)\" x=\"-5\" y=\"-7\" "
                "width=\"10\" height=\"14\"/>",
                sign == SIGN_PAUSED ? " class=\"picture-paused\"" : "", pen->id,
                sign == SIGN_PAUSED ? "rest" : "inside-both");
}

static void
put_entry(const struct pen *pen, enum sign sign, struct point at)
{
    fprintf(pen->out, "<g transform=\"translate(%d %d)\">", at.x + 8, at.y);
    put_sign(pen, sign);
    fputs("<text class=\"picture-word\" ", pen->out);
    pen_text(pen, (struct point){SYMBOL - 8, 4}, "start",
             words_of(words[sign]));
    fputs("</g>\n", pen->out);
}

int
pen_key(const struct pen *pen, struct point at, int width, bool measures)
{
    unsigned signs = signs_of(pen->layout);
    int x = 0;
    int y = LINE / 2;

    if (signs == 0)
        return 0;
    for (unsigned i = 0; i < SIGNS; i++) {
        int wide = SYMBOL + words_width(words_of(words[i]), LAYOUT_LETTER);

        if ((signs >> i & 1) == 0)
            continue;
        if (x > 0 && x + wide > width) {
            x = 0;
            y += LINE;
        }
        if (!measures)
            put_entry(pen, (enum sign)i, (struct point){at.x + x, at.y + y});
        x += wide + APART;
    }
    return y + LINE / 2;
}
