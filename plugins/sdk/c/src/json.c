/* Reads values of a document that assay_json_parse accepted. Every loop stops at the end of the text all the same. */
#include <assay/json.h>

#include "json_string.h"

const char *assay_json_kind_name(enum assay_json_kind kind)
{
    switch (kind) {
    case ASSAY_JSON_NULL: return "null";
    case ASSAY_JSON_BOOLEAN: return "a boolean";
    case ASSAY_JSON_NUMBER: return "a number";
    case ASSAY_JSON_STRING: return "a string";
    case ASSAY_JSON_ARRAY: return "a list";
    case ASSAY_JSON_OBJECT: return "an object";
    case ASSAY_JSON_ABSENT: break;
    }
    return "nothing";
}

bool assay_json_boolean(struct assay_json value, bool *out)
{
    if (value.kind != ASSAY_JSON_BOOLEAN)
        return false;
    *out = assay_bytes_are(value.text, "true");
    return true;
}

bool assay_json_integer(struct assay_json value, int64_t *out)
{
    bool negative;
    int64_t result = 0;

    if (value.kind != ASSAY_JSON_NUMBER)
        return false;
    negative = value.text.size > 0 && value.text.data[0] == '-';
    if (assay_bytes_are(value.text, "-0"))
        return false;
    for (size_t i = negative ? 1 : 0; i < value.text.size; i++) {
        uint8_t c = value.text.data[i];
        /* Counted downwards, since the least integer has no positive counterpart. */
        if (c < '0' || c > '9' || __builtin_mul_overflow(result, 10, &result)
            || __builtin_sub_overflow(result, c - '0', &result))
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, result, &result))
        return false;
    *out = result;
    return true;
}

size_t assay_json_string_size(struct assay_json value)
{
    uint8_t character[4];
    size_t at = 1, size = 0;
    int length;

    if (value.kind != ASSAY_JSON_STRING)
        return 0;
    while ((length = json_string_next(value.text, &at, character)) > 0)
        size += (size_t)length;
    return size;
}

bool assay_json_string(struct assay_json value, void *out, size_t capacity, size_t *size)
{
    uint8_t character[4];
    size_t at = 1, filled = 0;
    int length;

    if (value.kind != ASSAY_JSON_STRING)
        return false;
    while ((length = json_string_next(value.text, &at, character)) > 0) {
        if ((size_t)length > capacity - filled)
            return false;
        /* One byte, mostly: a call would cost more than the copy. */
        for (int i = 0; i < length; i++)
            ((uint8_t *)out)[filled++] = character[i];
    }
    *size = filled;
    return length == JSON_STRING_END;
}

bool assay_json_spells(struct assay_json value, const char *string)
{
    uint8_t character[4];
    size_t at = 1, left = strlen(string);
    int length;

    if (value.kind != ASSAY_JSON_STRING)
        return false;
    while ((length = json_string_next(value.text, &at, character)) > 0) {
        if ((size_t)length > left || memcmp(string, character, (size_t)length) != 0)
            return false;
        string += length;
        left -= (size_t)length;
    }
    return length == JSON_STRING_END && left == 0;
}

static bool separates(uint8_t character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r' || character == ','
        || character == ':';
}

static enum assay_json_kind kind_of(uint8_t first)
{
    switch (first) {
    case '{': return ASSAY_JSON_OBJECT;
    case '[': return ASSAY_JSON_ARRAY;
    case '"': return ASSAY_JSON_STRING;
    case 't':
    case 'f': return ASSAY_JSON_BOOLEAN;
    case 'n': return ASSAY_JSON_NULL;
    default: return ASSAY_JSON_NUMBER;
    }
}

static size_t string_end(struct assay_bytes text, size_t at)
{
    uint8_t character[4];

    at++;
    while (json_string_next(text, &at, character) > 0)
        continue;
    return at;
}

/* Where the array or object that begins at `at` ends. */
static size_t list_end(struct assay_bytes text, size_t at)
{
    unsigned depth = 0;

    while (at < text.size) {
        uint8_t c = text.data[at];
        if (c == '"') {
            at = string_end(text, at);
            continue;
        }
        at++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            break;
    }
    return at;
}

static size_t word_end(struct assay_bytes text, size_t at)
{
    while (at < text.size && !separates(text.data[at]) && text.data[at] != '}' && text.data[at] != ']')
        at++;
    return at;
}

/* The next value within an array or object, from `*at` on. */
static bool next_value(struct assay_bytes text, size_t *at, struct assay_json *value)
{
    size_t start = *at, end;

    while (start < text.size && separates(text.data[start]))
        start++;
    if (start >= text.size || text.data[start] == ']' || text.data[start] == '}')
        return false;
    value->kind = kind_of(text.data[start]);
    if (value->kind == ASSAY_JSON_STRING)
        end = string_end(text, start);
    else if (value->kind == ASSAY_JSON_ARRAY || value->kind == ASSAY_JSON_OBJECT)
        end = list_end(text, start);
    else
        end = word_end(text, start);
    if (end > text.size || end == start)
        return false;
    value->text = assay_bytes(text.data + start, end - start);
    *at = end;
    return true;
}

bool assay_json_next_element(struct assay_json array, struct assay_json_place *place, struct assay_json *element)
{
    size_t at = place->next > 0 ? place->next : 1;

    if (array.kind != ASSAY_JSON_ARRAY || !next_value(array.text, &at, element))
        return false;
    place->next = at;
    return true;
}

bool assay_json_next_member(struct assay_json object, struct assay_json_place *place, struct assay_json *name,
    struct assay_json *value)
{
    size_t at = place->next > 0 ? place->next : 1;

    if (object.kind != ASSAY_JSON_OBJECT || !next_value(object.text, &at, name) || !next_value(object.text, &at, value))
        return false;
    place->next = at;
    return true;
}

struct assay_json assay_json_member(struct assay_json object, const char *name)
{
    struct assay_json_place place = {0};
    struct assay_json found, value;

    while (assay_json_next_member(object, &place, &found, &value))
        if (assay_json_spells(found, name))
            return value;
    return (struct assay_json){ASSAY_JSON_ABSENT, {NULL, 0}};
}

bool assay_json_has_only(struct assay_json object, const char *const *names)
{
    struct assay_json_place place = {0};
    struct assay_json name, value;

    while (assay_json_next_member(object, &place, &name, &value)) {
        const char *const *known = names;
        while (*known && !assay_json_spells(name, *known))
            known++;
        if (!*known)
            return false;
    }
    return object.kind == ASSAY_JSON_OBJECT;
}

size_t assay_json_count(struct assay_json value)
{
    struct assay_json_place place = {0};
    struct assay_json name, entry;
    size_t count = 0;

    while (assay_json_next_element(value, &place, &entry) || assay_json_next_member(value, &place, &name, &entry))
        count++;
    return count;
}
