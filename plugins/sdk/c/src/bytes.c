#include <assay/bytes.h>

bool assay_secret_equal(const void *left, const void *right, size_t size)
{
    const volatile uint8_t *l = left, *r = right;
    uint8_t difference = 0;

    for (size_t i = 0; i < size; i++)
        difference = (uint8_t)(difference | (l[i] ^ r[i]));
    return difference == 0;
}

void assay_wipe(void *memory, size_t size)
{
    if (size == 0)
        return;
    memset(memory, 0, size);
    /* The memory is an input of this statement, so that the writes before it stay. */
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static int hex_digit(uint8_t character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return -1;
}

bool assay_hex_decode(struct assay_bytes text, void *out, size_t size)
{
    uint8_t *bytes = out;

    if (text.size % 2 != 0 || text.size / 2 != size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit(text.data[2 * i]), low = hex_digit(text.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void assay_hex_encode(struct assay_bytes bytes, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < bytes.size; i++) {
        *out++ = digits[bytes.data[i] >> 4];
        *out++ = digits[bytes.data[i] & 0xf];
    }
    *out = '\0';
}

static int base64_digit(uint8_t character)
{
    if (character >= 'A' && character <= 'Z')
        return character - 'A';
    if (character >= 'a' && character <= 'z')
        return character - 'a' + 26;
    if (character >= '0' && character <= '9')
        return character - '0' + 52;
    return character == '+' ? 62 : character == '/' ? 63 : -1;
}

/* Four characters, of which the last `padding` are "=", to 3 - padding bytes. Unused bits must be zero. */
static bool base64_group(const uint8_t text[4], size_t padding, uint8_t out[3])
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = i < 4 - padding ? base64_digit(text[i]) : 0;
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
    }
    if (padding > 0 && (bits & (padding == 1 ? 0xffu : 0xffffu)) != 0)
        return false;
    out[0] = (uint8_t)(bits >> 16);
    out[1] = (uint8_t)(bits >> 8);
    out[2] = (uint8_t)bits;
    return true;
}

static size_t base64_padding(struct assay_bytes text)
{
    if (text.size == 0 || text.data[text.size - 1] != '=')
        return 0;
    return text.data[text.size - 2] == '=' ? 2 : 1;
}

bool assay_base64_decode(struct assay_bytes text, void *out, size_t capacity, size_t *size)
{
    uint8_t *bytes = out, group[3];
    size_t padding, total, at = 0;

    if (text.size % 4 != 0)
        return false;
    padding = base64_padding(text);
    total = assay_base64_bound(text.size) - padding;
    if (total > capacity)
        return false;
    for (size_t i = 0; i < text.size; i += 4) {
        bool last = i + 4 == text.size;
        size_t count = last ? 3 - padding : 3;
        if (!base64_group(text.data + i, last ? padding : 0, group))
            return false;
        memcpy(bytes + at, group, count);
        at += count;
    }
    *size = total;
    return true;
}
