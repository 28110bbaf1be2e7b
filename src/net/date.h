#ifndef HF_NET_DATE_H
#define HF_NET_DATE_H

#include <stdint.h>

/* The date of an answer: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7). */

enum { HF_DATE_LEN = 29 };

/* Unix time, in seconds from 0 to the year 9999, as such a date with a NUL.
 * Cannot fail: what lies beyond is the nearest of these. */
void hf_date_write(int64_t unix_s, char date[HF_DATE_LEN + 1]);

#endif
