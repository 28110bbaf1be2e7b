/*
 * store_driver PLACE: a store that a script drives.  Each line of the standard
 * input is a command, and is answered by one line, at once:
 *
 *   read NAME              present VERSION TOKEN VALUE, or absent VERSION
 *   commit MS OP...        one group, within so many milliseconds
 *   batch MS OP...         the same, each a group of its own
 *   wait MS NAME VERSION   changed, or stood
 *   idle MS                "idle", when the time is over
 *   scan PREFIX            the names, up to 100
 *   generation, woken      a number
 *
 * OP is put:NAME:VERSION:VALUE (a new generation), beat:NAME:VERSION:VALUE,
 * delete:NAME:VERSION, mark:NAME (a marker of a takeover, not there yet) or
 * erase:NAME (that marker).  A group is answered with "applied VERSION...",
 * "refused AT", "unavailable" or "unknown", groups parted by a comma; behind it
 * stands " # " and why.  A call that fails says "failed # why".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/get_one.h"

enum { OPS_MAX = 64, LINE_SIZE = 1 << 16 };

static struct hf_key
key_of(const char *space, const char *name)
{
    return (struct hf_key){space, name};
}

static struct hf_instant
in_ms(const char *text)
{
    return hf_after(hf_now(), (struct hf_duration){strtoll(text, NULL, 10)});
}

static void
fail(const struct hf_error *error)
{
    printf("failed # %s\n", error->text);
}

static void
read_one(struct hf_store *store, const char *name)
{
    static struct hf_record record;
    struct hf_error error = {.status = HF_OK};

    if (get_one(store, key_of("default", name), in_ms("10000"), &record,
                &error) != HF_OK)
        fail(&error);
    else if (record.exists)
        printf("present %" PRIu64 " %" PRIu64 " %.*s\n", record.version,
               record.token, (int)record.value_len, record.value);
    else
        printf("absent %" PRIu64 "\n", record.version);
}

/* What stands up to the next colon; *at is behind it. */
static const char *
field(char **at)
{
    const char *found = strsep(at, ":");

    return found != NULL ? found : "";
}

/* false: it is none. */
static bool
read_op(char *text, struct hf_store_op *op)
{
    const char *kind = field(&text);
    const char *name = field(&text);
    bool beats = strcmp(kind, "beat") == 0;

    *op = (struct hf_store_op){.key = key_of("default", name)};
    if (strcmp(kind, "mark") == 0 || strcmp(kind, "erase") == 0) {
        op->key.space = "!RECLAIM";
        op->kind = kind[0] == 'm' ? HF_PUT : HF_ERASE;
        op->expect.kind =
            kind[0] == 'm' ? HF_EXPECT_ABSENT : HF_EXPECT_ANYTHING;
        op->new_generation = kind[0] == 'm';
        op->value = kind[0] == 'm' ? "{}" : NULL;
        op->value_len = kind[0] == 'm' ? 2 : 0;
        return true;
    }
    op->expect.version = strtoull(field(&text), NULL, 10);
    if (strcmp(kind, "delete") == 0) {
        op->kind = HF_DELETE;
        return true;
    }
    op->kind = HF_PUT;
    op->new_generation = !beats;
    op->value = text != NULL ? text : "";
    op->value_len = strlen(op->value);
    return beats || strcmp(kind, "put") == 0;
}

static void
tell_group(const struct hf_store_group *group, bool first)
{
    printf("%s%s", first ? "" : ", ", hf_verdict_word(group->verdict));
    if (group->verdict == HF_REFUSED)
        printf(" %zu", group->refused_at);
    for (size_t i = 0; group->verdict == HF_APPLIED && i < group->ops_count;
         i++)
        printf(" %" PRIu64, group->ops[i].version);
}

static void
commit(struct hf_store *store, char *rest, bool apart)
{
    struct hf_store_op ops[OPS_MAX];
    struct hf_store_group groups[OPS_MAX] = {{.ops = ops}};
    struct hf_error error = {.status = HF_OK};
    const char *ms = strsep(&rest, " ");
    size_t count = 0;
    size_t groups_count;

    while (rest != NULL && count < OPS_MAX) {
        if (!read_op(strsep(&rest, " "), &ops[count])) {
            puts("failed # no such operation");
            return;
        }
        groups[count] =
            (struct hf_store_group){.ops = &ops[count], .ops_count = 1};
        count++;
    }
    groups_count = apart ? count : 1;
    if (!apart)
        groups[0].ops_count = count;
    hf_store_commit(store, groups, groups_count, in_ms(ms), &error);
    for (size_t i = 0; i < groups_count; i++)
        tell_group(&groups[i], i == 0);
    printf("%s%s\n", error.status != HF_OK ? " # " : "", error.text);
}

static void
wait_for(struct hf_store *store, char *rest)
{
    const char *ms = strsep(&rest, " ");
    const char *name = strsep(&rest, " ");
    struct hf_store_watch watch = {.key = key_of("default", name)};

    watch.version = rest != NULL ? strtoull(rest, NULL, 10) : 0;
    hf_store_wait(store, &watch, 1, in_ms(ms), -1);
    puts(watch.changed ? "changed" : "stood");
}

static void
rest_idle(struct hf_store *store, const char *ms)
{
    hf_store_wait(store, NULL, 0, in_ms(ms), -1);
    puts("idle");
}

static bool
tell_name(void *ctx, const char *name, size_t name_len,
          const struct hf_record *record)
{
    (void)ctx;
    (void)record;
    printf("%.*s ", (int)name_len, name);
    return true;
}

static void
scan(struct hf_store *store, const char *prefix)
{
    const struct hf_store_scan what = {
        .space = "default", .prefix = prefix, .limit = 100};
    struct hf_error error = {.status = HF_OK};

    if (hf_store_scan(store, &what, in_ms("10000"), tell_name, NULL, &error) !=
        HF_OK)
        fail(&error);
    else
        puts("");
}

static void
obey(struct hf_store *store, char *line)
{
    const char *word = strsep(&line, " ");
    char nothing[] = "";
    char *rest = line != NULL ? line : nothing;

    if (strcmp(word, "read") == 0)
        read_one(store, rest);
    else if (strcmp(word, "commit") == 0 || strcmp(word, "batch") == 0)
        commit(store, rest, word[0] == 'b');
    else if (strcmp(word, "wait") == 0)
        wait_for(store, rest);
    else if (strcmp(word, "idle") == 0)
        rest_idle(store, rest);
    else if (strcmp(word, "scan") == 0)
        scan(store, rest);
    else if (strcmp(word, "generation") == 0)
        printf("%" PRIu64 "\n", hf_store_generation(store));
    else if (strcmp(word, "woken") == 0)
        printf("%d\n", hf_store_is_woken(store, in_ms("1000")));
    else
        puts("failed # no such command");
}

int
main(int argc, char **argv)
{
    static char line[LINE_SIZE];
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};

    if (argc != 2)
        return 64;
    if (hf_store_open(argv[1], &hf_alloc_libc, &store, &error) != HF_OK) {
        fprintf(stderr, "store_driver: %s\n", error.text);
        return 69;
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        obey(store, line);
        fflush(stdout);
    }
    hf_store_close(store);
    return 0;
}
