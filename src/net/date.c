#include "net/date.h"

#include <stdio.h>

/* 31 December 9999, 23:59:59. */
#define LAST_S INT64_C(253402300799)

/* Neither strftime, which follows the locale, nor gmtime_r, which may look at
 * files: days since 1 March of the year 0, in eras of 400 years, as Howard
 * Hinnant counts them in "chrono-Compatible Low-Level Date Algorithms". */
void
hf_date_write(int64_t unix_s, char date[HF_DATE_LEN + 1])
{
    static const char *const week_days[] = {"Thu", "Fri", "Sat", "Sun",
                                            "Mon", "Tue", "Wed"};
    static const char *const months[] = {"Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct",
                                         "Nov", "Dec", "Jan", "Feb"};
    int64_t now = unix_s < 0 ? 0 : unix_s > LAST_S ? LAST_S : unix_s;
    int day = (int)(now / 86400);
    int second = (int)(now % 86400);
    int since = day + 719468; /* from 1 March 0000 to 1 January 1970 */
    int era = since / 146097;
    int of_era = since % 146097;
    int year_of_era =
        (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year =
        of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (5 * of_year + 2) / 153; /* March is 0 */
    int year = era * 400 + year_of_era + (month >= 10 ? 1 : 0);

    snprintf(date, HF_DATE_LEN + 1, "%s, %02d %s %04d %02d:%02d:%02d GMT",
             week_days[day % 7], (of_year - (153 * month + 2) / 5 + 1) % 100,
             months[month], year % 10000, second / 3600 % 24, second / 60 % 60,
             second % 60);
}
