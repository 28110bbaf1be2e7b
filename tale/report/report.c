#include "tale/report/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "explore/program.h"
#include "tale/report/lines.h"
#include "tale/report/page.h"
#include "tale/specimen/specimens.h"
#include "tale/whole.h"

struct report {
    const struct report_order *order;
    struct proofs proofs;
    struct mutants mutants;
    struct found_all all;
    char *text; /* of the page */
    size_t len;
    struct hf_error *error;
};

static enum hf_status
no_memory(const struct report *report)
{
    return hf_fail(report->error, HF_E_NOMEM, "not enough memory");
}

static enum hf_status
read_files(struct report *report)
{
    const struct report_order *order = report->order;
    enum hf_status status = HF_OK;
    FILE *in;

    if (order->proofs != NULL) {
        status = lines_open_file(order->proofs, &in, report->error);
        if (status != HF_OK)
            return status;
        status = proofs_read(&report->proofs, in, order->proofs, report->error);
        fclose(in);
    }
    if (status == HF_OK && order->mutants != NULL) {
        status = lines_open_file(order->mutants, &in, report->error);
        if (status != HF_OK)
            return status;
        status =
            mutants_read(&report->mutants, in, order->mutants, report->error);
        fclose(in);
    }
    return status;
}

static void
drop_text(struct report *report)
{
    free(report->text);
    report->text = NULL;
    report->len = 0;
}

static enum hf_status
search(struct report *report)
{
    const struct explore_limits *limits = &report->order->limits;
    enum hf_status status = HF_OK;

    if (!found_search(&report->all, limits))
        return no_memory(report);
    if (explore_is_stopped(limits))
        status = hf_fail(report->error, HF_E_CANCELLED,
                         "interrupted: no report was written");
    return status;
}

static bool
say(const char *how, const char *what, const char *name)
{
    program_complain("%s: %s%s", how, what, name);
    return true;
}

static void
count(const struct report *report, struct report_outcome *outcome)
{
    outcome->specimens = specimens_count;
    for (unsigned i = 0; i < specimens_count; i++)
        outcome->broken +=
            report->all.specimens[i].found.report.verdict == EXPLORE_VIOLATED;
    outcome->proofs = report->proofs.count;
    outcome->mutants = report->mutants.count;
}

/* The exit code tells only that there is one; these lines tell which. */
static void
say_findings(const struct report *report, struct report_outcome *outcome)
{
    for (unsigned i = 0; i < specimens_count; i++) {
        const struct found_specimen *found = &report->all.specimens[i];

        if (found->found.report.verdict == EXPLORE_BOUNDED)
            outcome->bounded =
                say("bounded", "the specimen ", specimens[i]->name);
        else if (!found_is_expected(found))
            outcome->finding =
                say("not as expected", "the specimen ", specimens[i]->name);
    }
    for (unsigned i = 0; i < report->proofs.count; i++) {
        const struct proof *proof = &report->proofs.at[i];

        if (proof->verdict == EXPLORE_BOUNDED)
            outcome->bounded =
                say("bounded", "the world ", subject_name(&proof->world));
        else if (!proofs_is_expected(proof))
            outcome->finding = say("not as expected", "the world ",
                                   subject_name(&proof->world));
    }
    if (mutants_surviving(&report->mutants) > 0)
        outcome->finding = say("not as expected", "a mutant that survives", "");
}

static enum hf_status
write_page(struct report *report)
{
    const struct page page = {
        .all = &report->all,
        .proofs = &report->proofs,
        .mutants = &report->mutants,
        .saved = report->order->proofs,
    };
    FILE *stream = open_memstream(&report->text, &report->len);
    bool broken;

    if (stream == NULL)
        return no_memory(report);
    page_write(stream, &page);
    broken = ferror(stream) != 0;
    if (fclose(stream) != 0 || broken)
        return no_memory(report);
    return whole_write(report->order->folder, "index.html", report->text,
                       report->len, report->error);
}

enum hf_status
report_make(const struct report_order *order, struct report_outcome *outcome,
            struct hf_error *error)
{
    struct report report = {.order = order, .error = error};
    enum hf_status status = read_files(&report);

    if (status == HF_OK)
        status = search(&report);
    if (status == HF_OK)
        status = write_page(&report);
    if (status == HF_OK) {
        count(&report, outcome);
        say_findings(&report, outcome);
    }
    drop_text(&report);
    found_fini(&report.all);
    mutants_fini(&report.mutants);
    proofs_fini(&report.proofs);
    return status;
}
