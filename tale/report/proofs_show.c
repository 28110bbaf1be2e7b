#include <stdlib.h>
#include <string.h>

#include "tale/report/html.h"
#include "tale/report/proofs.h"

/* ---- The story of a limit ----------------------------------------------- */

/* The number at the head of "  3. Worker #1 ..."; 0 when there is none. */
static unsigned
number_of(const char *line, const char **sentence)
{
    char *end;
    unsigned long number;

    line += strspn(line, " ");
    if (*line < '1' || *line > '9')
        return 0;
    number = strtoul(line, &end, 10);
    if (end[0] != '.' || end[1] != ' ')
        return 0;
    *sentence = end + 2;
    return (unsigned)number;
}

static void
show_story_line(FILE *out, const char *line, bool *listed)
{
    static const char again[] = "holdfast-lab replay ";
    const char *sentence = line + strspn(line, " ");
    unsigned number = number_of(line, &sentence);

    if (number != 0 && !*listed)
        fputs("<ol class=\"tale\">\n", out);
    if (number == 0 && *listed)
        fputs("</ol>\n", out);
    *listed = number != 0;
    if (number != 0)
        fprintf(out, "<li value=\"%u\">", number);
    else if (strncmp(sentence, again, strlen(again)) == 0)
        fputs("<p class=\"replay\"><code>", out);
    else
        fputs("<p>", out);
    html_text(out, sentence);
    if (number != 0)
        fputs("</li>\n", out);
    else if (strncmp(sentence, again, strlen(again)) == 0)
        fputs("</code></p>\n", out);
    else
        fputs("</p>\n", out);
}

static void
show_story(FILE *out, const char *story)
{
    char line[1024];
    bool listed = false;

    while (*story != '\0') {
        size_t len = strcspn(story, "\n");

        snprintf(line, sizeof(line), "%.*s", (int)len, story);
        show_story_line(out, line, &listed);
        story += len + (story[len] == '\n');
    }
    if (listed)
        fputs("</ol>\n", out);
}

static void
show_limit(FILE *out, const struct proof *proof)
{
    fputs("<details class=\"limit\"><summary><code>", out);
    html_text(out, subject_name(&proof->world));
    fputs("</code> ", out);
    html_text(out, proof->property);
    fputs(proofs_is_expected(proof) ? "" : " <strong>(unexpected)</strong>",
          out);
    fputs("</summary>\n", out);
    show_story(out, proof->story);
    fputs("</details>\n", out);
}

/* ---- The table ---------------------------------------------------------- */

static void
show_row(FILE *out, const struct proof *proof)
{
    fputs("<tr><th scope=\"row\"><code>", out);
    html_text(out, subject_name(&proof->world));
    fputs("</code><span class=\"about\">", out);
    html_text(out, subject_about(&proof->world));
    fprintf(out,
            "</span></th><td class=\"n\" data-label=\"workers\">%u</td>"
            "<td class=\"n\" data-label=\"faults\">%u</td>"
            "<td data-label=\"verdict\"><div>",
            proof->workers, proof->faults);
    html_verdict(out, proof->verdict);
    if (proof->verdict == EXPLORE_VIOLATED) {
        fputs(" ", out);
        html_property(out, proof->property);
    }
    if (subject_expect(&proof->world) != NULL)
        fputs(proofs_is_expected(proof) ? ", as it must be"
                                        : ", which must be found",
              out);
    else if (!proofs_is_expected(proof))
        fputs(", a promise", out);
    fputs("</div></td><td class=\"n\" data-label=\"states\">", out);
    html_count(out, proof->states);
    fputs("</td><td class=\"n\" data-label=\"steps\">", out);
    html_count(out, proof->transitions);
    fprintf(out,
            "</td><td class=\"n\" data-label=\"deepest\">%u</td>"
            "<td class=\"n\" data-label=\"time\">",
            proof->depth);
    html_seconds(out, proof->seconds);
    fputs("</td></tr>\n", out);
}

static void
show_table(FILE *out, const struct proofs *proofs)
{
    fputs("<div class=\"scroll\"><table class=\"cards\">\n<thead><tr>"
          "<th scope=\"col\">world</th><th scope=\"col\" class=\"n\">workers"
          "</th><th scope=\"col\" class=\"n\">faults</th>"
          "<th scope=\"col\">verdict</th>"
          "<th scope=\"col\" class=\"n\">states</th>"
          "<th scope=\"col\" class=\"n\">steps</th>"
          "<th scope=\"col\" class=\"n\">deepest</th>"
          "<th scope=\"col\" class=\"n\">time</th></tr></thead>\n<tbody>\n",
          out);
    for (unsigned i = 0; i < proofs->count; i++)
        show_row(out, &proofs->at[i]);
    fputs("</tbody></table></div>\n", out);
}

static bool
has_story(const struct proof *proof)
{
    return proof->verdict == EXPLORE_VIOLATED && proof->story != NULL;
}

void
proofs_show(FILE *out, const struct proofs *proofs, const char *saved)
{
    bool any = false;

    fputs("<section id=\"proofs\">\n<h2>Holdfast itself: the proofs</h2>\n"
          "<p>Here the locks are no models. The machines that run in the "
          "library are put into worlds with a store, with workers that want "
          "one lock, and with faults: answers that are lost or late, crashes, "
          "freezes, clocks that drift. <em>Proved</em> means that every "
          "state was visited, and that no step of any of them broke a "
          "promise. A few worlds take away what the machines need; there a "
          "promise <em>must</em> break, or the search would be "
          "blind.</p>\n",
          out);
    if (saved == NULL) {
        fputs("<p class=\"aside\">They were not searched for this page. "
              "<code>holdfast-lab prove --quick &gt; FILE</code> does that in "
              "minutes, and without <code>--quick</code> all of them; "
              "<code>holdfast-tale report --proofs FILE</code> shows what came "
              "of it.</p>\n</section>\n",
              out);
        return;
    }
    fputs("<p class=\"aside\">As <code>holdfast-lab prove</code> has "
          "written them to <code>",
          out);
    html_text(out, saved);
    fputs("</code>.</p>\n", out);
    show_table(out, proofs);
    for (unsigned i = 0; i < proofs->count; i++)
        any |= has_story(&proofs->at[i]);
    if (any)
        fputs("<h3 id=\"limits\">The limits, as stories</h3>\n", out);
    for (unsigned i = 0; i < proofs->count; i++)
        if (has_story(&proofs->at[i]))
            show_limit(out, &proofs->at[i]);
    fputs("</section>\n", out);
}
