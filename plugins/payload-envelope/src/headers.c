#include "headers.h"

#include <stdlib.h>

static const char prefix[] = "smileid-";

struct header {
    struct assay_bytes name, value;
};

static bool is_printable(struct assay_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] > 0x7e)
            return false;
    return true;
}

static bool lower_case(struct assay_call *call, struct assay_bytes *text)
{
    uint8_t *copy = assay_allocate(call, text->size);

    if (!copy)
        return false;
    for (size_t i = 0; i < text->size; i++) {
        uint8_t c = text->data[i];
        copy[i] = (uint8_t)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    *text = assay_bytes(copy, text->size);
    return true;
}

static int compare_names(const void *left, const void *right)
{
    struct assay_bytes l = ((const struct header *)left)->name, r = ((const struct header *)right)->name;
    int order = memcmp(l.data, r.data, l.size < r.size ? l.size : r.size);

    return order != 0 ? order : (l.size > r.size) - (l.size < r.size);
}

/* Adds the header if it is covered. */
static bool add(struct assay_call *call, struct assay_json name, struct assay_json value, struct header *headers, size_t *count)
{
    struct header header;

    if (!assay_json_text(call, name, &header.name) || !assay_json_text(call, value, &header.value)
        || !lower_case(call, &header.name))
        return false;
    if (header.name.size < strlen(prefix) || memcmp(header.name.data, prefix, strlen(prefix)) != 0)
        return true;
    if (*count == COVERED_HEADERS || !is_printable(header.name) || !is_printable(header.value))
        return false;
    headers[(*count)++] = header;
    return true;
}

static size_t collect(struct assay_call *call, struct assay_json object, struct header *headers, bool *right)
{
    struct assay_json_place place = {0};
    struct assay_json name, value;
    size_t count = 0;

    *right = true;
    while (*right && assay_json_next_member(object, &place, &name, &value))
        *right = add(call, name, value, headers, &count);
    qsort(headers, count, sizeof *headers, compare_names);
    for (size_t i = 1; i < count; i++)
        *right = *right && !assay_bytes_equal(headers[i - 1].name, headers[i].name);
    return count;
}

static uint8_t *write_string(uint8_t *out, struct assay_bytes text)
{
    *out++ = '"';
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            *out++ = '\\';
        *out++ = text.data[i];
    }
    *out++ = '"';
    return out;
}

bool headers_write(struct assay_call *call, struct assay_json object, struct assay_bytes *json)
{
    struct header headers[COVERED_HEADERS];
    size_t count, size = 2;
    uint8_t *start, *out;
    bool right;

    count = collect(call, object, headers, &right);
    /* Each character may be escaped; two strings have four quotes, a colon and a comma. */
    for (size_t i = 0; i < count; i++)
        size += 2 * (headers[i].name.size + headers[i].value.size) + 6;
    if (!right || !(start = assay_allocate(call, size)))
        return false;
    out = start;
    *out++ = '{';
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *out++ = ',';
        out = write_string(out, headers[i].name);
        *out++ = ':';
        out = write_string(out, headers[i].value);
    }
    *out++ = '}';
    *json = assay_bytes(start, (size_t)(out - start));
    return true;
}
