/* UTF-8 (RFC 3629). */
#ifndef ASSAY_UTF8_H
#define ASSAY_UTF8_H

#include <assay/bytes.h>

/* The length of the character that begins `text`, 1 to 4; 0 if none does: overlong forms, surrogates and values above U+10FFFF
 * are none. */
size_t utf8_character(const uint8_t *text, size_t size);

bool utf8_valid(struct assay_bytes text);

/* Writes a character of up to 4 bytes and returns its length. `value` is at most 0x10ffff and no surrogate. */
size_t utf8_encode(uint32_t value, uint8_t out[4]);

#endif
