#ifndef HF_BASE_RANDOM_H
#define HF_BASE_RANDOM_H

#include <stdint.h>

#include <holdfast/words.h>

/*
 * 64 bits from the kernel's generator, for the ids of claims: two claims with
 * one id would take each other's records for their own.  Different in a forked
 * child, any thread.  HF_E_UNAVAILABLE where the kernel refuses (a seccomp
 * filter); *number is then untouched, and nothing weaker takes its place.
 */
HF_MUST_USE enum hf_status hf_random_u64(uint64_t *number,
                                         struct hf_error *error);

#endif
