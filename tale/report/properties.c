#include "tale/specimen/properties.h"
#include "tale/report/chapters.h"
#include "tale/report/html.h"

/* What the workers of a specimen or of Holdfast itself must never do. */
void
chapters_properties(FILE *out)
{
    const struct promise *property;

    fputs("<section id=\"properties\">\n<h2>What can break</h2>\n"
          "<p>Each search looks for these at every step, and stops at the "
          "first that it finds: the fewest faults, then the fewest steps.</p>\n"
          "<dl class=\"properties\">\n",
          out);
    for (unsigned i = 0; (property = properties_at(i)) != NULL; i++) {
        fputs("<div id=\"property-", out);
        for (const char *at = property->name; *at != '\0'; at++)
            putc(*at == ' ' ? '-' : *at, out);
        fputs("\"><dt>", out);
        html_text(out, property->name);
        fputs("</dt><dd>", out);
        html_sentence(out, property->broken);
        fputs(".</dd></div>\n", out);
    }
    fputs("</dl>\n</section>\n", out);
}
