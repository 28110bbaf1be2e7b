#include "tale/picture/pen.h"

/*
 * Few colours, and none that says anything alone: inside is filled, overlap
 * is hatched, a pause is dashed, an error is dashed.
 */
static const char rules[] =
    ".picture{max-width:100%;height:auto}"
    ".picture text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Helvetica Neue',Arial,sans-serif;fill:var(--picture-ink,#1f2328)}"
    ".picture .picture-head{font-weight:600}"
    ".picture .picture-number{font-size:11px;font-weight:600}"
    ".picture .picture-small{font-size:9px}"
    ".picture .picture-word{fill:var(--picture-soft,#59636e);"
    "stroke:var(--picture-paper,#fff);stroke-width:4px;"
    "stroke-linejoin:round;paint-order:stroke}"
    ".picture .picture-empty{fill:var(--picture-soft,#59636e);"
    "font-style:italic}"
    ".picture .picture-verdict{font-size:13px;font-weight:600;"
    "fill:var(--picture-alarm,#a8323e)}"
    ".picture-line{stroke:var(--picture-soft,#59636e);stroke-width:1.5;"
    "fill:none}"
    ".picture-on{stroke-dasharray:1.5 4}"
    ".picture-store{stroke:var(--picture-faint,#d8dee4);stroke-width:6;"
    "fill:none}"
    ".picture-down{stroke:var(--picture-soft,#59636e);stroke-width:1;"
    "stroke-dasharray:1 5;fill:none}"
    ".picture-bar{fill:var(--picture-inside,#3b6ea5)}"
    ".picture-paused{stroke:var(--picture-inside,#3b6ea5);stroke-width:1.5;"
    "stroke-dasharray:4 3}"
    ".picture-hatch{stroke:var(--picture-alarm,#a8323e);stroke-width:1.5}"
    ".picture-thin{stroke:var(--picture-alarm,#a8323e);stroke-width:1;"
    "opacity:.45}"
    ".picture-rest{stroke:var(--picture-inside,#3b6ea5);stroke-width:1;"
    "opacity:.6}"
    ".picture-paper{fill:var(--picture-paper,#fff)}"
    ".picture-box{fill:var(--picture-paper,#fff);"
    "stroke:var(--picture-ink,#1f2328)}"
    ".picture-note{fill:var(--picture-paper,#fff);"
    "stroke:var(--picture-soft,#59636e)}"
    ".picture-fault{stroke:var(--picture-alarm,#a8323e);stroke-width:2}"
    ".picture-fallback{fill:none;stroke:var(--picture-ink,#1f2328);"
    "stroke-dasharray:2 3}"
    ".picture-cross{stroke:var(--picture-alarm,#a8323e);stroke-width:2.5;"
    "fill:none}"
    ".picture-ended{fill:var(--picture-soft,#59636e)}"
    ".picture-hollow{fill:var(--picture-paper,#fff);"
    "stroke:var(--picture-ink,#1f2328);stroke-width:2}"
    ".picture-change{stroke:var(--picture-ink,#1f2328);stroke-width:1.75;"
    "fill:none}"
    ".picture-answer{stroke:var(--picture-soft,#59636e);stroke-width:1.25;"
    "fill:none}"
    ".picture-error{stroke:var(--picture-alarm,#a8323e);stroke-width:1.75;"
    "stroke-dasharray:5 4;fill:none}"
    ".picture-tip{fill:var(--picture-ink,#1f2328)}"
    ".picture-tip-answer{fill:var(--picture-soft,#59636e)}"
    ".picture-tip-error{fill:var(--picture-alarm,#a8323e)}";

void
pen_style(FILE *out, bool dark)
{
    fprintf(out, "<style>%s", rules);
    if (dark)
        fputs("@media (prefers-color-scheme:dark){.picture{"
              "--picture-ink:#e6edf3;--picture-soft:#9ea7b0;"
              "--picture-faint:#343b43;--picture-paper:#14181d;"
              "--picture-inside:#5b93cf;--picture-alarm:#ff8b86}}",
              out);
    fputs("</style>\n", out);
}

static void
put_tip(const struct pen *pen, const char *name, const char *class)
{
    fprintf(pen->out,
            "<marker id=\"%s-%s\" viewBox=\"0 0 10 10\" refX=\"9.5\" "
            "refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" "
            "markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
            "<path class=\"%s\" d=\"M0 .8 10 5 0 9.2 2.2 5z\"/></marker>\n",
            pen->id, name, class);
}

static void
put_pattern(const struct pen *pen, const char *name, int size, int angle)
{
    fprintf(pen->out,
            "<pattern id=\"%s-%s\" width=\"%d\" height=\"%d\" "
            "patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(%d)\">",
            pen->id, name, size, size, angle);
}

void
pen_defs(const struct pen *pen)
{
    fputs("<defs>\n", pen->out);
    put_tip(pen, "tip", "picture-tip");
    put_tip(pen, "tip-answer", "picture-tip-answer");
    put_tip(pen, "tip-error", "picture-tip-error");
    put_pattern(pen, "both", 7, 45);
    fputs("<path class=\"picture-thin\" d=\"M0 0V7\"/></pattern>\n", pen->out);
    put_pattern(pen, "inside-both", 5, 45);
    fputs("<path class=\"picture-paper\" d=\"M0 0H5V5H0z\"/>"
          "<path class=\"picture-hatch\" style=\"stroke-width:5\" "
          "d=\"M1 0V5\"/></pattern>\n",
          pen->out);
    put_pattern(pen, "rest", 5, 90);
    fputs("<path class=\"picture-paper\" d=\"M0 0H5V5H0z\"/>"
          "<path class=\"picture-rest\" d=\"M0 0V5\"/></pattern>\n",
          pen->out);
    fputs("</defs>\n", pen->out);
}
