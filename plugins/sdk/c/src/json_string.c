#include "json_string.h"

#include "utf8.h"

/* Four hex digits of \uXXXX. */
static bool unit(struct assay_bytes text, size_t *at, uint32_t *value)
{
    uint8_t pair[2];

    if (text.size - *at < 4 || !assay_hex_decode(assay_bytes(text.data + *at, 4), pair, 2))
        return false;
    *at += 4;
    *value = (uint32_t)pair[0] << 8 | pair[1];
    return true;
}

/* The value of \u…, with `*at` behind the u: one unit, or a surrogate pair of two. */
static bool escaped_value(struct assay_bytes text, size_t *at, uint32_t *value)
{
    uint32_t low;

    if (!unit(text, at, value))
        return false;
    if (*value < 0xd800 || *value > 0xdfff)
        return true;
    if (*value > 0xdbff || text.size - *at < 2 || text.data[*at] != '\\' || text.data[*at + 1] != 'u')
        return false;
    *at += 2;
    if (!unit(text, at, &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *value = 0x10000 + ((*value - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* With `*at` behind the backslash. */
static int escape(struct assay_bytes text, size_t *at, uint8_t out[4])
{
    uint32_t value;

    if (*at == text.size)
        return JSON_STRING_WRONG;
    switch (text.data[(*at)++]) {
    case '"': out[0] = '"'; return 1;
    case '\\': out[0] = '\\'; return 1;
    case '/': out[0] = '/'; return 1;
    case 'b': out[0] = '\b'; return 1;
    case 'f': out[0] = '\f'; return 1;
    case 'n': out[0] = '\n'; return 1;
    case 'r': out[0] = '\r'; return 1;
    case 't': out[0] = '\t'; return 1;
    case 'u': return escaped_value(text, at, &value) ? (int)utf8_encode(value, out) : JSON_STRING_WRONG;
    default: return JSON_STRING_WRONG;
    }
}

int json_string_any(struct assay_bytes text, size_t *at, uint8_t out[4])
{
    size_t length;

    if (*at >= text.size || text.data[*at] < 0x20)
        return JSON_STRING_WRONG;
    if (text.data[*at] == '"') {
        ++*at;
        return JSON_STRING_END;
    }
    if (text.data[*at] == '\\') {
        ++*at;
        return escape(text, at, out);
    }
    length = utf8_character(text.data + *at, text.size - *at);
    if (length == 0)
        return JSON_STRING_WRONG;
    memcpy(out, text.data + *at, length);
    *at += length;
    return (int)length;
}
