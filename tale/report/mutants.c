#include "tale/report/mutants.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tale/report/html.h"
#include "tale/report/lines.h"

enum { MUTANTS_MAX = 10000 };

/* ---- Reading ------------------------------------------------------------ */

static const char head[] = "mutant\tfile\twrong\tlab\tunit";

/* Split the line at its tabs. */
static bool
split(char *line, struct mutant *mutant)
{
    for (unsigned i = 0; i < MUTANT_FIELDS; i++) {
        size_t len = strcspn(line, "\t");
        bool last = i + 1 == MUTANT_FIELDS;

        if (len == 0 || last != (line[len] == '\0'))
            return false;
        mutant->fields[i] = line;
        line[len] = '\0';
        line += len + 1;
    }
    return true;
}

static enum hf_status
add_line(struct mutants *mutants, const struct lines *lines)
{
    struct mutant mutant;
    struct mutant *grown;
    char *copy = strdup(lines->at);

    if (copy == NULL)
        return hf_fail(lines->error, HF_E_NOMEM, "not enough memory");
    if (mutants->count == MUTANTS_MAX || !split(copy, &mutant)) {
        free(copy);
        return lines_fail(lines, "this is no line of scripts/mutants.py --tsv");
    }
    grown = realloc(mutants->at,
                    ((size_t)mutants->count + 1) * sizeof(*mutants->at));
    if (grown == NULL) {
        free(copy);
        return hf_fail(lines->error, HF_E_NOMEM, "not enough memory");
    }
    mutants->at = grown;
    mutants->at[mutants->count++] = mutant;
    return HF_OK;
}

enum hf_status
mutants_read(struct mutants *mutants, FILE *in, const char *name,
             struct hf_error *error)
{
    struct lines *lines = lines_open(in, name, error);
    enum hf_status status = HF_OK;

    *mutants = (struct mutants){0};
    if (lines == NULL)
        return hf_fail(error, HF_E_NOMEM, "not enough memory");
    while (status == HF_OK && lines_next(lines, &status)) {
        if (lines->number > 1)
            status = add_line(mutants, lines);
        else if (strcmp(lines->at, head) != 0)
            status = lines_fail(
                lines, "this is not what scripts/mutants.py --tsv writes");
    }
    if (status == HF_OK && mutants->count == 0)
        status = hf_fail(error, HF_E_CORRUPT, "%s has no mutant", name);
    lines_close(lines);
    if (status != HF_OK)
        mutants_fini(mutants);
    return status;
}

void
mutants_fini(struct mutants *mutants)
{
    for (unsigned i = 0; i < mutants->count; i++)
        free(mutants->at[i].fields[MUTANT_NAME]);
    free(mutants->at);
    *mutants = (struct mutants){0};
}

/* ---- Showing ------------------------------------------------------------ */

static bool
is_caught(const struct mutant *mutant, enum mutant_field by)
{
    return strcmp(mutant->fields[by], "-") != 0;
}

unsigned
mutants_surviving(const struct mutants *mutants)
{
    unsigned count = 0;

    for (unsigned i = 0; i < mutants->count; i++)
        count += !is_caught(&mutants->at[i], MUTANT_LAB) &&
                 !is_caught(&mutants->at[i], MUTANT_UNIT);
    return count;
}

/* "test_keeper: a_granted_keeper_..." may be broken between its words. */
static void
show_catcher(FILE *out, const char *how)
{
    char part[2] = "";

    for (; *how != '\0' && (unsigned char)*how < 0x80; how++) {
        part[0] = *how;
        html_text(out, part);
        if (*how == '_')
            fputs("<wbr>", out);
    }
    html_text(out, how);
}

static void
show_field(FILE *out, const struct mutant *mutant, enum mutant_field by,
           const char *label)
{
    fprintf(out, "<td data-label=\"%s\"><div>", label);
    if (is_caught(mutant, by))
        show_catcher(out, mutant->fields[by]);
    else
        fputs("<span class=\"none\">nobody</span>", out);
    fputs("</div></td>", out);
}

static void
show_row(FILE *out, const struct mutant *mutant)
{
    bool survives =
        !is_caught(mutant, MUTANT_LAB) && !is_caught(mutant, MUTANT_UNIT);

    fputs(survives ? "<tr class=\"survives\">" : "<tr>", out);
    fputs("<th scope=\"row\"><code>", out);
    html_text(out, mutant->fields[MUTANT_NAME]);
    fputs("</code><span class=\"about\">", out);
    html_text(out, mutant->fields[MUTANT_ABOUT]);
    fputs("</span>", out);
    if (survives)
        fputs(" <strong>survives</strong>", out);
    fputs("</th>", out);
    show_field(out, mutant, MUTANT_LAB, "in the lab");
    show_field(out, mutant, MUTANT_UNIT, "unit test");
    fputs("</tr>\n", out);
}

static void
show_table(FILE *out, const struct mutants *mutants)
{
    unsigned lab = 0;
    unsigned unit = 0;

    for (unsigned i = 0; i < mutants->count; i++) {
        lab += is_caught(&mutants->at[i], MUTANT_LAB);
        unit += is_caught(&mutants->at[i], MUTANT_UNIT);
    }
    fprintf(out,
            "<p class=\"aside\">%u changes, %u caught: %u in the lab, %u by a "
            "unit test, many by both.</p>\n"
            "<div class=\"scroll\"><table class=\"cards\">\n<thead><tr>"
            "<th scope=\"col\">mutant</th><th scope=\"col\">caught in the lab "
            "by</th><th scope=\"col\">by a unit test</th></tr></thead>\n"
            "<tbody>\n",
            mutants->count, mutants->count - mutants_surviving(mutants), lab,
            unit);
    for (unsigned i = 0; i < mutants->count; i++)
        show_row(out, &mutants->at[i]);
    fputs("</tbody></table></div>\n", out);
}

void
mutants_show(FILE *out, const struct mutants *mutants)
{
    fputs("<section id=\"mutants\">\n<h2>Who watches the search: the mutants"
          "</h2>\n<p>A search that finds nothing may be a search that looks at "
          "nothing. So the machines, and the store that holdfast-lab has "
          "for them, are changed in small wrong ways, one at a time, and "
          "somebody must notice each: a proof, or a unit test.</p>\n",
          out);
    if (mutants->count > 0)
        show_table(out, mutants);
    else
        fputs("<p class=\"aside\">They were not run for this page. "
              "<code>scripts/mutants.py --tsv FILE</code> runs them, in some "
              "minutes; <code>holdfast-tale report --mutants FILE</code> shows "
              "what came of it.</p>\n",
              out);
    fputs("</section>\n", out);
}
