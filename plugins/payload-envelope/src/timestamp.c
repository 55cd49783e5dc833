#include "timestamp.h"

enum { SECONDS_END = 19 /* of YYYY-MM-DDTHH:MM:SS */ };

static bool read_digits(const uint8_t *text, size_t count, int64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (text[i] - '0');
    }
    return true;
}

/* Days from 1970-01-01, by the proleptic Gregorian calendar. Years begin in March, so that the leap day is their last. */
static int64_t days_from(int64_t year, int64_t month, int64_t day)
{
    int64_t march_year = month > 2 ? year : year - 1, march_month = month > 2 ? month - 3 : month + 9;
    int64_t leap_days = march_year / 4 - march_year / 100 + march_year / 400;

    return march_year * 365 + leap_days + (153 * march_month + 2) / 5 + day - 1 - 719468;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
    return (month == 12 ? days_from(year + 1, 1, 1) : days_from(year, month + 1, 1)) - days_from(year, month, 1);
}

/* What follows the seconds: "Z", or "." and digits and "Z". */
static bool read_fraction(struct assay_bytes rest, int64_t *milliseconds)
{
    int64_t digits;
    size_t count = rest.size - 1;

    *milliseconds = 0;
    if (rest.size == 0 || rest.data[count] != 'Z')
        return false;
    if (count == 0)
        return true;
    if (count < 2 || count > 10 || rest.data[0] != '.' || !read_digits(rest.data + 1, count - 1, &digits))
        return false;
    for (count--; count < 3; count++)
        digits *= 10;
    for (; count > 3; count--)
        digits /= 10;
    *milliseconds = digits;
    return true;
}

bool timestamp_read(struct assay_bytes text, int64_t *milliseconds)
{
    int64_t year, month, day, hour, minute, second, fraction;
    const uint8_t *t = text.data;

    if (text.size <= SECONDS_END || t[4] != '-' || t[7] != '-' || t[10] != 'T' || t[13] != ':' || t[16] != ':')
        return false;
    if (!read_digits(t, 4, &year) || !read_digits(t + 5, 2, &month) || !read_digits(t + 8, 2, &day)
        || !read_digits(t + 11, 2, &hour)
        || !read_digits(t + 14, 2, &minute) || !read_digits(t + 17, 2, &second))
        return false;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) || hour > 23 || minute > 59
        || second > 59)
        return false;
    if (!read_fraction(assay_bytes(t + SECONDS_END, text.size - SECONDS_END), &fraction))
        return false;
    *milliseconds = ((days_from(year, month, day) * 24 + hour) * 60 + minute) * 60000 + second * 1000 + fraction;
    return true;
}
