#include "support/journals.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/text.h"
#include "store/place.h"

static void
must(enum hf_status status, const struct hf_error *error)
{
    if (status == HF_OK)
        return;
    (void)fprintf(stderr, "%s\n", error->text);
    HF_CHECK(!"what must succeed in a test");
}

/* ---- Places -------------------------------------------------------------- */

void
journals_make_place(char place[JOURNALS_PLACE_SIZE])
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char folder[64];

    (void)snprintf(folder, sizeof(folder), "%s/holdfast-journal-XXXXXX", base);
    HF_CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(place, JOURNALS_PLACE_SIZE, "sqlite:%s/served.db", folder);
}

void
journals_remove_place(const char *place)
{
    char folder[JOURNALS_PLACE_SIZE];
    const struct dirent *file;
    DIR *files;

    (void)snprintf(folder, sizeof(folder), "%s", place + strlen("sqlite:"));
    *strrchr(folder, '/') = '\0';
    files = opendir(folder);
    HF_CHECK(files != NULL);
    while ((file = readdir(files)) != NULL)
        (void)unlinkat(dirfd(files), file->d_name, 0);
    HF_CHECK(closedir(files) == 0 && rmdir(folder) == 0);
}

/* ---- Journals ------------------------------------------------------------ */

struct hf_instant
journals_soon(void)
{
    return hf_after(hf_now(), (struct hf_duration){10000});
}

struct hf_journal *
journals_open(const char *place)
{
    struct hf_journal *journal = NULL;
    struct hf_error error = {0};
    struct hf_place where;

    must(hf_place_parse(place, &where, &error), &error);
    must(hf_journal_open(&where, &hf_alloc_libc, &journal, &error), &error);
    return journal;
}

struct hf_head
journals_head(const char *node, const char *address)
{
    struct hf_head head = {
        .claim = {.heartbeat = {7, 1}, .terms = {HF_TAKEOVER, {5000}, {1000}}},
        .next_fence = 9,
        .service = 1,
    };

    (void)snprintf(head.node, sizeof(head.node), "%s", node);
    (void)snprintf(head.address, sizeof(head.address), "%s", address);
    return head;
}

struct hf_journal_found
journals_read(struct hf_journal *journal)
{
    struct hf_journal_found found;
    struct hf_error error = {0};

    must(hf_journal_read(journal, journals_soon(), &found, &error), &error);
    return found;
}

uint64_t
journals_put(struct hf_journal *journal, const struct hf_head *head,
             const struct hf_journal_change *changes, size_t count)
{
    const struct hf_journal_write write = {
        .head = head,
        .expect = journals_read(journal).version,
        .new_term = true,
        .changes = changes,
        .changes_count = count,
    };
    struct hf_error error = {0};
    uint64_t version = 0;
    enum hf_verdict verdict =
        hf_journal_write(journal, &write, journals_soon(), &version, &error);

    must(verdict == HF_APPLIED ? HF_OK : HF_E_UNKNOWN, &error);
    return version;
}

struct hf_journal_change
journals_session(uint64_t id)
{
    struct hf_journal_change change = {
        .kind = HF_CHANGE_PUT_SESSION,
        .session = {.id = id,
                    .ttl = {30000},
                    .if_dead = HF_REFUSE,
                    .who = {"ann@db1", 7},
                    .silent_from = {86400000}},
    };

    for (size_t i = 0; i < sizeof(change.session.secret.bytes); i++)
        change.session.secret.bytes[i] = (unsigned char)(id + i);
    return change;
}

struct hf_journal_change
journals_grant(uint64_t fence, uint64_t session, const char *locks)
{
    return (struct hf_journal_change){
        .kind = HF_CHANGE_PUT_GRANT,
        .grant = {.grant = {.loaded = {.fence = fence,
                                       .session = session,
                                       .lane = 4,
                                       .n = 9,
                                       .note = {"why", 3}},
                            .since_ms = 1763850690123},
                  .locks = {locks, strlen(locks)}},
    };
}

static void
add_rows(const struct hf_journal_chunk *chunk, struct hf_text *out)
{
    for (size_t i = 0; i < chunk->count; i++) {
        hf_text_add(out, out->len > 0 ? " " : "");
        if (chunk->rows == HF_JOURNAL_SESSIONS)
            hf_text_addf(out, "s%" PRIx64, chunk->sessions[i].id);
        else
            hf_text_addf(out, "g%" PRIu64, chunk->grants[i].grant.loaded.fence);
    }
}

void
journals_rows(struct hf_journal *journal, char *text, size_t size)
{
    struct hf_journal_chunk *chunk = calloc(1, sizeof(*chunk));
    struct hf_error error = {0};
    struct hf_text out;

    HF_CHECK(chunk != NULL);
    chunk->arena.alloc = &hf_alloc_libc;
    hf_text_init(&out, text, size);
    while (chunk->rows != HF_JOURNAL_END) {
        must(hf_journal_load(journal, chunk, HF_NEVER, &error), &error);
        add_rows(chunk, &out);
    }
    hf_arena_fini(&chunk->arena);
    free(chunk);
}
