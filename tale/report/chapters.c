#include "tale/report/chapters.h"

#include <string.h>

#include "tale/report/html.h"
#include "tale/report/specimen_show.h"
#include "tale/specimen/specimens.h"

/* ---- The overview ------------------------------------------------------- */

static void
show_row(FILE *out, const struct found_specimen *found)
{
    const struct specimen *specimen = found->found.run.specimen;
    const struct explore_report *report = &found->found.report;

    fputs("<tr><th scope=\"row\"><a href=\"#", out);
    html_text(out, specimen->name);
    fputs("\"><code>", out);
    html_text(out, specimen->name);
    fputs("</code></a><span class=\"about\">", out);
    html_text(out, specimen->about);
    fputs("</span></th><td>", out);
    html_verdict(out, report->verdict);
    fputs("</td><td>", out);
    if (report->violated != NULL)
        html_property(out, report->violated);
    else
        fputs("<span class=\"none\">nothing</span>", out);
    if (!found_is_expected(found))
        fputs(" <strong>not as its source tells</strong>", out);
    fprintf(out, "</td><td class=\"n wide\">%u</td><td class=\"n wide\">",
            report->faults);
    if (report->verdict == EXPLORE_VIOLATED)
        fprintf(out, "%u", found->told.count);
    else
        fputs("<span class=\"none\">none</span>", out);
    fputs("</td><td class=\"n wide\">", out);
    html_count(out, report->states);
    fputs("</td></tr>\n", out);
}

void
chapters_overview(FILE *out, const struct found_all *all)
{
    fputs("<section id=\"overview\">\n<h2>At a glance</h2>\n"
          "<table class=\"overview\">\n<thead><tr>"
          "<th scope=\"col\">lock</th><th scope=\"col\">verdict</th>"
          "<th scope=\"col\">what breaks</th>"
          "<th scope=\"col\" class=\"n wide\">faults</th>"
          "<th scope=\"col\" class=\"n wide\">events</th>"
          "<th scope=\"col\" class=\"n wide\">states</th></tr></thead>\n"
          "<tbody>\n",
          out);
    for (unsigned i = 0; i < specimens_count; i++)
        show_row(out, &all->specimens[i]);
    fputs("</tbody></table>\n</section>\n", out);
}

/* ---- By their sources --------------------------------------------------- */

bool
chapters_begins_source(unsigned index)
{
    return index == 0 ||
           strcmp(specimens[index - 1]->source, specimens[index]->source) != 0;
}

void
chapters_source_id(FILE *out, unsigned index)
{
    unsigned number = 0;

    for (unsigned i = 0; i <= index; i++)
        number += chapters_begins_source(i);
    fprintf(out, "source-%u", number);
}

static bool
is_term(const struct specimen_term *term)
{
    return term != NULL && term->means != NULL;
}

/* Each word stands before what it means; a paragraph has none. */
static void
show_terms(FILE *out, const struct specimen_term *term)
{
    if (!is_term(term))
        return;
    fputs("<div class=\"terms\">\n", out);
    for (; is_term(term); term++) {
        fputs("<p>", out);
        if (term->word != NULL) {
            fputs("<strong>", out);
            html_text(out, term->word);
            fputs(".</strong> ", out);
        }
        html_text(out, term->means);
        fputs("</p>\n", out);
    }
    fputs("</div>\n", out);
}

void
chapters_specimens(FILE *out, const struct found_all *all)
{
    for (unsigned i = 0; i < specimens_count; i++) {
        if (chapters_begins_source(i)) {
            fputs(i == 0 ? "" : "</section>\n", out);
            fputs("<section id=\"", out);
            chapters_source_id(out, i);
            fputs("\">\n<h2><span class=\"eyebrow\">As told by</span> ", out);
            html_text(out, specimens[i]->source);
            fputs("</h2>\n", out);
            show_terms(out, specimens[i]->terms);
        }
        specimen_show(out, all, &all->specimens[i]);
    }
    fputs("</section>\n", out);
}
