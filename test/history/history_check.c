#include <stdio.h>
#include <string.h>

#include "history/explain.h"
#include "history/files.h"

/*
 * history_check PATH...: is what these files, and those in these folders, tell
 * of a lock service consistent?  README.md says what is looked for.
 *
 * Exit: 0, it is; 1, it is not, and why is printed; as statuses have it: 64
 * usage, 65 a line that is none, 69 a file that cannot be read, 70 no memory.
 */

#define EXPLANATION_MAX 65536

static void
say_counts(const struct history *history, size_t files)
{
    printf("%zu events of %zu files: %zu requests, %zu granted, of %zu locks",
           history->events_count, files, history->requests_count,
           history->granted_count, history->locks.count);
    if (history->torn_count > 0)
        printf("; %zu lines without an end left out", history->torn_count);
    printf("\n");
}

static void
say_breach(const struct verdict *verdict)
{
    char buffer[EXPLANATION_MAX];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    explain(verdict, &text);
    printf("broken: %s", buffer);
    if (verdict->breaches > 1)
        printf("%zu breaches in all; this was the first.\n", verdict->breaches);
}

static int
fail(const struct hf_error *error)
{
    fprintf(stderr, "history_check: %s\n", error->text);
    return hf_status_exit(error->status);
}

/* What is read, and what is found; see main. */
struct task {
    struct history_files files;
    struct history history;
    struct verdict verdict;
};

static enum hf_status
run(struct task *task, char **paths, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    for (; *paths != NULL && status == HF_OK; paths++)
        status = history_files_add(&task->files, *paths, error);
    if (status == HF_OK)
        status = history_read(&task->history, task->files.texts,
                              task->files.count, error);
    if (status == HF_OK)
        status = check_history(&task->history, &task->verdict, error);
    return status;
}

int
main(int argc, char **argv)
{
    struct task task = {.files.count = 0};
    struct hf_error error;
    int code = 0;

    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: history_check PATH...\n");
        return 64;
    }
    if (run(&task, argv + 1, &error) != HF_OK) {
        code = fail(&error);
    } else {
        say_counts(&task.history, task.files.count);
        if (task.verdict.breaches > 0) {
            say_breach(&task.verdict);
            code = 1;
        } else {
            printf("consistent\n");
        }
    }
    history_free(&task.history);
    history_files_free(&task.files);
    return code;
}
