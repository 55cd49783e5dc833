#include "utf8.h"

static bool continues(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The lower limit of the second byte excludes overlong forms, the upper one surrogates and what is above U+10FFFF. */
static bool second_in_range(uint8_t first, uint8_t second)
{
    switch (first) {
    case 0xe0: return second >= 0xa0;
    case 0xed: return second <= 0x9f;
    case 0xf0: return second >= 0x90;
    case 0xf4: return second <= 0x8f;
    default: return true;
    }
}

size_t utf8_character(const uint8_t *text, size_t size)
{
    size_t length;

    if (size == 0)
        return 0;
    if (text[0] < 0x80)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (size < length || !second_in_range(text[0], text[1]))
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(text[i]))
            return 0;
    return length;
}

bool utf8_valid(struct assay_bytes text)
{
    size_t at = 0;

    while (at < text.size) {
        size_t length = utf8_character(text.data + at, text.size - at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

size_t utf8_encode(uint32_t value, uint8_t out[4])
{
    if (value < 0x80) {
        out[0] = (uint8_t)value;
        return 1;
    }
    if (value < 0x800) {
        out[0] = (uint8_t)(0xc0 | value >> 6);
        out[1] = (uint8_t)(0x80 | (value & 0x3f));
        return 2;
    }
    if (value < 0x10000) {
        out[0] = (uint8_t)(0xe0 | value >> 12);
        out[1] = (uint8_t)(0x80 | (value >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (value & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | value >> 18);
    out[1] = (uint8_t)(0x80 | (value >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (value >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (value & 0x3f));
    return 4;
}
