#ifndef TEST_SUPPORT_JOURNALS_H
#define TEST_SUPPORT_JOURNALS_H

#include "journal/journal.h"

/* Journals for tests: what must succeed here fails the test if it does not. */

/* A place for it: a file in a folder of the test's own, in memory where the
 * system has that; and its end, with all that is in the folder. */
enum { JOURNALS_PLACE_SIZE = 256 };
void journals_make_place(char place[JOURNALS_PLACE_SIZE]);
void journals_remove_place(const char *place);

/* The journal of a place, a URL; the caller closes it. */
struct hf_journal *journals_open(const char *place);

/* Ten seconds from now. */
struct hf_instant journals_soon(void);

/* A head that is led from `node`, "" for nobody, at `address`. */
struct hf_head journals_head(const char *node, const char *address);

/* What a read shows. */
struct hf_journal_found journals_read(struct hf_journal *journal);

/* Put a head in the place of what is there, as a new term, with these changes;
 * its version. */
uint64_t journals_put(struct hf_journal *journal, const struct hf_head *head,
                      const struct hf_journal_change *changes, size_t count);

/* A session, and an exclusive grant of a lock of the space "default" to it. */
struct hf_journal_change journals_session(uint64_t id);
struct hf_journal_change journals_grant(uint64_t fence, uint64_t session,
                                        const char *locks);

/* All rows: "s1 s2 g7 g9", ids in hexadecimal and fences, as a load reads them;
 * cut if they do not fit. */
void journals_rows(struct hf_journal *journal, char *text, size_t size);

#endif
