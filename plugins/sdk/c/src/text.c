#include "text.h"

#include <stdio.h>

#include "utf8.h"

size_t text_format(char out[TEXT_LIMIT + 1], const char *format, va_list arguments)
{
    uint8_t *text = (uint8_t *)out;
    int wanted = vsnprintf(out, TEXT_LIMIT + 1, format, arguments);
    size_t size = wanted < 0 ? 0 : wanted > TEXT_LIMIT ? TEXT_LIMIT : (size_t)wanted;

    for (size_t at = 0; at < size;) {
        size_t length = utf8_character(text + at, size - at);
        if (length == 0 || text[at] < 0x20 || text[at] == 0x7f) {
            text[at] = '?';
            length = 1;
        }
        at += length;
    }
    out[size] = '\0';
    return size;
}

void text_complain(const char *name, const char *sentence)
{
    fprintf(stderr, "%s: %s\n", name, sentence);
}
