#include "tale/picture/picture.h"

#include "tale/picture/pen.h"

/* Units are so many pixels, where there is room: 12 of them are 15. */
enum { SCALE = 5, OF = 4 };

void
pen_open(const struct pen *pen, int width, int height)
{
    const struct specimen *specimen = pen->layout->run->specimen;

    fprintf(pen->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" "
            "id=\"%s\" role=\"img\" aria-labelledby=\"%s-title\" "
            "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<title id=\"%s-title\">",
            pen->id, pen->id, width, height, width * SCALE / OF,
            height * SCALE / OF, pen->id);
    words_put(pen->out, words_of(specimen->name));
    fputs(": ", pen->out);
    words_put(pen->out, words_of(specimen->about));
    fputs("</title>\n", pen->out);
}

static void
put_verdict(const struct pen *pen)
{
    const struct layout *layout = pen->layout;
    char broken[80];

    if (layout->told->violated == NULL)
        return;
    snprintf(broken, sizeof(broken), "broken: %s", layout->told->violated);
    fputs("<text class=\"picture-verdict\" ", pen->out);
    pen_text(pen, (struct point){layout->width / 2, layout->height - 12},
             "middle", words_of(broken));
}

void
pen_picture(const struct pen *pen)
{
    const struct told *told = pen->layout->told;

    pen_defs(pen);
    pen_heads(pen);
    pen_lines(pen);
    pen_bars(pen);
    pen_first(pen);
    for (unsigned i = 0; i < told->count; i++) {
        pen_group(pen, &told->events[i]);
        pen_arrows(pen, i);
        fputs("</g>\n", pen->out);
    }
    for (unsigned i = 0; i < told->count; i++)
        pen_marks(pen, i);
    put_verdict(pen);
}

void
picture_draw(FILE *out, const struct specimen_run *run, const struct told *told,
             const char *id)
{
    struct layout layout;
    struct pen pen = {out, &layout, id};

    layout_make(&layout, run, told);
    pen_open(&pen, layout.width, layout.height);
    pen_style(out, false);
    pen_picture(&pen);
    fputs("</svg>\n", out);
}
