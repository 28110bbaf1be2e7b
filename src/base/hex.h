#ifndef HF_BASE_HEX_H
#define HF_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Any bytes as hexadecimal text: of digits, and of small letters. */

/* The value of a digit, also if it is a capital letter; or -1: it is none. */
int hf_hex_digit(char digit);

/* Write `len` bytes as text with a NUL; `size` is at least 2 * len + 1.  Cannot
 * fail. */
void hf_hex_write(const char *bytes, size_t len, char *text, size_t size);

/* Write a number as 16 digits, the highest first, and a NUL. */
void hf_hex_write_u64(uint64_t number, char text[17]);

/* Read such a text of just `len` bytes; false, and *bytes may hold anything:
 * it is none. */
bool hf_hex_read(struct hf_bytes text, void *bytes, size_t len);

/* Such a text of at most `room` bytes, with a NUL behind them. */
bool hf_hex_read_string(struct hf_bytes text, char *bytes, size_t room,
                        size_t *len);

/* Such a number of just 16 digits; false, and *number is untouched: it is
 * none. */
bool hf_hex_read_u64(struct hf_bytes text, uint64_t *number);

#endif
