#include "picture/picture.h"

#include "picture/pen.h"

enum { MARGIN = 16, SENTENCE_LINE = 18, BETWEEN = 5, SCALE = 5, OF = 4 };

static void
put_svg(FILE *out, const char *id, int width, int height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" "
            "id=\"%s\" role=\"img\" aria-labelledby=\"%s-title\" "
            "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<title id=\"%s-title\">",
            id, id, width, height, width * SCALE / OF, height * SCALE / OF, id);
}

static void
put_title(FILE *out, const struct layout *layout)
{
    words_put(out, words_of(layout->run->specimen->name));
    fputs(": ", out);
    words_put(out, words_of(layout->run->specimen->about));
    fputs("</title>\n", out);
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

/* All but the element around it. */
static void
draw(const struct pen *pen)
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
    put_svg(out, id, layout.width, layout.height);
    put_title(out, &layout);
    pen_style(out, false);
    draw(&pen);
    fputs("</svg>\n", out);
}

void
picture_write(FILE *out, const struct specimen_run *run,
              const struct told *told)
{
    struct layout layout;
    struct pen pen = {out, &layout, "picture"};

    layout_make(&layout, run, told);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    put_svg(out, pen.id, layout.width, layout.height);
    put_title(out, &layout);
    pen_style(out, true);
    fputs("<rect class=\"picture-paper\" width=\"100%\" height=\"100%\"/>\n",
          out);
    draw(&pen);
    fputs("</svg>\n", out);
}
