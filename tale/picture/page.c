#include "tale/picture/pen.h"
#include "tale/picture/picture.h"

/* Page: a picture as a file of its own, with all that it needs to be read. */

enum {
    MARGIN = 16,
    LEAST = 360, /* units wide */
    NUMBER = 18, /* for the number of a sentence */
    LINE = 17,
    BETWEEN = 4, /* sentences */
};

struct page {
    struct pen pen;
    int width;
    int y;         /* as far as it is full */
    bool measures; /* nothing is written yet: how high will it be? */
};

/* "draft4,on=riak": what is not as the specimen stands. */
static void
name_run(const struct specimen_run *run, struct hf_text *text)
{
    hf_text_add(text, run->specimen->name);
    for (unsigned i = 0; specimen_has_setting(run, i); i++) {
        if (run->settings[i] == run->specimen->defaults[i])
            continue;
        hf_text_addf(text, ", %s=", run->specimen->settings[i].name);
        specimen_add_value(run, i, text);
    }
}

static void
put_lines(struct page *page, const char *text, const char *class, int indent)
{
    struct words lines[WORDS_LINES_MAX];
    unsigned count = words_wrap(text, LAYOUT_LETTER,
                                page->width - 2 * MARGIN - indent, lines);

    for (unsigned i = 0; i < count && !page->measures; i++) {
        fprintf(page->pen.out, "<text class=\"%s\" ", class);
        pen_text(&page->pen,
                 (struct point){MARGIN + indent, page->y + LAYOUT_LETTER},
                 "start", lines[i]);
        page->y += LINE;
    }
    if (page->measures)
        page->y += (int)count * LINE;
}

static void
put_heading(struct page *page)
{
    const struct specimen_run *run = page->pen.layout->run;
    char name[200];
    struct hf_text text;

    hf_text_init(&text, name, sizeof(name));
    name_run(run, &text);
    page->y = MARGIN;
    put_lines(page, name, "picture-head", 0);
    put_lines(page, run->specimen->about, "picture-about", 0);
}

static void
put_sentences(struct page *page)
{
    const struct told *told = page->pen.layout->told;

    for (unsigned i = 0; i < told->count; i++) {
        const struct told_event *event = &told->events[i];
        char sentence[sizeof(event->sentence) + 20];
        char number[12];

        snprintf(number, sizeof(number), "%u", event->number);
        snprintf(sentence, sizeof(sentence), "%s.%s", event->sentence,
                 event->fault ? " (a fault)" : "");
        if (!page->measures) {
            pen_group(&page->pen, event);
            fputs("<text class=\"picture-number\" ", page->pen.out);
            pen_text(&page->pen,
                     (struct point){MARGIN + NUMBER, page->y + LAYOUT_LETTER},
                     "end", words_of(number));
        }
        put_lines(page, sentence, "picture-sentence", NUMBER + 8);
        if (!page->measures)
            fputs("</g>\n", page->pen.out);
        page->y += BETWEEN;
    }
}

static void
put_drawing(struct page *page)
{
    const struct layout *layout = page->pen.layout;
    struct point at = {MARGIN, page->y + layout->height};

    if (!page->measures) {
        fprintf(page->pen.out, "<g transform=\"translate(%d %d)\">\n",
                (page->width - layout->width) / 2, page->y);
        pen_picture(&page->pen);
        fputs("</g>\n", page->pen.out);
    }
    page->y =
        at.y +
        pen_key(&page->pen, at, page->width - 2 * MARGIN, page->measures) +
        MARGIN;
}

static void
put_page(struct page *page)
{
    put_heading(page);
    put_drawing(page);
    put_sentences(page);
    page->y += MARGIN - BETWEEN;
}

void
picture_write(FILE *out, const struct specimen_run *run,
              const struct told *told)
{
    struct layout layout;
    struct page page = {
        .pen = {out, &layout, "picture"}, .width = LEAST, .measures = true};

    layout_make(&layout, run, told);
    if (page.width < layout.width)
        page.width = layout.width;
    put_page(&page);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    pen_open(&page.pen, page.width, page.y);
    pen_style(out, true);
    fputs("<rect class=\"picture-paper\" width=\"100%\" "
          "height=\"100%\"/>\n",
          out);
    page.measures = false;
    put_page(&page);
    fputs("</svg>\n", out);
}
