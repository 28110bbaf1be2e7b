#ifndef HF_BASE_HEX_H
#define HF_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>

/* Any bytes as hexadecimal text: of digits, and of small letters. */

/* Write `len` bytes as text with a NUL; `size` is at least 2 * len + 1.  Cannot
 * fail. */
void hf_hex_write(const char *bytes, size_t len, char *text, size_t size);

/* Read such a text, of at most `room` bytes, and put a NUL behind them; false:
 * it is none. */
bool hf_hex_read(const char *text, char *bytes, size_t room, size_t *len);

#endif
