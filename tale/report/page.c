#include "tale/report/page.h"

#include "tale/report/assets.h"
#include "tale/report/chapters.h"
#include "tale/report/html.h"
#include "tale/specimen/specimens.h"

/* ---- The head ----------------------------------------------------------- */

/* Nothing is fetched, not even by mistake: the policy forbids it. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:\">\n"
    "<title>Every order of events: a report of holdfast-tale</title>\n"
    "<link rel=\"icon\" href=\"data:,\">\n<style>\n";

static void
show_number(FILE *out, uint64_t number, const char *what)
{
    fputs("<li><strong>", out);
    html_count(out, number);
    fprintf(out, "</strong> %s</li>\n", what);
}

static uint64_t
count_states(const struct page *page)
{
    uint64_t states = 0;

    for (unsigned i = 0; i < specimens_count; i++)
        states += page->all->specimens[i].found.report.states;
    for (unsigned i = 0; i < page->all->variants_count; i++)
        states += page->all->variants[i].found.report.states;
    for (unsigned i = 0; i < page->proofs->count; i++)
        states += page->proofs->at[i].states;
    return states;
}

static void
show_summary(FILE *out, const struct page *page)
{
    unsigned violated = 0;
    unsigned proved = 0;

    for (unsigned i = 0; i < specimens_count; i++)
        violated +=
            page->all->specimens[i].found.report.verdict == EXPLORE_VIOLATED;
    for (unsigned i = 0; i < page->proofs->count; i++)
        proved += page->proofs->at[i].verdict == EXPLORE_PROVED;
    fputs("<ul class=\"summary\">\n", out);
    show_number(out, specimens_count, "locks of others");
    show_number(out, violated, "of them broken");
    if (page->proofs->count > 0)
        show_number(out, proved, "proofs of Holdfast");
    if (page->mutants->count > 0)
        show_number(out, page->mutants->count, "mutants");
    show_number(out, count_states(page), "states visited");
    fputs("</ul>\n", out);
}

static void
show_opening(FILE *out, const struct page *page)
{
    fputs("<header class=\"opening\">\n"
          "<p class=\"eyebrow\">A report of holdfast-tale</p>\n"
          "<h1>Every order of events</h1>\n"
          "<p class=\"lead\">A lock is a few lines of code, and the bad luck "
          "of all who run them at once. Here a lock is put into a small "
          "world, and every order in which things can happen there is tried, "
          "with every fault at every moment. What breaks is told as the "
          "shortest story that does it.</p>\n"
          "<p>First come the locks of others, each written as its source "
          "tells it; nothing of what is found in them is written into them. "
          "Then Holdfast&rsquo;s own machines, exactly as they run.</p>\n",
          out);
    show_summary(out, page);
    fputs("</header>\n", out);
}

/* ---- The contents ------------------------------------------------------- */

static void
show_contents(FILE *out, const struct page *page)
{
    fputs("<nav class=\"contents\" aria-label=\"Contents\">\n"
          "<details open><summary>Contents</summary>\n<ol>\n"
          "<li><a href=\"#overview\">At a glance</a></li>\n",
          out);
    for (unsigned i = 0; i < specimens_count; i++) {
        bool violated =
            page->all->specimens[i].found.report.verdict == EXPLORE_VIOLATED;

        if (chapters_begins_source(i)) {
            fputs(i == 0 ? "" : "</ol></li>\n", out);
            fputs("<li><a href=\"#", out);
            chapters_source_id(out, i);
            fputs("\">", out);
            html_text(out, specimens[i]->source);
            fputs("</a><ol>\n", out);
        }
        fprintf(out, "<li class=\"%s\"><a href=\"#",
                violated ? "violated" : "proved");
        html_text(out, specimens[i]->name);
        fputs("\">", out);
        html_text(out, specimens[i]->name);
        fputs("</a></li>\n", out);
    }
    fputs("</ol></li>\n<li><a href=\"#proofs\">Holdfast itself: the proofs</a>"
          "</li>\n<li><a href=\"#mutants\">The mutants</a></li>\n"
          "<li><a href=\"#properties\">What can break</a></li>\n"
          "</ol>\n</details>\n</nav>\n",
          out);
}

/* ---- All of it ---------------------------------------------------------- */

void
page_write(FILE *out, const struct page *page)
{
    fputs(head, out);
    fwrite(report_style, 1, report_style_len, out);
    fputs("</style>\n</head>\n<body>\n"
          "<a class=\"skip\" href=\"#overview\">To the findings</a>\n",
          out);
    show_opening(out, page);
    show_contents(out, page);
    fputs("<main>\n", out);
    chapters_overview(out, page->all);
    chapters_specimens(out, page->all);
    proofs_show(out, page->proofs, page->saved);
    mutants_show(out, page->mutants);
    chapters_properties(out);
    fputs("<footer>Made by <code>holdfast-tale report</code>. Each "
          "<code>replay</code> line tells its story again in a "
          "terminal.</footer>\n</main>\n<script>\n",
          out);
    fwrite(report_script, 1, report_script_len, out);
    fputs("</script>\n</body>\n</html>\n", out);
}
