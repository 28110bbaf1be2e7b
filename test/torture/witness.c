#include "witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

#define PATH_SIZE 512
#define NS_PER_MS 1000000

void
witness_open(struct witness *witness, const char *name)
{
    const char *folder = getenv("HF_HISTORY");
    char path[PATH_SIZE];

    witness->log.fd = -1;
    if (folder == NULL)
        return;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    HF_CHECK(history_log_open(&witness->log, path));
}

void
witness_be(struct witness *witness, uint32_t competitor, uint32_t begun)
{
    snprintf(witness->session, sizeof(witness->session), "%u-%u", competitor,
             begun);
    witness->n = 1;
}

static struct note
note_of(const struct witness *witness, enum note_kind kind)
{
    return (struct note){
        .kind = kind,
        .request = {witness->session, 1, witness->n},
    };
}

void
witness_ask(const struct witness *witness)
{
    static const struct note_name name = {"torture", HF_EXCLUSIVE};
    struct note note = note_of(witness, NOTE_ASK);

    note.if_dead = HF_TAKEOVER;
    note.names = &name;
    note.names_count = 1;
    history_log_write(&witness->log, note);
}

void
witness_granted(const struct witness *witness, uint64_t fence, int64_t right_ms)
{
    struct note note = note_of(witness, NOTE_GRANTED);

    note.fence = fence;
    note.until_ns = right_ms * NS_PER_MS;
    history_log_write(&witness->log, note);
}

void
witness_works(const struct witness *witness)
{
    struct note note = note_of(witness, NOTE_EXTENDED);

    note.at_ns = history_now_ns();
    note.until_ns = note.at_ns;
    history_log_write(&witness->log, note);
}

void
witness_release(const struct witness *witness)
{
    history_log_write(&witness->log, note_of(witness, NOTE_RELEASE));
}

void
witness_over(const struct witness *witness)
{
    history_log_write(&witness->log, note_of(witness, NOTE_OVER));
}

void
witness_end(const struct witness *witness)
{
    history_log_write(&witness->log, note_of(witness, NOTE_END));
}
