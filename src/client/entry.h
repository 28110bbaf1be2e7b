#ifndef HF_CLIENT_ENTRY_H
#define HF_CLIENT_ENTRY_H

#include "base/bytes.h"
#include "wire/describe.h"

/* An entry of the audit as it was written down, of a table's clear (record.h)
 * or of a lock server's (cleared.h): where a file was either in turn, both
 * stand in one audit.  Its stamp_ms is when it was asked for; who knows the
 * store's sets that.  False: it is neither, and *entry is untouched. */
bool hf_entry_read(struct hf_bytes record, struct hf_audit_entry *entry);

/* Who cleared it: a server knows it by one text, "ann@db1". */
void hf_entry_part(const char *who, struct hf_clearing *by);

#endif
