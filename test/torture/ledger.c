#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"

_Static_assert(4096 % sizeof(struct ledger_note) == 0, "crosses a page");
_Static_assert(4096 % sizeof(struct ledger_write) == 0, "crosses a page");

#define PATH_SIZE 512

static int
open_in(const char *folder, const char *name, int flags)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return open(path, flags | O_CLOEXEC, 0600);
}

int
ledger_make(const char *folder)
{
    char path[PATH_SIZE];
    int notes = open_in(folder, "notes", O_CREAT | O_TRUNC | O_WRONLY);
    int vault = open_in(folder, "vault", O_CREAT | O_TRUNC | O_WRONLY);

    snprintf(path, sizeof(path), "%s/words", folder);
    if (notes < 0 || vault < 0 || mkfifo(path, 0600) != 0)
        return -1;
    close(notes);
    close(vault);
    /* Also for writing: it never ends while there is a driver. */
    return open_in(folder, "words", O_RDWR | O_NONBLOCK);
}

bool
ledger_open(struct ledger *ledger, const char *folder)
{
    *ledger = (struct ledger){
        .notes = open_in(folder, "notes", O_WRONLY | O_APPEND),
        .vault = open_in(folder, "vault", O_RDWR | O_APPEND),
        .words = open_in(folder, "words", O_WRONLY),
    };
    return ledger->notes >= 0 && ledger->vault >= 0 && ledger->words >= 0;
}

void
ledger_note(const struct ledger *ledger, enum ledger_kind kind)
{
    struct ledger_note note = {
        .fence = ledger->fence,
        .at_ms = hf_now().ms,
        .seq = ledger->seq,
        .pid = getpid(),
        .competitor = (uint16_t)ledger->competitor,
        .kind = (uint16_t)kind,
    };

    HF_CHECK(write(ledger->notes, &note, sizeof(note)) == sizeof(note));
}

/* Append to the vault, unless a higher fence was there before. */
static bool
enter(struct ledger *ledger, bool done)
{
    struct ledger_write last = {0};
    struct ledger_write mine = {
        .fence = ledger->fence,
        .competitor = ledger->competitor,
        .seq = ledger->seq,
        .done = done,
    };
    off_t size;
    bool allowed;

    HF_CHECK(flock(ledger->vault, LOCK_EX) == 0);
    size = lseek(ledger->vault, 0, SEEK_END);
    if (size > 0)
        HF_CHECK(pread(ledger->vault, &last, sizeof(last),
                       size - (off_t)sizeof(last)) == sizeof(last));
    allowed = last.fence <= ledger->fence;
    if (allowed) {
        mine.counter = done ? ledger->counter + 1 : last.counter;
        HF_CHECK(write(ledger->vault, &mine, sizeof(mine)) == sizeof(mine));
        ledger->counter = mine.counter;
    }
    HF_CHECK(flock(ledger->vault, LOCK_UN) == 0);
    if (!allowed)
        ledger_note(ledger, LEDGER_REFUSED);
    return allowed;
}

bool
ledger_read(struct ledger *ledger)
{
    return enter(ledger, false);
}

bool
ledger_write(struct ledger *ledger)
{
    return enter(ledger, true);
}

void
ledger_tell(const struct ledger *ledger, enum ledger_word_kind kind,
            const pid_t *pids)
{
    struct ledger_word word = {
        .fence = ledger->fence,
        .kind = kind,
        .competitor = ledger->competitor,
        .seq = ledger->seq,
    };

    for (int i = 0; pids != NULL && i < 3; i++)
        word.pids[i] = pids[i];
    HF_CHECK(write(ledger->words, &word, sizeof(word)) == sizeof(word));
}
