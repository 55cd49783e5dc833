/* The characters of a JSON string, one after the other, for all that checks, measures, compares or copies one. */
#ifndef ASSAY_JSON_STRING_H
#define ASSAY_JSON_STRING_H

#include <assay/bytes.h>

enum { JSON_STRING_END = 0, JSON_STRING_WRONG = -1 };

/* As json_string_next, for any character: the rare ones come here, so that the others cost no call. */
int json_string_any(struct assay_bytes text, size_t *at, uint8_t out[4]);

/* Reads the character at `*at` behind the opening quote, decodes it to UTF-8 in `out`, and steps over it. Returns its length,
 * JSON_STRING_END at the closing quote, which is stepped over, or JSON_STRING_WRONG. */
static inline int json_string_next(struct assay_bytes text, size_t *at, uint8_t out[4])
{
    uint8_t character = *at < text.size ? text.data[*at] : 0;

    if (character < 0x20 || character >= 0x80 || character == '"' || character == '\\')
        return json_string_any(text, at, out);
    out[0] = character;
    ++*at;
    return 1;
}

#endif
