#include "tale/report/specimen_show.h"

#include <string.h>

#include "tale/picture/picture.h"
#include "tale/report/html.h"
#include "tale/run.h"

/* ---- Its verdict -------------------------------------------------------- */

static void
show_verdict(FILE *out, const struct found_specimen *found)
{
    const struct specimen *specimen = found->found.run.specimen;
    const struct explore_report *report = &found->found.report;
    const char *meaning;

    fputs("<p class=\"finding\">", out);
    html_verdict(out, report->verdict);
    fputs(" ", out);
    if (report->violated != NULL) {
        html_property(out, report->violated);
        meaning = properties_broken(report->violated);
        fputs(meaning == NULL ? "" : ": ", out);
        html_text(out, meaning == NULL ? "" : meaning);
    } else if (report->verdict == EXPLORE_PROVED) {
        fputs("every order of events was tried, and nothing breaks", out);
    } else if (report->verdict == EXPLORE_VACUOUS) {
        fputs("nobody was ever inside, so this proves nothing", out);
    } else {
        fputs("nothing was found as far as it was searched", out);
    }
    if (found_is_expected(found))
        fputs(". So its source says.", out);
    else if (specimen->expect == NULL)
        fputs(". <strong>Its source says that nothing breaks.</strong>", out);
    else
        fputs(". <strong>Its source tells something else.</strong>", out);
    fputs("</p>\n", out);
}

static void
show_fact(FILE *out, const char *name, uint64_t number)
{
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    html_count(out, number);
    fputs("</dd></div>", out);
}

static void
show_facts(FILE *out, const struct found_specimen *found)
{
    const struct explore_report *report = &found->found.report;

    fputs("<dl class=\"facts\">", out);
    show_fact(out, "workers", found->found.run.workers);
    show_fact(out, "faults", report->faults);
    show_fact(out, "states", report->states);
    show_fact(out, "steps tried", report->transitions);
    show_fact(out, report->violated != NULL ? "steps to it" : "deepest",
              report->depth);
    if (report->violated != NULL)
        show_fact(out, "operations", found->told.operations);
    fputs("<div><dt>time</dt><dd>", out);
    html_seconds(out, report->seconds);
    fputs("</dd></div></dl>\n", out);
}

/* ---- Its story ---------------------------------------------------------- */

/* "A: #1, B: #2", or "1: #1  2: -": each part may stand in a line of its own,
 * and is not broken. */
static void
show_holds(FILE *out, const char *holds)
{
    char part[sizeof((struct told_event){0}.holds)];

    fputs("<span class=\"holds\">the store holds", out);
    if (holds[0] == '\0')
        fputs(" <code>nothing</code>", out);
    while (*holds != '\0') {
        const char *end = strstr(holds, "  ");
        const char *comma = strstr(holds, ", ");

        if (end == NULL || (comma != NULL && comma < end))
            end = comma == NULL ? NULL : comma + 1;
        if (end == NULL)
            end = holds + strlen(holds);
        snprintf(part, sizeof(part), "%.*s", (int)(end - holds), holds);
        fputs(" <code>", out);
        html_text(out, part);
        fputs("</code>", out);
        holds = end + strspn(end, " ");
    }
    fputs("</span>", out);
}

static void
show_event(FILE *out, const struct told_event *event, const char *before)
{
    fprintf(out, "<li value=\"%u\" data-event=\"%u\"", event->number,
            event->number);
    if (event->worker != TOLD_NOBODY)
        fprintf(out, " data-worker=\"%u\"", event->worker + 1);
    fputs("><span class=\"said\">", out);
    html_text(out, event->sentence);
    fputs(".", out);
    if (event->fault)
        fputs(" <span class=\"fault\">a fault</span>", out);
    fputs("</span>", out);
    if (event->line != 0)
        fprintf(out, " <span class=\"of\">line %u</span>", event->line);
    if (strcmp(event->holds, before) != 0)
        show_holds(out, event->holds);
    fputs("</li>\n", out);
}

static void
show_picture(FILE *out, const struct found_specimen *found)
{
    char id[100];

    snprintf(id, sizeof(id), "picture-%s", found->found.run.specimen->name);
    fputs("<figure><div class=\"scroll\">\n", out);
    picture_draw(out, &found->found.run, &found->told, id);
    fputs("</div></figure>\n", out);
}

static void
show_events(FILE *out, const struct told *told)
{
    const char *before = "";

    fputs("<ol class=\"tale\">\n", out);
    for (unsigned i = 0; i < told->count; i++) {
        show_event(out, &told->events[i], before);
        before = told->events[i].holds;
    }
    fputs("</ol>\n", out);
}

/* The specimen's own text, as far as it has one with numbers. */
static void
show_text(FILE *out, const struct specimen *specimen)
{
    struct specimen_line line;

    fputs("<div class=\"text\"><h4>What each worker is to do, line by "
          "line</h4>\n<ol>\n",
          out);
    for (unsigned i = 0; specimen->line(specimen, i, &line); i++) {
        fprintf(out, "<li value=\"%u\">", line.number);
        html_text(out, line.says);
        fputs("</li>\n", out);
    }
    fputs("</ol></div>\n", out);
}

/* Beside each other: what is to be done, what happens, and the picture. */
static void
show_story(FILE *out, const struct found_specimen *found)
{
    const struct specimen *specimen = found->found.run.specimen;
    bool has_text = specimen->line != NULL;

    fprintf(out, "<div class=\"player%s\" role=\"group\" aria-label=\"",
            has_text ? " beside" : "");
    html_text(out, specimen->name);
    fputs(", step by step\">\n", out);
    if (has_text) {
        show_text(out, specimen);
        fputs("<div><h4>What happens</h4>\n", out);
    }
    show_events(out, &found->told);
    if (has_text)
        fputs("</div>\n", out);
    show_picture(out, found);
    fputs("</div>\n", out);
}

/* ---- Its settings ------------------------------------------------------- */

static void
show_setting(FILE *out, const struct specimen_run *run, unsigned index)
{
    const struct specimen_setting *setting = &run->specimen->settings[index];

    fputs("<tr><th scope=\"row\">", out);
    html_setting(out, run, index);
    fputs("</th><td>", out);
    html_text(out, setting->about);
    fputs("</td><td>", out);
    for (unsigned i = 0; i < SPECIMEN_WORDS_MAX && setting->words[i] != NULL;
         i++) {
        fputs(i == 0 ? "" : ", ", out);
        html_text(out, setting->words[i]);
    }
    if (setting->words[0] == NULL)
        fprintf(out, "0 to %u", setting->most);
    fputs("</td></tr>\n", out);
}

static void
show_settings(FILE *out, const struct specimen_run *run)
{
    unsigned set = 0;
    unsigned count = 0;

    for (; specimen_has_setting(run, count); count++)
        if (run->settings[count] != 0)
            set++;
    if (count == 0)
        return;
    fputs("<details class=\"settings\"><summary>Settings", out);
    for (unsigned i = 0; i < count; i++)
        if (run->settings[i] != 0 || count <= 2) {
            fputs(" ", out);
            html_setting(out, run, i);
        }
    if (set < count && count > 2)
        fprintf(out, " <span class=\"aside\">and %u more</span>", count - set);
    fputs("</summary>\n<div class=\"scroll\"><table><thead><tr>"
          "<th scope=\"col\">here</th><th scope=\"col\">what it is</th>"
          "<th scope=\"col\">can be</th></tr></thead><tbody>\n",
          out);
    for (unsigned i = 0; i < count; i++)
        show_setting(out, run, i);
    fputs("</tbody></table></div></details>\n", out);
}

/* ---- Its variants ------------------------------------------------------- */

static void
show_difference(FILE *out, const struct specimen_run *run)
{
    const struct specimen *specimen = run->specimen;

    if (run->workers != specimen->workers)
        fprintf(out, "<code>%u workers</code> ", run->workers);
    for (unsigned i = 0; specimen_has_setting(run, i); i++)
        if (run->settings[i] != specimen->defaults[i]) {
            html_setting(out, run, i);
            fputs(" ", out);
        }
    if (run->only != NULL) {
        fputs("<code>only ", out);
        html_text(out, run->only);
        fputs("</code> ", out);
    }
}

static void
show_variant(FILE *out, const struct found_variant *variant)
{
    const struct explore_report *report = &variant->found.report;

    fputs("<tr><th scope=\"row\"><div>", out);
    show_difference(out, &variant->found.run);
    if (variant->about != NULL) {
        fputs("<span class=\"about\">", out);
        html_text(out, variant->about);
        fputs("</span>", out);
    }
    fputs("</div></th><td data-label=\"verdict\"><div>", out);
    html_verdict(out, report->verdict);
    if (report->violated != NULL) {
        fputs(" ", out);
        html_property(out, report->violated);
    }
    fputs("</div></td><td class=\"n\" data-label=\"states\">", out);
    html_count(out, report->states);
    fputs("</td></tr>\n", out);
}

static void
show_variants(FILE *out, const struct found_all *all,
              const struct specimen *specimen)
{
    bool any = false;

    for (unsigned i = 0; i < all->variants_count; i++) {
        if (all->variants[i].found.run.specimen != specimen)
            continue;
        if (!any)
            fputs("<div class=\"scroll\"><table class=\"cards variants\">"
                  "<thead><tr><th scope=\"col\">instead, with</th>"
                  "<th scope=\"col\">verdict</th>"
                  "<th scope=\"col\" class=\"n\">states</th></tr></thead>"
                  "<tbody>\n",
                  out);
        any = true;
        show_variant(out, &all->variants[i]);
    }
    if (any)
        fputs("</tbody></table></div>\n", out);
}

/* ---- All of it ---------------------------------------------------------- */

static void
show_replay(FILE *out, const struct found *found)
{
    char buffer[RUN_LINE_MAX];
    struct hf_text line;

    hf_text_init(&line, buffer, sizeof(buffer));
    if (found->report.violated != NULL) {
        run_line(&found->run, found->report.schedule,
                 found->report.schedule_len, &line);
        fputs("<p class=\"replay\"><code>holdfast-tale replay ", out);
    } else {
        hf_text_add(&line, found->run.specimen->name);
        fputs("<p class=\"replay\"><code>holdfast-tale run ", out);
    }
    html_text(out, buffer);
    fputs("</code></p>\n", out);
}

void
specimen_show(FILE *out, const struct found_all *all,
              const struct found_specimen *found)
{
    const struct specimen *specimen = found->found.run.specimen;

    fputs("<article id=\"", out);
    html_text(out, specimen->name);
    fputs("\">\n<header>\n<h3><a href=\"#", out);
    html_text(out, specimen->name);
    fputs("\">", out);
    html_text(out, specimen->name);
    fputs("</a></h3>\n<p class=\"lead\">", out);
    html_sentence(out, specimen->about);
    fputs(".</p>\n", out);
    show_verdict(out, found);
    show_facts(out, found);
    fputs("</header>\n", out);
    if (specimen->remark != NULL) {
        fputs("<p class=\"remark\">", out);
        html_text(out, specimen->remark);
        fputs("</p>\n", out);
    }
    if (found->found.report.verdict == EXPLORE_VIOLATED)
        show_story(out, found);
    else if (specimen->line != NULL)
        show_text(out, specimen);
    show_settings(out, &found->found.run);
    show_variants(out, all, specimen);
    show_replay(out, &found->found);
    fputs("</article>\n", out);
}
