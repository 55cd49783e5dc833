/* The characters of a JSON string, one after the other, for all that checks, measures, compares or copies one. */
#ifndef ASSAY_JSON_STRING_H
#define ASSAY_JSON_STRING_H

#include <assay/bytes.h>

enum { JSON_STRING_END = 0, JSON_STRING_WRONG = -1 };

/* Reads the character at `*at` behind the opening quote, decodes it to UTF-8 in `out`, and steps over it. Returns its length,
 * JSON_STRING_END at the closing quote, which is stepped over, or JSON_STRING_WRONG. */
int json_string_next(struct assay_bytes text, size_t *at, uint8_t out[4]);

#endif
